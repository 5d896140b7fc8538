"""ibstat of rdma-core 64: the InfiniBand adapters of a server and the state of their ports."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from paceline.errors import BadValue
from paceline.formats.line import lines_of, one_line, refusal, split

STATES = ("Down", "Initializing", "Armed", "Active", "???")
PHYSICAL_STATES = (
    "No state change", "Sleep", "Polling", "Disabled", "PortConfigurationTraining", "LinkUp", "LinkErrorRecovery",
    "PhyTest", "???",
)  # fmt: skip
CA_TYPES = {
    "MT4123": "ConnectX-6", "MT4125": "ConnectX-6 Dx", "MT4129": "ConnectX-7", "MT4131": "ConnectX-8",
    "MT41686": "BlueField-2", "MT41692": "BlueField-3",
}  # fmt: skip
"""What the codes of `Ca.type` are sold as; tool-formats.md 5.1, the BlueField generations from their data sheets."""
SDR_1X_GBIT_PER_S = 2.5
_UINT64 = 2**64
_LARGEST = 10**9


@dataclass(frozen=True, slots=True)
class Port:
    """One port; None or "" where the text does not say.

    `rate_gbit_per_s` is whole, or 2.5; `effective_speed_gbit_per_s` is printed by the newest versions alone.
    """

    number: int
    state: str
    physical_state: str
    rate_gbit_per_s: float
    lid: int | None = None
    lmc: int | None = None
    sm_lid: int | None = None
    capability_mask: int | None = None
    guid: int | None = None
    link_layer: str = ""
    fdr10: bool = False
    effective_speed_gbit_per_s: int | None = None

    def __post_init__(self) -> None:
        if self.state not in STATES:
            raise BadValue(f"port state {self.state!r}", "ibstat has no such word", f"Known: {', '.join(STATES)}.")
        if self.physical_state not in PHYSICAL_STATES:
            known = ", ".join(PHYSICAL_STATES)
            raise BadValue(f"physical state {self.physical_state!r}", "ibstat has no such word", f"Known: {known}.")
        rate = self.rate_gbit_per_s
        if rate != SDR_1X_GBIT_PER_S and not (0 <= rate < _LARGEST and rate == int(rate)):
            raise BadValue(f"a rate of {rate} Gb/s", "ibstat prints whole Gb/s, or 2.5")
        small = (self.number, self.lid, self.lmc, self.sm_lid, self.effective_speed_gbit_per_s)
        if not all(each is None or 0 <= each < _LARGEST for each in small):
            raise BadValue(f"port {self.number}", f"its numbers must lie between 0 and {_LARGEST - 1:,}")
        if not all(each is None or 0 <= each < _UINT64 for each in (self.capability_mask, self.guid)):
            raise BadValue(f"port {self.number}", "its mask and its GUID have at most 64 bits")
        _words("link layer", self.link_layer)


@dataclass(frozen=True, slots=True)
class Ca:
    """One adapter and its ports; None or "" where the text does not say."""

    name: str
    ports: tuple[Port, ...]
    type: str = ""
    firmware_version: str = ""
    hardware_version: str = ""
    node_guid: int | None = None
    system_image_guid: int | None = None

    def __post_init__(self) -> None:
        for what in ("name", "type", "firmware_version", "hardware_version"):
            _words(what, getattr(self, what))
        if not self.name or "'" in self.name:
            raise BadValue(f"adapter {self.name!r}", "it must have a name without a quote, as mlx5_0")
        if not all(each is None or 0 <= each < _UINT64 for each in (self.node_guid, self.system_image_guid)):
            raise BadValue(f"adapter {self.name!r}", "a GUID has 64 bits")


def _words(name: str, text: str) -> None:
    one_line(name, text)
    if text != text.strip():
        raise BadValue(f"{name} {text!r}", "it must not begin or end with a blank")


def _hex(digits: int) -> Callable[[int], str]:
    return lambda value: f"0x{value:0{digits}x}"


# Label, field, how it is shown; in the order ibstat prints them.
_CA_LINES: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("CA type", "type", str),
    ("Number of ports", "", str),
    ("Firmware version", "firmware_version", str),
    ("Hardware version", "hardware_version", str),
    ("Node GUID", "node_guid", _hex(16)),
    ("System image GUID", "system_image_guid", _hex(16)),
)
_PORT_LINES: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("State", "state", str),
    ("Physical state", "physical_state", str),
    ("Rate", "rate_gbit_per_s", str),
    ("Effective speed", "effective_speed_gbit_per_s", str),
    ("Base lid", "lid", str),
    ("LMC", "lmc", str),
    ("SM lid", "sm_lid", str),
    ("Capability mask", "capability_mask", _hex(8)),
    ("Port GUID", "guid", _hex(16)),
    ("Link layer", "link_layer", str),
)
_CA_FIELDS = {label: field for label, field, _ in _CA_LINES}
_PORT_FIELDS = {label: field for label, field, _ in _PORT_LINES}
_TEXTS = {"type", "firmware_version", "hardware_version", "state", "physical_state", "link_layer"}
_HEAD = re.compile(r"\s*CA:? '([^']+)'\s*")
_PORT_HEAD = re.compile(r"\s*Port (\d{1,9}):\s*", re.ASCII)
_FIELD = re.compile(r"\s*([A-Z][A-Za-z ]*?): *(.*?)\s*")
_NUMBER = re.compile(r"0x[0-9a-fA-F]{1,16}|[0-9]{1,18}")
_RATE = re.compile(r"([0-9]{1,9}(?:\.[0-9]+)?)(?: Gb/sec)?( \(FDR10\))?", re.ASCII)


def render(cas: Sequence[Ca]) -> str:
    """What `ibstat` prints of these adapters."""
    out = []
    for ca in cas:
        out.append(f"CA '{ca.name}'")
        for label, field, show in _CA_LINES:
            value = getattr(ca, field) if field else len(ca.ports)
            if value is not None and value != "":
                out.append(f"\t{label}: {show(value)}")
        for port in ca.ports:
            out += [f"\tPort {port.number}:", *(f"\t\t{line}" for line in _port(port))]
    return "".join(f"{line}\n" for line in out)


def render_port(ca: str, port: Port) -> str:
    """What `ibstat mlx5_0 1` prints: the adapter's name and one port, not indented."""
    return "".join(f"{line}\n" for line in (f"CA: '{ca}'", f"Port {port.number}:", *_port(port)))


def _port(port: Port) -> list[str]:
    shown = []
    for label, field, show in _PORT_LINES:
        value = getattr(port, field)
        if field == "rate_gbit_per_s":
            value = "2.5" if value == SDR_1X_GBIT_PER_S else f"{int(value)}{' (FDR10)' if port.fdr10 else ''}"
        if value is not None and value != "":
            shown.append(f"{label}: {show(value)}")
    return shown


def parse(text: str) -> tuple[Ca, ...]:
    """The adapters in the output of `ibstat`, with or without a name and a port; text around it is left out."""
    found: list[tuple[str, dict[str, Any], list[tuple[int, dict[str, Any]]]]] = []
    lines = lines_of(text)
    for number, raw in enumerate(lines, start=1):
        line = split(raw)[1]
        if head := _HEAD.fullmatch(line):
            if not head[1].isprintable() or head[1] != head[1].strip():
                raise refusal(number, raw, "an adapter's name")
            found.append((head[1], {}, []))
        elif not found:
            continue
        elif port := _PORT_HEAD.fullmatch(line):
            found[-1][2].append((number, {"number": int(port[1])}))
        elif (field := _FIELD.fullmatch(line)) and (field[1] in _CA_FIELDS or field[1] in _PORT_FIELDS):
            _take(found[-1][1], found[-1][2], field[1], field[2], number, raw)
    if not found:
        raise refusal(1, lines[0] if lines else "", "ibstat's adapters, as CA 'mlx5_0'")
    return tuple(Ca(name, tuple(_made(each) for each in ports), **fields) for name, fields, ports in found)


def _take(
    ca: dict[str, Any], ports: list[tuple[int, dict[str, Any]]], label: str, text: str, number: int, raw: str
) -> None:
    if label in _PORT_FIELDS and not ports:
        ports.append((number, {"number": 1}))
    field = _CA_FIELDS.get(label) or _PORT_FIELDS.get(label, "")
    fields = ca if label in _CA_FIELDS else ports[-1][1]
    if field == "rate_gbit_per_s":
        rate = _RATE.fullmatch(text)
        if rate is None:
            raise refusal(number, raw, "a rate in Gb/s")
        fields[field], fields["fdr10"] = float(rate[1]), bool(rate[2])
    elif field in _TEXTS:
        fields[field] = text
    elif field:
        if not _NUMBER.fullmatch(text):
            raise refusal(number, raw, f"a number after {label}")
        fields[field] = int(text, 16 if text.startswith("0x") else 10)


def _made(place: tuple[int, dict[str, Any]]) -> Port:
    number, fields = place
    if not {"state", "physical_state", "rate_gbit_per_s"} <= fields.keys():
        raise refusal(number, f"Port {fields['number']}:", "its State, Physical state and Rate below it")
    return Port(**fields)
