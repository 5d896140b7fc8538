"""A world: one job on the pod, moved by actions and by whole microseconds, the same on every replay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from paceline.errors import BadValue, UnknownName
from paceline.figures import Figure, figures
from paceline.step import Settings, simulate
from paceline.units import GB, SHOW

LONGEST_ADVANCE_US = 10**12
LATEST_US = 10**15


@dataclass(frozen=True, slots=True)
class Knob:
    """A control of a world, in whole numbers."""

    name: str
    label: str
    unit: str
    lowest: int
    highest: int


KNOBS = {
    "mfu_percent": Knob("mfu_percent", "MFU", "%", 5, 100),
    "tokens_billion": Knob("tokens_billion", "Token budget", "billion tokens", 1, 300),
}

_figures = lru_cache(maxsize=64)(lambda settings: figures(simulate(settings.scenario())))


@dataclass(slots=True)
class World:
    """The job's state; `into_step_us` is how far the running step is.

    An `mfu_percent` of 0 is the simulated one; any other assumes it and takes the step time from FLOP over
    (MFU x peak), which says nothing of how such an MFU would be reached.
    """

    settings: Settings
    seed: int = 0
    clock_us: int = 0
    state: str = "idle"
    steps_done: int = 0
    into_step_us: int = 0
    steps_at_pause: int = 0
    mfu_percent: int = 0
    journal: list[dict[str, str]] = field(default_factory=list)
    _start: Settings = field(init=False)

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**32:
            raise BadValue(f"seed {self.seed}", "it lies between 0 and 4294967295")
        self._start = self.settings

    @property
    def base(self) -> dict[str, Figure]:
        """The figures of the run at these settings, as simulated."""
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
    def steps_total(self) -> int:
        """Steps in the token budget."""
        return int(self.base["steps"].value)

    def advance(self, microseconds: int) -> None:
        """Let time pass; two advances are exactly the one of their sum."""
        if not 0 <= microseconds <= LONGEST_ADVANCE_US or self.clock_us + microseconds > LATEST_US:
            raise BadValue(f"{microseconds} microseconds", "a world advances by 0 to 10^12 at once, to 10^15 in all")
        if self.state == "running":
            left_us = (self.steps_total - self.steps_done) * self.step_us - self.into_step_us
            if microseconds >= left_us:
                self.steps_done, self.into_step_us = self.steps_total, 0
                self._become("done", self.clock_us + left_us)
            else:
                passed, self.into_step_us = divmod(self.into_step_us + microseconds, self.step_us)
                self.steps_done += passed
        self.clock_us += microseconds

    def do(self, action: Mapping[str, object]) -> None:
        """One action of the log; one that means nothing now (pause of a paused job) changes nothing."""
        name = action.get("act")
        if name == "advance":
            self.advance(whole(action, "microseconds"))
        elif name == "set":
            self._set(word(action, "knob"), whole(action, "value"))
        elif name in ("start", "resume"):
            if self.state in ("idle", "paused"):
                self._become("started" if self.state == "idle" else "resumed", self.clock_us)
        elif name == "pause":
            if self.state == "running":
                self.steps_at_pause = max(self.steps_at_pause, self.steps_done)
                self._become("paused", self.clock_us)
        elif name == "reset":
            fresh = World(self._start, self.seed)
            for slot in (
                "settings",
                "clock_us",
                "state",
                "steps_done",
                "into_step_us",
                "steps_at_pause",
                "mfu_percent",
            ):
                setattr(self, slot, getattr(fresh, slot))
            self.journal = []
        else:
            raise UnknownName.among(
                "action", word(action, "act"), ("advance", "pause", "reset", "resume", "set", "start")
            )

    def _become(self, event: str, at_us: int) -> None:
        self.state = {"started": "running", "resumed": "running"}.get(event, event)
        self.journal.append({"name": "job", "state": event, "at_us": str(at_us), "steps": str(self.steps_done)})

    def _set(self, name: str, value: int) -> None:
        knob = KNOBS.get(name)
        if knob is None:
            raise UnknownName.among("knob", name, KNOBS)
        if not knob.lowest <= value <= knob.highest:
            raise BadValue(f"{knob.label} {value}", f"it lies between {knob.lowest} and {knob.highest} {knob.unit}")
        before_us = self.step_us
        if name == "mfu_percent":
            self.mfu_percent = 0 if value == round(self.base["mfu"].value * 100) else value
        else:
            self.settings = replace(self.settings, tokens=value * GB)
        self.into_step_us = self.into_step_us * self.step_us // before_us
        if self.state in ("running", "paused") and self.steps_done >= self.steps_total:
            self.steps_done, self.into_step_us = self.steps_total, 0
            self._become("done", self.clock_us)

    @property
    def knobs(self) -> dict[str, int]:
        """Where every knob stands."""
        return {"mfu_percent": round(self.mfu * 100), "tokens_billion": self.settings.tokens // GB}

    def readings(self) -> dict[str, Figure]:
        """The meters: what the job has come to by now."""
        per_step = int(self.base["tokens_per_step"].value)
        step_s = self.step_us / 10**6
        left_s = ((self.steps_total - self.steps_done) * self.step_us - self.into_step_us) / 10**6
        total = self.base["total_flop"]
        values: dict[str, tuple[str, float | int]] = {
            "steps": ("count", self.steps_done),
            "tokens": ("count", min(self.steps_done * per_step, self.settings.tokens)),
            "time_left_s": ("s", left_s),
            "step_s": ("s", step_s),
            "tokens_per_s": ("count", per_step / step_s if self.state == "running" else 0),
            "mfu": ("%", self.mfu),
            "flop_per_s": ("FLOP/s", self.flop_per_s),
            "time_to_train_s": ("s", total.value / self.flop_per_s),
            "steps_at_pause": ("count", self.steps_at_pause),
        }
        made = {name: Figure(name, value, SHOW[show](value)) for name, (show, value) in values.items()}
        return made | {"memory_bytes": self.base["memory_bytes"], "total_flop": total}


def replay(settings: Settings, seed: int, actions: Sequence[Mapping[str, object]]) -> World:
    """The world that these actions lead to."""
    world = World(settings, seed)
    for action in actions:
        world.do(action)
    return world


def whole(request: Mapping[str, object], key: str) -> int:
    """The whole number at `key` of a request."""
    value = request.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadValue(f"{key} of a request", "it must be a whole number")
    return value


def word(request: Mapping[str, object], key: str) -> str:
    """The text at `key` of a request."""
    value = request.get(key)
    if not isinstance(value, str):
        raise BadValue(f"{key} of a request", "it must be text")
    return value
