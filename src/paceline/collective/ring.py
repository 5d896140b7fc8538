"""The ring all-reduce as moves on real data: the plain version, exact, and the oracle of every price.

N ranks cut their buffer into N chunks. In N - 1 moves of reduce-scatter each rank adds the chunk it
receives to its own; in N - 1 moves of all-gather the finished chunks travel once round.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Move:
    """In one move of the ring, `sender` passes `chunk` to `receiver`, which adds it or keeps it."""

    sender: int
    receiver: int
    chunk: int
    adds: bool


def moves(world_size: int) -> Iterator[tuple[Move, ...]]:
    """The 2(N-1) moves, each with its N simultaneous transfers in order of sender."""
    n = world_size
    for move in range(n - 1):
        yield tuple(Move(rank, (rank + 1) % n, (rank - move) % n, True) for rank in range(n))
    for move in range(n - 1):
        yield tuple(Move(rank, (rank + 1) % n, (rank + 1 - move) % n, False) for rank in range(n))


def chunk_bounds(length: int, world_size: int) -> tuple[tuple[int, int], ...]:
    """The (start, end) of each chunk, as even as whole elements allow; chunks may be empty."""
    return tuple((length * i // world_size, length * (i + 1) // world_size) for i in range(world_size))


def all_reduce(buffers: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Every rank's buffer after the ring: the sum over ranks, by `+` of whatever the elements are.

    Each chunk is summed in ring order on one rank and then copied, so all ranks hold the same bits.
    """
    held = [list(buffer) for buffer in buffers]
    bounds = chunk_bounds(len(held[0]), len(held))
    for transfers in moves(len(held)):
        sent = [held[move.sender][slice(*bounds[move.chunk])] for move in transfers]
        for move, values in zip(transfers, sent, strict=True):
            start, end = bounds[move.chunk]
            own = held[move.receiver][start:end]
            added = [mine + theirs for mine, theirs in zip(own, values, strict=True)]
            held[move.receiver][start:end] = added if move.adds else values
    return held


def sent_elements(length: int, world_size: int) -> tuple[int, ...]:
    """How many elements each rank sends in the whole ring: 2(N-1)/N of the buffer when N divides it."""
    bounds = chunk_bounds(length, world_size)
    sent = [0] * world_size
    for transfers in moves(world_size):
        for move in transfers:
            start, end = bounds[move.chunk]
            sent[move.sender] += end - start
    return tuple(sent)


def replay_s(size_bytes: int, hop_bytes_per_s: Sequence[float], hop_latency_s: float = 0.0) -> float:
    """The time of the moves in lock-step, each as long as its slowest hop; hop i leaves rank i."""
    n = len(hop_bytes_per_s)
    bounds = chunk_bounds(size_bytes, n)
    total = 0.0
    for transfers in moves(n):
        total += max(
            hop_latency_s + (bounds[move.chunk][1] - bounds[move.chunk][0]) / hop_bytes_per_s[move.sender]
            for move in transfers
        )
    return total
