"""A sentence that a tool prints with values in it, written and read by the same pattern."""

import re
from dataclasses import dataclass, field

from paceline.errors import BadValue
from paceline.formats.line import split

Value = int | str
_HOLE = re.compile(r"\{(\w+):([dws])\}")
_PLAIN = re.compile(r"\{\w+:[dws]\}")
# d: a whole number; w: a word without blanks; s: any text.
_SHAPES = {"d": r"(-?\d{1,18})", "w": r"(\S{1,250}?)", "s": r"(.+?)"}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with holes such as {rank:d}, what it means, and how earlier versions worded it.

    An older wording has some of the newest one's holes; a hole it lacks is read as 0 or "".
    """

    newest: str
    means: str = ""
    older: tuple[str, ...] = ()
    _patterns: tuple[tuple[tuple[str, ...], re.Pattern[str], str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_patterns", tuple(_pattern(wording) for wording in (self.newest, *self.older)))

    @property
    def holes(self) -> tuple[str, ...]:
        """The names of the values, in their order."""
        return self._patterns[0][0]

    def write(self, values: tuple[Value, ...]) -> str:
        """The newest wording with its values."""
        given = iter(values)
        return _HOLE.sub(lambda _: str(next(given)), self.newest)

    def read(self, text: str) -> tuple[Value, ...] | None:
        """The values where some wording stands anywhere in `text`, else None."""
        for names, pattern, fragment in self._patterns:
            if fragment in text and (found := pattern.search(text)):
                return tuple(self._value(name, names, found) for name in self.holes)
        return None

    def check(self, values: tuple[Value, ...]) -> None:
        """Refuse values that would not be read again as they are."""
        text = self.write(values) if len(values) == len(self.holes) else ""
        if self.read(text) != values or not text.replace("\n", " ").isprintable() or split(text) != (None, text):
            given = ", ".join(map(repr, values))
            raise BadValue(f"values {given}", f"they do not fit {self.newest!r}", "Give each as the tool prints it.")

    def _value(self, name: str, names: tuple[str, ...], found: re.Match[str]) -> Value:
        number = f"{{{name}:d}}" in self.newest
        if name not in names:
            return 0 if number else ""
        text = found[names.index(name) + 1]
        return int(text) if number else text


def _pattern(wording: str) -> tuple[tuple[str, ...], re.Pattern[str], str]:
    # A search for plain text is quick, and most lines are another tool's.
    fragment = max(_PLAIN.split(wording), key=len)
    parts, names, at = [], [], 0
    for hole in _HOLE.finditer(wording):
        parts += [re.escape(wording[at : hole.start()]), _SHAPES[hole[2]]]
        names.append(hole[1])
        at = hole.end()
    # Text at the end takes the rest of its line; digits end of themselves.
    end = r"(?:\s*$)" if at == len(wording) and not wording.endswith(":d}") else ""
    return tuple(names), re.compile("".join((*parts, re.escape(wording[at:]), end)), re.ASCII | re.MULTILINE), fragment
