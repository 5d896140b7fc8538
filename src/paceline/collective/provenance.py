"""Whose numbers are in each chunk: the ring's moves played on sets of ranks instead of on data."""

from collections.abc import Sequence
from dataclasses import dataclass

from paceline.collective.ring import moves
from paceline.errors import BadValue


@dataclass(frozen=True, slots=True)
class Cell:
    """One chunk on one rank: how often each rank is counted in it, and which came with the last move."""

    counts: tuple[int, ...]
    arrived: tuple[int, ...]

    @property
    def ranks(self) -> int:
        """How many ranks are in it."""
        return sum(count > 0 for count in self.counts)

    @property
    def is_complete(self) -> bool:
        """Whether every rank is in it exactly once."""
        return all(count == 1 for count in self.counts)


def ring_chunks(world_size: int) -> tuple[tuple[int, ...], ...]:
    """The chunk that each rank sends in each of the 2(N-1) moves of the right ring."""
    return tuple(tuple(move.chunk for move in at_once) for at_once in moves(world_size))


def check_chunks(chunks: Sequence[Sequence[int]], world_size: int) -> None:
    """Refuse a table of sent chunks that no ring of this size can follow."""
    if len(chunks) != 2 * (world_size - 1):
        raise BadValue(f"{len(chunks)} moves", f"a ring of {world_size} GPUs makes {2 * (world_size - 1)}")
    for number, sent in enumerate(chunks, start=1):
        if len(sent) != world_size:
            raise BadValue(f"{len(sent)} chunks in move {number}", f"each of {world_size} GPUs sends one")
        for rank, chunk in enumerate(sent):
            if not 0 <= chunk < world_size:
                raise BadValue(
                    f"chunk {chunk} from GPU {rank} in move {number}", f"the chunks are 0 to {world_size - 1}"
                )


def provenance(chunks: Sequence[Sequence[int]], world_size: int, moves_done: int) -> tuple[tuple[Cell, ...], ...]:
    """The cells [chunk][rank] after some moves, whatever each rank was told to send to its right."""
    everyone = range(world_size)
    counts = [[[int(rank == source) for source in everyone] for rank in everyone] for _ in everyone]
    arrived = [[[0] * world_size for _ in everyone] for _ in everyone]
    for number in range(moves_done):
        arrived = [[[0] * world_size for _ in everyone] for _ in everyone]
        sent = [list(counts[chunk][rank]) for rank, chunk in enumerate(chunks[number])]
        for sender, chunk in enumerate(chunks[number]):
            receiver = (sender + 1) % world_size
            mine = counts[chunk][receiver]
            came = sent[sender]
            if number < world_size - 1:
                counts[chunk][receiver] = [a + b for a, b in zip(mine, came, strict=True)]
            else:
                counts[chunk][receiver] = came
            arrived[chunk][receiver] = came
    return tuple(
        tuple(Cell(tuple(counts[chunk][rank]), tuple(arrived[chunk][rank])) for rank in everyone) for chunk in everyone
    )
