"""What Slurm 22.05.8's sinfo prints: partitions by state, -N by node, -s in sum and -R with reasons; and read back."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from paceline.errors import BadValue
from paceline.formats import hostlist
from paceline.formats.slurm_table import (
    COUNT,
    TIME,
    Column,
    check_counts,
    check_text,
    check_words,
    read_table,
    read_time,
    render_table,
    show_time,
)
from paceline.units import DAY_S, MINUTE_S

STATES = (
    "idle", "alloc", "mix", "drain", "drng", "down", "comp", "maint", "resv", "plnd", "boot", "inval", "fail", "failg",
    "unk", "futr", "block", "ext",
)  # fmt: skip
FLAGS = "*~#!%$@^-+"
"""After a state: * not responding, ~ powered down, # powering up, @ reboot pending, - planned; see the man page."""
INFINITE = "infinite"
LONGEST_LIMIT_S = 1000 * DAY_S - MINUTE_S
NARROWEST = 9
REASON_WIDTH, USER_WIDTH, TIMESTAMP_WIDTH = 20, 9, 19

_STATE = rf"(?:{'|'.join(STATES)})[{re.escape(FLAGS)}]?"
_FIRST = ("drain*", "down*", "drng", "drain", "resv", "comp", "mix", "alloc", "idle", "down", "unk")
"""The order of a partition's rows: Slurm sorts by the state's number, flags first."""


@dataclass(frozen=True, slots=True)
class Row:
    """The nodes of one partition in one state; `time_limit_s` is None for infinite, else whole minutes."""

    partition: str
    nodes: int
    state: str
    node_list: str
    time_limit_s: int | None = None
    is_default: bool = False
    avail: str = "up"
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        _check_partition(self.partition)
        check_words("a partition", {"node list": self.node_list})
        check_counts("a partition", {"nodes": self.nodes}, 10**6 - 1)
        check_counts("a partition", {"time_limit_s": self.time_limit_s or 0}, LONGEST_LIMIT_S)
        _check_state(self.state)
        if (self.time_limit_s or 0) % MINUTE_S:
            raise BadValue(f"a time limit of {self.time_limit_s} s", "Slurm keeps limits in whole minutes")
        if self.avail not in ("up", "down", "drain", "inact"):
            raise BadValue(f"a partition that is {self.avail!r}", "it is up, down, drain or inact")


@dataclass(frozen=True, slots=True)
class NodeRow:
    """One node in one partition, as -N lists it."""

    node: str
    partition: str
    state: str
    is_default: bool = False
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        _check_partition(self.partition)
        check_words("a row", {"node": self.node})
        _check_state(self.state)


@dataclass(frozen=True, slots=True)
class Summary:
    """One partition in sum, as -s prints it: nodes allocated, idle, other."""

    partition: str
    allocated: int
    idle: int
    other: int
    node_list: str
    time_limit_s: int | None = None
    is_default: bool = False
    avail: str = "up"
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        Row(self.partition, 0, "idle", self.node_list, self.time_limit_s, self.is_default, self.avail)
        check_counts("a partition", {"allocated": self.allocated, "idle": self.idle, "other": self.other}, 999)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why nodes are down or drained, who said so and when (ISO time), as -R prints it; cut to 20 signs."""

    reason: str
    user: str
    timestamp: str
    node_list: str
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        check_text("a node", {"reason": self.reason})
        check_words("a node", {"user": self.user, "node list": self.node_list})
        if not self.reason or not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|Unknown", self.timestamp, re.ASCII):
            raise BadValue(f"a reason {self.reason!r} at {self.timestamp!r}", "it is a text and an ISO time or Unknown")


def rows_of(partition: str, states: Mapping[str, str], limit_s: int | None = None, default: bool = True) -> list[Row]:
    """A partition's rows from each of its nodes' states, in sinfo's order."""
    by_state: dict[str, list[str]] = {}
    for node, state in states.items():
        by_state.setdefault(state, []).append(node)
    order = sorted(by_state, key=lambda state: (_FIRST.index(state) if state in _FIRST else len(_FIRST), state))
    return [
        Row(partition, len(nodes), state, hostlist.render(hostlist.in_order(nodes)), limit_s, default)
        for state, nodes in ((state, by_state[state]) for state in order)
    ]


def render(rows: Iterable[Row]) -> str:
    """The table of sinfo without options."""
    cells = [
        [_starred(row), row.avail, _limit(row.time_limit_s), str(row.nodes), row.state, row.node_list] for row in rows
    ]
    return render_table(_default(cells), cells)


def parse(text: str) -> tuple[Row, ...]:
    """The rows of sinfo without options."""
    return tuple(
        Row(
            row["PARTITION"].removesuffix("*"),
            int(row["NODES"]),
            row["STATE"],
            _nodes(line, row),
            _limit_of(line, row),
            row["PARTITION"].endswith("*"),
            row["AVAIL"],
            line,
        )
        for line, row in read_table("sinfo", text, _default([]))
    )


def render_nodes(rows: Iterable[NodeRow]) -> str:
    """The table of sinfo -N."""
    cells = [[row.node, "1", _starred(row), row.state] for row in rows]
    return render_table(_by_node(cells), cells)


def parse_nodes(text: str) -> tuple[NodeRow, ...]:
    """The rows of sinfo -N."""
    found = read_table("sinfo -N", text, _by_node([]))
    return tuple(
        NodeRow(row["NODELIST"], row["PARTITION"].removesuffix("*"), row["STATE"], row["PARTITION"].endswith("*"), line)
        for line, row in found
        if re.fullmatch(_STATE, row["STATE"])
    )


def render_summary(rows: Iterable[Summary]) -> str:
    """The table of sinfo -s."""
    cells = [
        [
            _starred(row),
            row.avail,
            _limit(row.time_limit_s),
            f"{row.allocated}/{row.idle}/{row.other}/{row.allocated + row.idle + row.other}",
            row.node_list,
        ]
        for row in rows
    ]
    return render_table(_summary(cells), cells)


def parse_summary(text: str) -> tuple[Summary, ...]:
    """The rows of sinfo -s."""
    return tuple(
        Summary(
            row["PARTITION"].removesuffix("*"),
            int(allocated),
            int(idle),
            int(other),
            _nodes(line, row),
            _limit_of(line, row),
            row["PARTITION"].endswith("*"),
            row["AVAIL"],
            line,
        )
        for line, row in read_table("sinfo -s", text, _summary([]))
        for allocated, idle, other, _ in [row["NODES(A/I/O/T)"].split("/")]
    )


def render_reasons(reasons: Iterable[Reason]) -> str:
    """The table of sinfo -R."""
    return render_table(_REASONS, [[each.reason, each.user, each.timestamp, each.node_list] for each in reasons])


def parse_reasons(text: str) -> tuple[Reason, ...]:
    """The rows of sinfo -R."""
    return tuple(
        Reason(row["REASON"], row["USER"], row["TIMESTAMP"], _nodes(line, row), line)
        for line, row in read_table("sinfo -R", text, _REASONS)
    )


def printed_reason(reason: Reason) -> Reason:
    """A reason as far as -R says it: cut to its columns."""
    return replace(reason, reason=reason.reason[:REASON_WIDTH].strip(), user=reason.user[:USER_WIDTH])


_AVAIL = Column("AVAIL", 5, True, "up|down|drain|inact")
_TIMELIMIT = Column("TIMELIMIT", 10, True, f"{TIME}|{INFINITE}|n/a")
_NODELIST = Column("NODELIST", 0, False)
_REASONS = (
    Column("REASON", REASON_WIDTH, False, r"\S(?:.*\S)?"),
    Column("USER", USER_WIDTH, False),
    Column("TIMESTAMP", TIMESTAMP_WIDTH, False, r"[\dT:-]{19}|Unknown"),
    _NODELIST,
)


def _default(cells: Sequence[Sequence[str]]) -> tuple[Column, ...]:
    first = Column("PARTITION", _widest(cells, 0), False)
    return first, _AVAIL, _TIMELIMIT, Column("NODES", 6, True, COUNT), Column("STATE", 6, True, _STATE), _NODELIST


def _by_node(cells: Sequence[Sequence[str]]) -> tuple[Column, ...]:
    node, partition = Column("NODELIST", _widest(cells, 0), False), Column("PARTITION", _widest(cells, 2), True)
    return node, Column("NODES", 6, True, COUNT), partition, Column("STATE", 6, False)


def _summary(cells: Sequence[Sequence[str]]) -> tuple[Column, ...]:
    first = Column("PARTITION", _widest(cells, 0), False)
    return first, _AVAIL, _TIMELIMIT, Column("NODES(A/I/O/T)", 16, True, r"(?:\d{1,9}/){3}\d{1,9}"), _NODELIST


def _widest(cells: Sequence[Sequence[str]], at: int) -> int:
    return max(NARROWEST, *(len(row[at]) for row in cells), 0)


def _starred(row: Row | NodeRow | Summary) -> str:
    return f"{row.partition}*" if row.is_default else row.partition


def _limit(time_limit_s: int | None) -> str:
    return INFINITE if time_limit_s is None else show_time(time_limit_s)


def _limit_of(line: int, row: Mapping[str, str]) -> int | None:
    limit = row["TIMELIMIT"]
    if limit in (INFINITE, "n/a"):
        return None
    # Slurm cuts 10-00:00:00 at ten signs: its seconds, always 00, are what is lost.
    cut = re.fullmatch(r"\d{3}-\d\d:\d\d:", limit, re.ASCII)
    try:
        return read_time(f"{limit}00" if cut else limit)
    except BadValue as refused:
        raise BadValue(f"line {line}: {refused.given}", refused.because) from None


def _nodes(line: int, row: Mapping[str, str]) -> str:
    if not row["NODELIST"] or " " in row["NODELIST"]:
        raise BadValue(f"line {line}", "a row of sinfo ends with a hostlist")
    return row["NODELIST"]


def _check_partition(partition: str) -> None:
    check_words("a row", {"partition": partition})
    if partition.endswith("*"):
        raise BadValue(f"a partition {partition!r}", "the star marks the default one", "Set is_default.")


def _check_state(state: str) -> None:
    if not re.fullmatch(_STATE, state):
        raise BadValue(f"a node that is {state!r}", "sinfo has no such state", f"Use {', '.join(STATES)}.")
