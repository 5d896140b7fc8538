"""ibqueryerrors of rdma-core 64: the ports of the fabric whose error counters exceed their thresholds."""

import re
from dataclasses import dataclass

from paceline.errors import BadValue
from paceline.formats.line import lines_of, one_line, refusal, split

DATA_COUNTERS = ("PortXmitData", "PortRcvData")
"""Counters of 4-byte words, shown in bytes behind the count."""
EXAMPLE_THRESHOLDS: tuple[tuple[str, int], ...] = (
    ("SymbolErrorCounter", 10), ("LinkErrorRecoveryCounter", 10), ("LinkDownedCounter", 10), ("PortRcvErrors", 10),
    ("PortRcvRemotePhysicalErrors", 100), ("PortRcvSwitchRelayErrors", 100), ("PortXmitDiscards", 100),
    ("PortXmitConstraintErrors", 100), ("PortRcvConstraintErrors", 100), ("LocalLinkIntegrityErrors", 10),
    ("ExcessiveBufferOverrunErrors", 10), ("VL15Dropped", 100), ("PortXmitWait", 1000),
)  # fmt: skip
"""What rdma-core's error_thresholds file proposes, commented out: unless an administrator does, any count is shown."""
_UNITS = ("", "K", "M", "G", "T", "P", "E")
_SINGLE_BITS = 24
_UINT64 = 2**64
_LARGEST = 10**9


@dataclass(frozen=True, slots=True)
class Count:
    """One counter; `sized` where its size stands behind it in brackets, as for 64-bit counters."""

    name: str
    value: int
    sized: bool = True

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z]\w*", self.name, re.ASCII) or not 0 <= self.value < _UINT64:
            raise BadValue(f"{self.name} == {self.value}", "a counter has a name and a count below 2**64")


@dataclass(frozen=True, slots=True)
class Remote:
    """The other end of a link; `could_be_width` "4X" and `could_be_speed` "106.25 Gbps" where it is below, else ""."""

    guid: int
    lid: int
    port: int
    name: str
    could_be_width: str = ""
    could_be_speed: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """What -r adds below a port: width "4X" and speed "106.25 Gbps", both "" while it is down, and its other end."""

    lid: int
    port: int
    state: str
    physical_state: str
    width: str = ""
    speed: str = ""
    remote: Remote | None = None

    def __post_init__(self) -> None:
        values = self.lid, self.port, self.state, self.physical_state, self.width, self.speed, self.remote
        if _link_values(render_link(self)) != values:
            raise BadValue(
                f"a link of lid {self.lid} port {self.port}", "ibqueryerrors cannot print it in its one line"
            )


@dataclass(frozen=True, slots=True)
class PortErrors:
    """One port's counts beyond the thresholds, and data counters with --data; port None is a switch's total."""

    guid: int
    port: int | None
    counts: tuple[Count, ...]
    link: Link | None = None

    def __post_init__(self) -> None:
        if not self.counts or not 0 <= self.guid < _UINT64 or not 0 <= (self.port or 0) < _LARGEST:
            raise BadValue(f"port {self.port}", "it needs a 64-bit GUID and at least one count")
        if self.port is None and self.link is not None:
            raise BadValue("port ALL", "only a port of its own has a link")


@dataclass(frozen=True, slots=True)
class Node:
    """One switch, with its GUID, or adapter, without; `name` is its node description, as "dgx-1 mlx5_0"."""

    name: str
    ports: tuple[PortErrors, ...]
    guid: int | None = None

    def __post_init__(self) -> None:
        one_line("node", self.name)
        if not self.ports or not 0 <= (self.guid or 0) < _UINT64:
            raise BadValue(f"node {self.name!r}", "it needs a 64-bit GUID and at least one port")


@dataclass(frozen=True, slots=True)
class Report:
    """The nodes with errors and the summary; `nodes_checked` and `ports_checked` None where it is cut off."""

    nodes: tuple[Node, ...]
    nodes_checked: int | None = None
    ports_checked: int | None = None
    thresholds: tuple[tuple[str, int], ...] = ()
    suppressed: tuple[str, ...] = ()
    pma_query_failures: int = 0

    def __post_init__(self) -> None:
        names = [*self.suppressed, *(name for name, _ in self.thresholds)]
        if not all(re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) for name in names):
            raise BadValue(f"counters {', '.join(names)}", "they must be named as perfquery names them")
        numbers = [self.nodes_checked or 0, self.ports_checked or 0, self.pma_query_failures]
        if not all(0 <= each < _LARGEST for each in (*numbers, *(value for _, value in self.thresholds))):
            raise BadValue("a summary", f"its numbers must lie between 0 and {_LARGEST - 1:,}")
        whole = self.nodes_checked is not None and self.ports_checked is not None
        if not whole and (any(numbers) or names or not self.nodes):
            raise BadValue("a report without its summary", "it has nodes, and nothing of what the summary says")

    @property
    def bad_ports(self) -> int:
        """Ports with errors beyond the thresholds, totals of switches not counted."""
        return sum(port.port is not None for node in self.nodes for port in node.ports)


def render(report: Report) -> str:
    """What ibqueryerrors prints; a report without the summary ends after its nodes."""
    out = []
    for node in report.nodes:
        guid = "" if node.guid is None else f"0x{node.guid:x} "
        out.append(f'Errors for {guid}"{node.name}"')
        for port in node.ports:
            counts = "".join(f" [{_count(count)}]" for count in port.counts)
            out.append(f"   GUID 0x{port.guid:x} port {'ALL' if port.port is None else port.port}:{counts}")
            out += [] if port.link is None else [render_link(port.link)]
    if report.nodes_checked is not None:
        thresholds = "".join(f"[{name} = {value}]" for name, value in report.thresholds)
        failures = report.pma_query_failures
        out += [
            "",
            f"## Summary: {report.nodes_checked} nodes checked, {len(report.nodes)} bad nodes found",
            f"##          {report.ports_checked} ports checked, {report.bad_ports} ports have errors beyond threshold",
            f"## Thresholds: {thresholds}",
            *([f"##          {failures} PMA query failures"] if failures else []),
            f"## Suppressed:{''.join(f' {name}' for name in report.suppressed)}",
        ]
    return "".join(f"{line}\n" for line in out)


def _count(count: Count) -> str:
    text = f"{count.name} == {count.value}"
    if not count.sized:
        return text
    data = count.name in DATA_COUNTERS
    step = max(0, (count.value.bit_length() - 1) // 10)
    # rdma-core's conv_cnt_human_readable keeps the size in a float of 24 bits.
    spare = max(0, count.value.bit_length() - _SINGLE_BITS)
    half, rest = (1 << spare) >> 1, count.value & ((1 << spare) - 1)
    kept = count.value >> spare
    if spare and (rest > half or (rest == half and kept & 1)):
        kept += 1
    size = (kept << spare) * (4 if data else 1)
    if data and size > 1024 << (10 * step):
        step += 1
    unit = _UNITS[step] if step < len(_UNITS) else ""
    return f"{text} ({size / (1 << (10 * step)):5.3f}{unit}{'B' if data and step < len(_UNITS) else ''})"


def render_link(link: Link) -> str:
    """The line "Link info:" that -r prints below a port, without its line break."""
    how = f"{link.width:>3} {link.speed:>18} " if link.width else " " * 14
    state = f"({how}{link.state:>6}/{link.physical_state:>8})"
    if link.remote is None:
        other = '           [  ] "" ( )'
    else:
        there = link.remote
        could = [f"Could be {each}" if each else "" for each in (there.could_be_width, there.could_be_speed)]
        other = f'0x{there.guid:016x} {there.lid:6d} {there.port:4d}[  ] "{there.name}" ({could[0]} {could[1]})'
    return f"       Link info: {link.lid:6d}{link.port:4d}[  ] =={state}==>  {other}"


_LINK = re.compile(
    r"\s*Link info: +(\d{1,10}) +(\d{1,10})\[ *\d*\] ==\( *(?:(\d+X) +(\S.*?) +)?([A-Za-z?]+)/ *([A-Za-z?]+)\)==> +"
    r'(?:(?:0x([0-9a-f]{1,16}) +(\d{1,10}) +(\d{1,10}))?\s*\[ *\d*\] "(.*)"'
    r" \((?:Could be (\d+X))? ?(?:Could be (\S.*))?\))?\s*",
    re.ASCII,
)
_NODE = re.compile(r'\s*Errors for (?:0x([0-9a-fA-F]{1,16}) )?"(.*)"\s*')
_PORT = re.compile(r"\s*GUID 0x([0-9a-fA-F]{1,16}) port (ALL|\d{1,9}):((?: \[[^\]]*\])+)\s*", re.ASCII)
_COUNT = re.compile(r"\[([A-Za-z]\w*) == (\d{1,20})( \(.*?\))?\]", re.ASCII)
_NODES = re.compile(r"\s*## Summary: (\d{1,18}) nodes checked, \d+ bad nodes found\s*", re.ASCII)
_PORTS = re.compile(r"\s*## +(\d{1,18}) ports checked, \d+ ports have errors beyond threshold\s*", re.ASCII)
_FAILURES = re.compile(r"\s*## +(\d{1,18}) PMA query failures\s*", re.ASCII)
_THRESHOLD = re.compile(r"\[(\w+) = (\d{1,20})\]", re.ASCII)


def _link_values(line: str) -> tuple[int, int, str, str, str, str, Remote | None] | None:
    found = _LINK.fullmatch(line)
    if found is None or not line.isprintable():
        return None
    lid, port, width, speed, state, physical, guid, there, at, name, could, faster = found.groups()
    remote = Remote(int(guid, 16), int(there), int(at), name, could or "", faster or "") if guid else None
    return int(lid), int(port), state, physical, width or "", speed or "", remote


def parse_link(line: str) -> Link | None:
    """The link in one line, or None where it is another line."""
    values = _link_values(line)
    try:
        return None if values is None else Link(*values)
    except BadValue:
        return None


def parse(text: str) -> Report:
    """The report in ibqueryerrors' output; warnings and other lines between are left out."""
    lines = lines_of(text)
    nodes: list[tuple[int | None, str, list[PortErrors]]] = []
    nodes_checked = ports_checked = None
    failures = 0
    thresholds: tuple[tuple[str, int], ...] = ()
    suppressed: tuple[str, ...] = ()
    for number, raw in enumerate(lines, start=1):
        line = split(raw)[1]
        try:
            if node := _NODE.fullmatch(line):
                one_line("node", node[2])
                nodes.append((int(node[1], 16) if node[1] else None, node[2], []))
            elif nodes and (port := _PORT.fullmatch(line)):
                counts = tuple(Count(each[1], int(each[2]), bool(each[3])) for each in _COUNT.finditer(port[3]))
                where = None if port[2] == "ALL" else int(port[2])
                nodes[-1][2].append(PortErrors(int(port[1], 16), where, counts))
            elif nodes and nodes[-1][2] and nodes[-1][2][-1].port is not None and (link := parse_link(line)):
                last = nodes[-1][2].pop()
                nodes[-1][2].append(PortErrors(last.guid, last.port, last.counts, link))
        except BadValue as error:
            raise refusal(number, raw, f"a node or its counts ({error})") from None
        if checked := _NODES.fullmatch(line):
            nodes_checked = int(checked[1])
        elif checked := _PORTS.fullmatch(line):
            ports_checked = int(checked[1])
        elif checked := _FAILURES.fullmatch(line):
            failures = int(checked[1])
        elif line.lstrip().startswith("## Thresholds:"):
            thresholds = tuple((each[1], int(each[2])) for each in _THRESHOLD.finditer(line))
        elif line.lstrip().startswith("## Suppressed:"):
            suppressed = tuple(re.findall(r"[A-Za-z]\w*", line.partition(":")[2], re.ASCII))
    named = tuple(Node(name, tuple(ports), guid) for guid, name, ports in nodes if ports)
    try:
        if nodes_checked is None or ports_checked is None:
            return Report(named)
        return Report(named, nodes_checked, ports_checked, thresholds, suppressed, failures)
    except BadValue:
        raise refusal(1, lines[0] if lines else "", "what ibqueryerrors prints: Errors for, or ## Summary") from None
