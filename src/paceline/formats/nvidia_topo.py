"""The matrix of `nvidia-smi topo -m` with both legends, as drivers 550 to 590 print it."""

import re
from dataclasses import dataclass, field

from paceline.errors import BadValue
from paceline.formats.line import lines_of, refusal, split

SELF = "X"
WORDS = (SELF, "SYS", "NODE", "PHB", "PXB", "PIX", "NV#")
"""The legend's words, farthest first after oneself; NV18 is 18 NVLinks together."""

LINKS_OF_H100 = 18
CPU_AFFINITY_OF_DGX_H100 = ("0-55,112-167", "56-111,168-223")
NICS_OF_DGX_H100 = tuple([f"mlx5_{place}" for place in range(8)])
LONGEST_LINE = 4000

_LEGEND = (
    "  X    = Self",
    "  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)",
    "  NODE = Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a NUMA node",
    "  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)",
    "  PXB  = Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)",
    "  PIX  = Connection traversing at most a single PCIe bridge",
    "  NV#  = Connection traversing a bonded set of # NVLinks",
)
_COLUMNS = ("CPU Affinity", "NUMA Affinity", "GPU NUMA ID")
_CELL = r"X|NV\d{1,2}|SYS|NODE|PHB|PXB|PIX"
# Some drivers leave out the tab after the tenth column of NICs: "PXBNODE" is two cells.
_CELLS = re.compile(rf"(?:{_CELL})+", re.ASCII)
_DEVICE = re.compile(r"(?:GPU|NIC)\d{1,3}|mlx5_\w{1,20}", re.ASCII)
_NIC = re.compile(r"\s*(NIC\d{1,3}): (\S{1,40})\s*", re.ASCII)
_AFFINITY = re.compile(r"[\d,-]{1,200}|N/A", re.ASCII)


@dataclass(frozen=True, slots=True)
class Device:
    """One row: the path to each device in the order of the columns; affinities are a GPU's, and else empty."""

    name: str
    paths: tuple[str, ...]
    cpu_affinity: str = ""
    numa_affinity: str = ""
    gpu_numa_id: str = ""
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if not _DEVICE.fullmatch(self.name):
            raise BadValue(repr(self.name), "a device is GPU0, NIC0 or mlx5_0, with its number")
        for path in self.paths:
            if not re.fullmatch(_CELL, path, re.ASCII):
                raise BadValue(repr(path), f"a path is one of {', '.join(WORDS)}")
        for value in (self.cpu_affinity, self.numa_affinity, self.gpu_numa_id):
            if value and not _AFFINITY.fullmatch(value):
                raise BadValue(repr(value), "an affinity is a list such as 0-55,112-167, or N/A")
        gpu = self.name.startswith("GPU")
        if gpu != bool(self.cpu_affinity) or gpu != bool(self.numa_affinity) or gpu != bool(self.gpu_numa_id):
            raise BadValue(f"the affinities of {self.name}", "the table gives all three to a GPU, none to a NIC")


@dataclass(frozen=True, slots=True)
class Topology:
    """The matrix, and the NICs' names by their number there."""

    devices: tuple[Device, ...]
    nics: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        names = [device.name for device in self.devices]
        if not names or not names[0].startswith("GPU") or len(dict.fromkeys(names)) != len(names):
            raise BadValue(", ".join(names) or "no device", "a matrix begins with a GPU and names each device once")
        for place, device in enumerate(self.devices):
            if len(device.paths) != len(names) or [at for at, path in enumerate(device.paths) if path == SELF] != [
                place
            ]:
                raise BadValue(f"the row of {device.name}", f"it has {len(names)} cells, X at its own and only there")
        for nic, name in self.nics:
            if nic not in names or not re.fullmatch(r"[!-~]{1,40}", name):
                raise BadValue(f"{nic}: {name}", "the legend names a NIC of the matrix")

    def path(self, one: str, other: str) -> str:
        """The path between two devices by their names in the matrix: "NV18", "PXB"; "X" for oneself."""
        names = [device.name for device in self.devices]
        for name in (one, other):
            if name not in names:
                raise BadValue(repr(name), "the matrix has no such device", f"It has {', '.join(names)}.")
        return self.devices[names.index(one)].paths[names.index(other)]


def dgx_h100(nics: tuple[str, ...] = NICS_OF_DGX_H100, nvlinks: int = LINKS_OF_H100) -> Topology:
    """A healthy DGX H100: 8 GPUs on NVSwitch, a NIC beside each behind the same PCIe switches, two sockets."""
    if len(nics) != 8 or not 1 <= nvlinks <= LINKS_OF_H100:
        raise BadValue(f"{len(nics)} NICs and {nvlinks} NVLinks", f"there are 8, and 1 to {LINKS_OF_H100}")
    places = [("GPU", place) for place in range(8)] + [("NIC", place) for place in range(8)]
    devices = []
    for one in places:
        paths = tuple(_path(one, other, nvlinks) for other in places)
        socket = one[1] // 4
        affinities = (CPU_AFFINITY_OF_DGX_H100[socket], str(socket), "N/A") if one[0] == "GPU" else ("", "", "")
        devices.append(Device(f"{one[0]}{one[1]}", paths, *affinities))
    return Topology(tuple(devices), tuple((f"NIC{place}", name) for place, name in enumerate(nics)))


def render(topology: Topology) -> str:
    """The output, with the underline the tool puts on its header even in a pipe, and its last newline."""
    names = [device.name for device in topology.devices]
    lines = ["\t\x1b[4m" + "\t".join((*names, *_COLUMNS)) + "\x1b[0m"]
    for device in topology.devices:
        cells = [f" {path} " if path == SELF else path for path in device.paths]
        after = f"{device.cpu_affinity}\t{device.numa_affinity}\t\t{device.gpu_numa_id}"
        lines.append("\t".join((device.name, *cells, after)))
    lines += ["", "Legend:", "", *_LEGEND, ""]
    if topology.nics:
        lines += ["NIC Legend:", "", *[f"  {nic}: {name}" for nic, name in topology.nics], ""]
    return "\n".join(lines) + "\n"


def parse(text: str) -> Topology:
    """The matrix in a text, with tabs or blanks between its cells, and the legend of its NICs."""
    lines = [split(line)[1] for line in lines_of(text)]
    names: list[str] = []
    devices: list[Device] = []
    nics: list[tuple[str, str]] = []
    for number, line in enumerate(lines, start=1):
        words = line.split() if len(line) <= LONGEST_LINE else []
        if not words:
            continue
        if not names and _DEVICE.fullmatch(words[0]) and "Affinity" in words:
            names = [word for word in words if _DEVICE.fullmatch(word)]
            start = number
        elif names and len(devices) < len(names) and words[0] == names[len(devices)]:
            devices.append(_device(words, len(names), number, line))
        elif (legend := _NIC.fullmatch(line)) and legend[1] in names and re.fullmatch(r"[!-~]+", legend[2]):
            nics.append((legend[1], legend[2]))
    if not names:
        raise refusal(1, lines[0] if lines else "", "topo -m's header, GPU0 and so on to CPU Affinity")
    if len(devices) != len(names):
        raise refusal(
            start, lines[start - 1], f"a row for each of its {len(names)} devices, and there are {len(devices)}"
        )
    try:
        return Topology(tuple(devices), tuple(nics))
    except BadValue as error:
        raise refusal(start, lines[start - 1], f"a matrix; {error.given}: {error.because}") from None


def _path(one: tuple[str, int], other: tuple[str, int], nvlinks: int) -> str:
    if one == other:
        return SELF
    if one[0] == other[0] == "GPU":
        return f"NV{nvlinks}"
    if one[1] == other[1]:
        return "PXB"
    return "NODE" if one[1] // 4 == other[1] // 4 else "SYS"


def _device(words: list[str], count: int, number: int, line: str) -> Device:
    cells: list[str] = []
    rest = words[1:]
    while rest and len(cells) < count and _CELLS.fullmatch(rest[0]):
        cells += re.findall(_CELL, rest.pop(0), re.ASCII)
    if len(cells) != count:
        raise refusal(number, line, f"{count} paths such as NV18 or PXB after {words[0]}")
    if not words[0].startswith("GPU"):
        return Device(words[0], tuple(cells), line=number)
    # Drivers before 525 have no GPU NUMA ID, and a machine of one socket may leave its affinities empty.
    known = [word for word in rest[:3] if _AFFINITY.fullmatch(word)]
    known += ["N/A"] * (3 - len(known))
    return Device(words[0], tuple(cells), known[0], known[1], known[2], number)
