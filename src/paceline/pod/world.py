"""A world: what a learner acts on, moved by actions and by whole microseconds, the same on every replay.

Setting one knob twice in a row is the same as setting it once: a dragged slider leaves one action in the log.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from paceline.errors import BadValue, UnknownName
from paceline.figures import Figure
from paceline.pod.knob import KNOBS, whole, word
from paceline.step import Settings
from paceline.units import SHOW

LONGEST_ADVANCE_US = 10**12
LATEST_US = 10**15


@dataclass(slots=True)
class World:
    """What all worlds share: settings, a seed, a clock, a journal of events, the readings before the last change."""

    kind: ClassVar[str] = ""
    knobs_known: ClassVar[tuple[str, ...]] = ()
    labels: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """Each reading's way to be shown (a key of units.SHOW) and its label."""

    settings: Settings
    seed: int = 0
    clock_us: int = 0
    journal: list[dict[str, str]] = field(default_factory=list)
    was: dict[str, str] = field(default_factory=dict)
    turned: str = ""
    """The knob of the last action; empty when that was something else."""

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**32:
            raise BadValue(f"seed {self.seed}", "it lies between 0 and 4294967295")

    def do(self, action: Mapping[str, object]) -> None:
        """One action of the log; one that means nothing now (pause of a paused job) changes nothing."""
        name = word(action, "act")
        if name == "set":
            self._turn(word(action, "knob"), whole(action, "value"))
            return
        if name == "advance":
            self.advance(whole(action, "microseconds"))
        elif name in self.own_actions():
            self.own(name, action)
        else:
            raise UnknownName.among("action", name, ("advance", "set", *self.own_actions()))
        self.turned = ""

    def advance(self, microseconds: int) -> None:
        """Let time pass; two advances are exactly the one of their sum."""
        if not 0 <= microseconds <= LONGEST_ADVANCE_US or self.clock_us + microseconds > LATEST_US:
            raise BadValue(f"{microseconds} microseconds", "a world advances by 0 to 10^12 at once, to 10^15 in all")
        self.pass_time(microseconds)
        self.clock_us += microseconds

    def _turn(self, name: str, value: int) -> None:
        knob = KNOBS.get(name)
        if knob is None or name not in self.knobs_known:
            raise UnknownName.among("knob", name, self.knobs_known)
        knob.check(value)
        before = {name: reading.text for name, reading in self.readings().items()} if self.turned != name else self.was
        self.turn(name, value)
        self.was, self.turned = before, name

    def reading(self, name: str, value: float | int) -> Figure:
        """A reading with its text."""
        return Figure(name, value, SHOW[self.labels[name][0]](value))

    def happened(self, name: str, state: str, **more: str) -> None:
        """Write an event into the journal."""
        self.journal.append({"name": name, "state": state, "at_us": str(self.clock_us)} | more)

    @property
    def state(self) -> str:
        """One of idle, running, paused, done, and failed for what cannot run as it stands."""
        raise NotImplementedError

    def own_actions(self) -> tuple[str, ...]:
        """The actions that only this kind of world knows."""
        raise NotImplementedError

    def own(self, name: str, action: Mapping[str, object]) -> None:
        """Do one of them."""
        raise NotImplementedError

    def pass_time(self, microseconds: int) -> None:
        """What time does here."""
        raise NotImplementedError

    def turn(self, name: str, value: int) -> None:
        """Put a known knob to a checked value, or refuse it with nothing changed."""
        raise NotImplementedError

    @property
    def knobs(self) -> dict[str, int]:
        """Where every knob stands."""
        raise NotImplementedError

    def readings(self) -> dict[str, Figure]:
        """Every number of this world by name."""
        raise NotImplementedError

    def unbegun(self) -> "World":
        """A world with its knobs where these are, in which nothing was done yet."""
        other: World = type(self)(self.settings, self.seed)
        for name, at in self.knobs.items():
            if at != other.knobs[name]:
                other.turn(name, at)
        return other

    def what_if(self, turns: Iterable[tuple[str, int]]) -> dict[str, Figure]:
        """The readings with some knobs elsewhere, turned one after another; this world stays as it is."""
        other = self.unbegun()
        for knob, value in turns:
            KNOBS[knob].check(value)
            other.turn(knob, value)
        return other.readings()

    @property
    def note(self) -> str:
        """A sentence where something is assumed rather than simulated; often empty."""
        return ""
