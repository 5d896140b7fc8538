"""The world of a training job: it starts, steps at the pace `simulate` computes, pauses, and ends with its tokens."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

from paceline.figures import Figure, figures
from paceline.pod.comparison import LABELS, comparisons, run_of
from paceline.pod.dial import DIALS, Factors, turn_factor
from paceline.pod.knob import KNOBS
from paceline.pod.world import World
from paceline.step import Run, Settings
from paceline.units import show_gigabytes, show_gpus
from paceline.workload import Bill, sharded_bill

_figures = lru_cache(maxsize=256)(lambda settings: figures(run_of(settings)))
NOT_YET = "–"
FACTORS = ("micro_batch", "accumulation", "world_size")


@dataclass(slots=True)
class TrainingJob(World):
    """The job's state; `into_us` is how far a running step was when it was last looked at, of `into_of_us`.

    An `mfu_percent` of 0 is the simulated one; any other assumes it and takes the step time from FLOP over
    (MFU x peak), which says nothing of how such an MFU would be reached. `sharding` is ZeRO's stage, which
    counts in memory alone. A job that does not fit fails when it is started and stands failed as long as it
    does not.
    """

    kind: ClassVar[str] = "job"
    knobs_known: ClassVar[tuple[str, ...]] = (
        "mfu_percent", "micro_batch", "accumulation", "batch_held", "sharding", *DIALS,
    )  # fmt: skip
    labels: ClassVar[Mapping[str, tuple[str, str]]] = {
        "steps_done": ("count", "Steps done"),
        "tokens_done": ("count", "Tokens read"),
        "time_left_s": ("s", "Time left"),
        "step_s": ("s", "Step time"),
        "tokens_per_s": ("count", "Tokens/s"),
        "mfu": ("%", "MFU"),
        "mfu_simulated": ("%", "MFU, simulated"),
        "nvlink_bytes_per_s": ("bytes/s", "NVLink, on paper"),
        "flop_per_s": ("FLOP/s", "FLOP delivered"),
        "time_to_train_s": ("s", "Time to train"),
        "steps_at_pause": ("count", "Steps when paused"),
        "speedup": ("ratio", "Faster than one GPU"),
        "memory_bytes": ("GB", "Memory per GPU"),
        "world_size": ("count", "GPUs"),
        "efficiency": ("%.1", "Efficiency"),
        "sequences_per_gpu": ("count", "Sequences each"),
        "exposed_comm_s": ("s", "Exposed"),
        "hidden_comm_s": ("s", "Hidden"),
        "comm_s": ("s", "All-reduce"),
        "law_comm_s": ("s", "By the law"),
        "backward_s": ("s", "Backward"),
        "servers": ("count", "Servers"),
        "global_batch": ("count", "Global batch"),
        "micro_batch": ("count", "Micro-batch"),
        "accumulation_steps": ("count", "Accumulation"),
        "steps": ("count", "Steps in all"),
        "buckets": ("count", "Buckets"),
        "model_parameters": ("large count", "Parameters"),
        "free_bytes": ("GB", "Memory left"),
        "state_bytes": ("GB", "State"),
        "failures": ("count", "Out of memory"),
        "failed_gpus": ("count", "Failed on, GPUs"),
        "trained_parameters": ("large count", "Largest trained"),
        "on_gpus": ("count", "On"),
        "overlap": ("count", "Overlap"),
        "nics": ("count", "NICs per server"),
        "nic_gbit": ("count", "NIC speed"),
        "batch_held": ("count", "Batch held"),
        "sharding": ("count", "Sharding"),
        "clock_percent": ("count", "Clock of GPU 13"),
        "marked_exposed": ("count", "Marked: exposed from"),
        "marked_end": ("count", "Marked: no sequences"),
        "marked_exposed_right": ("count", "Exposure marked"),
        "marked_end_right": ("count", "End marked"),
        **LABELS,
    }

    started: str = "idle"
    steps_done: int = 0
    into_us: int = 0
    into_of_us: int = 1
    steps_at_pause: int = 0
    mfu_percent: int = 0
    batch_held: bool = True
    sharding: int = 0
    failures: int = 0
    failed_gpus: int = 0
    trained_parameters: int = 0
    marked_exposed: int = 0
    marked_end: int = 0

    @property
    def run(self) -> Run:
        """One step at these settings, as simulated."""
        return run_of(self.settings)

    @property
    def base(self) -> dict[str, Figure]:
        """The figures of that run."""
        return _figures(self.settings)

    @property
    def bill(self) -> Bill:
        """What one GPU holds, sharded or not."""
        return sharded_bill(self.run.scenario.job, self.sharding)

    @property
    def fits(self) -> bool:
        """Whether one GPU holds its bill."""
        return self.bill.total_bytes <= self.base["gpu_memory_bytes"].value

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
        """Done once the budget is read, whatever it was when the job started; failed where memory does not do."""
        if not self.fits and (self.started != "idle" or self.failures):
            return "failed"
        return "done" if self.steps_done >= self.steps_total else self.started

    @property
    def note(self) -> str:
        """What is assumed."""
        if self.mfu_percent:
            return "This MFU is assumed, not simulated: it says nothing of how it would be reached."
        if self.sharding:
            return "Sharding is counted in memory alone; the traffic it adds is not in the step time."
        return ""

    def own_actions(self) -> tuple[str, ...]:
        """A job starts, pauses and resumes; a learner marks the N it stands at."""
        return ("start", "pause", "resume", "mark_exposed", "mark_end")

    def own(self, name: str, action: Mapping[str, object]) -> None:
        """Start, pause or resume the job, or mark where exposure begins or sequences end."""
        if name == "mark_exposed":
            self.marked_exposed = self.settings.gpus
        elif name == "mark_end":
            self.marked_end = self.settings.gpus
        elif name == "pause" and self.state == "running":
            self.steps_at_pause = max(self.steps_at_pause, self.steps_done)
            self.happened("job", "paused", steps=str(self.steps_done))
            self.started = "paused"
        elif name in ("start", "resume") and not self.fits:
            self.failures += 1
            self.failed_gpus = max(self.failed_gpus, self.settings.gpus)
            self.happened("job", "out_of_memory")
        elif name in ("start", "resume") and self.state in ("idle", "paused", "done"):
            if self.state == "done":
                self.steps_done = self.into_us = 0
                self.started = "idle"
            self.happened("job", "started" if self.state == "idle" else "resumed", steps=str(self.steps_done))
            self.started = "running"

    def pass_time(self, microseconds: int) -> None:
        """Steps are done while the job runs."""
        if self.state != "running":
            return
        self.trained_parameters = max(self.trained_parameters, int(self.base["parameters"].value))
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
        settings = self._put(name, value)
        run_of(settings)
        self.settings = settings

    def _put(self, name: str, value: int) -> Settings:
        """Put a knob; what is a setting is returned, and need not be a run yet."""
        if name == "mfu_percent":
            self.mfu_percent = 0 if value == round(self.base["mfu"].value * 100) else value
        elif name == "batch_held":
            self.batch_held = bool(value)
        elif name == "sharding":
            self.sharding = value
        elif name in FACTORS and not (name == "world_size" and self.batch_held):
            return turn_factor(self.settings, name, value, self.batch_held)
        else:
            return DIALS[name].put(self.settings, value)
        return self.settings

    def what_if(self, turns: Iterable[tuple[str, int]]) -> dict[str, Figure]:
        """The readings with some knobs elsewhere, all at once: only what they lead to must be a run."""
        other = self.unbegun()
        for name, value in turns:
            KNOBS[name].check(value)
            other.settings = other._put(name, value)
        run_of(other.settings)
        return other.readings()

    @property
    def knobs(self) -> dict[str, int]:
        """Where every knob stands."""
        factors = Factors.of(self.settings)
        return {
            "mfu_percent": max(1, round(self.mfu * 100)),
            "micro_batch": factors.micro_batch,
            "accumulation": factors.accumulation,
            "batch_held": int(self.batch_held),
            "sharding": self.sharding,
            **{name: dial.get(self.settings) for name, dial in DIALS.items()},
        }

    def unbegun(self) -> "TrainingJob":
        """The same job as it would be before it started."""
        return TrainingJob(
            self.settings, self.seed, mfu_percent=self.mfu_percent, batch_held=self.batch_held, sharding=self.sharding
        )

    def readings(self) -> dict[str, Figure]:
        """The figures of the run, what it compares with, and over them what the job has come to by now."""
        per_step = int(self.base["tokens_per_step"].value)
        step_s = self.step_us / 10**6
        left_us = max(0, (self.steps_total - self.steps_done) * self.step_us - self.into_step_us)
        alone = self.run.alone_s
        bill = self.bill
        compared = comparisons(self.settings)
        values: dict[str, float | int] = {
            "steps_done": min(self.steps_done, self.steps_total),
            "tokens_done": min(self.steps_done * per_step, self.settings.tokens),
            "time_left_s": left_us / 10**6,
            "step_s": step_s,
            "tokens_per_s": per_step / step_s,
            "mfu": self.mfu,
            "mfu_simulated": self.base["mfu"].value,
            "nvlink_bytes_per_s": self.run.scenario.cluster.server.gpu.nvlink_unidirectional_bytes_per_s,
            "flop_per_s": self.flop_per_s,
            "time_to_train_s": self.base["total_flop"].value / self.flop_per_s,
            "steps_at_pause": self.steps_at_pause,
            "speedup": alone / step_s,
            "efficiency": self.base["efficiency"].value,
            "sequences_per_gpu": self.settings.global_batch // self.settings.gpus,
            "model_parameters": self.base["parameters"].value,
            "memory_bytes": bill.total_bytes,
            "free_bytes": self.base["gpu_memory_bytes"].value - bill.total_bytes,
            "state_bytes": bill.state_bytes,
            "failures": self.failures,
            "failed_gpus": self.failed_gpus,
            "world_size": self.settings.gpus,
            "trained_parameters": self.trained_parameters,
            "marked_exposed": self.marked_exposed,
            "marked_end": self.marked_end,
            "marked_exposed_right": int(self.marked_exposed == compared["exposed_from"].value > 0),
            "marked_end_right": int(self.marked_end == self.settings.global_batch),
        }
        found = dict(self.base) | compared | {name: self.reading(name, value) for name, value in values.items()}
        at = {"sharding": self.sharding, "batch_held": int(self.batch_held)}
        at |= {name: DIALS[name].get(self.settings) for name in ("overlap", "nics", "nic_gbit", "clock_percent")}
        found |= {name: Figure(name, value, KNOBS[name].text(value)) for name, value in at.items()}
        found["on_gpus"] = Figure("on_gpus", self.settings.gpus, show_gpus(self.settings.gpus))
        if self.state == "idle":
            found["time_left_s"] = replace(found["time_left_s"], text=NOT_YET)
        if found["free_bytes"].value < 0:
            found["free_bytes"] = replace(
                found["free_bytes"], text=f"{show_gigabytes(-found['free_bytes'].value)} over"
            )
        if not self.trained_parameters:
            found["trained_parameters"] = replace(found["trained_parameters"], text="none")
        return found
