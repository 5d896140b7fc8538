"""A line of a log: what launchers put before it, and what one may hold."""

import re

from paceline.errors import BadValue

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_RANK = re.compile(r"\[rank(\d{1,9})\]: ?", re.ASCII)
# mpirun --tag-output, torchrun --tee, Ray, srun -l, kubectl's time: tool-formats.md, general parser rules.
_LAUNCHER = re.compile(
    r" *\[\d{1,9},(?P<mpi>\d{1,9})\]<std(?:out|err)>:|\[[A-Za-z]\w*?:?\d+\]:"
    r"|\(\w+ pid=\d+(?:, ip=[\d.]+)?\) | *\d{1,7}: |\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:?\d\d) ",
    re.ASCII,
)
_MOST_PREFIXES = 4
_SHOWN = 60


def lines_of(text: str) -> list[str]:
    """The lines of a text, without colours and carriage returns; line breaks are \\n alone, as tools write them."""
    lines = [_ANSI.sub("", line.rstrip("\r")) for line in text.split("\n")]
    if not lines[-1]:
        lines.pop()
    return lines


def split(line: str) -> tuple[int | None, str]:
    """The rank that the line's prefixes name, if one does, and the line without them."""
    rank = None
    for _ in range(_MOST_PREFIXES):
        if named := _RANK.match(line):
            rank, line = int(named[1]), line[named.end() :]
        elif found := _LAUNCHER.match(line):
            rank = int(found["mpi"]) if found["mpi"] and rank is None else rank
            line = line[found.end() :]
        else:
            break
    return rank, line


def one_line(name: str, text: str) -> None:
    """Refuse a text that would not come back from a log as it is: line breaks, control characters, a prefix."""
    if not text.isprintable() or split(text) != (None, text):
        raise BadValue(f"{name} {shown(text)}", "a log cannot hold it in one line", "Write plain text on one line.")


def shown(text: str) -> str:
    """A text quoted for an error message, cut where it is long."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


def refusal(number: int, line: str, expected: str) -> BadValue:
    """The error for line `number`, from 1, where `expected` was due."""
    return BadValue(f"line {number}, {shown(line)}", f"expected {expected}")
