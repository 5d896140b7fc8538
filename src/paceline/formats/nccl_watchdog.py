"""PyTorch's NCCL watchdog as 2.6 and later word it: which collective hung, and who only heard of it."""

import re
from dataclasses import dataclass

from paceline.errors import BadValue
from paceline.formats.line import split
from paceline.formats.sentence import Sentence, Value

SENTENCES: dict[str, Sentence] = {
    "timeout": Sentence(
        "Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq:d}, OpType={op:w}, NumelIn={numel_in:d}, "
        "NumelOut={numel_out:d}, Timeout(ms)={timeout_ms:d}) ran for {ran_ms:d} milliseconds before timing out.",
        "this collective did not end in time on this rank",
        (
            "Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq:d}, OpType={op:w}, "
            "Timeout(ms)={timeout_ms:d}) ran for {ran_ms:d} milliseconds before timing out",
            "Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq:d}, OpType={op:w}, "
            "TensorShape={shape:s}, Timeout(ms)={timeout_ms:d}) ran for {ran_ms:d} milliseconds before timing out",
            "Watchdog caught collective operation timeout: WorkNCCL(OpType={op:w}, TensorShape={shape:s}, "
            "Timeout(ms)={timeout_ms:d}) ran for {ran_ms:d} milliseconds before timing out",
        ),
    ),
    "progress": Sentence(
        " failure detected by watchdog at work sequence id: {seq:d} PG status: last enqueued work: {enqueued:d}, "
        "last completed work: {completed:d}",
        "how far this rank was: enqueued beyond completed means that it waits for others",
        (
            "detected by watchdog at work: {seq:d}, last enqueued NCCL work: {enqueued:d}, "
            "last completed NCCL work: {completed:d}",
        ),
    ),
    "no stack trace": Sentence(
        "Stack trace of the failed collective not found, potentially because FlightRecorder is disabled. You can "
        "enable it by setting TORCH_NCCL_TRACE_BUFFER_SIZE to a non-zero value.",
        "the flight recorder was off",
        ("Stack trace of the failed collective not found",),
    ),
    "first to signal": Sentence("First PG on this rank to signal dumping.", "this rank's own watchdog fired"),
    "told by rank": Sentence(
        "Received a dump signal due to a collective timeout from  rank {rank:d} and we will try our best to dump the "
        "debug info. Last enqueued NCCL work: {enqueued:d}, last completed NCCL work: {completed:d}.",
        "another rank's watchdog fired",
        (
            "Received a dump signal due to a collective timeout from rank {rank:d} and we will try our best to dump "
            "the debug info. Last enqueued NCCL work: {enqueued:d}, last completed NCCL work: {completed:d}.",
        ),
    ),
    "told by store": Sentence(
        "Observed flight recorder dump signal from another rank via TCPStore.", "another rank's watchdog fired"
    ),
    "dumping": Sentence(
        "ProcessGroupNCCL preparing to dump debug info. Include stack trace: {stack:d}",
        "writes the flight recorder's file",
        ("ProcessGroupNCCL preparing to dump debug info.",),
    ),
    "corrupted": Sentence(
        "Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU "
        "operations might run on corrupted/incomplete data.",
        "follows a timeout",
        ("Some NCCL operations have failed or timed out.",),
    ),
    "ending": Sentence("To avoid data inconsistency, we are taking the entire process down.", "ends with SIGABRT"),
    "terminate": Sentence("terminate called after throwing an instance of '{type:w}'", "ends with SIGABRT"),
    "watchdog stuck": Sentence(
        "ProcessGroupNCCL's watchdog got stuck for {seconds:d} seconds without making progress in monitoring enqueued "
        "collectives.",
        "the watchdog itself was blocked: often a CUDA call or Python's lock",
    ),
    "heartbeat": Sentence(
        "Heartbeat monitor timed out! Process will be terminated after dumping debug info. "
        "workMetaList_.size()={works:d}",
        "the watchdog itself was blocked: often a CUDA call or Python's lock",
        ("Heartbeat monitor timed out!",),
    ),
    "async error": Sentence(
        "raised the following async exception: NCCL error: {what:s}, NCCL version {version:w}",
        "NCCL reported an error while a collective ran",
        ("NCCL watchdog thread terminated with exception: NCCL error: {what:s}, NCCL version {version:w}",),
    ),
}
"""What the watchdog says, by name; tool-formats.md 6.8."""


@dataclass(frozen=True, slots=True)
class Message:
    """One line of the watchdog: one of `SENTENCES` with its values.

    `rank` is the job's, None where the line names none; `group` the process group as "ID 0 PG GUID 0(default_pg)", or
    ""; `group_rank` the rank in it where that is another. `clock` is "0626 06:24:44.903881913", month, day and local
    time, and `source` "ProcessGroupNCCL.cpp:616"; both "" where the line has none.
    """

    name: str
    values: tuple[Value, ...] = ()
    rank: int | None = None
    group: str = ""
    clock: str = ""
    source: str = ""
    group_rank: int | None = None

    def __post_init__(self) -> None:
        if self.name not in SENTENCES:
            raise BadValue(f"watchdog line {self.name!r}", "there is none of that name")
        SENTENCES[self.name].check(self.values)
        if find(render(self)) != tuple(getattr(self, name) for name in self.__slots__):
            raise BadValue(f"watchdog line {self.name!r}", "read again, its prefix would say something else")

    def get(self, name: str) -> Value:
        """A value by the name of its hole in the sentence."""
        return self.values[SENTENCES[self.name].holes.index(name)]


def render(message: Message) -> str:
    """The line as PyTorch 2.6 and later write it to stderr, without a line break."""
    rank = "" if message.rank is None else f"[rank{message.rank}]:"
    month = message.clock[:2].lstrip("0")
    log = f"[E{month}{message.clock[2:]} {message.source}] " if message.clock else ""
    if not log and message.source:
        log = f"[E {message.source}] "
    inside = f"PG {message.group} " if message.group else ""
    inner = message.rank if message.group_rank is None else message.group_rank
    who = "" if message.rank is None else f"[{inside}Rank {inner}] "
    return f"{rank}{log}{who}{SENTENCES[message.name].write(message.values)}"


_LOG = re.compile(r"\[[EWIF](?:(\d{1,2})(\d\d) (\d\d:\d\d:\d\d\.\d{9}))? ?(\w+\.(?:cpp|hpp):\d{1,7})\] ", re.ASCII)
_WHO = re.compile(r"\[(?:PG (\S(?:[^\]]*\S)?) )?Rank (\d{1,9})\] ", re.ASCII)


def find(line: str) -> tuple[str, tuple[Value, ...], int | None, str, str, str, int | None] | None:
    """The fields of a `Message` where a line holds one, whatever its version, else None."""
    for name, sentence in SENTENCES.items():
        values = sentence.read(line)
        if values is None:
            continue
        rank, said = split(line)
        log, who = _LOG.search(said), _WHO.search(said)
        clock = f"{int(log[1]):02d}{log[2]} {log[3]}" if log and log[1] else ""
        inner = int(who[2]) if who else None
        rank, inner = (inner, None) if rank is None or rank == inner else (rank, inner)
        return name, values, rank, (who[1] or "") if who else "", clock, log[4] if log else "", inner
    return None


def read(line: str) -> Message | None:
    """The message in a line, whatever its version; None where there is none, or not one that could be printed."""
    found = find(line)
    try:
        return None if found is None else Message(*found)
    except BadValue:
        return None
