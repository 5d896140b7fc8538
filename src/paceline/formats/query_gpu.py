"""What `nvidia-smi --query-gpu=... --format=csv[,noheader][,nounits]` prints, as driver 580 spells its fields."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite

from paceline.errors import BadValue, UnknownName
from paceline.formats.line import lines_of, refusal, split
from paceline.formats.nvidia_smi_query import EVENT_REASONS

Value = int | float | str
"""A number in the field's unit, or the tool's word."""

UNAVAILABLE = ("[N/A]", "[Not Supported]", "[Unknown Error]", "[GPU requires reset]", "N/A")
LARGEST = 10**15


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its `kind` is "whole", "hundredths" (two decimals), "mask" (16 hex digits) or "word"."""

    name: str
    kind: str
    unit: str = ""


_LEAVES = [reason.leaf for reason in EVENT_REASONS if reason.bit != 0x100]
_COUNTED = ("sw_power_cap", "sync_boost", "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown")
_FIELDS = (
    *[Field(name, "word") for name in (
        "timestamp", "name", "uuid", "pci.bus_id", "serial", "driver_version", "vbios_version", "pstate",
        "persistence_mode", "compute_mode", "ecc.mode.current", "mig.mode.current", "retired_pages.pending",
        "fabric.state", "fabric.status",
    )],
    *[Field(name, "whole") for name in (
        "index", "count", "temperature.gpu", "temperature.memory", "temperature.gpu.tlimit",
        "pcie.link.gen.current", "pcie.link.gen.max", "pcie.link.width.current", "pcie.link.width.max",
        "ecc.errors.corrected.volatile.total", "ecc.errors.corrected.aggregate.total",
        "ecc.errors.uncorrected.volatile.total", "ecc.errors.uncorrected.aggregate.total",
    )],
    *[Field(name, "hundredths", "W") for name in (
        "power.draw", "power.draw.average", "power.draw.instant", "power.limit", "enforced.power.limit",
        "power.default_limit", "power.min_limit", "power.max_limit",
    )],
    *[Field(name, "whole", "MHz") for name in (
        "clocks.current.graphics", "clocks.current.sm", "clocks.current.memory", "clocks.current.video",
        "clocks.max.graphics", "clocks.max.sm", "clocks.max.memory",
        "clocks.applications.graphics", "clocks.applications.memory",
    )],
    *[Field(name, "whole", "%") for name in ("utilization.gpu", "utilization.memory", "fan.speed")],
    *[Field(f"memory.{what}", "whole", "MiB") for what in ("total", "reserved", "used", "free")],
    *[Field(f"clocks_event_reasons.{leaf}", "mask") for leaf in ("supported", "active")],
    *[Field(f"clocks_event_reasons.{leaf}", "word") for leaf in _LEAVES],
    *[Field(f"clocks_event_reasons_counters.{leaf}", "whole", "us") for leaf in _COUNTED],
)  # fmt: skip
FIELDS = {each.name: each for each in _FIELDS}
"""Every field known here, by the name its header cell has."""

ALIASES = {
    "gpu_name": "name", "gpu_uuid": "uuid", "gpu_bus_id": "pci.bus_id", "gpu_serial": "serial",
    "clocks.gr": "clocks.current.graphics", "clocks.sm": "clocks.current.sm", "clocks.mem": "clocks.current.memory",
    "clocks.video": "clocks.current.video", "clocks.max.gr": "clocks.max.graphics",
    "clocks.max.mem": "clocks.max.memory", "clocks.applications.gr": "clocks.applications.graphics",
    "clocks.applications.mem": "clocks.applications.memory",
    **{f"clocks_throttle_reasons.{leaf}": f"clocks_event_reasons.{leaf}" for leaf in ("supported", "active", *_LEAVES)},
}  # fmt: skip
"""Names that may be asked for, and the name the header then shows."""

_NAME = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*")
_HEADER_CELL = re.compile(rf"({_NAME.pattern})(?: \[[A-Za-z%/]{{1,8}}\])?")
_WORD = re.compile(r"(?:[!-+\--~](?:[ -+\--~]*[!-+\--~])?)?")


@dataclass(frozen=True, slots=True)
class Row:
    """The values of one GPU at one moment, in the order of the fields."""

    values: tuple[Value, ...]
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The fields asked for, by header name, and a row for each GPU; fields of other drivers hold words."""

    fields: tuple[str, ...]
    rows: tuple[Row, ...]

    def __post_init__(self) -> None:
        if not any(name in FIELDS for name in self.fields) or not all(_NAME.fullmatch(name) for name in self.fields):
            raise BadValue(",".join(self.fields), "at least one field is one that nvidia-smi knows")
        for name in self.fields:
            if name in ALIASES:
                raise BadValue(name, f"the tool's header says {ALIASES[name]}")
        for row in self.rows:
            if len(row.values) != len(self.fields):
                raise BadValue(f"a row of {len(row.values)} values", f"there are {len(self.fields)} fields")
            for name, value in zip(self.fields, row.values, strict=True):
                _check(name, value)

    def column(self, name: str) -> tuple[Value, ...]:
        """The values of one field, by its header's name or another the tool knows; none where it was not asked."""
        name = ALIASES.get(name, name)
        return tuple(row.values[self.fields.index(name)] for row in self.rows) if name in self.fields else ()


def asked(query: str) -> tuple[str, ...]:
    """The header names of a --query-gpu argument; a field the tool does not know is refused."""
    names = [name.strip() for name in query.split(",")]
    for name in names:
        if ALIASES.get(name, name) not in FIELDS:
            raise UnknownName.among("--query-gpu field", name, (*FIELDS, *ALIASES))
    return tuple(ALIASES.get(name, name) for name in names)


def complaint(query: str) -> str:
    """What the tool prints, and then exits with 2, of the first field it does not know; empty if it knows all."""
    unknown = [name.strip() for name in query.split(",") if ALIASES.get(name.strip(), name.strip()) not in FIELDS]
    return f'Field "{unknown[0]}" is not a valid field to query.\n\n' if unknown else ""


def render(sheet: Sheet, header: bool = True, units: bool = True) -> str:
    """The output, with its last newline; `header` and `units` off are the tool's noheader and nounits."""
    known = [FIELDS.get(name, Field(name, "word")) for name in sheet.fields]
    lines = [", ".join(f"{each.name} [{each.unit}]" if each.unit and units else each.name for each in known)]
    for row in sheet.rows:
        lines.append(", ".join(_cell(each, value, units) for each, value in zip(known, row.values, strict=True)))
    return "".join(line + "\n" for line in (lines if header else lines[1:]))


def parse(text: str, fields: Sequence[str] = ()) -> Sheet:
    """The sheet in a text; `fields` are the names asked for, and needed where the text has no header."""
    names = tuple(ALIASES.get(name, name) for name in fields)
    rows = []
    lines = [split(line)[1] for line in lines_of(text)]
    for number, line in enumerate(lines, start=1):
        cells = [cell.strip() for cell in line.split(",")]
        heads = [_HEADER_CELL.fullmatch(cell) for cell in cells]
        found = tuple(ALIASES.get(head[1], head[1]) for head in heads if head)
        heading = len(found) == len(cells) and any(name in FIELDS for name in found)
        if heading and (not names or found == names):
            names = found
        elif names and len(cells) == len(names) and line.strip():
            values = [_read(name, cell) for name, cell in zip(names, cells, strict=True)]
            if all(value is not None for value in values):
                rows.append(Row(tuple(value for value in values if value is not None), number))
    if not names or (fields and not rows):
        raise refusal(1, lines[0] if lines else "", "a header such as 'index, power.draw [W]', or its fields and a row")
    return Sheet(names, tuple(rows))


def _cell(known: Field, value: Value, units: bool) -> str:
    if isinstance(value, str):
        return value
    if known.kind == "mask":
        return f"0x{value:016X}"
    number = f"{value:.2f}" if known.kind == "hundredths" else str(value)
    return f"{number} {known.unit}" if known.unit and units else number


def _read(name: str, cell: str) -> Value | None:
    known = FIELDS.get(name)
    if known is None or known.kind == "word":
        return cell if _WORD.fullmatch(cell) else None
    if cell in UNAVAILABLE:
        return cell
    if known.kind == "mask":
        return int(cell, 16) if re.fullmatch(r"0x[0-9A-Fa-f]{1,16}", cell) else None
    match = re.fullmatch(r"(-?\d{1,15})(\.\d{1,3})?" + (f"(?: {known.unit})?" if known.unit else ""), cell, re.ASCII)
    if match is None or int(match[1]) >= LARGEST:
        return None
    return round(float(match[1] + (match[2] or "")), 2) if known.kind == "hundredths" else int(match[1])


def _check(name: str, value: Value) -> None:
    kind = FIELDS[name].kind if name in FIELDS else "word"
    if isinstance(value, str):
        fits = value in UNAVAILABLE or (kind == "word" and _WORD.fullmatch(value) is not None)
    elif kind == "mask":
        fits = isinstance(value, int) and 0 <= value < 2**64
    elif kind == "hundredths":
        fits = isfinite(value) and abs(value) < 10**9 and value == round(value, 2)
    else:
        fits = kind == "whole" and isinstance(value, int) and abs(value) < LARGEST
    if not fits:
        raise BadValue(f"{name} of {value!r}", f"it is not what nvidia-smi shows there, a {kind}")
