"""dmesg of a Linux 5 or 6 kernel: NVIDIA driver errors (Xid, SXid), processes killed for memory, other lines."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from paceline.errors import BadValue
from paceline.formats.line import lines_of, one_line, refusal, split
from paceline.units import KIB


class XidMeaning(NamedTuple):
    """What an Xid number says and what to do."""

    meaning: str
    action: str


_CODE = XidMeaning("illegal instruction or address in a program", "the code first; hardware if it stays with one GPU")
_FOLLOWS = XidMeaning("clean-up after another error", "find the first error")
_STUCK = XidMeaning("a microcontroller of the GPU, or its GSP, timed out", "reset or reboot; driver and firmware")
_FABRIC = XidMeaning("NVLink or fabric error", "see NVIDIA's catalogue")
XIDS: dict[int, XidMeaning] = {
    13: _CODE,
    31: XidMeaning("MMU fault: access to an address that is not mapped", _CODE.action),
    43: XidMeaning("reset caused by the program", _FOLLOWS.action),
    45: _FOLLOWS,
    48: XidMeaning("uncorrectable ECC error (double bit)", "reset the GPU; look for 63 and 64"),
    61: _STUCK,
    62: _STUCK,
    63: XidMeaning("row remapping or page retirement recorded", "reset the GPU when it is idle"),
    64: XidMeaning("row remapping or page retirement failed", "replace the GPU"),
    69: _STUCK,
    74: XidMeaning("NVLink error", "nvidia-smi nvlink -e; reseat, or look at the NVSwitch"),
    79: XidMeaning("the GPU has fallen off the bus", "drain the server: power, heat or PCIe"),
    92: XidMeaning("high rate of single-bit ECC errors", "watch; replace where it stays"),
    94: XidMeaning("contained ECC error", "restart the program; reset the GPU when it is idle"),
    95: XidMeaning("uncontained ECC error", "drain the server and reset the GPU"),
    109: _STUCK,
    119: _STUCK,
    120: _STUCK,
    137: _FABRIC,
    140: XidMeaning("unrecovered ECC error", "see NVIDIA's catalogue"),
    **dict.fromkeys(range(143, 151), _FABRIC),
    154: XidMeaning("the driver says which recovery is needed", "do what it says: reset or reboot"),
}
"""Xid number -> meaning; tool-formats.md 4.5, abridged from docs.nvidia.com/deploy/xid-errors."""
UNKNOWN = "<unknown>"
_MOST = 10**18


@dataclass(frozen=True, slots=True)
class Xid:
    """An error of a GPU: its PCI address, number, the process it names, and the driver's words.

    `pid` is None where the driver names none; it then prints a `process` of "<unknown>", or no process at all.
    """

    pci: str
    number: int
    text: str
    pid: int | None = None
    process: str = ""

    def __post_init__(self) -> None:
        _comes_back(self)


@dataclass(frozen=True, slots=True)
class SXid:
    """An error of an NVSwitch: its driver's device, PCI address, number, and the driver's words."""

    device: str
    pci: str
    number: int
    text: str

    def __post_init__(self) -> None:
        _comes_back(self)


@dataclass(frozen=True, slots=True)
class Killed:
    """A process that the kernel killed for want of memory; `cgroup` where a job's limit, not the server's, was hit.

    Sizes are whole KiB, as the kernel prints them; `uid` is None in kernels before 5.4.
    """

    pid: int
    process: str
    total_vm_bytes: int
    anon_rss_bytes: int
    file_rss_bytes: int
    shmem_rss_bytes: int
    uid: int | None = None
    pgtables_bytes: int = 0
    oom_score_adj: int = 0
    cgroup: bool = False

    def __post_init__(self) -> None:
        _comes_back(self)


@dataclass(frozen=True, slots=True)
class Other:
    """Any other line of the kernel."""

    text: str

    def __post_init__(self) -> None:
        _comes_back(self)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log: seconds since boot in `at_us`, or a clock's `stamp` as dmesg -T or journalctl put it.

    `line` is its number in the text it was read from, 0 where it was not read.
    """

    at_us: int | None
    what: Xid | SXid | Killed | Other
    stamp: str = ""
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if self.at_us is not None and (self.stamp or not 0 <= self.at_us < _MOST):
            raise BadValue(f"{self.at_us} us since boot", "it must not be negative, nor go with another stamp")
        if self.at_us is None and not (_CLOCK.fullmatch(f"{self.stamp} ") if self.stamp else _is_error(self.what)):
            raise BadValue(f"stamp {self.stamp!r}", "dmesg -T and journalctl write no such time", "Give at_us.")


def render(entries: Iterable[Entry]) -> str:
    """The log as `dmesg` prints it."""
    return "".join(f"{_stamp(entry)}{_text(entry.what)}\n" for entry in entries)


def _stamp(entry: Entry) -> str:
    if entry.at_us is None:
        return f"{entry.stamp} " if entry.stamp else ""
    return f"[{entry.at_us // 10**6:5d}.{entry.at_us % 10**6:06d}] "


def _text(what: Xid | SXid | Killed | Other) -> str:
    match what:
        case Xid():
            pid = f"pid='{UNKNOWN}', " if what.pid is None else f"pid={what.pid}, "
            process = f"name={what.process}, " if what.process else ""
            named = f"{pid}{process}" if what.pid is not None or process else ""
            return f"NVRM: Xid (PCI:{what.pci}): {what.number}, {named}{what.text}"
        case SXid():
            return f"{what.device}: SXid (PCI:{what.pci}): {what.number}, {what.text}"
        case Killed():
            cause = "Memory cgroup out of memory" if what.cgroup else "Out of memory"
            sizes = (
                f"total-vm:{what.total_vm_bytes // KIB}kB, anon-rss:{what.anon_rss_bytes // KIB}kB, "
                f"file-rss:{what.file_rss_bytes // KIB}kB, shmem-rss:{what.shmem_rss_bytes // KIB}kB"
            )
            newer = f", UID:{what.uid} pgtables:{what.pgtables_bytes // KIB}kB oom_score_adj:{what.oom_score_adj}"
            killed = f"{cause}: Killed process {what.pid} ({what.process}) {sizes}"
            return killed if what.uid is None else killed + newer
        case Other():
            return what.text


_BOOT = re.compile(r"\[ *(\d{1,12})\.(\d{6})\](?: |$)", re.ASCII)
_CLOCK = re.compile(
    r"(\[\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}\]"
    r"|(?:\w{3} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.,+-]{8,24}Z?) \S+ kernel:) (?:\[ *\d+\.\d+\] )?",
    re.ASCII,
)
_PCI = r"\(PCI:([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-9a-fA-F])?)\)"
_XID = re.compile(
    rf"NVRM: Xid {_PCI}: (\d{{1,6}})(?:, (?:pid='?(\d{{1,10}}|{UNKNOWN})'?, (?:name='?([^,']+?)'?, )?)?(.*))?", re.ASCII
)
_SXID = re.compile(rf"(nvidia-nvswitch\d+): SXid {_PCI}: (\d{{1,6}}), (.*)", re.ASCII)
_KILLED = re.compile(
    r"(?:(Memory cgroup out of memory|Out of memory(?: \([^)]*\))?): )?Killed process (\d{1,10}) \((.*?)\),? "
    r"(?:UID \d+,? )?total-vm:(\d{1,15})kB, anon-rss:(\d{1,15})kB, file-rss:(\d{1,15})kB(?:, shmem-rss:(\d{1,15})kB)?"
    r"(?:,? UID:(\d{1,10}) pgtables:(\d{1,15})kB oom_score_adj:(-?\d{1,5}))?",
    re.ASCII,
)


def _is_error(what: Xid | SXid | Killed | Other) -> bool:
    return not isinstance(what, Other)


def _comes_back(what: Xid | SXid | Killed | Other) -> None:
    text = _text(what)
    one_line("a kernel line", text)
    kind, values = _values(text)
    if kind is not type(what) or values != tuple(getattr(what, name) for name in what.__slots__):
        raise BadValue(f"a kernel line {text!r}", "read again, it would say something else")


def _values(text: str) -> tuple[type, tuple[str | int | bool | None, ...]]:
    """The kind of a kernel line and the values of its fields."""
    if _BOOT.match(text) or _CLOCK.match(text):
        return type(None), ()
    if found := _XID.fullmatch(text):
        pci, number, pid, process, rest = found.groups()
        known = None if pid in (None, UNKNOWN) else int(pid)
        return Xid, (pci, int(number), rest or "", known, process or "")
    if found := _SXID.fullmatch(text):
        return SXid, (found[1], found[2], int(found[3]), found[4])
    if found := _KILLED.fullmatch(text):
        sizes = [int(size or 0) * KIB for size in found.group(4, 5, 6, 7)]
        uid = None if found[8] is None else int(found[8])
        newer = (uid, int(found[9] or 0) * KIB, int(found[10] or 0), (found[1] or "").startswith("Memory"))
        return Killed, (int(found[2]), found[3], *sizes, *newer)
    return Other, (text,)


def parse(text: str) -> tuple[Entry, ...]:
    """The kernel's lines of `dmesg`, `dmesg -T`, `journalctl -k` or a pasted part; blank text is an empty log."""
    lines = lines_of(text)
    entries = []
    for number, raw in enumerate(lines, start=1):
        line = split(raw)[1] if not _CLOCK.match(raw) else raw
        boot, clock = _BOOT.match(line), _CLOCK.match(line)
        start = boot or clock
        said = line[start.end() :] if start else line
        if not said.isprintable():
            continue
        kind, values = _values(said)
        if kind is type(None) or (start is None and kind is Other):
            continue
        at_us = int(boot[1]) * 10**6 + int(boot[2]) if boot else None
        try:
            entries.append(Entry(at_us, kind(*values), clock[1] if clock else "", number))
        except BadValue:
            continue
    if not entries and text.strip():
        raise refusal(1, lines[0] if lines else "", "a kernel's line, as [12345.678901] NVRM: Xid ...")
    return tuple(entries)
