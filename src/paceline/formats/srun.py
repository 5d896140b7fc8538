"""What Slurm 22.05.8's sbatch, srun, salloc and scancel say: jobs taken, refused, waiting, and how tasks ended.

Newer versions (26.05's source) word two lines otherwise; both are read.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from paceline.errors import BadValue
from paceline.formats import hostlist
from paceline.formats.line import lines_of, refusal
from paceline.formats.slurm_table import check_counts, check_text, check_words

INVALID_PARTITION = "Invalid partition name specified"
CONFIG_UNAVAILABLE = "Requested node configuration is not available"
INVALID_NODE = "Invalid node name specified"
INVALID_GRES = "Invalid generic resource (gres) specification"
INVALID_GRES_TYPE = "Invalid GRES specification (with and without type identification)"
INVALID_TIME = "Invalid --time specification"
NODES_BUSY = "Immediate execution impossible, insufficient priority"
PARTITION_UNAVAILABLE = "Requested partition configuration not available now"
"""Not a refusal: srun says it when a job asks for more nodes than its partition has, and then waits for ever
(squeue's PartitionNodeLimit); sbatch takes such a job without a word, unless EnforcePartLimits is set."""
SIGNALS = (
    "Killed",
    "Terminated",
    "Aborted",
    "Segmentation fault",
    "Bus error",
    "Interrupt",
    "Hangup",
    "User defined signal 1",
)
OUT_OF_MEMORY = "Out Of Memory"
CANCELLED_BECAUSE = (
    "", "DUE TO TIME LIMIT", "DUE TO PREEMPTION", "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS",
    "DUE TO JOB REQUEUE", "DUE TO TASK FAILURE",
)  # fmt: skip
"""How a CANCELLED line goes on; nothing after scancel. Newer versions put the log in brackets."""

_HOST = r"[^\s:]{1,64}"
_STEP = r"\d{1,10}(?:\.(?:\d{1,10}|batch|extern|interactive))?"
_WHEN = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"
_TOOLS = ("sbatch", "srun", "salloc", "scancel")


@dataclass(frozen=True, slots=True)
class Submitted:
    """sbatch took the job."""

    job_id: int
    cluster: str = ""
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        check_counts("a job", {"job_id": self.job_id})
        if self.cluster:
            check_words("a job", {"cluster": self.cluster})

    def __str__(self) -> str:
        return f"Submitted batch job {self.job_id}{f' on cluster {self.cluster}' if self.cluster else ''}"


@dataclass(frozen=True, slots=True)
class TaskEnd:
    """Tasks of one host that ended badly: with an exit code, or as `how` says ("Killed", "Out Of Memory")."""

    host: str
    tasks: tuple[int, ...]
    exit_code: int | None = None
    how: str = ""
    core_dumped: bool = False
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        _check_host(self.host)
        if not self.tasks or list(self.tasks) != sorted(set(self.tasks)):
            raise BadValue(f"the tasks {self.tasks}", "they rise, and there is one at least")
        check_counts("a step", {"its last task": self.tasks[-1], "exit_code": self.exit_code or 0}, 2**16 - 1)
        if (self.exit_code is None) != (self.how in (*SIGNALS, OUT_OF_MEMORY)) or (
            self.exit_code is not None and self.how
        ):
            raise BadValue(f"tasks that ended with {self.exit_code}, {self.how!r}", "give a code or a signal's name")
        if self.core_dumped and self.exit_code is not None:
            raise BadValue("a core dumped by tasks that exited", "a signal dumps it")

    def __str__(self) -> str:
        tasks = hostlist.render(map(str, self.tasks)).strip("[]")
        how = f"Exited with exit code {self.exit_code}" if self.exit_code is not None else self.how
        core = " (core dumped)" if self.core_dumped else ""
        return f"srun: error: {self.host}: task{'s' if len(self.tasks) > 1 else ''} {tasks}: {how}{core}"


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A job ("8") or step ("8.0") that slurmstepd was told to end, on which host, when (ISO time) and why."""

    id: str
    host: str
    at: str
    because: str = ""
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        _check_host(self.host)
        check_text("a cancelled job", {"cause": self.because})
        if not (re.fullmatch(_STEP, self.id, re.ASCII) and re.fullmatch(_WHEN, self.at, re.ASCII)):
            raise BadValue(f"{self.id!r} cancelled at {self.at!r}", "it is a job or step and an ISO time")
        if self.because and (not self.because.upper().startswith("DUE TO ") or "***" in self.because):
            raise BadValue(f"cancelled {self.because!r}", "Slurm begins a cause with DUE TO")

    def __str__(self) -> str:
        kind = "STEP" if "." in self.id else "JOB"
        because = f" {self.because}" if self.because else ""
        return f"slurmstepd: error: *** {kind} {self.id} ON {self.host} CANCELLED AT {self.at}{because} ***"


@dataclass(frozen=True, slots=True)
class NodeFailure:
    """A node that no longer answers, or went down, under a step."""

    host: str
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        _check_host(self.host)

    def __str__(self) -> str:
        return f"srun: error: Node failure on {self.host}"


@dataclass(frozen=True, slots=True)
class Terminating:
    """srun ends a step because a task of it failed; `forced` once it had to be killed."""

    step: str
    forced: bool = False
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if not re.fullmatch(_STEP, self.step, re.ASCII):
            raise BadValue(f"a step {self.step!r}", "it is written as in 22.0")

    def __str__(self) -> str:
        if self.forced:
            return f"srun: Force Terminated StepId={self.step}"
        return f"srun: launch/slurm: _step_signal: Terminating StepId={self.step}"


@dataclass(frozen=True, slots=True)
class Note:
    """Anything else that one of the commands says about itself; refusals are errors."""

    tool: str
    text: str
    is_error: bool = False
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        check_text("a note", {"text": self.text})
        if self.tool not in _TOOLS or not self.text or (not self.is_error and self.text.startswith("error: ")):
            raise BadValue(f"{self.tool!r} saying {self.text!r}", f"a text is said by {', '.join(_TOOLS)}")
        if any(pattern.fullmatch(str(self)) for pattern, _ in _COMPILED):
            raise BadValue(f"a note {self.text!r}", "another kind of line says it", "Use the class for it.")

    def __str__(self) -> str:
        return f"{self.tool}: {'error: ' if self.is_error else ''}{self.text}"


Said = Submitted | TaskEnd | Cancelled | NodeFailure | Terminating | Note


def render(said: Iterable[Said]) -> str:
    """Each line as printed."""
    return "".join(f"{each}\n" for each in said)


def parse(text: str) -> tuple[Said, ...]:
    """What Slurm's commands say in a log, with line numbers; a text in which they say nothing is refused."""
    found: list[Said] = []
    for number, (_, line) in enumerate(unlabel(text), start=1):
        said = _read(line, number)
        found += [said] if said else []
    if not found:
        raise refusal(1, text.partition("\n")[0], "a line such as 'Submitted batch job 8' or 'srun: error: ...'")
    return tuple(found)


def refused(tool: str, why: str, partition: str = "") -> tuple[Note, ...]:
    """How `tool` refuses a job: `why` is one of the constants above; a `partition` that is unknown is named.

    What the command sees itself it says at once; what the controller answers it introduces.
    """
    if why in (INVALID_GRES, INVALID_GRES_TYPE, INVALID_TIME):
        return (Note(tool, why, True),)
    failed = "Batch job submission failed" if tool == "sbatch" else "Unable to allocate resources"
    named = (Note(tool, f"invalid partition specified: {partition}", True),) if why == INVALID_PARTITION else ()
    return (*named, Note(tool, f"{failed}: {why}", True))


def waiting(tool: str, job_id: int, allocated: bool = False) -> tuple[Note, ...]:
    """What srun and salloc say of a job that waits, and, once it no longer does, that it has its nodes."""
    queued = Note(tool, f"job {job_id} queued and waiting for resources")
    return (queued, Note(tool, f"job {job_id} has been allocated resources")) if allocated else (queued,)


def aborted(seconds: int = 32) -> Note:
    """srun waits KillWait + 2 seconds for a step that it ends."""
    return Note("srun", f"Job step aborted: Waiting up to {seconds} seconds for job step to finish.")


def label(lines: Iterable[tuple[int, str]], tasks: int) -> str:
    """Lines of tasks as srun -l prints them: the task right-aligned to the width of the largest."""
    width = len(str(max(tasks - 1, 0)))
    return "".join(f"{task:{width}d}: {line}\n" for task, line in lines)


def unlabel(text: str) -> tuple[tuple[int | None, str], ...]:
    """Each line with the task that srun -l names, None where it names none."""
    lines = []
    for line in lines_of(text):
        match = _LABEL.match(line)
        lines.append((int(match[1]), line[match.end() :]) if match else (None, line))
    return tuple(lines)


def _check_host(host: str) -> None:
    if not re.fullmatch(_HOST, host) or not host.isprintable():
        raise BadValue(f"a host {host!r}", "it is one word without colons")


def _tasks(text: str) -> tuple[int, ...]:
    return tuple(sorted({int(task) for task in hostlist.parse(f"[{text}]")}))


def _ended(match: re.Match[str], line: int) -> TaskEnd:
    code = int(match["code"]) if match["code"] else None
    return TaskEnd(match["host"], _tasks(match["tasks"]), code, match["how"] or "", bool(match["core"]), line)


_LABEL = re.compile(r" *(\d{1,7}): ", re.ASCII)
_READERS: tuple[tuple[str, Callable[[re.Match[str], int], Any]], ...] = (
    (r"Submitted batch job (\d{1,9})(?: on cluster (\S+))?", lambda m, line: Submitted(int(m[1]), m[2] or "", line)),
    (
        rf"srun: error: (?P<host>{_HOST}): tasks? (?P<tasks>[\d,-]{{1,4000}}): "
        r"(?:Exited with exit code (?P<code>\d{1,3})"
        rf"|(?P<how>{'|'.join((*SIGNALS, OUT_OF_MEMORY))})(?P<core> \(core dumped\))?)",
        _ended,
    ),
    (
        rf"(?:srun: error: )?slurmstepd(?:-{_HOST})?: error: \*\*\* (?:JOB|STEP) ({_STEP}) ON ({_HOST})"
        rf" CANCELLED AT ({_WHEN})"
        r" ?((?i:due to) .*?)? \*\*\*",
        lambda m, line: Cancelled(m[1], m[2], m[3], (m[4] or "").strip(), line),
    ),
    (rf"srun: error: Node failure on ({_HOST})", lambda m, line: NodeFailure(m[1], line)),
    (rf"srun: (?:launch/slurm: \w+: )?Terminating StepId=({_STEP})", lambda m, line: Terminating(m[1], False, line)),
    (rf"srun: Force Terminated StepId=({_STEP})", lambda m, line: Terminating(m[1], True, line)),
)
_COMPILED = tuple((re.compile(pattern, re.ASCII), build) for pattern, build in _READERS)
_NOTE = re.compile(rf"({'|'.join(_TOOLS)}): (error: )?(\S.*)")


def _read(line: str, number: int) -> Said | None:
    """What a line without label says, None where no command says it."""
    said = line.rstrip()
    for pattern, build in _COMPILED:
        if match := pattern.fullmatch(said):
            try:
                found: Said = build(match, number)
            except BadValue:
                return None
            return found
    match = _NOTE.fullmatch(said)
    if match is None or not match[3].isprintable():
        return None
    return Note(match[1], match[3], bool(match[2]), number)
