"""Clauses: `figure op value` and `event NAME key=value`, the one grammar of claims and goals."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from paceline.errors import BadValue
from paceline.units import parse, parse_count

_FIGURE = re.compile(r"([a-z][a-z0-9_]*)\s*(<=|>=|==|<|>)\s*(.+)")
_EVENT = re.compile(r"event ([a-z][a-z0-9_]*)((?: [a-z_]+=[A-Za-z0-9_.-]+)*)")
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a clause holds and, where it does not, what is missing in the meter's own words."""

    met: bool
    text: str


@dataclass(frozen=True, slots=True)
class Clause:
    """One condition on figures or on the journal; `operator` is "" for an event."""

    text: str
    name: str
    operator: str
    wanted: float
    wanted_text: str
    keys: tuple[tuple[str, str], ...]

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
        name, operator, value = match.groups()
        return cls(text, name, operator, _number(value.strip()), value.strip(), ())

    def judge(self, readings: Mapping[str, tuple[float, str]], journal: Sequence[Mapping[str, str]]) -> Verdict:
        """The verdict on figures as (value, text) by name and on a journal of events."""
        if not self.operator:
            met = any(
                event.get("name") == self.name and all(event.get(key) == value for key, value in self.keys)
                for event in journal
            )
            wanted = " ".join(f"{key} {value}" for key, value in self.keys)
            return Verdict(met, "" if met else f"{self.name} not yet {wanted.partition(' ')[2] or 'seen'}")
        if self.name not in readings:
            raise BadValue(f"clause {self.text!r}", f"there is no figure {self.name!r} here")
        value, shown = readings[self.name]
        met = _OPERATORS[self.operator](value, self.wanted)
        words = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than", "==": "exactly"}
        label = self.name.replace("_", " ")
        return Verdict(met, "" if met else f"{label} {shown}: needs {words[self.operator]} {self.wanted_text}")


def judge_all(
    clauses: Sequence[Clause], readings: Mapping[str, tuple[float, str]], journal: Sequence[Mapping[str, str]]
) -> tuple[tuple[Verdict, ...], str]:
    """Every verdict, and the text of the first clause that is not met."""
    verdicts = tuple(clause.judge(readings, journal) for clause in clauses)
    return verdicts, next((verdict.text for verdict in verdicts if not verdict.met), "")


def _number(text: str) -> float:
    for unit in ("s", "%", "GB", "GB/s", "TFLOP/s"):
        try:
            return parse(text, unit)
        except BadValue:
            continue
    return float(parse_count(text))
