"""The pod: worlds with a clock of whole microseconds, which a learner acts on."""

from collections.abc import Mapping, Sequence

from paceline.errors import UnknownName
from paceline.pod.drill import Drill
from paceline.pod.knob import KNOBS, Knob
from paceline.pod.replicas import Replicas
from paceline.pod.ring import Ring
from paceline.pod.script import Script
from paceline.pod.training_job import TrainingJob
from paceline.pod.world import World
from paceline.step import Settings

WORLDS: dict[str, type[World]] = {world.kind: world for world in (TrainingJob, Replicas, Ring, Script, Drill)}


def open_world(kind: str, settings: Settings, seed: int = 0) -> World:
    """A world as it is before any action."""
    if kind not in WORLDS:
        raise UnknownName.among("world", kind, WORLDS)
    return WORLDS[kind](settings, seed)


def replay(kind: str, settings: Settings, seed: int, actions: Sequence[Mapping[str, object]]) -> World:
    """The world that these actions lead to."""
    world = open_world(kind, settings, seed)
    for action in actions:
        world.do(action)
    return world


__all__ = [
    "KNOBS",
    "WORLDS",
    "Drill",
    "Knob",
    "Replicas",
    "Ring",
    "Script",
    "TrainingJob",
    "World",
    "open_world",
    "replay",
]
