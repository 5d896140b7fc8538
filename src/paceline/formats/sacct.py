"""What Slurm's sacct prints (22.05 to 26.05), and the same read back: each job and step with how it ended."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from paceline.errors import BadValue
from paceline.formats.line import lines_of, refusal, split
from paceline.formats.slurm_table import check_counts, check_text, check_words

STATES = (
    "PENDING", "RUNNING", "COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
    "SUSPENDED", "REQUEUED", "RESIZING", "REVOKED", "BOOT_FAIL", "DEADLINE",
)  # fmt: skip
DISABLED = "Slurm accounting storage is disabled"
"""What sacct says, on stderr, where nobody keeps accounts."""

_COLUMNS = (
    ("JobID", -12), ("JobName", 10), ("Partition", 10), ("Account", 10), ("AllocCPUS", 10), ("State", 10),
    ("ExitCode", 8),
)  # fmt: skip
_HEADS = [head for head, _ in _COLUMNS]
_STATE = re.compile(rf"(?:{'|'.join(STATES)})(?: by \d{{1,10}})?", re.ASCII)
_CUT = re.compile(r"[A-Z_]{9}\+")


@dataclass(frozen=True, slots=True)
class Row:
    """One job or step ("123", "123.batch", "123.0"); `state` may say "CANCELLED by 1000" (a user's number).

    Steps have no partition, and without accounts there is none. `signal` is the one that ended it, or 0.
    """

    job_id: str
    name: str
    partition: str = ""
    account: str = ""
    alloc_cpus: int = 0
    state: str = "COMPLETED"
    exit_code: int = 0
    signal: int = 0
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        check_words("a job", {"id": self.job_id})
        check_text("a job", {"name": self.name, "partition": self.partition, "account": self.account})
        if not self.name or any("|" in text for text in (self.job_id, self.name, self.partition, self.account)):
            raise BadValue(f"a job named {self.name!r}", "it has a name, and | stands between columns")
        if not (_STATE.fullmatch(self.state) or _CUT.fullmatch(self.state)):
            raise BadValue(f"job state {self.state!r}", "sacct has no such state", f"Use {', '.join(STATES)}.")
        check_counts("a job", {"alloc_cpus": self.alloc_cpus})
        check_counts("a job", {"exit_code": self.exit_code, "signal": self.signal}, 255)


def render(rows: Iterable[Row]) -> str:
    """The table of sacct without options: a blank after each column, the last too; a cut cell ends with +."""
    dashes = ["-" * abs(width) for _, width in _COLUMNS]
    lines = (
        "".join(f"{_cut(text, width)} " for text, (_, width) in zip(cells, _COLUMNS, strict=True))
        for cells in (_HEADS, dashes, *map(_cells, rows))
    )
    return "".join(f"{line}\n" for line in lines)


def render_parsable(rows: Iterable[Row]) -> str:
    """The table of sacct -P: | between columns, nothing cut."""
    return "".join(f"{'|'.join(cells)}\n" for cells in (_HEADS, *map(_cells, rows)))


def parse(text: str) -> tuple[Row, ...]:
    """The rows of sacct, of sacct -P or -p, whatever lines stand around them."""
    spans: list[tuple[int, int]] = []
    rows: list[Row] = []
    headed = False
    for number, line in enumerate(lines_of(text), start=1):
        said = split(line)[1]
        if "|" in said:
            cells = said.split("|")[: len(_HEADS)]
            headed = headed or cells == _HEADS
        elif re.fullmatch(r"\s*-+(?: -+){6}\s*", said):
            headed = True
            spans = [match.span() for match in re.finditer("-+", said)]
            continue
        else:
            cells = [said[start:end] for start, end in spans]
        found = [cell.strip() for cell in cells]
        if headed and len(found) == len(_HEADS) and re.fullmatch(r"\d{1,9}[\w.+\[\]%-]*", found[0], re.ASCII):
            rows.append(_row(number, found))
    if not headed:
        raise refusal(1, text.partition("\n")[0], f"the heads of sacct: {' '.join(_HEADS)}")
    return tuple(rows)


def printed(row: Row) -> Row:
    """A row as far as its table says it: cells cut to their width."""
    return replace(
        row,
        job_id=_cut(row.job_id, -12).strip(),
        name=_cut(row.name, 10).strip(),
        partition=_cut(row.partition, 10).strip(),
        account=_cut(row.account, 10).strip(),
        state=_cut(row.state, 10).strip(),
    )


def _cut(text: str, width: int) -> str:
    size = abs(width)
    kept = text if len(text) <= size else f"{text[: size - 1]}+"
    return f"{kept:{size}}" if width < 0 else f"{kept:>{size}}"


def _cells(row: Row) -> list[str]:
    exit_code = f"{row.exit_code}:{row.signal}"
    return [row.job_id, row.name, row.partition, row.account, str(row.alloc_cpus), row.state, exit_code]


def _row(line: int, cells: list[str]) -> Row:
    job_id, name, partition, account, cpus, state, exit_code = cells
    ended = re.fullmatch(r"(\d{1,3}):(\d{1,3})", exit_code, re.ASCII)
    if ended is None or not re.fullmatch(r"\d{0,9}", cpus, re.ASCII):
        raise refusal(line, " ".join(cells), "a count of CPUs, a state and an exit code as in 0:0")
    try:
        return Row(job_id, name, partition, account, int(cpus or 0), state, int(ended[1]), int(ended[2]), line)
    except BadValue as refused:
        raise BadValue(f"line {line}: {refused.given}", refused.because, refused.instead) from None
