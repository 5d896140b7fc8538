"""The table of `dcgmi dmon -e ...`, as DCGM 4.4 to 4.6 print it; the right-aligned one of 2.x is read too."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite

from paceline.errors import BadValue, UnknownName
from paceline.formats.line import lines_of, refusal, split

Value = int | float | None
"""None is what the table shows as N/A: not measured, never zero."""

FIRST_COLUMN = 16
PADDING = 2
ROOM = 6
"""Columns every field gets beyond its own width."""
HEADER_EVERY = 14
LARGEST = 10**18
LONGEST_LINE = 4000

_ENTITY = re.compile(r"(GPU-I|GPU-CI|GPU|vGPU|Switch|CPU|Link) (\d{1,6})(?: LINK (\d{1,3}))?", re.ASCII)
_ROW = re.compile(rf"\s*({_ENTITY.pattern})\s+(\S.*?)\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Field:
    """One field by its id and the short name above its column; `decimals` where it is a fraction."""

    id: int
    short: str
    width: int
    unit: str = ""
    decimals: bool = False


# (id, short name, width, unit, decimals): most read in an older DCGM's dcgm_fields.cpp, the names of 393 and 394 in
# tool-formats.md; not read, and guessed from their neighbours: 100, 101, 140, 202, 242-246, 409-439.
FIELDS = tuple(
    Field(*row)
    for row in (
        (100, "SMCLK", 5), (101, "MMCLK", 5), (112, "DVCCTR", 20), (140, "MMTMP", 5, " C"), (150, "TMPTR", 5, " C"),
        (155, "POWER", 10, " W", True), (156, "TOTEC", 16, " mJ"), (202, "RPCTR", 10), (203, "GPUTL", 10),
        (204, "MCUTL", 10), (230, "XIDER", 5), (235, "PCIMG", 5), (236, "PCIMW", 5), (237, "PCILG", 5),
        (238, "PCILW", 5), (240, "PVIOL", 10), (241, "TVIOL", 10), (242, "SBVIO", 10), (243, "BLVIO", 10),
        (244, "LUVIO", 10), (245, "RVIOL", 10), (246, "TAPCV", 10), (250, "FBTTL", 10), (251, "FBFRE", 10),
        (252, "FBUSD", 10), (310, "ESVTL", 5), (311, "EDVTL", 5), (312, "ESATL", 5), (313, "EDATL", 5),
        (393, "URRE", 10), (394, "CRRE", 10), (395, "RRF", 20), (396, "RRP", 20), (409, "NFELT", 20),
        (419, "NDELT", 20), (429, "NRELT", 20), (439, "NRCLT", 20), (449, "NBWLT", 20, "MB/s"),
        (1001, "GRACT", 5, "", True), (1002, "SMACT", 5, "", True), (1003, "SMOCC", 5, "", True),
        (1004, "TENSO", 5, "", True), (1005, "DRAMA", 5, "", True), (1006, "FP64A", 5, "", True),
        (1007, "FP32A", 5, "", True), (1008, "FP16A", 5, "", True), (1009, "PCITX", 20), (1010, "PCIRX", 20),
        (1011, "NVLTX", 20), (1012, "NVLRX", 20),
    )
)  # fmt: skip
BY_SHORT = {each.short: each for each in FIELDS}
BY_ID = {each.id: each for each in FIELDS}


@dataclass(frozen=True, slots=True)
class Row:
    """One entity's values at one moment, in the order of the fields; the entity is "GPU 0" or "GPU 0 LINK 3"."""

    entity: str
    values: tuple[Value, ...]
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if not _ENTITY.fullmatch(self.entity) or len(self.entity) >= FIRST_COLUMN:
            raise BadValue(repr(self.entity), "it is no entity", "Write it as GPU 0, GPU-I 1 or GPU 0 LINK 3.")


@dataclass(frozen=True, slots=True)
class Monitor:
    """A run of dmon: the fields by short name, and one tuple of rows for each sample."""

    fields: tuple[str, ...]
    samples: tuple[tuple[Row, ...], ...]

    def __post_init__(self) -> None:
        if not self.fields or any(not re.fullmatch(r"[A-Z0-9]{2,8}", short) for short in self.fields):
            raise BadValue(" ".join(self.fields) or "no field", "a field's short name is capitals and digits")
        for sample in self.samples:
            entities = [row.entity for row in sample]
            if not entities or len(dict.fromkeys(entities)) != len(entities):
                raise BadValue(", ".join(entities) or "an empty sample", "a sample has each entity once")
            if sample[0].entity != self.samples[0][0].entity:
                raise BadValue(sample[0].entity, "every sample begins with the same entity")
            for row in sample:
                if len(row.values) != len(self.fields):
                    raise BadValue(f"{len(row.values)} values of {row.entity}", f"there are {len(self.fields)} fields")
                for short, value in zip(self.fields, row.values, strict=True):
                    if value is not None and not _fits(short, value):
                        kind = "thousandths" if _known(short).decimals else "whole numbers"
                        raise BadValue(f"{short} of {value!r}", f"its column shows {kind}, and has no room for it")

    def column(self, short: str, entity: str) -> tuple[Value, ...]:
        """One field of one entity over the samples; none where it was not asked for."""
        if short not in self.fields:
            return ()
        place = self.fields.index(short)
        return tuple(row.values[place] for sample in self.samples for row in sample if row.entity == entity)


def asked(ids: str) -> tuple[str, ...]:
    """The short names of a -e argument such as "100,150,1004"; an id not known here is refused."""
    shorts = []
    for word in ids.split(","):
        number = int(word) if re.fullmatch(r" *\d{1,5} *", word, re.ASCII) else 0
        if number not in BY_ID:
            raise UnknownName.among("dcgmi field id", word.strip(), map(str, BY_ID))
        shorts.append(BY_ID[number].short)
    return tuple(shorts)


def render(monitor: Monitor) -> str:
    """The output of a whole run: the header again after the 15th sample, and every 14 after that."""
    known = [_known(short) for short in monitor.fields]
    header = [_line("#Entity", [(each.short, each.width) for each in known])]
    header.append(_line("ID", [(each.unit, each.width) for each in known]))
    lines = list(header)
    for number, sample in enumerate(monitor.samples):
        if number > 1 and number % HEADER_EVERY == 1:
            lines += header
        for row in sample:
            cells = [(_cell(each, value), each.width) for each, value in zip(known, row.values, strict=True)]
            lines.append(_line(row.entity, cells))
    return "".join(line + "\n" for line in lines)


def parse(text: str) -> Monitor:
    """The run in a text; columns go by their names, and a new sample begins where its first entity returns."""
    lines = [split(line)[1] for line in lines_of(text)]
    fields: tuple[str, ...] = ()
    samples: list[list[Row]] = []
    for number, line in enumerate(lines, start=1):
        if len(line) > LONGEST_LINE:
            continue
        words = line.replace("# Entity", "#Entity").split()
        if words and words[0] == "#Entity" and all(re.fullmatch(r"[A-Z0-9]{2,8}", word) for word in words[1:]):
            if fields and tuple(words[1:]) != fields:
                raise refusal(number, line, f"the columns of before, {' '.join(fields)}")
            fields = tuple(words[1:])
        elif fields and (row := _ROW.fullmatch(line)) and len(row[1]) < FIRST_COLUMN:
            cells = row[5].split()
            values = [_read(short, cell) for short, cell in zip(fields, cells, strict=False)]
            if len(cells) != len(fields) or not all(readable for readable, _ in values):
                continue
            found = Row(row[1], tuple(value for _, value in values), number)
            if not samples or found.entity in [each.entity for each in samples[-1]]:
                samples.append([])
            samples[-1].append(found)
    if not fields:
        raise refusal(1, lines[0] if lines else "", "dcgmi dmon's header, #Entity and the fields' short names")
    whole = [sample for sample in samples if sample[0].entity == samples[0][0].entity]
    return Monitor(fields, tuple(tuple(sample) for sample in whole))


def _known(short: str) -> Field:
    return BY_SHORT.get(short, Field(0, short, 10, "", True))


def _line(first: str, cells: Sequence[tuple[str, int]]) -> str:
    return f"{first:<{FIRST_COLUMN}}" + "".join(
        f"{_cut(cell, width + ROOM):<{width + ROOM + PADDING}}" for cell, width in cells
    )


def _cut(cell: str, width: int) -> str:
    return cell if len(cell) <= width else cell[: width - 3] + "..."


def _cell(known: Field, value: Value) -> str:
    if value is None:
        return "N/A"
    return f"{value:.3f}" if known.decimals else str(value)


def _read(short: str, cell: str) -> tuple[bool, Value]:
    """Whether the cell can be in that column, and its value."""
    if cell == "N/A":
        return True, None
    if not re.fullmatch(r"-?\d{1,18}(?:\.\d{1,6})?", cell, re.ASCII):
        return False, None
    value = round(float(cell), 3) if _known(short).decimals else int(cell.partition(".")[0])
    return _fits(short, value), value


def _fits(short: str, value: int | float) -> bool:
    known = _known(short)
    kind = isfinite(value) and (value == round(value, 3) if known.decimals else isinstance(value, int))
    return kind and abs(value) < LARGEST and len(_cell(known, value)) <= known.width + ROOM
