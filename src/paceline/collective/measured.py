"""A user's own all_reduce_perf table in place of the model."""

from bisect import bisect_right
from dataclasses import dataclass

from paceline.collective.law import bus_factor
from paceline.collective.nccl import Price
from paceline.errors import BadValue

LARGEST_POINTS = 10_000


@dataclass(frozen=True, slots=True)
class MeasuredTable:
    """Measured (size in bytes, time in seconds) points, sizes rising; straight lines between them.

    Outside the measured sizes it prices by the line of the two points at that end, not validated.
    """

    points: tuple[tuple[int, float], ...]

    def __post_init__(self) -> None:
        if not 2 <= len(self.points) <= LARGEST_POINTS:
            raise BadValue(
                f"a table of {len(self.points)} sizes",
                f"a line needs 2 points, and {LARGEST_POINTS:,} are plenty",
            )
        for size_bytes, time_s in self.points:
            if size_bytes < 0 or not 0 < time_s < float("inf"):
                raise BadValue(f"{size_bytes} bytes in {time_s} s", "a measured point has a size and a time above zero")
        for (before, _), (after, _) in zip(self.points, self.points[1:], strict=False):
            if after <= before:
                raise BadValue(
                    f"a size of {after} bytes after {before}",
                    "the sizes of a table rise",
                    "Sort it, each size once.",
                )

    def price(self, size_bytes: int, world_size: int) -> Price:
        """The table's time for that size, with bandwidths for `world_size` ranks."""
        if size_bytes < 0:
            raise BadValue(f"an all-reduce of {size_bytes} bytes", "a buffer has 0 bytes or more")
        factor = bus_factor(world_size)
        if world_size == 1:
            return Price(0.0, "measured", "measured", 0.0, 0.0, "nothing", None, True)
        time_s = self._time_s(size_bytes)
        inside = self.points[0][0] <= size_bytes <= self.points[-1][0]
        algbw = size_bytes / time_s
        return Price(time_s, "measured", "measured", algbw, algbw * factor, "measured", None, inside)

    def _time_s(self, size_bytes: int) -> float:
        at = bisect_right(self.points, size_bytes, key=lambda point: point[0])
        at = min(max(at, 1), len(self.points) - 1)
        (small, small_s), (large, large_s) = self.points[at - 1], self.points[at]
        if small < size_bytes < large:
            return small_s + (large_s - small_s) * ((size_bytes - small) / (large - small))
        # Noise can make an end fall with size: beyond it the time stays, as more bytes are never faster.
        per_byte_s = max(0.0, (large_s - small_s) / (large - small))
        if size_bytes >= large:
            return large_s + per_byte_s * (size_bytes - large)
        return max(small_s / 2, small_s - per_byte_s * (small - size_bytes))
