"""What Slurm 22.05.8's scontrol show node prints of a node, and the same read back, newer versions too."""

import re
from dataclasses import dataclass, field

from paceline.errors import BadValue
from paceline.formats.line import shown
from paceline.formats.scontrol import Layout, read_null, show_null, whole
from paceline.formats.slurm_table import check_counts, check_text, check_words

BASE_STATES = ("UNKNOWN", "DOWN", "IDLE", "ALLOCATED", "ERROR", "MIXED", "FUTURE")
NEVER = ("None", "Unknown")
_WHEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", re.ASCII)


@dataclass(frozen=True, slots=True)
class Node:
    """A node of Slurm. Memory in MiB, load in hundredths, times ISO or None and Unknown.

    `state` is a base state with flags, as in IDLE+DRAIN or DOWN+NOT_RESPONDING; `gres` is as configured,
    gpu:h100:8. What a version or an option leaves out is None. `reason` carries its user and time where known.
    """

    name: str
    cores_per_socket: int
    cpu_alloc: int
    cpu_tot: int
    state: str
    gres: str = ""
    real_memory_mib: int = 1
    alloc_memory_mib: int = 0
    free_memory_mib: int | None = None
    cpu_load_hundredths: int | None = None
    sockets: int = 2
    boards: int = 1
    threads_per_core: int = 2
    tmp_disk_mib: int = 0
    weight: int = 1
    arch: str | None = "x86_64"
    cpu_efctv: int | None = None
    features: str = ""
    active_features: str = ""
    gres_drain: str | None = None
    gres_used: str | None = None
    address: str | None = None
    host_name: str | None = None
    port: int | None = None
    version: str | None = "22.05.8"
    os: str | None = None
    partitions: str | None = None
    boot_time: str = "None"
    slurmd_start_time: str = "None"
    last_busy_time: str = "Unknown"
    cfg_tres: str = ""
    alloc_tres: str = ""
    reason: str | None = None
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        words = {name: getattr(self, name) for name in _WORDS}
        check_words("a node", {name: word for name, word in words.items() if word})
        texts = {name: getattr(self, name) for name in ("os", "reason")}
        check_text("a node", {name: text for name, text in texts.items() if text is not None})
        if not self.name or any(getattr(self, name) == "" for name in (*_OPTIONAL, "reason")):
            raise BadValue(f"the node {self.name!r}", "what it lacks is None, not empty")
        if (self.os and re.search(r"(?<!\S)[A-Za-z][\w/:]*=", self.os)) or (
            self.reason and _LAYOUT.holds_key(self.reason)
        ):
            raise BadValue(f"the node {self.name!r}", "an = would begin another key", "Write it without =.")
        counts = {name: getattr(self, name) for name in _COUNTS}
        check_counts("a node", {name: count or 0 for name, count in counts.items()}, 10**15 - 1)
        if self.state.partition("+")[0].rstrip("*") not in BASE_STATES:
            raise BadValue(f"a node that is {self.state!r}", "scontrol has no such state", f"Use {BASE_STATES}.")
        for time in (self.boot_time, self.slurmd_start_time, self.last_busy_time):
            if time not in NEVER and not _WHEN.fullmatch(time):
                raise BadValue(f"a time {time!r}", "it is an ISO time, None or Unknown")

    @property
    def is_out(self) -> bool:
        """Whether Slurm gives the node no new job: down, drained, failing or not answering."""
        flags = set(self.state.replace("*", "+NOT_RESPONDING").split("+"))
        return bool(flags & {"DOWN", "DRAIN", "FAIL", "NOT_RESPONDING", "INVALID_REG", "ERROR"})


def because(reason: str, user: str, at: str) -> str:
    """A reason as Slurm keeps it, with who gave it and when (ISO time): "Xid 79 [root@2026-11-30T08:36:07]"."""
    return f"{reason} [{user}@{at}]"


def render(nodes: tuple[Node, ...]) -> str:
    """The records of show node, a blank line after each."""
    return "".join(map(_LAYOUT.render, nodes))


def parse(text: str) -> tuple[Node, ...]:
    """Every node shown in a text."""
    nodes = []
    for line, fields in _LAYOUT.read_all(text, "node"):
        missing = [name for name in ("cores_per_socket", "cpu_alloc", "cpu_tot", "state") if name not in fields]
        if missing:
            raise BadValue(f"line {line}", f"the node's {missing[0]} is not there", "Give the whole record.")
        given = {name: value for name, value in fields.items() if value != "" or name not in _OPTIONAL}
        try:
            nodes.append(Node(**{**_LEFT_OUT, **given}, line=line))
        except BadValue as refused:
            raise BadValue(f"line {line}: {refused.given}", refused.because, refused.instead) from None
    return tuple(nodes)


_COUNTS = (
    "cores_per_socket", "cpu_alloc", "cpu_tot", "cpu_efctv", "real_memory_mib", "alloc_memory_mib", "free_memory_mib",
    "cpu_load_hundredths", "sockets", "boards", "threads_per_core", "tmp_disk_mib", "weight", "port",
)  # fmt: skip
_OPTIONAL = ("arch", "gres_drain", "gres_used", "address", "host_name", "version", "partitions", "os")
_WORDS = (
    "name", "state", "gres", "features", "active_features", "cfg_tres", "alloc_tres",
    *(name for name in _OPTIONAL if name != "os"),
)  # fmt: skip
_LEFT_OUT = dict.fromkeys(("arch", "version"))


def _show_load(hundredths: int) -> str:
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def _read_load(text: str) -> int:
    match = re.fullmatch(r"(\d{1,9})\.(\d\d)", text, re.ASCII)
    if match is None:
        raise BadValue(shown(text), "a load has two decimals")
    return int(match[1]) * 100 + int(match[2])


_LAYOUT = Layout.of(
    """
NodeName=name Arch=arch CoresPerSocket=cores_per_socket 
CPUAlloc=cpu_alloc CPUEfctv=cpu_efctv CPUTot=cpu_tot CPULoad=cpu_load_hundredths
AvailableFeatures=features
ActiveFeatures=active_features
Gres=gres
GresDrain=gres_drain
GresUsed=gres_used
NodeAddr=address NodeHostName=host_name Port=port Version=version
OS=os 
RealMemory=real_memory_mib AllocMem=alloc_memory_mib FreeMem=free_memory_mib Sockets=sockets Boards=boards
State=state ThreadsPerCore=threads_per_core TmpDisk=tmp_disk_mib Weight=weight Owner='N/A' MCS_label='N/A'
Partitions=partitions 
BootTime=boot_time SlurmdStartTime=slurmd_start_time
LastBusyTime=last_busy_time
CfgTRES=cfg_tres
AllocTRES=alloc_tres
CapWatts='n/a'
CurrentWatts='0' AveWatts='0'
ExtSensorsJoules='n/s' ExtSensorsWatts='0' ExtSensorsTemp='n/s'
Reason=reason...
""",  # noqa: W291
    {
        **dict.fromkeys(_COUNTS, (str, whole)),
        **dict.fromkeys(("features", "active_features", "gres"), (show_null, read_null)),
        "cpu_load_hundredths": (_show_load, _read_load),
    },
    {"cpu_load_hundredths": "N/A", "free_memory_mib": "N/A"},
    "\n\n",
)
