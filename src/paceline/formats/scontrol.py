"""What Slurm 22.05.8's scontrol shows: hostnames and hostlists here, nodes and jobs in records of Key=Value.

A record's layout is its lines as printed, each key with the field it shows; `scontrol_node` and
`scontrol_job` have theirs. Newer versions print more keys and leave out some: reading wants only the first.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from paceline.errors import BadValue
from paceline.formats.line import lines_of, refusal, shown, split

INDENT = "   "
NONE = "(null)"
NO_JOB = "slurm_load_jobs error: Invalid job id specified"
_LONGEST_LINE = 10_000


def no_node(name: str) -> str:
    """What show node says, on stdout, of a node there is none of."""
    return f"Node {name} not found"


def render_hostnames(hosts: Iterable[str]) -> str:
    """The answer of show hostnames: one host a line."""
    return "".join(f"{host}\n" for host in hosts)


def parse_hostnames(text: str) -> tuple[str, ...]:
    """The hosts that show hostnames printed."""
    hosts = []
    for number, line in enumerate(lines_of(text), start=1):
        name = split(line)[1].strip()
        if name and not _HOST.fullmatch(name):
            raise refusal(number, line, "one host name")
        hosts += [name] if name else []
    return tuple(hosts)


def invalid_hostlist(text: str) -> str:
    """What show hostnames says, on stderr, of a list it cannot read."""
    return f"Invalid hostlist: {text}"


def show_null(text: str) -> str:
    """A text, or (null) for none."""
    return text or NONE


def read_null(text: str) -> str:
    """A printed text, empty for (null) or N/A."""
    return "" if text in (NONE, "N/A") else text


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a record: what is printed before and after it, its field ("" for a fixed value), how it is written.

    A field that is None is left out with its blanks; `rest` marks a value that runs to the end of its line.
    """

    before: str
    name: str
    field: str
    fixed: str
    after: str
    rest: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """The lines of a record and how fields that are not plain text are written and read."""

    lines: tuple[tuple[Key, ...], ...]
    show: Mapping[str, Callable[[Any], str]]
    read: Mapping[str, Callable[[str], Any]]
    absent: Mapping[str, str]
    foot: str

    @classmethod
    def of(
        cls,
        text: str,
        kinds: Mapping[str, tuple[Callable[[Any], str], Callable[[str], Any]]],
        absent: Mapping[str, str],
        foot: str,
    ) -> "Layout":
        """A layout from its lines: Key=field, Key='fixed value', Key=field... for the rest of a line.

        A blank belongs to the key before it, ~ stands for one that belongs to the key after it. `absent` says
        how a field that is None is written where its key stays.
        """
        lines = tuple(
            tuple(
                Key(" " * bool(before), name, name_of, fixed, after, bool(rest))
                for before, name, name_of, fixed, rest, after in _KEY.findall(line)
            )
            for line in text.strip("\n").split("\n")
        )
        return cls(
            lines,
            {name: show for name, (show, _) in kinds.items()},
            {name: read for name, (_, read) in kinds.items()},
            absent,
            foot,
        )

    def render(self, record: Any) -> str:
        """A record as printed, with the lines after it."""
        lines = []
        for keys in self.lines:
            pieces = [piece for key in keys if (piece := self._piece(key, record)) is not None]
            lines += ["".join(pieces)] if pieces else []
        return f"\n{INDENT}".join(lines) + self.foot

    def _piece(self, key: Key, record: Any) -> str | None:
        value = getattr(record, key.field) if key.field else key.fixed
        if value is None and key.field not in self.absent:
            return None
        text = self.absent[key.field] if value is None else self.show.get(key.field, str)(value)
        return f"{key.before}{key.name}={text}{key.after}"

    def read_all(self, text: str, what: str) -> list[tuple[int, dict[str, Any]]]:
        """The line and fields of each record in `text`, whatever stands between; a text without one is refused."""
        first = self.lines[0][0].name
        found: list[tuple[int, dict[str, Any]]] = []
        for number, line in enumerate(lines_of(text), start=1):
            said = split(line)[1].strip()
            if said.startswith(f"{first}="):
                found.append((number, {}))
            if found and len(said) <= _LONGEST_LINE:
                for name, value in self._pairs(said):
                    key = self._keys()[name]
                    if key.field and key.field not in found[-1][1]:
                        found[-1][1][key.field] = self._value(key, value, number)
        if not found:
            raise refusal(1, text.partition("\n")[0], f"a {what} of scontrol, beginning {first}=")
        return found

    def _value(self, key: Key, value: str, number: int) -> Any:
        if key.field in self.absent and value == self.absent[key.field]:
            return None
        try:
            return self.read.get(key.field, str)(value)
        except BadValue as refused:
            raise BadValue(f"line {number}: {key.name}={shown(value)}", refused.because, refused.instead) from None

    def _keys(self) -> dict[str, Key]:
        return {key.name: key for keys in self.lines for key in keys}

    def _pairs(self, line: str) -> Iterable[tuple[str, str]]:
        """Known keys of a line with their values, which end where the next word with = begins.

        A value that takes the rest of its line ends at the next known key: -o prints all on one line.
        """
        keys = self._keys()
        every = list(_PAIR.finditer(line))
        for at, match in enumerate(every):
            if match[1] in keys:
                rest = keys[match[1]].rest
                ends = [each.start() for each in every[at + 1 :] if not rest or each[1] in keys]
                yield match[1], line[match.end() : min(ends, default=len(line))].strip()

    def holds_key(self, text: str) -> bool:
        """Whether a text would be read as another key of the record."""
        return any(match[1] in self._keys() for match in _PAIR.finditer(text))


_HOST = re.compile(r"[^\[\],\s]+")
_KEY = re.compile(r"(~?)([A-Za-z][\w/:]*)=(?:(\w+)|'([^']*)')(\.\.\.)?( ?)")
_PAIR = re.compile(r"(?<!\S)([A-Za-z][\w/:]*)=", re.ASCII)


def whole(text: str) -> int:
    """A count; 4-4, as squeue and scontrol print a waiting job's nodes, is 4."""
    match = re.fullmatch(r"(\d{1,15})(?:-\d{1,15})?", text, re.ASCII)
    if match is None:
        raise BadValue(shown(text), "a count is due there")
    return int(match[1])
