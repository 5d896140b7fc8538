"""The world of one ring all-reduce: played move by move, timed by the textbook law."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from paceline.collective import (
    Cell,
    bus_factor,
    check_chunks,
    hop_latency_s,
    provenance,
    ring_all_reduce_s,
    ring_chunks,
)  # fmt: skip
from paceline.errors import BadValue
from paceline.figures import Figure
from paceline.hardware import CATALOG
from paceline.pod.knob import whole
from paceline.pod.world import World
from paceline.step import Settings
from paceline.units import KB

_cells = lru_cache(maxsize=64)(provenance)
LARGEST_DRAWN = 8
SLOW_SENDER = 3
"""The GPU whose link to its right the knob slows; in a ring of fewer GPUs the last one."""


@lru_cache(maxsize=8)
def _gradient_bytes(settings: Settings) -> int:
    return settings.scenario().job.gradient_bytes


@dataclass(slots=True)
class Ring(World):
    """How far the ring has come; `chunks` is a learner's own table of what each rank sends, () for the right one.

    Every link is taken to be NVLink, also beyond one server, so that N alone changes.
    """

    kind: ClassVar[str] = "ring"
    knobs_known: ClassVar[tuple[str, ...]] = ("ranks", "link_percent", "buffer_kb")
    labels: ClassVar[Mapping[str, tuple[str, str]]] = {
        "ranks": ("count", "GPUs"),
        "moves_done": ("count", "Moves done"),
        "moves_total": ("count", "Moves in all"),
        "sent_so_far": ("ratio4", "Sent, in buffers"),
        "sent_total": ("ratio4", "Sent in the end"),
        "sent_bytes": ("bytes4", "Sent by each GPU"),
        "buffer_bytes": ("bytes4", "Buffer"),
        "chunk_bytes": ("bytes", "Chunk"),
        "complete_chunks": ("count", "Complete chunks"),
        "link_bytes_per_s": ("bytes/s", "Each link"),
        "slowest_bytes_per_s": ("bytes/s", "Slowest link"),
        "ring_time_s": ("s", "Time, by the law"),
        "healthy_time_s": ("s", "With equal links"),
        "slowdown": ("ratio", "Times longer"),
        "hops_time_s": ("s", "Waiting at hops"),
        "ring_time_with_hops_s": ("s", "With the hops"),
    }

    move: int = 0
    ranks: int = 8
    link_percent: int = 100
    buffer_kb: int = 0
    chunks: tuple[tuple[int, ...], ...] = ()

    @property
    def moves_total(self) -> int:
        """2(N-1)."""
        return 2 * (self.ranks - 1)

    @property
    def is_drawn(self) -> bool:
        """Whether the ring is small enough to be followed chunk by chunk."""
        return self.ranks <= LARGEST_DRAWN

    @property
    def state(self) -> str:
        """Idle at the start, done at the end, paused between."""
        return "idle" if self.move == 0 else "done" if self.move == self.moves_total else "paused"

    @property
    def slow_sender(self) -> int:
        """Who sends over the slowed link; -1 when none is slow."""
        return min(SLOW_SENDER, self.ranks - 1) if self.link_percent < 100 else -1

    @property
    def cells(self) -> tuple[tuple[Cell, ...], ...]:
        """What each chunk holds on each rank; nothing where the ring is not drawn."""
        if not self.is_drawn:
            return ()
        return _cells(self.chunks or ring_chunks(self.ranks), self.ranks, self.move)

    @property
    def is_right(self) -> bool:
        """Whether the chunks sent lead to a complete sum everywhere."""
        if not self.chunks:
            return True
        last = _cells(self.chunks, self.ranks, self.moves_total)
        return all(cell.is_complete for row in last for cell in row)

    def own_actions(self) -> tuple[str, ...]:
        """To a move, to the end, and with whose chunks."""
        return ("go", "finish", "chunks")

    def own(self, name: str, action: Mapping[str, object]) -> None:
        """Go to a move short of the end, make the last one, or take a learner's own chunks."""
        if name == "go":
            move = whole(action, "move")
            if not 0 <= move < self.moves_total:
                raise BadValue(
                    f"move {move}", f"a ring of {self.ranks} makes {self.moves_total}, the last one by 'finish'"
                )
            self.move = move
        elif name == "finish":
            self.move = self.moves_total
            self.happened("ring", "complete" if self.is_right else "wrong", ranks=str(self.ranks))
        else:
            self.chunks = self._table(action.get("chunks"))
            self.move = 0
            if self.chunks:
                self.happened("own_ring", "right" if self.is_right else "wrong", ranks=str(self.ranks))

    def _table(self, given: object) -> tuple[tuple[int, ...], ...]:
        if given == []:
            return ()
        if not self.is_drawn:
            raise BadValue(f"own chunks for {self.ranks} GPUs", f"a ring that is drawn has at most {LARGEST_DRAWN}")
        if not isinstance(given, list) or not all(
            isinstance(row, list) and all(isinstance(each, int) and not isinstance(each, bool) for each in row)
            for row in given
        ):
            raise BadValue("the chunks sent", "they are a list of moves, each a list of whole numbers")
        check_chunks(given, self.ranks)
        return tuple(tuple(row) for row in given)

    def pass_time(self, microseconds: int) -> None:
        """Nothing: this world goes by moves."""

    def turn(self, name: str, value: int) -> None:
        """Another ring begins anew; a slowed link or another buffer leaves the moves where they are."""
        if name == "ranks":
            self.ranks, self.move, self.chunks = value, 0, ()
        elif name == "link_percent":
            self.link_percent = value
        else:
            self.buffer_kb = value

    @property
    def knobs(self) -> dict[str, int]:
        """Where every knob stands."""
        return {
            "ranks": self.ranks,
            "link_percent": self.link_percent,
            "buffer_kb": self.buffer_kb or round(self._gradient_bytes / KB),
        }

    @property
    def _gradient_bytes(self) -> int:
        return _gradient_bytes(self.settings)

    @property
    def buffer_bytes(self) -> int:
        """What is all-reduced: the job's gradients, or what the knob says."""
        return self.buffer_kb * KB or self._gradient_bytes

    def readings(self) -> dict[str, Figure]:
        """What the ring moves and how long that takes."""
        size = self.buffer_bytes
        link = CATALOG.server_with(self.settings.gpu).gpu.nvlink_unidirectional_bytes_per_s
        slowest = link * self.link_percent / 100
        healthy_s = ring_all_reduce_s(size, self.ranks, link)
        time_s = ring_all_reduce_s(size, self.ranks, slowest)
        hops_s = ring_all_reduce_s(0, self.ranks, link, hop_latency_s())
        values: dict[str, float | int] = {
            "ranks": self.ranks,
            "moves_done": self.move,
            "moves_total": self.moves_total,
            "sent_so_far": self.move / self.ranks,
            "sent_total": bus_factor(self.ranks),
            "sent_bytes": bus_factor(self.ranks) * size,
            "buffer_bytes": size,
            "chunk_bytes": size / self.ranks,
            "complete_chunks": len([cell for row in self.cells for cell in row if cell.is_complete]),
            "link_bytes_per_s": link,
            "slowest_bytes_per_s": slowest,
            "ring_time_s": time_s,
            "healthy_time_s": healthy_s,
            "slowdown": time_s / healthy_s,
            "hops_time_s": hops_s,
            "ring_time_with_hops_s": time_s + hops_s,
        }
        return {name: self.reading(name, value) for name, value in values.items()}
