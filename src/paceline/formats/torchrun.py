"""torchrun of PyTorch 2.13: what its log says of launch, rendezvous and workers; older prefixes are read too."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from paceline.errors import BadValue
from paceline.formats import child_failed
from paceline.formats.child_failed import ChildFailed
from paceline.formats.line import lines_of, one_line, refusal, split
from paceline.formats.sentence import Sentence, Value

SENTENCES: dict[str, Sentence] = {
    "omp threads": Sentence(
        "Setting OMP_NUM_THREADS environment variable for each process to be {threads:d} in default, to avoid your "
        "system being overloaded, please further tune the variable for optimal performance in your application as "
        "needed. ",
        "each worker computes on so many CPU threads; harmless where the data loader has its own",
        ("Setting OMP_NUM_THREADS environment variable for each process to be {threads:d} in default",),
    ),
    "standalone": Sentence(
        "Rendezvous info: --rdzv-backend={backend:w} --rdzv-endpoint={endpoint:w} --rdzv-id={id:w}",
        "torchrun --standalone chose these",
    ),
    "joining": Sentence("[{role:w}] Rendezvous'ing worker group", "waits for the other servers"),
    "starting": Sentence("[{role:w}] Starting worker group", "starts the processes of this server"),
    "finished": Sentence(
        "worker group successfully finished. Waiting {seconds:d} seconds for other agents to finish.",
        "all workers of this server ended well",
    ),
    "closing": Sentence(
        "Sending process {pid:d} closing signal {signal:w}", "ends a worker that did not fail: a victim, not a cause"
    ),
    "worker failed": Sentence(
        "failed (exitcode: {exitcode:d}) local_rank: {local_rank:d} (pid: {pid:d}) of binary: {binary:s}",
        "a worker of this server ended with an error",
    ),
    "restart": Sentence(
        "[{role:w}] Worker group FAILED. {left:d}/{of:d} attempts left; will restart worker group",
        "starts all workers again",
    ),
    "rendezvous timeout": Sentence(
        "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError",
        "not all servers joined in time",
        ("RendezvousTimeoutError",),
    ),
    "rendezvous connection": Sentence(
        "torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the C10d store has "
        "failed. See inner exception for details.",
        "the rendezvous endpoint does not answer",
        ("RendezvousConnectionError",),
    ),
    "rendezvous closed": Sentence(
        "torch.distributed.elastic.rendezvous.api.RendezvousClosedError",
        "a server came after the others had ended",
        ("RendezvousClosedError",),
    ),
    "connect timeout": Sentence(
        "The client socket has timed out after {timeout_ms:d}ms while trying to connect to ({host:w}, {port:d}).",
        "nothing answers at the master's address and port: wrong host, firewall, or no process there yet",
    ),
    "connect timeout in seconds": Sentence(
        "The client socket has timed out after {timeout_s:d}s while trying to connect to ({host:w}, {port:d}).",
        "nothing answers at the master's address and port: wrong host, firewall, or no process there yet",
        ("The client socket has timed out after {timeout_s:d}s while trying to connect to {host:w}:{port:d}",),
    ),
    "port in use": Sentence(
        "The server socket has failed to listen on any local network address. port: {port:d}, useIpv6: {ipv6:w}, "
        "code: -98, name: EADDRINUSE, message: address already in use",
        "another job on this server has the port",
        (
            "The server socket has failed to listen on any local network address. port: {port:d}",
            "The server socket has failed to bind to [::]:{port:d} (errno: 98",
        ),
    ),
    "host name unknown": Sentence(
        "[c10d] The hostname of the client socket cannot be retrieved. err={error:d}", "a warning only"
    ),
}
"""What torchrun and its store say in one line; tool-formats.md 6.5."""
_BLOCKS = {
    "launch": "Starting elastic_operator with launch configs:",
    "rendezvous": "[{}] Rendezvous complete for workers. Result:",
}
_ASTERISKS = "*" * 41


@dataclass(frozen=True, slots=True)
class Stamp:
    """What Python's logging puts before each line since PyTorch 2.3; `level` is I, W or E."""

    level: str
    month: int
    day: int
    time_us: int
    pid: int
    source: str

    def __post_init__(self) -> None:
        values = self.level, self.month, self.day, self.time_us, self.pid, self.source
        found = _STAMP.fullmatch(f"{self} ")
        if found is None or _stamp_values(found) != values:
            raise BadValue(f"stamp {self}", "no log can begin so", "As I1129 16:44:33.000123 21790 run.py:852].")

    def __str__(self) -> str:
        seconds, us = divmod(self.time_us, 10**6)
        clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{us:06d}"
        return f"{self.level}{self.month:02d}{self.day:02d} {clock} {self.pid} {self.source}]"


@dataclass(frozen=True, slots=True)
class Said:
    """One of `SENTENCES` by its name, with its values."""

    name: str
    values: tuple[Value, ...] = ()

    def __post_init__(self) -> None:
        if self.name not in SENTENCES:
            raise BadValue(f"sentence {self.name!r}", "torchrun has none of that name")
        SENTENCES[self.name].check(self.values)


@dataclass(frozen=True, slots=True)
class Block:
    """The configuration at launch, or the result of a rendezvous: pairs of key and text in the order printed."""

    kind: Literal["launch", "rendezvous"]
    values: tuple[tuple[str, str], ...]
    role: str = "default"

    def __post_init__(self) -> None:
        if (self.kind == "launch" and self.role != "default") or not re.fullmatch(r"[^\s\]]+", self.role):
            raise BadValue(f"role {self.role!r}", "a rendezvous names one word, a launch none")
        for key, value in self.values:
            one_line(key, value)
            if not re.fullmatch(r"[a-z]\w*", key, re.ASCII) or value != value.strip():
                raise BadValue(f"{key} = {value!r}", "a key is a word, and its value has no blanks around it")

    def get(self, key: str) -> str:
        """A value by its key; "" where it is not printed."""
        return dict(self.values).get(key, "")


@dataclass(frozen=True, slots=True)
class Event:
    """One thing torchrun said; `stamp` None where the line has no such prefix; `line` its first line's number."""

    what: Said | Block | ChildFailed
    stamp: Stamp | None = None
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.what, ChildFailed) and self.stamp is not None:
            raise BadValue("a stamped table of failures", "it ends a traceback, which has no stamp")


def render(events: Iterable[Event]) -> str:
    """The events as torchrun writes them to stderr; each line of a message has its stamp."""
    out = []
    for event in events:
        match event.what:
            case ChildFailed():
                out.append(child_failed.render(event.what))
                continue
            case Said("omp threads"):
                lines = ["", _ASTERISKS, SENTENCES["omp threads"].write(event.what.values), _ASTERISKS]
            case Said():
                lines = [SENTENCES[event.what.name].write(event.what.values)]
            case Block("launch"):
                lines = [_BLOCKS["launch"], *(f"  {key:<16} : {value}" for key, value in event.what.values), ""]
            case Block():
                head = _BLOCKS["rendezvous"].format(event.what.role)
                lines = [head, *(f"  {key}={value}" for key, value in event.what.values), ""]
        prefix = "" if event.stamp is None else f"{event.stamp} "
        out += [f"{prefix}{line}\n" for line in lines]
    return "".join(out)


_STAMP = re.compile(
    r"([IWEDF])(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{6}) (\d{1,10}) (?:\[\d+\] )?(\S+:\d{1,9})\] ?", re.ASCII
)
# PyTorch to 2.0, and 2.1 to 2.2.
_OLDER = re.compile(
    r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):torch\.[\w.]+:|\[[\d-]+ [\d:,]+\] torch\.[\w.]+: \[[A-Z]+\] ?"
    r"|\[[A-Z]+\] [\d-]+ [\d:,]+ \w+: ",
    re.ASCII,
)
_LAUNCH_LINE = re.compile(r" +([a-z]\w*) *: ?(.*?)\s*", re.ASCII)
_RENDEZVOUS_LINE = re.compile(r" +([a-z]\w*)=(.*?)\s*", re.ASCII)
_RENDEZVOUS_HEAD = re.compile(r"\[([^\s\]]{1,250})\] Rendezvous complete for workers\. Result:")


def _stamp_values(found: re.Match[str]) -> tuple[str, int, int, int, int, str]:
    level, month, day, hours, minutes, seconds, us, pid, source = found.groups()
    at_us = (int(hours) * 3600 + int(minutes) * 60 + int(seconds)) * 10**6 + int(us)
    return level, int(month), int(day), at_us, int(pid), source


def _stamp(line: str) -> tuple[Stamp | None, str]:
    if found := _STAMP.match(line):
        try:
            return Stamp(*_stamp_values(found)), line[found.end() :]
        except BadValue:
            return None, line
    older = _OLDER.match(line)
    return None, line[older.end() :] if older else line


def parse(text: str) -> tuple[Event, ...]:
    """What torchrun said, in order, in its own output or a longer log; lines of others are left out."""
    raw = lines_of(text)
    stamped = [_stamp(split(line)[1]) for line in raw]
    lines = [line for _, line in stamped]
    events = []
    at = 0
    while at < len(lines):
        stamp, line = stamped[at]
        head = _RENDEZVOUS_HEAD.search(line)
        what: Said | Block | ChildFailed | None
        if child_failed.starts(lines, at):
            stamp = None
            what, after = child_failed.read(lines, at)
        elif head or _BLOCKS["launch"] in line:
            what, after = _block(lines, at, head[1] if head else "")
        else:
            what, after = _said(line), at + 1
        if what is not None:
            events.append(Event(what, stamp, at + 1))
        at = max(after, at + 1)
    if not events:
        raise refusal(1, raw[0] if raw else "", "something that torchrun logs")
    return tuple(events)


def _block(lines: list[str], at: int, role: str) -> tuple[Block | None, int]:
    pattern = _RENDEZVOUS_LINE if role else _LAUNCH_LINE
    values = []
    at += 1
    while at < len(lines) and (found := pattern.fullmatch(lines[at])):
        values.append((found[1], found[2]))
        at += 1
    try:
        return Block("rendezvous" if role else "launch", tuple(values), role or "default"), at
    except BadValue:
        return None, at


def _said(line: str) -> Said | None:
    for name, sentence in SENTENCES.items():
        values = sentence.read(line)
        if values is not None:
            try:
                return Said(name, values)
            except BadValue:
                return None
    return None
