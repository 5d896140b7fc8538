"""What the tables of Slurm's commands share: columns of a width, times, and rows found again by their heads."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from paceline.errors import BadValue
from paceline.formats.line import lines_of, refusal, shown, split
from paceline.units import DAY_S, HOUR_S, MINUTE_S

LONGEST_TIME_S = 365 * DAY_S
WORD = r"\S+"
COUNT = r"\d{1,9}"
TIME = r"(?:\d{1,3}-)?[\d:]{1,8}"
DATE = re.compile(r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}", re.ASCII)
"""The first line of -l, as C's ctime: Mon Nov 30 08:35:12 2026."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: head, width (0 for as wide as needed), side, what a cell may be, whether a long one is cut."""

    head: str
    width: int
    right: bool
    pattern: str = WORD
    cuts: bool = True

    def cell(self, text: str) -> str:
        """A cell as printed."""
        if not self.width:
            return text
        kept = text[: self.width] if self.cuts else text
        return f"{kept:>{self.width}}" if self.right else f"{kept:{self.width}}"


def render_table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> str:
    """The heads and the rows, a blank between columns."""
    heads = [column.head for column in columns]
    lines = (" ".join(column.cell(text) for column, text in zip(columns, row, strict=True)) for row in (heads, *rows))
    return "".join(f"{line}\n" for line in lines)


def read_table(tool: str, text: str, columns: Sequence[Column]) -> list[tuple[int, dict[str, str]]]:
    """Each row's line and cells by head, of the table whose heads are `columns`, whatever else is printed.

    A cell of the last column may hold blanks or nothing; other lines are skipped, a text without heads refused.
    """
    heads = [column.head for column in columns]
    body = r"\s+".join(f"({column.pattern})" for column in columns[:-1])
    row = re.compile(rf"\s*{body}(?:\s(.*))?" if len(columns) > 1 else r"(.*)", re.ASCII)
    found: list[tuple[int, dict[str, str]]] = []
    headed = False
    for number, line in enumerate(lines_of(text), start=1):
        said = split(line)[1]
        if said.split() == heads:
            headed = True
        elif headed and said.strip() and (match := row.fullmatch(said)):
            cells = [(cell or "").strip() for cell in match.groups()]
            found.append((number, dict(zip(heads, cells, strict=True))))
    if not headed:
        raise refusal(1, text.partition("\n")[0], f"the heads of {tool}: {' '.join(heads)}")
    return found


def date_of(text: str) -> str:
    """The date that -l prints before its heads; empty where there is none."""
    for line in lines_of(text):
        if match := DATE.fullmatch(split(line)[1].strip()):
            return match[0]
    return ""


def show_time(time_s: int) -> str:
    """A time as squeue and sinfo print it: 0:52, 8:00:00, 7-00:00:00."""
    days, rest = divmod(time_s, DAY_S)
    hours, rest = divmod(rest, HOUR_S)
    minutes, seconds = divmod(rest, MINUTE_S)
    if days:
        return f"{days}-{hours:02d}:{minutes:02d}:{seconds:02d}"
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


def show_long_time(time_s: int) -> str:
    """A time as scontrol prints it: 00:00:52, 7-00:00:00."""
    days, rest = divmod(time_s, DAY_S)
    clock = f"{rest // HOUR_S:02d}:{rest // MINUTE_S % MINUTE_S:02d}:{rest % MINUTE_S:02d}"
    return f"{days}-{clock}" if days else clock


def read_time(text: str) -> int:
    """The seconds of a printed time, [days-][hours:]minutes:seconds."""
    match = re.fullmatch(r"(?:(\d{1,3})-)?(?:(\d{1,2}):)?(\d{1,2}):(\d{1,2})", text, re.ASCII)
    if match is None:
        raise BadValue(f"a time of {shown(text)}", "Slurm writes [days-][hours:]minutes:seconds")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return days * DAY_S + hours * HOUR_S + minutes * MINUTE_S + seconds


def check_words(kind: str, words: Mapping[str, str]) -> None:
    """Refuse a cell that would not come back from a table: empty, or with blanks."""
    for name, word in words.items():
        if not word or not word.isprintable() or any(sign.isspace() for sign in word):
            raise BadValue(f"the {name} {shown(word)} of {kind}", "a cell is one printable word")


def check_text(kind: str, words: Mapping[str, str]) -> None:
    """Refuse a text that would not come back from the end of a line: control characters, blanks at its ends."""
    for name, text in words.items():
        if not text.isprintable() or text != text.strip():
            raise BadValue(f"the {name} {shown(text)} of {kind}", "it is one printable line without blanks at its ends")


def check_counts(kind: str, counts: Mapping[str, int], largest: int = 10**9 - 1) -> None:
    """Refuse a count that is negative or too long to be printed."""
    for name, count in counts.items():
        if not 0 <= count <= largest:
            raise BadValue(f"{name} {count} of {kind}", f"it lies between 0 and {largest:,}")
