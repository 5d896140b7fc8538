"""The log of NCCL under NCCL_DEBUG=INFO or WARN, of one or many ranks, as 2.7 to 2.30 write it.

Lines of many ranks interleave, and one may be glued to another's end, so a line is sought within the text, not
at its start. Facts the log does not show are None, not False: an excerpt without channels says nothing of GDRDMA.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from paceline.errors import BadValue

LEVELS = ("INFO", "WARN", "TRACE", "CALL", "VERSION")
"""VERSION stands for the bare line `NCCL version ...` of levels below INFO, which has no prefix at all."""

KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.ASCII))
    for kind, pattern in (
        ("version", r"NCCL version \d"),
        ("environment", r"NCCL_\w+ set (?:by environment )?to |Invalid value .* for NCCL_"),
        ("bootstrap", r"Bootstrap ?: Using "),
        ("no ib", r"NET/IB : No device found"),
        ("ib devices", r"NET/IB : Using "),
        ("socket devices", r"NET/Socket : Using "),
        ("network", r"Using network "),
        ("plugin", r"(?:NET|TUNER|PROFILER|ENV)/(?:Plugin|OFI)|P2P plugin|Plugin Path|[\w ]+ (?:NET|network) plugin"),
        ("driver", r"cudaDriverVersion \d"),
        ("gdr", r"NET/\S+ : GPU Direct RDMA |GPU Direct RDMA |DMA-BUF is available"),
        ("init start", r".*- Init START"),
        ("init complete", r".*- Init COMPLETE"),
        ("communicator", r"comm 0x\w+ rank \d+ nRanks \d+"),
        ("channel", r"Channel \d+(?:/\d+)? : \d+\[\w+\] -> "),
        ("ring", r"Channel \d+/\d+ :\s"),
        ("tree", r"Trees \["),
        ("nvls", r"NVLS "),
        ("connected", r"Connected "),
        ("channels", r"\d+ coll channels"),
        ("end", r".*- (?:Destroy|Abort) COMPLETE"),
        ("returned", r"\S+:\d+ -> \d+"),
    )
)  # fmt: skip

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_HEAD = re.compile(
    r"(?:\[(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[\d.]{0,10})\] )?"
    r"(?:(?P<host>[^\s:\[\]<>]{1,255}):(?P<pid>\d{1,9}):(?P<tid>\d{1,9}) )?"
    r"(?:\[(?P<gpu>\d{1,4})\] )?(?:(?P<source>[^\s:\[\]]{1,200}:\d{1,7}) )?NCCL (?P<level>INFO|WARN|TRACE|CALL) ",
    re.ASCII,
)
_BARE_VERSION = re.compile(r"(?:^|[:>\]] ?)(NCCL version \d+\.\d+\S{0,40})\s*$", re.ASCII)
_CHANNEL = re.compile(
    r"Channel (\d{1,4})(?:/(\d{1,4}))? : (\d{1,7})\[([0-9a-f]{1,9})\] -> (\d{1,7})\[([0-9a-f]{1,9})\]"
    r" (?:\[(send|receive)\]\s{1,9})?via (P2P|SHM|NET)/(.+)",
    re.ASCII,
)
_NET_PATH = re.compile(r"([^/]+)/(\d{1,4})(?:\((\d{1,7})\))?(?:[/(].*)?", re.ASCII)
_INTERFACE = re.compile(r"([^\s:\[\]{}]{1,64}):[^\s<]{1,64}<\d{1,6}>", re.ASCII)
_HCA = re.compile(r"([\w.+-]{1,64}:\d{1,4})/(?:IB|RoCE)", re.ASCII)
_ENVIRONMENT = re.compile(r"(NCCL_\w+) set (?:by environment )?to (.*)", re.ASCII)
_INIT = re.compile(r"\brank (\d{1,7}) nranks (\d{1,7}).* - Init (START|COMPLETE)", re.ASCII)
_VERBS = ("IB", "RDMA", "RoCE", "SPCX")


@dataclass(frozen=True, slots=True)
class Record:
    """One line of NCCL: who wrote it, where in its source (of WARN lines), and what it says.

    `gpu` is the CUDA ordinal of the calling thread; host, pid, tid and gpu are "" or None where an excerpt has
    lost its prefix. `line` is its place in the text it was read from, 0 where there was none.
    """

    level: str
    text: str
    host: str = ""
    pid: int | None = None
    tid: int | None = None
    gpu: int | None = None
    source: str = ""
    time: str = ""
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        lines = _lines(render_record(self).removeprefix("\n" if self.level == "WARN" else ""))
        if self.level not in LEVELS or len(lines) != 1 or list(_fields(lines[0])) != [_values(self)]:
            raise BadValue(
                f"a line of NCCL that says {self.text[:80]!r}",
                "it would not be read back as it is",
                "Give one printable line, and host, pid and tid together.",
            )

    @property
    def kind(self) -> str:
        """What the line is about: "warning", a word of KINDS, or "other"."""
        return "warning" if self.level == "WARN" else _kind(self.text)


@dataclass(frozen=True, slots=True)
class Channel:
    """One connection of a channel: from rank to rank, and by what.

    `transport` is P2P, SHM or NET; `path` all behind its slash, such as "CUMEM/read" or "IB/7(7)/GDRDMA".
    `direction` is send or receive for NET, else empty; the GPUs are NVML indices (PCI addresses up to 2.17).
    """

    channel: int
    rank: int
    gpu: str
    to_rank: int
    to_gpu: str
    direction: str
    transport: str
    path: str
    line: int

    @property
    def network(self) -> str:
        """The network's name, "IB" or "Socket" or a plugin's; empty within a server."""
        found = _NET_PATH.match(self.path) if self.transport == "NET" else None
        return found[1] if found else ""

    @property
    def device(self) -> int | None:
        """The index of the network card; None within a server."""
        found = _NET_PATH.match(self.path) if self.transport == "NET" else None
        return int(found[2]) if found else None

    @property
    def gdrdma(self) -> bool:
        """Whether the network card reads and writes GPU memory itself."""
        return self.transport == "NET" and "/GDRDMA" in self.path


@dataclass(frozen=True, slots=True)
class Log:
    """The lines of NCCL in one text, in order, and what they say of the transport."""

    records: tuple[Record, ...]

    def __post_init__(self) -> None:
        if not self.records:
            raise BadValue("a log of no line", "NCCL wrote nothing there", "Was NCCL_DEBUG=INFO set?")

    def of(self, *kinds: str) -> tuple[Record, ...]:
        """The lines of these kinds, in order."""
        return tuple(record for record in self.records if record.kind in kinds)

    @property
    def versions(self) -> tuple[str, ...]:
        """Each NCCL version named, such as "2.28.9+cuda12.9", as first seen; two are a mismatch."""
        return _once(record.text.split()[2] for record in self.of("version"))

    @property
    def hosts(self) -> tuple[str, ...]:
        """Each host that wrote, as first seen."""
        return _once(record.host for record in self.records if record.host)

    @property
    def warnings(self) -> tuple[Record, ...]:
        """The WARN lines."""
        return self.of("warning")

    @property
    def environment(self) -> Mapping[str, str]:
        """Each variable NCCL says it took from the environment, with the value last said."""
        found = (_ENVIRONMENT.match(record.text) for record in self.of("environment"))
        return {match[1]: match[2].rstrip(".") for match in found if match}

    @property
    def interfaces(self) -> tuple[str, ...]:
        """The IP interfaces of bootstrap, sockets and out-of-band traffic, as first seen."""
        said = self.of("bootstrap", "socket devices", "ib devices")
        return _once(name for record in said for name in _INTERFACE.findall(record.text))

    @property
    def hcas(self) -> tuple[str, ...]:
        """The InfiniBand or RoCE ports NCCL listed, such as "mlx5_0:1", as first seen."""
        return _once(name for record in self.of("ib devices") for name in _HCA.findall(record.text))

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Every connection that was made."""
        found = ((_CHANNEL.match(record.text), record.line) for record in self.of("channel"))
        return tuple(
            Channel(int(m[1]), int(m[3]), m[4], int(m[5]), m[6], m[7] or "", m[8], m[9], line) for m, line in found if m
        )

    @property
    def transports(self) -> Mapping[int, tuple[str, ...]]:
        """By channel, the transports it passes: "P2P", "SHM", "NET/IB"."""
        named: dict[int, tuple[str, ...]] = {}
        for each in self.channels:
            word = f"{each.transport}/{each.network}" if each.network else each.transport
            named[each.channel] = _once((*named.get(each.channel, ()), word))
        return named

    @property
    def networks(self) -> tuple[str, ...]:
        """Each network in use: IB, Socket or a plugin's name; more than one where ranks differ."""
        chosen = (record.text.removeprefix("Using network ").strip() for record in self.of("network"))
        return _once((*chosen, *(each.network for each in self.channels if each.network)))

    @property
    def uses_ib(self) -> bool | None:
        """Whether every network in use is InfiniBand or RoCE verbs, HPC-X's plugins too; None if none is named."""
        return all(any(word in name for word in _VERBS) for name in self.networks) if self.networks else None

    @property
    def uses_gdrdma(self) -> bool | None:
        """Whether every network connection has GPUDirect RDMA; None if the log shows none."""
        between = [each.gdrdma for each in self.channels if each.transport == "NET"]
        if between:
            return all(between)
        rings = [record.text for record in self.of("connected") if " GDR " in record.text]
        if rings and self.uses_ib:
            return all(text.endswith(" GDR 1") for text in rings)
        return False if any("RDMA Disabled for HCA" in record.text for record in self.of("gdr")) else None

    @property
    def started(self) -> tuple[int, ...]:
        """Ranks that began to initialise, ascending."""
        return self._reached("START")

    @property
    def completed(self) -> tuple[int, ...]:
        """Ranks that finished it, ascending; one that started and is not here hangs, or its log is cut."""
        return self._reached("COMPLETE")

    def _reached(self, word: str) -> tuple[int, ...]:
        found = (_INIT.search(record.text) for record in self.of("init start", "init complete"))
        return tuple(sorted({int(match[1]) for match in found if match and match[3] == word}))


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def render(log: Log) -> str:
    """The log's own text; a warning comes after an empty line, as NCCL writes it."""
    return "".join(map(render_record, log.records))


def render_record(record: Record) -> str:
    """One line, as it is written."""
    if record.level == "VERSION":
        return f"{record.text}\n"
    parts = (
        "\n" if record.level == "WARN" else "",
        f"[{record.time}] " if record.time else "",
        f"{record.host}:{record.pid}:{record.tid} " if record.host else "",
        f"[{record.gpu}] " if record.gpu is not None else "",
        f"{record.source} " if record.source else "",
    )
    return f"{''.join(parts)}NCCL {record.level} {record.text}\n"


def parse(text: str) -> Log:
    """NCCL's lines in `text`, whatever else stands between them."""
    records = [
        Record(*values, line=line) for line, said in enumerate(_lines(text), start=1) for values in _fields(said)
    ]
    if not records:
        raise BadValue("line 1", "no line of NCCL follows", "Expected 'host:pid:tid [gpu] NCCL INFO ...'.")
    return Log(tuple(records))


def _lines(text: str) -> list[str]:
    return _ANSI.sub("", text).splitlines()


_Values = tuple[str, str, str, int | None, int | None, int | None, str, str]


@lru_cache(maxsize=2**16)
def _kind(text: str) -> str:
    return next((kind for kind, pattern in KINDS if pattern.match(text)), "other")


def _values(record: Record) -> _Values:
    whose = (record.host, record.pid, record.tid, record.gpu)
    return (record.level, record.text, *whose, record.source, record.time)


def _fields(line: str) -> Iterator[_Values]:
    """The values of each record that one line holds, of several where they are glued."""
    if "NCCL " not in line:
        return
    heads = list(_HEAD.finditer(line))
    ends = [head.start() for head in heads[1:]] + [len(line)]
    for head, end in zip(heads, ends, strict=False):
        host, pid, tid, gpu, source, time = head.group("host", "pid", "tid", "gpu", "source", "time")
        said = line[head.end() : end]
        yield head["level"], said, host or "", _whole(pid), _whole(tid), _whole(gpu), source or "", time or ""
    if not heads and (version := _BARE_VERSION.search(line)):
        yield "VERSION", version[1], "", None, None, None, "", ""


def _whole(digits: str | None) -> int | None:
    return None if digits is None else int(digits)
