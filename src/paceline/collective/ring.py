"""The ring all-reduce as real moves on real data: naive, exact, and the measure of everything else here.

The buffer is cut into as many chunks as there are ranks. In each of N-1 moves every rank sends one chunk to
its right-hand neighbour, which adds it to its own: then each rank holds one finished chunk (reduce-scatter).
In N-1 more moves the finished chunks go round (all-gather).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from paceline.errors import BadValue

Phase = Literal["reduce-scatter", "all-gather"]
T = TypeVar("T")
_PHASES: tuple[tuple[Phase, int], ...] = (("reduce-scatter", 0), ("all-gather", 1))
"""Each phase and the chunk, counted from its own rank, that every rank sends first."""


@dataclass(frozen=True, slots=True)
class Move:
    """One chunk on its way from one rank to the next, there to be added or copied, by phase."""

    sender: int
    receiver: int
    chunk: int
    phase: Phase


def moves(world_size: int) -> Iterator[tuple[Move, ...]]:
    """The 2(N-1) moves of a ring, each a tuple of what all ranks send at once."""
    _check(world_size)
    for phase, first in _PHASES:
        for turn in range(world_size - 1):
            yield tuple(
                Move(rank, (rank + 1) % world_size, (rank + first - turn) % world_size, phase)
                for rank in range(world_size)
            )


def chunk_bounds(length: int, world_size: int) -> tuple[int, ...]:
    """Where each chunk starts, and the end: as even as whole elements allow, the longer ones first."""
    _check(world_size)
    each, longer = divmod(length, world_size)
    return tuple(chunk * each + min(chunk, longer) for chunk in range(world_size + 1))


def all_reduce(buffers: Sequence[Sequence[T]]) -> list[list[T]]:
    """What every rank holds after the moves, from what each held before; elements need only `+`.

    Each chunk is added up once, going round, and then copied, so all ranks end with the same bits. Those need
    not be the bits of a sum from left to right.
    """
    held: list[list[Any]] = [list(buffer) for buffer in buffers]
    _check(len(held))
    for rank, buffer in enumerate(held):
        if len(buffer) != len(held[0]):
            raise BadValue(
                f"{len(buffer)} elements on rank {rank} and {len(held[0])} on rank 0",
                "all ranks reduce equal buffers",
            )
    bounds = chunk_bounds(len(held[0]), len(held))
    for at_once in moves(len(held)):
        sent = [held[move.sender][bounds[move.chunk] : bounds[move.chunk + 1]] for move in at_once]
        for move, elements in zip(at_once, sent, strict=True):
            mine = held[move.receiver]
            for at, element in enumerate(elements, bounds[move.chunk]):
                mine[at] = mine[at] + element if move.phase == "reduce-scatter" else element
    return held


def sent_bytes(size_bytes: int, world_size: int) -> tuple[int, ...]:
    """Bytes each rank sends, counted move by move: 2(N-1)/N of the buffer where N divides it."""
    bounds = chunk_bounds(size_bytes, world_size)
    sent = [0] * world_size
    for at_once in moves(world_size):
        for move in at_once:
            sent[move.sender] += bounds[move.chunk + 1] - bounds[move.chunk]
    return tuple(sent)


def replay_time_s(
    size_bytes: int, hop_bytes_per_s: Sequence[float], hop_latency_s: Sequence[float] | None = None
) -> float:
    """Time of the moves in lock-step, each paced by its slowest hop; hop i leads on from rank i."""
    world_size = len(hop_bytes_per_s)
    latencies = hop_latency_s if hop_latency_s is not None else [0.0] * world_size
    bounds = chunk_bounds(size_bytes, world_size)
    if len(latencies) != world_size or not all(rate > 0 for rate in hop_bytes_per_s):
        raise BadValue(
            f"{len(latencies)} latencies for {world_size} hops",
            "each hop has a latency and a rate above zero",
        )
    total_s = 0.0
    for at_once in moves(world_size):
        total_s += max(
            latencies[move.sender] + (bounds[move.chunk + 1] - bounds[move.chunk]) / hop_bytes_per_s[move.sender]
            for move in at_once
        )
    return total_s


def _check(world_size: int) -> None:
    if world_size < 1:
        raise BadValue(f"a ring of {world_size} ranks", "it needs at least one")
