"""perfquery of rdma-core 64, plain and with -x, and the same counters under their sysfs names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from paceline.errors import BadValue
from paceline.formats.line import lines_of, one_line, refusal, split

CLASSIC: dict[str, int] = {
    "PortSelect": 8, "CounterSelect": 16, "SymbolErrorCounter": 16, "LinkErrorRecoveryCounter": 8,
    "LinkDownedCounter": 8, "PortRcvErrors": 16, "PortRcvRemotePhysicalErrors": 16, "PortRcvSwitchRelayErrors": 16,
    "PortXmitDiscards": 16, "PortXmitConstraintErrors": 8, "PortRcvConstraintErrors": 8, "CounterSelect2": 8,
    "LocalLinkIntegrityErrors": 4, "ExcessiveBufferOverrunErrors": 4, "QP1Dropped": 16, "VL15Dropped": 16,
    "PortXmitData": 32, "PortRcvData": 32, "PortXmitPkts": 32, "PortRcvPkts": 32, "PortXmitWait": 32,
}  # fmt: skip
"""The fields of PortCounters in the order they are printed, each with its bits; they stick at their largest value."""
EXTENDED: dict[str, int] = {
    "PortSelect": 8, "CounterSelect": 16, "PortXmitData": 64, "PortRcvData": 64, "PortXmitPkts": 64,
    "PortRcvPkts": 64, "PortUnicastXmitPkts": 64, "PortUnicastRcvPkts": 64, "PortMulticastXmitPkts": 64,
    "PortMulticastRcvPkts": 64, "CounterSelect2": 32, "SymbolErrorCounter": 64, "LinkErrorRecoveryCounter": 64,
    "LinkDownedCounter": 64, "PortRcvErrors": 64, "PortRcvRemotePhysicalErrors": 64, "PortRcvSwitchRelayErrors": 64,
    "PortXmitDiscards": 64, "PortXmitConstraintErrors": 64, "PortRcvConstraintErrors": 64,
    "LocalLinkIntegrityErrors": 64, "ExcessiveBufferOverrunErrors": 64, "VL15Dropped": 64, "PortXmitWait": 64,
    "QP1Dropped": 64,
}  # fmt: skip
"""The fields of PortCountersExtended; an adapter without 64-bit error counters ends at PortMulticastRcvPkts."""
SYSFS: dict[str, str] = {
    "symbol_error": "SymbolErrorCounter", "link_error_recovery": "LinkErrorRecoveryCounter",
    "link_downed": "LinkDownedCounter", "port_rcv_errors": "PortRcvErrors",
    "port_rcv_remote_physical_errors": "PortRcvRemotePhysicalErrors",
    "port_rcv_switch_relay_errors": "PortRcvSwitchRelayErrors", "port_xmit_discards": "PortXmitDiscards",
    "port_xmit_constraint_errors": "PortXmitConstraintErrors", "port_rcv_constraint_errors": "PortRcvConstraintErrors",
    "local_link_integrity_errors": "LocalLinkIntegrityErrors",
    "excessive_buffer_overrun_errors": "ExcessiveBufferOverrunErrors", "VL15_dropped": "VL15Dropped",
    "port_xmit_data": "PortXmitData", "port_rcv_data": "PortRcvData", "port_xmit_packets": "PortXmitPkts",
    "port_rcv_packets": "PortRcvPkts", "unicast_xmit_packets": "PortUnicastXmitPkts",
    "unicast_rcv_packets": "PortUnicastRcvPkts", "multicast_xmit_packets": "PortMulticastXmitPkts",
    "multicast_rcv_packets": "PortMulticastRcvPkts", "port_xmit_wait": "PortXmitWait",
}  # fmt: skip
"""File under /sys/class/infiniband/<dev>/ports/<p>/counters -> perfquery's name (kernel, core/sysfs.c)."""
BYTES_PER_WORD = 4
_DOTS = 32
_HEXADECIMAL = ("CounterSelect", "CounterSelect2")


@dataclass(frozen=True, slots=True)
class Reading:
    """One port's counters as perfquery prints them.

    `where` is "Lid 12", "GUID 0x…" or "DR path …"; `counters` are pairs of name and value in the order printed,
    data in words of 4 bytes; `cap_mask2` goes with -x alone.
    """

    where: str
    port: int
    counters: tuple[tuple[str, int], ...]
    cap_mask: int | None = None
    cap_mask2: int | None = None
    extended: bool = False

    def __post_init__(self) -> None:
        one_line("where", self.where)
        if not re.fullmatch(r"\S(?:.*\S)?", self.where) or " port " in self.where:
            raise BadValue(f"where {self.where!r}", "it must say where the port is, as 'Lid 12'")
        fields = EXTENDED if self.extended else CLASSIC
        names = [name for name, _ in self.counters]
        if names != [name for name in fields if name in names]:
            raise BadValue(f"counters {', '.join(names)}", "perfquery prints each once, in its own order")
        for name, value in self.counters:
            if not 0 <= value < 1 << fields[name]:
                raise BadValue(f"{name} = {value}", f"the counter has {fields[name]} bits")
        masks = (self.cap_mask or 0, self.cap_mask2 or 0, self.port)
        if not all(0 <= each < 1 << 32 for each in masks) or (self.cap_mask2 is not None and self.cap_mask is None):
            raise BadValue(f"masks {self.cap_mask} and {self.cap_mask2}", "they have at most 32 bits, CapMask first")

    def get(self, name: str) -> int | None:
        """A counter by perfquery's name; None where it is not printed."""
        return dict(self.counters).get(name)

    @property
    def xmit_bytes(self) -> int | None:
        """What the port sent."""
        words = self.get("PortXmitData")
        return None if words is None else words * BYTES_PER_WORD

    @property
    def rcv_bytes(self) -> int | None:
        """What the port received."""
        words = self.get("PortRcvData")
        return None if words is None else words * BYTES_PER_WORD

    @property
    def stuck(self) -> tuple[str, ...]:
        """The counters at their largest value: the true count is that or more."""
        fields = EXTENDED if self.extended else CLASSIC
        names = [name for name, _ in self.counters if name not in ("PortSelect", *_HEXADECIMAL)]
        return tuple(name for name in names if self.get(name) == (1 << fields[name]) - 1)


def render(readings: Sequence[Reading]) -> str:
    """What perfquery prints of these ports, one after another as with -l."""
    out = []
    for reading in readings:
        masks = "" if reading.cap_mask is None else f" (CapMask: 0x{reading.cap_mask:02X})"
        if reading.cap_mask2 is not None:
            masks = f"{masks[:-1]} CapMask2: 0x{reading.cap_mask2:07X})"
        kind = "Port extended counters" if reading.extended else "Port counters"
        out.append(f"# {kind}: {reading.where} port {reading.port}{masks}\n")
        fields = EXTENDED if reading.extended else CLASSIC
        for name, value in reading.counters:
            shown = f"0x{value:0{fields[name] // 4}x}" if name in _HEXADECIMAL else str(value)
            out.append(f"{name}:{'.' * (_DOTS - len(name))}{shown}\n")
    return "".join(out)


_HEAD = re.compile(
    r"\s*# Port (extended )?counters: (\S(?:.*?\S)?) port (\d{1,9})"
    r"(?: \(CapMask: 0x([0-9A-Fa-f]{1,8})(?: CapMask2: 0x([0-9A-Fa-f]{1,8}))?\))?\s*",
    re.ASCII,
)
_COUNTER = re.compile(r"\s*(\w+):\.+(\S+)\s*", re.ASCII)
_VALUE = re.compile(r"0x[0-9a-fA-F]{1,16}|[0-9]{1,20}")


def parse(text: str) -> tuple[Reading, ...]:
    """The readings in perfquery's output; counters of unknown names and other lines are left out."""
    lines = lines_of(text)
    heads: list[tuple[int, str, re.Match[str]]] = []
    counters: list[dict[str, int]] = []
    for number, raw in enumerate(lines, start=1):
        line = split(raw)[1]
        if head := _HEAD.fullmatch(line):
            heads.append((number, raw, head))
            counters.append({})
        elif heads and (found := _COUNTER.fullmatch(line)) and found[1] in (EXTENDED if heads[-1][2][1] else CLASSIC):
            if not _VALUE.fullmatch(found[2]):
                raise refusal(number, raw, f"the count of {found[1]}")
            counters[-1][found[1]] = int(found[2], 16 if found[2].startswith("0x") else 10)
    if not heads:
        raise refusal(1, lines[0] if lines else "", "perfquery's header, as # Port counters: Lid 12 port 1")
    return tuple(_made(*head, found) for head, found in zip(heads, counters, strict=True))


def _made(number: int, raw: str, head: re.Match[str], counters: dict[str, int]) -> Reading:
    extended = bool(head[1])
    fields = EXTENDED if extended else CLASSIC
    ordered = tuple((name, counters[name]) for name in fields if name in counters)
    mask, mask2 = (None if each is None else int(each, 16) for each in (head[4], head[5]))
    try:
        return Reading(head[2], int(head[3]), ordered, mask, mask2, extended)
    except BadValue as error:
        raise refusal(number, raw, f"counters that perfquery can print ({error})") from None
