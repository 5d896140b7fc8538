"""What Slurm 22.05.8's squeue prints, and the same read back: each job with its state and why it waits."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from paceline.errors import BadValue
from paceline.formats.line import refusal
from paceline.formats.slurm_table import (
    COUNT,
    DATE,
    LONGEST_TIME_S,
    TIME,
    Column,
    check_counts,
    check_text,
    check_words,
    date_of,
    read_table,
    read_time,
    render_table,
    show_time,
)

STATES = {
    "PD": "PENDING", "R": "RUNNING", "CG": "COMPLETING", "CD": "COMPLETED", "F": "FAILED", "TO": "TIMEOUT",
    "CA": "CANCELLED", "NF": "NODE_FAIL", "OO": "OUT_OF_MEMORY", "PR": "PREEMPTED", "S": "SUSPENDED", "ST": "STOPPED",
    "BF": "BOOT_FAIL", "DL": "DEADLINE", "CF": "CONFIGURING", "RQ": "REQUEUED", "RH": "REQUEUE_HOLD",
}  # fmt: skip
"""Short code, two letters at most in its column (OOM shows as OO), and name."""
REASONS = (
    "Resources", "Priority", "Dependency", "DependencyNeverSatisfied", "BeginTime", "JobHeldUser", "JobHeldAdmin",
    "PartitionNodeLimit", "PartitionTimeLimit", "PartitionConfig", "JobArrayTaskLimit", "BadConstraints",
    "NonZeroExitCode", "JobLaunchFailure", "TimeLimit", "QOSMaxGRESPerUser", "AssocGrpGRES", "ReqNodeNotAvail",
    "launch failed requeued held",
    "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions",
)  # fmt: skip
"""Why a job waits or failed, as Slurm words it; ReqNodeNotAvail goes on with ", UnavailableNodes:dgx-1"."""

UNLIMITED = "UNLIMITED"
_NAME = r"\S+(?: \S+)*"
_SHORT = (
    Column("JOBID", 18, True),
    Column("PARTITION", 9, True),
    Column("NAME", 8, True, _NAME),
    Column("USER", 8, True),
    Column("ST", 2, True, "|".join(STATES)),
    Column("TIME", 10, True, f"{TIME}|INVALID", cuts=False),
    Column("NODES", 6, True, COUNT),
    Column("NODELIST(REASON)", 0, False),
)
_LONG = (
    *_SHORT[:4],
    Column("STATE", 8, True, "|".join(name[:8] for name in STATES.values())),
    _SHORT[5],
    Column("TIME_LIMI", 9, True, f"{TIME}|{UNLIMITED}|NOT_SET", cuts=False),
    *_SHORT[6:],
)


@dataclass(frozen=True, slots=True)
class Job:
    """One job: `state` is a code of STATES; `time_limit_s` is None where there is none or it was not printed.

    `node_list` is a hostlist; `reason` says why the job has none, or why it failed. Only one of them is printed.
    """

    job_id: str
    partition: str
    name: str
    user: str
    state: str
    time_s: int
    nodes: int
    node_list: str = ""
    reason: str = ""
    time_limit_s: int | None = None
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        check_words("a job", {"id": self.job_id, "partition": self.partition, "user": self.user})
        check_text("a job", {"name": self.name, "reason": self.reason})
        if self.node_list:
            check_words("a job", {"node list": self.node_list})
        if not self.name or re.search(r"\s\s|[^\S ]", self.name):
            raise BadValue(f"a job named {self.name!r}", "a name is words with single blanks between")
        if self.state not in STATES:
            raise BadValue(f"job state {self.state!r}", "it is no code of squeue's", f"Use {', '.join(STATES)}.")
        if (self.node_list and self.reason) or self.node_list.startswith("("):
            raise BadValue(f"job {self.job_id} on {self.node_list}", "one column holds its nodes or its reason")
        check_counts("a job", {"nodes": self.nodes})
        check_counts("a job", {"time_s": self.time_s, "time_limit_s": self.time_limit_s or 0}, LONGEST_TIME_S)


@dataclass(frozen=True, slots=True)
class Queue:
    """What one squeue printed; `date` is the first line of -l, empty for the short form, which has no limits."""

    jobs: tuple[Job, ...] = ()
    date: str = ""

    def __post_init__(self) -> None:
        if self.date and not DATE.fullmatch(self.date):
            raise BadValue(f"the date {self.date!r}", "squeue -l writes it as in 'Mon Nov 30 08:35:12 2026'")


def render(queue: Queue) -> str:
    """The table; with a date, that of squeue -l."""
    columns = _LONG if queue.date else _SHORT
    table = render_table(columns, [_cells(job, bool(queue.date)) for job in queue.jobs])
    return f"{queue.date}\n{table}" if queue.date else table


def parse(text: str) -> Queue:
    """The jobs of a default or -l table, whatever lines stand around it."""
    try:
        rows, date, state_of = read_table("squeue", text, _SHORT), "", {code: code for code in STATES}
    except BadValue:
        rows, date = read_table("squeue", text, _LONG), date_of(text)
        state_of = {name[:8]: code for code, name in reversed(STATES.items())}
        if not date:
            raise refusal(1, text.partition("\n")[0], "the date that squeue -l prints first") from None
    return Queue(tuple(_job(line, row, state_of) for line, row in rows), date)


def printed(queue: Queue) -> Queue:
    """The queue as far as its table says it: cells cut to their width, no limits in the short form."""
    return replace(queue, jobs=tuple(_printed(queue.jobs, bool(queue.date))))


def _printed(jobs: Iterable[Job], long: bool) -> Iterable[Job]:
    for job in jobs:
        yield replace(
            job,
            job_id=job.job_id[:18],
            partition=job.partition[:9],
            name=job.name[:8].strip(),
            user=job.user[:8],
            time_limit_s=job.time_limit_s if long else None,
        )


def _cells(job: Job, long: bool) -> list[str]:
    # Slurm cuts words, never a time: a limit of 30 days runs over its column.
    limit = UNLIMITED if job.time_limit_s is None else show_time(job.time_limit_s)
    where = f"({job.reason})" if job.reason else job.node_list
    state = [STATES[job.state]] if long else [job.state]
    return [
        job.job_id, job.partition, job.name[:8].strip(), job.user, *state, show_time(job.time_s),
        *([limit] if long else []), str(job.nodes), where,
    ]  # fmt: skip


def _job(line: int, row: dict[str, str], state_of: dict[str, str]) -> Job:
    where = row["NODELIST(REASON)"]
    has_reason = where.startswith("(")
    limit = row.get("TIME_LIMI", UNLIMITED)
    try:
        return Job(
            row["JOBID"],
            row["PARTITION"],
            row["NAME"],
            row["USER"],
            state_of[row.get("ST") or row["STATE"]],
            read_time(row["TIME"]) if row["TIME"] != "INVALID" else 0,
            int(row["NODES"]),
            "" if has_reason else where,
            where.removeprefix("(").removesuffix(")").strip() if has_reason else "",
            read_time(limit) if ":" in limit else None,
            line,
        )
    except BadValue as refused:
        raise BadValue(f"line {line}: {refused.given}", refused.because, refused.instead) from None
