"""The pod: a world with a clock of whole microseconds in which a job runs."""

from paceline.pod.world import KNOBS, Knob, World

__all__ = ["KNOBS", "Knob", "World"]
