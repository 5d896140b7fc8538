"""Clauses: `figure op value`, `figure @ knob=value ... op value`, `event NAME key=value`; claims and goals use them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from paceline.errors import BadValue, DoesNotDivide, DoesNotFit
from paceline.pod import World
from paceline.units import parse, parse_count

_FIGURE = re.compile(r"([a-z][a-z0-9_]*)\s*(?:@\s*((?:[a-z_]+=[0-9]+\s+)+))?(<=|>=|==|<|>)\s*(.+)")
_EVENT = re.compile(r"event ([a-z][a-z0-9_]*)((?: [a-z_]+=[A-Za-z0-9_.-]+)*)")
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
}
_WORDS = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than", "==": "exactly"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a clause holds and, where it does not, what is missing in the meter's own words."""

    met: bool
    text: str


@dataclass(frozen=True, slots=True)
class Clause:
    """One condition on figures or on the journal; `operator` is "" for an event, `turns` are a what-if's knobs."""

    text: str
    name: str
    operator: str
    wanted: float
    wanted_text: str
    keys: tuple[tuple[str, str], ...]
    turns: tuple[tuple[str, int], ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Clause":
        """The clause a text says, or a refusal that shows the grammar."""
        event = _EVENT.fullmatch(text)
        if event:
            pairs = tuple((key, value) for key, _, value in (pair.partition("=") for pair in event[2].split()))
            return cls(text, event[1], "", 0.0, "", pairs)
        match = _FIGURE.fullmatch(text)
        if match is None:
            raise BadValue(f"clause {text!r}", "it is neither 'figure op value' nor 'event NAME key=value'")
        name, turns, operator, value = match.groups()
        return cls(text, name, operator, _number(value.strip()), value.strip(), (), parse_turns(turns or ""))

    def judge(self, world: World) -> Verdict:
        """The verdict on a world."""
        if not self.operator:
            met = any(
                event.get("name") == self.name and all(event.get(key) == value for key, value in self.keys)
                for event in world.journal
            )
            wanted = " ".join(value for _, value in self.keys) or "seen"
            return Verdict(met, "" if met else f"{self.name.replace('_', ' ')} not yet {wanted}")
        try:
            readings = world.what_if(self.turns) if self.turns else world.readings()
        except (DoesNotDivide, DoesNotFit) as error:
            return Verdict(False, str(error))
        if self.name not in readings:
            raise BadValue(f"clause {self.text!r}", f"there is no figure {self.name!r} here")
        reading = readings[self.name]
        met = _OPERATORS[self.operator](reading.value, self.wanted)
        label = world.labels[self.name][1] if self.name in world.labels else self.name.replace("_", " ")
        return Verdict(met, "" if met else f"{label} {reading.text}, needs {_WORDS[self.operator]} {self.wanted_text}")


def parse_turns(text: str) -> tuple[tuple[str, int], ...]:
    """The knobs and values of "knob=value knob=value"; none of an empty text."""
    return tuple((knob, int(value)) for knob, _, value in (pair.partition("=") for pair in text.split()))


def judge_all(clauses: Sequence[Clause], world: World) -> tuple[tuple[Verdict, ...], str]:
    """Every verdict, and the text of the first clause that is not met."""
    verdicts = tuple(clause.judge(world) for clause in clauses)
    return verdicts, next((verdict.text for verdict in verdicts if not verdict.met), "")


def _number(text: str) -> float:
    for unit in ("s", "%", "GB", "GB/s", "TFLOP/s"):
        try:
            return parse(text, unit)
        except BadValue:
            continue
    if re.fullmatch(r"[0-9]{1,12}\.[0-9]{1,12}", text):
        return float(text)
    return float(parse_count(text))
