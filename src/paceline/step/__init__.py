"""One training step: buckets on a communication stream beside the backward pass that fills them."""

from paceline.step.run import Loss, Run
from paceline.step.scenario import Scenario, Settings
from paceline.step.simulate import simulate
from paceline.step.span import Span, spans_of

__all__ = ["Loss", "Run", "Scenario", "Settings", "Span", "simulate", "spans_of"]
