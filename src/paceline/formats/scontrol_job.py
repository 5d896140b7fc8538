"""What Slurm 22.05.8's scontrol show job prints of a job, and the same read back, newer versions too."""

import re
from dataclasses import dataclass, field

from paceline.errors import BadValue
from paceline.formats.line import shown
from paceline.formats.scontrol import Layout, read_null, show_null, whole
from paceline.formats.slurm_table import (
    LONGEST_TIME_S,
    check_counts,
    check_text,
    check_words,
    read_time,
    show_long_time,
)
from paceline.formats.squeue import STATES, UNLIMITED

_NAMES = (*STATES.values(), "COMPLETING", "RESIZING", "REVOKED", "SPECIAL_EXIT", "STAGE_OUT", "SIGNALING")
_WHEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|Unknown|None", re.ASCII)


@dataclass(frozen=True, slots=True)
class Job:
    """A job of Slurm; times are ISO, or Unknown, limits seconds, None for UNLIMITED.

    `state` is a name of squeue's STATES; `reason` is None or one word, as in PartitionNodeLimit. `nodes` is the
    hostlist it has, empty while it waits; `scheduled` the one it is to get; `tres_per_node` is gres:gpu:8.
    """

    job_id: int
    name: str
    state: str
    partition: str
    num_nodes: int
    num_tasks: int
    num_cpus: int
    user: str = "root"
    user_id: int = 0
    group: str = "root"
    group_id: int = 0
    priority: int = 4294901760
    account: str = ""
    qos: str = ""
    reason: str = "None"
    dependency: str = ""
    requeue: bool = True
    restarts: int = 0
    batch: bool = True
    exit_code: int = 0
    signal: int = 0
    run_time_s: int = 0
    time_limit_s: int | None = None
    submit_time: str = "Unknown"
    eligible_time: str = "Unknown"
    start_time: str = "Unknown"
    end_time: str = "Unknown"
    last_sched_eval: str = "Unknown"
    scheduler: str = "Main"
    alloc_node: str = "login:1"
    req_nodes: str = ""
    exc_nodes: str = ""
    nodes: str = ""
    scheduled: str | None = None
    batch_host: str | None = None
    cpus_per_task: int = 1
    tasks_per_node: int = 0
    tres: str = ""
    over_subscribe: str = "OK"
    command: str = ""
    work_dir: str = "/"
    std_err: str = "/dev/null"
    std_out: str = "/dev/null"
    tres_per_node: str | None = None
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        words = {name: getattr(self, name) for name in _WORDS}
        check_words("a job", {name: word for name, word in words.items() if word})
        texts = {name: getattr(self, name) for name in _TEXTS}
        check_text("a job", texts)
        needed = ("name", "partition", "user", "group", "reason", "scheduler", "alloc_node", "over_subscribe")
        if not all(getattr(self, name) for name in needed) or "" in (
            self.scheduled,
            self.batch_host,
            self.tres_per_node,
        ):
            raise BadValue(f"the job {self.job_id}", "what it lacks is None, not empty; some words it must have")
        if any(_LAYOUT.holds_key(text) or text == "(null)" for text in texts.values()):
            raise BadValue(f"the job {self.name!r}", "an = would begin another key of its record")
        if self.state not in _NAMES:
            raise BadValue(f"job state {self.state!r}", "scontrol has no such state", f"Use {', '.join(_NAMES)}.")
        for name in _TIMES:
            if not _WHEN.fullmatch(getattr(self, name)):
                raise BadValue(f"{name} {getattr(self, name)!r}", "it is an ISO time, None or Unknown")
        check_counts("a job", {name: getattr(self, name) for name in _COUNTS}, 10**15 - 1)
        check_counts("a job", {"exit_code": self.exit_code, "signal": self.signal}, 255)
        check_counts("a job", {"run_time_s": self.run_time_s, "limit": self.time_limit_s or 0}, LONGEST_TIME_S)

    @property
    def waits(self) -> bool:
        """Whether its nodes are still a wish: they are printed as 4-4."""
        return self.state == "PENDING"

    # What two fields print together.
    @property
    def user_and_id(self) -> tuple[str, int]:
        """UserId=root(0)."""
        return self.user, self.user_id

    @property
    def group_and_id(self) -> tuple[str, int]:
        """GroupId=root(0)."""
        return self.group, self.group_id

    @property
    def ended(self) -> tuple[int, int]:
        """ExitCode=143:0, the code and the signal."""
        return self.exit_code, self.signal

    @property
    def wanted(self) -> str:
        """NumNodes=4, or 4-4 while it waits."""
        return f"{self.num_nodes}-{self.num_nodes}" if self.waits else str(self.num_nodes)

    @property
    def per_node(self) -> str:
        """NtasksPerN:B:S:C=1:0:*:*."""
        return f"{self.tasks_per_node}:0:*:*"


def render(jobs: tuple[Job, ...]) -> str:
    """The records of show job, each with the blank lines after it."""
    return "".join(map(_LAYOUT.render, jobs))


def parse(text: str) -> tuple[Job, ...]:
    """Every job shown in a text."""
    jobs = []
    for line, fields in _LAYOUT.read_all(text, "job"):
        for pair, names in (
            ("user_and_id", ("user", "user_id")),
            ("group_and_id", ("group", "group_id")),
            ("ended", ("exit_code", "signal")),
        ):
            fields.update(zip(names, fields.pop(pair, ()), strict=False))
        fields["num_nodes"] = fields.pop("wanted", None)
        fields["tasks_per_node"] = fields.pop("per_node", 0)
        missing = [name for name in ("name", "state", "partition", "num_nodes") if fields.get(name) is None]
        if missing:
            raise BadValue(f"line {line}", f"the job's {missing[0]} is not there", "Give the whole record.")
        given = {
            name: value for name, value in fields.items() if value != "" or name not in ("scheduled", "batch_host")
        }
        try:
            # Of a job that was never given nodes newer versions say no tasks.
            jobs.append(Job(**{"num_tasks": 1, "num_cpus": 1, **given}, line=line))
        except BadValue as refused:
            raise BadValue(f"line {line}: {refused.given}", refused.because, refused.instead) from None
    return tuple(jobs)


_TIMES = ("submit_time", "eligible_time", "start_time", "end_time", "last_sched_eval")
_COUNTS = (
    "job_id",
    "num_nodes",
    "num_tasks",
    "num_cpus",
    "cpus_per_task",
    "tasks_per_node",
    "priority",
    "restarts",
    "user_id",
    "group_id",
)
_NULLS = ("account", "qos", "dependency", "req_nodes", "exc_nodes", "command")
_WORDS = (
    "partition", "user", "group", "account", "qos", "reason", "dependency", "scheduler", "alloc_node", "req_nodes",
    "exc_nodes", "nodes", "scheduled", "batch_host", "tres", "over_subscribe", "tres_per_node",
)  # fmt: skip
_TEXTS = ("name", "command", "work_dir", "std_err", "std_out")


def _show_named(pair: tuple[str, int]) -> str:
    return f"{pair[0]}({pair[1]})"


def _read_named(text: str) -> tuple[str, int]:
    match = re.fullmatch(r"(\S{1,64})\((\d{1,10})\)", text, re.ASCII)
    if match is None:
        raise BadValue(shown(text), "a name and a number in brackets are due there")
    return match[1], int(match[2])


def _read_ended(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,3}):(\d{1,3})", text, re.ASCII)
    if match is None:
        raise BadValue(shown(text), "an exit code and a signal are due there, as in 0:0")
    return int(match[1]), int(match[2])


def _read_per_node(text: str) -> int:
    head = text.partition(":")[0]
    return 0 if head == "*" else whole(head)


_LAYOUT = Layout.of(
    """
JobId=job_id JobName=name...
UserId=user_and_id GroupId=group_and_id MCS_label='N/A'
Priority=priority Nice='0' Account=account QOS=qos
JobState=state Reason=reason Dependency=dependency
Requeue=requeue Restarts=restarts BatchFlag=batch Reboot='0' ExitCode=ended
RunTime=run_time_s TimeLimit=time_limit_s TimeMin='N/A'
SubmitTime=submit_time EligibleTime=eligible_time
AccrueTime=eligible_time
StartTime=start_time EndTime=end_time Deadline='N/A'
SuspendTime='None' SecsPreSuspend='0' LastSchedEval=last_sched_eval Scheduler=scheduler
Partition=partition AllocNode:Sid=alloc_node
ReqNodeList=req_nodes ExcNodeList=exc_nodes
NodeList=nodes~SchedNodeList=scheduled
BatchHost=batch_host
NumNodes=wanted NumCPUs=num_cpus NumTasks=num_tasks CPUs/Task=cpus_per_task ReqB:S:C:T='0:0:*:*'
TRES=tres
Socks/Node='*' NtasksPerN:B:S:C=per_node CoreSpec='*'
MinCPUsNode=cpus_per_task MinMemoryNode='0' MinTmpDiskNode='0'
Features='(null)' DelayBoot='00:00:00'
OverSubscribe=over_subscribe Contiguous='0' Licenses='(null)' Network='(null)'
Command=command...
WorkDir=work_dir...
StdErr=std_err...
StdIn='/dev/null'
StdOut=std_out...
Power=''
TresPerNode=tres_per_node
""",
    {
        **dict.fromkeys(_COUNTS, (str, whole)),
        **dict.fromkeys(_NULLS, (show_null, read_null)),
        "user_and_id": (_show_named, _read_named),
        "group_and_id": (_show_named, _read_named),
        "ended": (lambda pair: f"{pair[0]}:{pair[1]}", _read_ended),
        "requeue": (lambda yes: str(int(yes)), lambda text: bool(whole(text))),
        "batch": (lambda yes: str(int(yes)), lambda text: bool(whole(text))),
        "run_time_s": (show_long_time, read_time),
        "time_limit_s": (show_long_time, read_time),
        "nodes": (str, read_null),
        "wanted": (str, whole),
        "per_node": (str, _read_per_node),
    },
    {"time_limit_s": UNLIMITED},
    "\n   \n\n",
)
