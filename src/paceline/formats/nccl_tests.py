"""What an nccl-tests program says of one run: options, devices, rows, result; the values behind all_reduce_perf."""

import re
from dataclasses import dataclass, field
from math import isfinite

from paceline.errors import BadValue

TYPE_BYTES = {
    "int8": 1, "uint8": 1, "char": 1, "f8e4m3": 1, "f8e5m2": 1, "half": 2, "bfloat16": 2,
    "int32": 4, "uint32": 4, "int": 4, "float": 4, "int64": 8, "uint64": 8, "double": 8,
}  # fmt: skip
LARGEST = 10**15


def fitted(value: float, width: int) -> str:
    """A number as the tool prints it: two decimals, then one, then none, then an exponent, whatever fits."""
    digits = len(str(int(value))) if value >= 1 else 0
    decimals = 2 if digits < width - 2 else 1 if digits < width - 1 else 0
    return f"{value:{width}.{decimals}f}" if digits < width + 1 else f"{value:{width}.{1 if width >= 7 else 0}e}"


def shown(value: float, width: int) -> str:
    """A number already rounded, as printed; what only versions before 2.17.3 print, in their wider form."""
    text = fitted(value, width)
    return text if float(text) == value else f"{value:{width}.{0 if width == 7 else 2}f}"


@dataclass(frozen=True, slots=True)
class Timing:
    """One half of a row: microseconds, GB/s (1e9 bytes) and wrong elements, None where they were not counted.

    The numbers are those printed, two decimals where they fit; `measured` makes them from exact ones. Tables
    before 2.13 gave the largest error instead of a count: None too.
    """

    time_us: float
    algbw_gb_per_s: float
    busbw_gb_per_s: float
    wrong: int | None = 0

    def __post_init__(self) -> None:
        for name, value, width in self.numbers():
            if not (isfinite(value) and 0 <= value < LARGEST and float(shown(value, width)) == value):
                raise BadValue(f"{name} {value}", "all_reduce_perf prints no such number", "Use Timing.measured.")
        if self.wrong is not None and not (0 <= self.wrong < LARGEST and float(f"{self.wrong:g}") == self.wrong):
            raise BadValue(f"{self.wrong} wrong elements", "all_reduce_perf prints six digits of a count")

    @classmethod
    def measured(cls, time_us: float, algbw_gb_per_s: float, busbw_gb_per_s: float, wrong: int | None = 0) -> "Timing":
        """The half row of exact numbers, rounded as the tool prints them."""
        for value in (time_us, algbw_gb_per_s, busbw_gb_per_s):
            if not (isfinite(value) and 0 <= value < LARGEST):
                raise BadValue(f"a time or rate of {value}", f"it lies between 0 and {LARGEST}")
        return cls(
            float(fitted(time_us, 7)),
            float(fitted(algbw_gb_per_s, 6)),
            float(fitted(busbw_gb_per_s, 6)),
            None if wrong is None else int(float(f"{wrong:g}")),
        )

    def numbers(self) -> tuple[tuple[str, float, int], ...]:
        """The name, value and printed width of each number, as their columns stand."""
        return ("time", self.time_us, 7), ("algbw", self.algbw_gb_per_s, 6), ("busbw", self.busbw_gb_per_s, 6)


@dataclass(frozen=True, slots=True)
class Row:
    """One size of the sweep; `line` is its place in the text it was read from, 0 where there was none."""

    size_bytes: int
    count: int
    type: str
    redop: str
    out_of_place: Timing
    in_place: Timing
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if not (0 <= self.size_bytes < LARGEST and 0 <= self.count < LARGEST):
            raise BadValue(f"a row of {self.size_bytes} bytes", f"a buffer has 0 to {LARGEST:,}")
        if not (re.fullmatch(r"[a-z]\w{0,15}", self.type, re.ASCII) and re.fullmatch(r"[a-z]{1,12}", self.redop)):
            raise BadValue(f"a row of {self.type!r} and {self.redop!r}", "type and redop are words such as float, sum")
        if self.redop == "none":
            raise BadValue("a row with redop none", "an all-reduce reduces: this is another collective's")
        if self.type in TYPE_BYTES and self.count * TYPE_BYTES[self.type] != self.size_bytes:
            raise BadValue(
                f"a row of {self.size_bytes} bytes and {self.count} {self.type}",
                "in an all-reduce the bytes are the elements' own: this is another collective's",
            )


@dataclass(frozen=True, slots=True)
class Device:
    """One rank's GPU; `pci` is domain:bus:device in hex ("0000:1b:00"), or the bus alone before 2.14 ("0x1b")."""

    rank: int
    group: int
    pid: int
    host: str
    device: int
    pci: str
    name: str

    def __post_init__(self) -> None:
        for count in (self.rank, self.group, self.pid, self.device):
            if not 0 <= count < 10**9:
                raise BadValue(f"the device line of rank {self.rank}", "its numbers lie between 0 and 1e9")
        if not (re.fullmatch(r"\S+", self.host) and re.fullmatch(r"[0-9a-fx:]+", self.pci)):
            raise BadValue(f"host {self.host!r} with {self.pci!r}", "a host is one word, a PCI address hex and colons")
        if not self.name or not self.name.isprintable() or self.name != self.name.strip():
            raise BadValue(f"a GPU named {self.name!r}", "a product name is one printable line")


@dataclass(frozen=True, slots=True)
class Run:
    """The options of a run, as its second header line says them; step is a factor, or bytes."""

    n_thread: int
    n_gpus: int
    min_bytes: int
    max_bytes: int
    step: int
    step_kind: str
    warmup_iters: int
    iters: int
    agg_iters: int = 1
    validation: int = 1
    graph: int = 0
    unalign: int = 0

    def __post_init__(self) -> None:
        if self.step_kind not in ("factor", "bytes"):
            raise BadValue(f"a step in {self.step_kind!r}", "it is a factor or bytes")
        for name in RUN_COUNTS:
            if not 0 <= getattr(self, name) < LARGEST:
                raise BadValue(f"{name} {getattr(self, name)}", f"it lies between 0 and {LARGEST}")


RUN_COUNTS = tuple(name for name in Run.__dataclass_fields__ if name != "step_kind")


@dataclass(frozen=True, slots=True)
class Result:
    """All that one run printed; what an excerpt lacks is empty or None.

    `nccl_headers` and `nccl_library` are codes (22809 is 2.28.9), 0 before 2.17.4. `avg_busbw_gb_per_s` is the
    plain mean over all rows, small sizes too; `avg_verdict` is OK or FAILED where NCCL_TESTS_MIN_BW was set.
    """

    version: str = ""
    nccl_headers: int = 0
    nccl_library: int = 0
    run: Run | None = None
    devices: tuple[Device, ...] = ()
    rows: tuple[Row, ...] = ()
    out_of_bounds: int | None = None
    avg_busbw_gb_per_s: float | None = None
    avg_verdict: str = ""
    concluded: bool = False
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        codes = (self.nccl_headers, self.nccl_library)
        if not re.fullmatch(r"[0-9.]{0,20}", self.version) or not all(0 <= code < 10**9 for code in codes):
            raise BadValue(f"nccl-tests {self.version!r}", "a version is numbers and dots, an NCCL code a number")
        if any(codes) and not self.version:
            raise BadValue("NCCL's codes without a version of nccl-tests", "they are said in one line")
        if self.out_of_bounds is not None and not 0 <= self.out_of_bounds < LARGEST:
            raise BadValue(f"{self.out_of_bounds} values out of bounds", "it is a count")
        mean = self.avg_busbw_gb_per_s
        if mean is not None and not (isfinite(mean) and 0 <= mean < LARGEST and float(f"{mean:g}") == mean):
            raise BadValue(f"an average of {mean}", "six digits are printed")
        if self.avg_verdict not in ("", "OK", "FAILED") or (self.avg_verdict and mean is None):
            raise BadValue(f"a verdict {self.avg_verdict!r}", "it is OK or FAILED, of an average")
