"""The world of a training job: it starts, steps at the pace `simulate` computes, pauses, and ends with its tokens."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

from paceline.figures import Figure, figures
from paceline.pod.world import World
from paceline.step import Run, simulate
from paceline.units import GB

_run = lru_cache(maxsize=64)(lambda settings: simulate(settings.scenario()))
_figures = lru_cache(maxsize=64)(lambda settings: figures(_run(settings)))
NOT_YET = "–"


@dataclass(slots=True)
class TrainingJob(World):
    """The job's state; `into_us` is how far a running step was when it was last looked at, of `into_of_us`.

    An `mfu_percent` of 0 is the simulated one; any other assumes it and takes the step time from FLOP over
    (MFU x peak), which says nothing of how such an MFU would be reached.
    """

    kind: ClassVar[str] = "job"
    knobs_known: ClassVar[tuple[str, ...]] = ("mfu_percent", "tokens_billion", "gpus")
    labels: ClassVar[Mapping[str, tuple[str, str]]] = {
        "steps_done": ("count", "Steps done"),
        "tokens_done": ("count", "Tokens read"),
        "time_left_s": ("s", "Time left"),
        "step_s": ("s", "Step time"),
        "tokens_per_s": ("count", "Tokens/s"),
        "mfu": ("%", "MFU"),
        "flop_per_s": ("FLOP/s", "FLOP delivered"),
        "time_to_train_s": ("s", "Time to train"),
        "steps_at_pause": ("count", "Steps when paused"),
        "speedup": ("ratio", "Faster than one GPU"),
        "memory_bytes": ("GB", "Memory per GPU"),
        "world_size": ("count", "GPUs"),
        "efficiency": ("%", "Efficiency"),
        "sequences_per_gpu": ("count", "Sequences per GPU"),
    }

    started: str = "idle"
    steps_done: int = 0
    into_us: int = 0
    into_of_us: int = 1
    steps_at_pause: int = 0
    mfu_percent: int = 0

    @property
    def run(self) -> Run:
        """One step at these settings, as simulated."""
        return _run(self.settings)

    @property
    def base(self) -> dict[str, Figure]:
        """The figures of that run."""
        return _figures(self.settings)

    @property
    def mfu(self) -> float:
        """The MFU assumed, or the simulated one."""
        return self.mfu_percent / 100 if self.mfu_percent else self.base["mfu"].value

    @property
    def flop_per_s(self) -> float:
        """Model FLOP delivered per second by all GPUs."""
        return self.mfu * self.base["peak_flop_per_s"].value * self.settings.gpus

    @property
    def step_us(self) -> int:
        """A step in whole microseconds."""
        if not self.mfu_percent:
            return max(1, round(self.base["step_s"].value * 10**6))
        flop = 6 * self.base["parameters"].value * self.base["tokens_per_step"].value
        return max(1, round(flop / self.flop_per_s * 10**6))

    @property
    def into_step_us(self) -> int:
        """How far the running step is; a change of speed keeps the share that is done."""
        return self.into_us * self.step_us // self.into_of_us

    @property
    def steps_total(self) -> int:
        """Steps in the token budget."""
        return int(self.base["steps"].value)

    @property
    def state(self) -> str:
        """Done once the budget is read, whatever it was when the job started."""
        return "done" if self.steps_done >= self.steps_total else self.started

    def own_actions(self) -> tuple[str, ...]:
        """A job starts, pauses and resumes."""
        return ("start", "pause", "resume")

    def own(self, name: str, action: Mapping[str, object]) -> None:
        """Start, pause or resume the job."""
        if name in ("start", "resume") and self.state in ("idle", "paused"):
            self.happened("job", "started" if self.state == "idle" else "resumed", steps=str(self.steps_done))
            self.started = "running"
        elif name == "pause" and self.state == "running":
            self.steps_at_pause = max(self.steps_at_pause, self.steps_done)
            self.happened("job", "paused", steps=str(self.steps_done))
            self.started = "paused"

    def pass_time(self, microseconds: int) -> None:
        """Steps are done while the job runs."""
        if self.state != "running":
            return
        into_us, step_us = self.into_step_us, self.step_us
        left_us = (self.steps_total - self.steps_done) * step_us - into_us
        if microseconds >= left_us:
            self.steps_done, self.into_us = self.steps_total, 0
            self.happened("job", "done", steps=str(self.steps_done))
        else:
            passed, self.into_us = divmod(into_us + microseconds, step_us)
            self.steps_done += passed
        self.into_of_us = step_us

    def turn(self, name: str, value: int) -> None:
        """Knobs that are settings give another run; the assumed MFU gives another pace."""
        if name == "mfu_percent":
            self.mfu_percent = 0 if value == round(self.base["mfu"].value * 100) else value
        else:
            settings = (
                replace(self.settings, tokens=value * GB)
                if name == "tokens_billion"
                else replace(self.settings, gpus=value)
            )
            _run(settings)
            self.settings = settings

    @property
    def knobs(self) -> dict[str, int]:
        """Where every knob stands."""
        return {
            "mfu_percent": round(self.mfu * 100),
            "tokens_billion": self.settings.tokens // GB,
            "gpus": self.settings.gpus,
        }

    def readings(self) -> dict[str, Figure]:
        """The figures of the run, and over them what the job has come to by now."""
        per_step = int(self.base["tokens_per_step"].value)
        step_s = self.step_us / 10**6
        left_us = max(0, (self.steps_total - self.steps_done) * self.step_us - self.into_step_us)
        alone = _figures(replace(self.settings, gpus=1, faults=()))
        values: dict[str, float | int] = {
            "steps_done": min(self.steps_done, self.steps_total),
            "tokens_done": min(self.steps_done * per_step, self.settings.tokens),
            "time_left_s": left_us / 10**6,
            "step_s": step_s,
            "tokens_per_s": per_step / step_s,
            "mfu": self.mfu,
            "flop_per_s": self.flop_per_s,
            "time_to_train_s": self.base["total_flop"].value / self.flop_per_s,
            "steps_at_pause": self.steps_at_pause,
            "speedup": alone["step_s"].value / step_s,
            "sequences_per_gpu": self.settings.global_batch // self.settings.gpus,
        }
        found = dict(self.base) | {name: self.reading(name, value) for name, value in values.items()}
        if self.state == "idle":
            found["time_left_s"] = replace(found["time_left_s"], text=NOT_YET)
        return found
