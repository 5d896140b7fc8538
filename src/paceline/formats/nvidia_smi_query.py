"""What `nvidia-smi -q` prints, whole or by -d: a tree of keys under each GPU, as driver 580 lays it out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from paceline.errors import BadValue
from paceline.formats.line import lines_of, refusal, split

KEY_WIDTH = 55
"""Columns before the colon, indent included; 42 before driver 580."""
INDENT = 4
DEEPEST = 6

SECTIONS = (
    "Performance State", "Clocks Event Reasons", "Clocks Throttle Reasons", "Clocks Event Reasons Counters",
    "FB Memory Usage", "BAR1 Memory Usage", "Utilization", "ECC Mode", "ECC Errors", "Remapped Rows", "Temperature",
    "GPU Power Readings", "Power Readings", "Power Samples", "Module Power Readings", "Clocks", "Applications Clocks",
    "Max Clocks", "Clock Policy",
)  # fmt: skip
"""Titles by which an excerpt without its GPU's line is known."""

# The tool prints this title with a blank at its end.
_BLANK_AT_END = "GPU Memory Power Readings"
_LOG = "==============NVSMI LOG=============="
_BUS_ID = r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f]"
_GPU = re.compile(rf"\s*GPU ({_BUS_ID})\s*")
_HEAD = re.compile(r"\s*(Timestamp|Driver Version|CUDA Version|Attached GPUs)\s*: (.*?)\s*")
_KEY = re.compile(r"[!-9;-~](?:[ -9;-~]*[!-9;-~])?")
_VALUE = re.compile(r"(?:[!-~](?:[ -~]*[!-~])?)?")
_NUMBER = re.compile(r"(-?\d{1,18}(?:\.\d{1,6})?)(?: \S+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class EventReason:
    """Why a GPU's clocks are not higher: its bit in NVML's mask, its --query-gpu leaf, its -q label."""

    bit: int
    leaf: str
    label: str


EVENT_REASONS = (
    EventReason(0x001, "gpu_idle", "Idle"),
    EventReason(0x002, "applications_clocks_setting", "Applications Clocks Setting"),
    EventReason(0x004, "sw_power_cap", "SW Power Cap"),
    EventReason(0x008, "hw_slowdown", "HW Slowdown"),
    EventReason(0x040, "hw_thermal_slowdown", "HW Thermal Slowdown"),
    EventReason(0x080, "hw_power_brake_slowdown", "HW Power Brake Slowdown"),
    EventReason(0x010, "sync_boost", "Sync Boost"),
    EventReason(0x020, "sw_thermal_slowdown", "SW Thermal Slowdown"),
    EventReason(0x100, "display_clock_setting", "Display Clock Setting"),
)
"""In the order -q prints them."""


@dataclass(frozen=True, slots=True)
class Node:
    """A key with its value, a title with the keys under it, or both; values keep the tool's text and unit."""

    key: str
    value: str | None = None
    children: tuple["Node", ...] = ()
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if not _KEY.fullmatch(self.key):
            raise BadValue(repr(self.key), "a key is one line of printable characters without a colon")
        if self.value is None and not self.children:
            raise BadValue(repr(self.key), "a key has a value, or keys under it")
        if self.value is not None and not _VALUE.fullmatch(self.value):
            raise BadValue(repr(self.value), "a value is one line of printable characters")

    @property
    def number(self) -> float | None:
        """The value without its unit: -2 of "-2 C", none of "N/A"."""
        match = _NUMBER.fullmatch(self.value or "")
        return float(match[1]) if match else None


@dataclass(frozen=True, slots=True)
class GpuBlock:
    """What is said of one GPU; `bus_id` is empty in an excerpt that does not name it."""

    bus_id: str
    nodes: tuple[Node, ...]
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if not re.fullmatch(rf"(?:{_BUS_ID})?", self.bus_id):
            raise BadValue(repr(self.bus_id), "it is not a PCI address", "Write it as 00000000:1B:00.0.")
        if not self.nodes:
            raise BadValue(f"GPU {self.bus_id}", "a GPU's block says something")
        _check_fits(self.nodes, INDENT)

    def find(self, *path: str) -> Node | None:
        """The first key reached by `path`, a key under a key; none where it is not there."""
        level, found = self.nodes, None
        for key in path:
            found = next((node for node in level if node.key == key), None)
            if found is None:
                return None
            level = found.children
        return found


@dataclass(frozen=True, slots=True)
class Log:
    """The whole output; the head's values are empty, `attached_gpus` 0, where the text does not hold them."""

    gpus: tuple[GpuBlock, ...]
    timestamp: str = ""
    driver_version: str = ""
    cuda_version: str = ""
    attached_gpus: int = 0

    def __post_init__(self) -> None:
        if not self.gpus or (len(self.gpus) > 1 and any(not gpu.bus_id for gpu in self.gpus)):
            raise BadValue("a log", "it tells of at least one GPU, and names each where it tells of several")
        if not self.gpus[0].bus_id and self.gpus[0].nodes[0].key not in SECTIONS:
            raise BadValue(repr(self.gpus[0].nodes[0].key), "an excerpt begins with a section's title")
        if not 0 <= self.attached_gpus <= 999:
            raise BadValue(f"{self.attached_gpus} attached GPUs", "a server has at most 999")
        for value in (self.timestamp, self.driver_version, self.cuda_version):
            if not _VALUE.fullmatch(value):
                raise BadValue(repr(value), "a value is one line of printable characters")


@dataclass(frozen=True, slots=True)
class Reported:
    """One event reason of one GPU, with the line that says whether it is active."""

    reason: EventReason
    active: bool
    line: int = field(default=0, compare=False)


def event_reasons(gpu: GpuBlock) -> tuple[Reported, ...]:
    """The event reasons the block reports, active or not; the counters of the same names are not among them."""
    section = gpu.find("Clocks Event Reasons") or gpu.find("Clocks Throttle Reasons")
    known = {reason.label: reason for reason in EVENT_REASONS}
    found = []
    for node in _every(section.children if section else ()):
        if node.key in known and node.value in ("Active", "Not Active"):
            found.append(Reported(known[node.key], node.value == "Active", node.line))
    return tuple(found)


def render(log: Log) -> str:
    """The output, with its last newline; an excerpt comes out without what it lacks."""
    lines = []
    if log.timestamp or log.driver_version or log.cuda_version or log.attached_gpus:
        head = (
            ("Timestamp", log.timestamp),
            ("Driver Version", log.driver_version),
            ("CUDA Version", log.cuda_version),
        )
        lines += ["", _LOG, "", *[f"{key:<{KEY_WIDTH}}: {value}" for key, value in head]]
        lines += ["", f"{'Attached GPUs':<{KEY_WIDTH}}: {log.attached_gpus}"]
    for gpu in log.gpus:
        lines += [f"GPU {gpu.bus_id}"] if gpu.bus_id else []
        lines += [*_lines(gpu.nodes, INDENT), ""]
    return "\n".join(lines) + "\n"


def parse(text: str) -> Log:
    """The log in a text, or the sections of an excerpt, whatever stands around them."""
    lines = [split(line)[1] for line in lines_of(text)]
    head: dict[str, str] = {}
    blocks: list[_Draft] = []
    open_keys: list[_Draft] = []
    for number, line in enumerate(lines, start=1):
        named = bool(blocks) and blocks[-1].key != ""
        if gpu := _GPU.fullmatch(line):
            blocks.append(_Draft(-1, number, gpu[1], None, []))
            open_keys = [blocks[-1]]
        elif (key := _HEAD.fullmatch(line)) and not named:
            head.setdefault(key[1], key[2])
        elif row := _row(lines, number):
            inside = bool(open_keys) and row.indent > 0 and (named or row.indent >= open_keys[1].indent)
            if not named and row.key in SECTIONS and not inside:
                blocks = blocks or [_Draft(-1, number, "", None, [])]
                open_keys, inside = [blocks[-1]], True
            if inside:
                _nest(open_keys, row)
            elif not named:
                open_keys = []
        elif line.strip() and line[0] != " " and not named:
            open_keys = []
    gpus = [GpuBlock(each.key, nodes, each.line) for each in blocks if (nodes := _frozen(each.children, INDENT))]
    if len(gpus) > 1:
        gpus = [gpu for gpu in gpus if gpu.bus_id]
    if not gpus or (not gpus[0].bus_id and gpus[0].nodes[0].key not in SECTIONS):
        raise refusal(1, lines[0] if lines else "", "a line such as 'GPU 00000000:1B:00.0', and indented keys under it")
    values = {key: value for key, value in head.items() if _VALUE.fullmatch(value)}
    attached = re.fullmatch(r"\d{1,3}", values.get("Attached GPUs", ""), re.ASCII)
    return Log(
        tuple(gpus),
        values.get("Timestamp", ""),
        values.get("Driver Version", ""),
        values.get("CUDA Version", ""),
        int(attached[0]) if attached else 0,
    )


@dataclass(slots=True)
class _Draft:
    indent: int
    line: int
    key: str
    value: str | None
    children: list["_Draft"]


def _row(lines: Sequence[str], number: int) -> _Draft | None:
    """The key, or the title, that line `number` holds; a title is known by a deeper line under it."""
    line = lines[number - 1]
    key, colon, value = line.partition(":")
    indent = len(line) - len(line.lstrip(" "))
    if not _KEY.fullmatch(key.strip()):
        return None
    if not colon:
        below = next((each for each in lines[number : number + 2] if each.strip()), "")
        if len(below) - len(below.lstrip(" ")) <= indent or not _KEY.fullmatch(below.partition(":")[0].strip()):
            return None
    return _Draft(indent, number, key.strip(), value.strip() if colon else None, [])


def _nest(open_keys: list[_Draft], draft: _Draft) -> None:
    while len(open_keys) > 1 and (open_keys[-1].indent >= draft.indent or len(open_keys) > DEEPEST):
        open_keys.pop()
    open_keys[-1].children.append(draft)
    open_keys.append(draft)


def _frozen(drafts: Sequence[_Draft], indent: int) -> tuple[Node, ...]:
    """The nodes of what was read; a title that turned out empty, or a key too long, is not the tool's."""
    nodes = []
    for draft in drafts:
        children = _frozen(draft.children, indent + INDENT)
        fits = indent + len(draft.key) < KEY_WIDTH and _VALUE.fullmatch(draft.value or "")
        if fits and (draft.value is not None or children):
            nodes.append(Node(draft.key, draft.value, children, draft.line))
    return tuple(nodes)


def _check_fits(nodes: Sequence[Node], indent: int) -> None:
    for node in nodes:
        if indent + len(node.key) >= KEY_WIDTH or indent > DEEPEST * INDENT:
            raise BadValue(repr(node.key), f"it does not fit before column {KEY_WIDTH}")
        _check_fits(node.children, indent + INDENT)


def _lines(nodes: Sequence[Node], indent: int) -> Iterator[str]:
    for node in nodes:
        key = " " * indent + node.key
        if node.value is not None:
            yield f"{key:<{KEY_WIDTH}}: {node.value}"
        else:
            yield key + " " * (node.key == _BLANK_AT_END)
        yield from _lines(node.children, indent + INDENT)


def _every(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from _every(node.children)
