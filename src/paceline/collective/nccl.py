"""What NCCL v2.30.7 would choose for an all-reduce, and how long that takes.

NCCL gives every allowed pair of algorithm and protocol a latency and a bandwidth and takes the quickest; so
does this, with a launch and the filling of pipelines added. The numbers are in `tuning`; `fabric` makes the
lines of them.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

from paceline.collective import tuning
from paceline.collective.fabric import Fabric, Line
from paceline.collective.law import bus_factor
from paceline.collective.tiers import Place
from paceline.errors import BadValue, UnknownName

ALGORITHMS = ("tree", "ring", "collnetdirect", "collnetchain", "nvls", "nvlstree", "pat")
"""NCCL_ALGO's words; CollNet and PAT are known but never serve an all-reduce here."""
PROTOCOL_WORDS = tuple(protocol.lower() for protocol in tuning.PROTOCOLS)
LARGEST_BYTES = 2**60


@dataclass(frozen=True, slots=True)
class Price:
    """The time of one all-reduce, by what, and what holds it back.

    `limited_by` is the slower tier the bytes pass, "nvlink", "nic", "host memory" or "sockets", or "nothing"
    for one rank; `place` its (part, server, index) where one part is slower than its peers.
    `validated` says whether published measurements cover this size on this hardware.
    """

    time_s: float
    algorithm: str
    protocol: str
    algbw_bytes_per_s: float
    busbw_bytes_per_s: float
    limited_by: str
    place: Place | None
    validated: bool


def price_all_reduce(
    fabric: Fabric, size_bytes: int, algorithm: str | None = None, protocol: str | None = None
) -> Price:
    """The quickest allowed way to all-reduce `size_bytes` on every rank.

    `algorithm` and `protocol` are the values of NCCL_ALGO and NCCL_PROTO: a word, a comma list, or "^" and
    the words to leave out; case does not matter.
    """
    if not 0 <= size_bytes <= LARGEST_BYTES:
        raise BadValue(f"an all-reduce of {size_bytes} bytes", f"a buffer has 0 to {LARGEST_BYTES:,} bytes")
    lines = _allowed(fabric, algorithm or "", protocol or "") if algorithm or protocol else fabric.lines
    if fabric.world_size == 1:
        return Price(0.0, "ring", "Simple", 0.0, 0.0, "nothing", None, True)
    best, chosen = time_of(lines[0], size_bytes), lines[0]
    for line in lines[1:]:
        time_s = time_of(line, size_bytes)
        if time_s < best:
            best, chosen = time_s, line
    algbw = size_bytes / best
    return Price(
        best,
        chosen.algorithm,
        chosen.protocol,
        algbw,
        algbw * bus_factor(fabric.world_size),
        chosen.limit.name,
        chosen.limit.place,
        fabric.validated
        and size_bytes <= tuning.VALIDATED_BYTES
        and (lines is fabric.lines or _covered(chosen, protocol)),
    )


def time_of(line: Line, size_bytes: int) -> float:
    """The time of one line; never less for more bytes."""
    transfer_s = size_bytes / line.algbw_bytes_per_s
    if line.correction:
        transfer_s /= _tree_correction(line.correction, size_bytes)
    if line.overlapped:
        moving_s = sqrt(line.hops_s * line.hops_s + transfer_s * transfer_s)
    else:
        moving_s = line.hops_s + transfer_s
    # Written as what is missing from a full pipeline, so that rounding cannot make more bytes cheaper.
    filling_s = line.fill_s - line.fill_s * (tuning.FILL_HALF_BYTES / (size_bytes + tuning.FILL_HALF_BYTES))
    return line.start_s + moving_s + filling_s


def _tree_correction(factors: tuple[float, ...], size_bytes: int) -> float:
    index = (size_bytes // tuning.TREE_CORRECTION_FROM_BYTES).bit_length() - 1
    if index < 0:
        return factors[0]
    if index >= len(factors) - 1:
        return factors[-1]
    power = tuning.TREE_CORRECTION_FROM_BYTES << index
    return factors[index] + (factors[index + 1] - factors[index]) * ((size_bytes - power) / power)


def _allowed(fabric: Fabric, algorithm: str, protocol: str) -> tuple[Line, ...]:
    algorithms = _words("NCCL_ALGO", algorithm, ALGORITHMS)
    protocols = _words("NCCL_PROTO", protocol, PROTOCOL_WORDS)
    lines = tuple(
        [line for line in fabric.lines if line.algorithm in algorithms and line.protocol.lower() in protocols]
    )
    if not lines and fabric.world_size > 1:
        can = dict.fromkeys(line.algorithm for line in fabric.lines)
        given = " and ".join(
            f"{name}={value}" for name, value in (("NCCL_ALGO", algorithm), ("NCCL_PROTO", protocol)) if value
        )
        raise BadValue(
            f"{given} for an all-reduce on {fabric.servers} servers of {fabric.gpus_per_server} GPUs",
            "NCCL has no such way there, and stops",
            f"Unset it, or choose among {', '.join(can)}.",
        )
    return lines


def _covered(line: Line, protocol: str | None) -> bool:
    """Whether the tables hold runs with this forced: NCCL_ALGO=Ring, with NCCL's choice of protocol."""
    return line.algorithm == "ring" and not protocol


@lru_cache(maxsize=256)
def _words(variable: str, value: str, known: tuple[str, ...]) -> tuple[str, ...]:
    listed = value.lower().strip()
    if not listed:
        return known
    named = [word.strip() for word in listed.removeprefix("^").split(",") if word.strip()]
    for word in named:
        if word not in known:
            raise UnknownName.among(f"{variable} value", word, known)
    return tuple(word for word in known if (word in named) != listed.startswith("^"))
