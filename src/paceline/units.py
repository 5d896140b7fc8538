"""Bytes and seconds inside; the one place where numbers become text and text becomes numbers.

Inside the engine a size is an int of bytes, a time a float of seconds, a rate bytes per second, work
FLOP. Decimal units for people (1 GB = 10**9 bytes); MiB and GiB only where a tool prints them; Gb/s
only for network cards and cables.
"""

import re
from collections.abc import Callable
from fractions import Fraction
from math import isfinite

from paceline.errors import BadValue

KB = 10**3
MB = 10**6
GB = 10**9
TB = 10**12
KIB = 2**10
MIB = 2**20
GIB = 2**30
BITS_PER_BYTE = 8

MICROSECOND_S = 1e-6
MINUTE_S = 60
HOUR_S = 60 * MINUTE_S
DAY_S = 24 * HOUR_S

TERA = 10**12
LONGEST_NUMBER = 40
LARGEST_QUANTITY = 10**60
"""In base units; no float of the engine comes near it."""

_SCALES: dict[str, float] = {
    "B": 1, "kB": KB, "MB": MB, "GB": GB, "TB": TB, "KiB": KIB, "MiB": MIB, "GiB": GIB,
    "kB/s": KB, "MB/s": MB, "GB/s": GB, "TB/s": TB,
    "Gb/s": GB / BITS_PER_BYTE, "Mb/s": MB / BITS_PER_BYTE,
    "TFLOP/s": TERA, "GFLOP/s": GB,
    "us": MICROSECOND_S, "µs": MICROSECOND_S, "ms": 1e-3, "s": 1,
    "min": MINUTE_S, "h": HOUR_S, "days": DAY_S, "day": DAY_S,
    "MHz": 10**6, "GHz": 10**9,
    "%": 0.01,
}  # fmt: skip
_QUANTITY = re.compile(r"\s*([-+]?[0-9][0-9,_]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)\s*([A-Za-zµ%/]*)\s*")
_COUNT_SUFFIX: dict[str, int] = {"": 1, "k": KB, "K": KB, "M": MB, "G": GB, "B": GB, "T": TB}


def gbit_per_s(gigabits_per_s: float) -> float:
    """Bytes per second of a network rate in Gb/s, as its label says: 400 Gb/s is 50e9."""
    return gigabits_per_s * GB / BITS_PER_BYTE


def parse(text: str, expected_unit: str) -> float:
    """The base-unit number of a text such as "3.35 TB/s", which must measure what `expected_unit` measures."""
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise BadValue(repr(text), "it is not a number with a unit", f"Write it as in '1.5 {expected_unit}'.")
    number, unit = match.groups()
    if unit not in _SCALES or _dimension(unit) != _dimension(expected_unit):
        raise BadValue(repr(text), f"{unit or 'no unit'} does not measure what {expected_unit} measures")
    plain = number.replace(",", "").replace("_", "")
    if len(plain) > LONGEST_NUMBER or not isfinite(float(plain)):
        raise BadValue(repr(text), "it is too large to be a number")
    value = Fraction(plain) * Fraction(str(_SCALES[unit]))
    if abs(value) > LARGEST_QUANTITY:
        raise BadValue(repr(text), "it is too large to be a number")
    return float(value)


def parse_count(text: str) -> int:
    """A whole count from text such as "30e9", "30B", "262,144" or "1k"; never a fraction of one."""
    match = re.fullmatch(r"\s*([0-9][0-9,_]*(?:\.[0-9]+)?(?:[eE]\+?[0-9]{1,2})?)\s*([A-Za-z]?)\s*", text)
    if match is None or match.group(2) not in _COUNT_SUFFIX:
        raise BadValue(repr(text), "it is not a whole positive count", "Write it as 30000000000, 30e9 or 30B.")
    plain = match.group(1).replace(",", "").replace("_", "")
    if len(plain) > LONGEST_NUMBER:
        raise BadValue(repr(text[:LONGEST_NUMBER]), "it is too large to be a count")
    value = Fraction(plain) * _COUNT_SUFFIX[match.group(2)]
    if value.denominator != 1:
        raise BadValue(repr(text), "it is not a whole number")
    return int(value)


def _dimension(unit: str) -> str:
    if unit in {"us", "µs", "ms", "s", "min", "h", "days", "day"}:
        return "time"
    if unit.endswith("FLOP/s"):
        return "work per time"
    if unit.endswith("/s"):
        return "rate"
    if unit.endswith("Hz"):
        return "frequency"
    return "ratio" if unit == "%" else "size"


def significant(value: float, digits: int) -> str:
    """`value` rounded to `digits` significant digits, never in exponent form, with thousands separated."""
    if value == 0 or not isfinite(value):
        return "0" if value == 0 else str(value)
    exponent = int(f"{abs(value):.{digits - 1}e}".partition("e")[2])
    return f"{value:,.{max(0, digits - 1 - exponent)}f}"


def _scaled(value: float, digits: int, ladder: tuple[tuple[float, str], ...]) -> str:
    for index, (scale, unit) in enumerate(ladder):
        text = significant(value / scale, digits)
        last = index == len(ladder) - 1
        if last or float(text.replace(",", "")) * scale < ladder[index + 1][0]:
            return f"{text} {unit}"
    raise AssertionError("a ladder has at least one rung")


def show_seconds(value: float, digits: int = 3) -> str:
    """A duration in the unit people would use for it: "203 ms", "5.95 s", "6.47 h", "7.88 days"."""
    if value == 0:
        return "0 s"
    if abs(value) < 2 * MINUTE_S:
        return _scaled(value, digits, ((1e-6, "µs"), (1e-3, "ms"), (1.0, "s")))
    if abs(value) < 2 * HOUR_S:
        return f"{significant(value / MINUTE_S, digits)} min"
    if abs(value) < 2 * DAY_S:
        return f"{significant(value / HOUR_S, digits)} h"
    return f"{significant(value / DAY_S, digits)} days"


def show_milliseconds(value: float, digits: int = 3) -> str:
    """A duration in ms whatever its size, for columns that must line up."""
    return f"{significant(value * 1e3, digits)} ms"


def show_bytes(value: float, digits: int = 3) -> str:
    """A size in decimal units: "3.12 GB"."""
    if abs(value) < KB:
        return f"{value:,.0f} bytes"
    return _scaled(value, digits, ((KB, "kB"), (MB, "MB"), (GB, "GB"), (TB, "TB")))


def show_binary_bytes(value: int) -> str:
    """A size as tools that count in powers of two print it: "25 MiB"."""
    if abs(value) < KIB:
        return f"{value} B"
    return _scaled(value, 4, ((KIB, "KiB"), (MIB, "MiB"), (GIB, "GiB"))).replace(".0 ", " ")


def show_gigabytes(value: float) -> str:
    """A memory size in whole GB, the way a GPU's is named: "29 GB"."""
    return f"{value / GB:,.0f} GB"


def show_gigabyte_tenths(value: float) -> str:
    """A line of a memory bill in GB to a tenth, without the unit: "3.1"."""
    return f"{value / GB:,.1f}"


def show_decade(value: float) -> str:
    """A power of ten on an axis: "100 k", "10 M"."""
    for scale, unit in ((10**9, " G"), (10**6, " M"), (10**3, " k")):
        if value >= scale:
            return f"{value / scale:,.0f}{unit}"
    return f"{value:,.0f}"


def show_rate(value: float, digits: int = 3) -> str:
    """A transfer rate in bytes: "360 GB/s"."""
    return _scaled(value, digits, ((MB, "MB/s"), (GB, "GB/s"), (TB, "TB/s")))


def show_bit_rate(value: float) -> str:
    """A network rate in bits, as on the label of a card or cable: "400 Gb/s"."""
    return f"{significant(value * BITS_PER_BYTE / GB, 3)} Gb/s"


def show_percent(value: float) -> str:
    """A ratio as whole per cent: "42%"."""
    return f"{value * 100:.0f}%"


def show_percent_tenth(value: float) -> str:
    """A ratio as per cent to a tenth: "91.4%"."""
    return f"{value * 100:.1f}%"


def show_gpus(value: int) -> str:
    """A number of GPUs in words: "1 GPU", "32 GPUs"."""
    return "1 GPU" if value == 1 else f"{value:,} GPUs"


def show_count(value: float) -> str:
    """A count with thousands separated: "262,144"."""
    return f"{value:,.0f}"


def show_large_count(value: float) -> str:
    """A count in words: "1.56 billion", never "1.5 B"."""
    if abs(value) < 10**6:
        return show_count(value)
    return _scaled(value, 3, ((10**6, "million"), (10**9, "billion"), (10**12, "trillion")))


def show_flop(value: float) -> str:
    """An amount of arithmetic: "280 million TFLOP"."""
    return f"{show_large_count(value / TERA)} TFLOP"


def show_flop_per_s(value: float) -> str:
    """A rate of arithmetic: "989 TFLOP/s"."""
    return f"{significant(value / TERA, 3)} TFLOP/s"


def show_dollars(value: float) -> str:
    """A sum of money: "$417"."""
    return f"${value:,.2f}" if value < 100 else f"${value:,.0f}"


def show_ratio(value: float) -> str:
    """A ratio to four decimals where it needs them: "1.75", "1.9998", "7.83"."""
    return f"{value:,.4f}".rstrip("0").rstrip(".")


def show_hundredth(value: float) -> str:
    """A ratio to a hundredth: "7.83"."""
    return f"{value:,.2f}"


SHOW: dict[str, Callable[[float], str]] = {
    "s": show_seconds,
    "ms": show_milliseconds,
    "bytes": show_bytes,
    "bytes4": lambda value: show_bytes(value, 4),
    "GB": show_gigabytes,
    "bytes/s": show_rate,
    "bits/s": show_bit_rate,
    "%": show_percent,
    "%.1": show_percent_tenth,
    "count": show_count,
    "large count": show_large_count,
    "FLOP": show_flop,
    "FLOP/s": show_flop_per_s,
    "ratio": show_hundredth,
    "ratio4": show_ratio,
    "3": lambda value: significant(value, 3),
    "$": show_dollars,
}
"""Every way a number is shown, by the name a figure's declaration uses."""
