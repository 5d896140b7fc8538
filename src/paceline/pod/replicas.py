"""The world of eight copies of one tiny model: trained for real, with the all-reduce between them or without it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from paceline.figures import Figure
from paceline.pod.world import World
from paceline.replica import Training

STEP_US = 500_000
"""A step of the tiny model takes no time worth the name; here it is slow enough to be watched."""
LAST_STEP = 300


@dataclass(slots=True)
class Replicas(World):
    """Training that starts, pauses, averages or not, and can broadcast the weights of rank 0."""

    kind: ClassVar[str] = "replicas"
    knobs_known: ClassVar[tuple[str, ...]] = ("averaging",)
    labels: ClassVar[Mapping[str, tuple[str, str]]] = {
        "steps_done": ("count", "Steps done"),
        "models": ("count", "Different models"),
        "most_models": ("count", "Most models so far"),
        "loss": ("3", "Loss, mean"),
        "loss_lowest": ("3", "Loss, lowest"),
        "loss_highest": ("3", "Loss, highest"),
        "gap": ("3", "Largest gap"),
        "averaged_apart": ("count", "Averaged steps apart"),
        "skipped": ("count", "Steps not averaged"),
        "broadcasts": ("count", "Broadcasts"),
        "healed": ("count", "Times healed"),
        "world_size": ("count", "GPUs"),
    }

    started: str = "idle"
    averaging: bool = True
    into_step_us: int = 0
    averaged_apart: int = 0
    skipped: int = 0
    healed: int = 0
    most_models: int = 1
    training: Training = field(init=False)

    def __post_init__(self) -> None:
        # Slots of a derived dataclass make another class of it, which super() without arguments does not find.
        World.__post_init__(self)
        self.training = Training(self.seed)

    @property
    def step_us(self) -> int:
        """A step in whole microseconds."""
        return STEP_US

    @property
    def state(self) -> str:
        """Done after the last step."""
        return "done" if self.training.steps >= LAST_STEP else self.started

    def own_actions(self) -> tuple[str, ...]:
        """It starts, pauses, resumes, and broadcasts."""
        return ("start", "pause", "resume", "broadcast")

    def own(self, name: str, action: Mapping[str, object]) -> None:
        """Start, pause, resume, or give every rank the weights of rank 0."""
        if name == "broadcast":
            apart = self.training.models > 1
            self.training.broadcast()
            self.healed += apart and self.averaging
            self.happened("weights", "broadcast")
        elif name == "pause" and self.state == "running":
            self.started = "paused"
            self.happened("job", "paused")
        elif name in ("start", "resume") and self.state in ("idle", "paused"):
            self.happened("job", "started" if self.state == "idle" else "resumed")
            self.started = "running"

    def pass_time(self, microseconds: int) -> None:
        """Steps are trained while it runs."""
        if self.state != "running":
            return
        passed, self.into_step_us = divmod(self.into_step_us + microseconds, STEP_US)
        for _ in range(min(passed, LAST_STEP - self.training.steps)):
            apart = self.training.models > 1
            self.training.step(self.averaging)
            self.averaged_apart += apart and self.averaging
            self.skipped += not self.averaging
            self.most_models = max(self.most_models, self.training.models)
        if self.state == "done":
            self.into_step_us = 0

    def turn(self, name: str, value: int) -> None:
        """Switch the averaging."""
        self.averaging = bool(value)

    @property
    def knobs(self) -> dict[str, int]:
        """Where the switch stands."""
        return {"averaging": int(self.averaging)}

    def readings(self) -> dict[str, Figure]:
        """What the copies have come to."""
        now = self.training.history[-1]
        total = 0.0
        for loss in now.losses:
            total += loss
        values: dict[str, float | int] = {
            "steps_done": self.training.steps,
            "models": self.training.models,
            "most_models": self.most_models,
            "loss": total / len(now.losses),
            "loss_lowest": min(now.losses),
            "loss_highest": max(now.losses),
            "gap": now.gap,
            "averaged_apart": self.averaged_apart,
            "skipped": self.skipped,
            "broadcasts": len(self.training.broadcasts),
            "healed": self.healed,
            "world_size": self.training.world_size,
        }
        return {name: self.reading(name, value) for name, value in values.items()}
