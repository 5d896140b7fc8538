"""A measured table: a user's own all_reduce_perf sizes and times, in place of the model's."""

from dataclasses import dataclass

from paceline.collective.law import bus_factor
from paceline.collective.nccl import Price
from paceline.errors import BadValue


@dataclass(frozen=True, slots=True)
class MeasuredTable:
    """Points of (size_bytes, time_s), sizes ascending; between them time is linear in size."""

    points: tuple[tuple[int, float], ...]

    def __post_init__(self) -> None:
        sizes = [size for size, _ in self.points]
        if len(sizes) < 2 or sizes != sorted(dict.fromkeys(sizes)) or min(time for _, time in self.points) <= 0:
            raise BadValue("the measured table", "it needs two or more sizes, ascending, with times above zero")

    def price(self, size_bytes: int, world_size: int) -> Price:
        """The time of one size; beyond the table the end segment's line goes on, marked as not validated."""
        inside = self.points[0][0] <= size_bytes <= self.points[-1][0]
        index = next(
            (i for i, (size, _) in enumerate(self.points[1:-1], 1) if size_bytes <= size), len(self.points) - 1
        )
        (low, low_s), (high, high_s) = self.points[index - 1], self.points[index]
        time_s = max(low_s + (high_s - low_s) * (size_bytes - low) / (high - low), min(low_s, high_s) / 2)
        algbw = size_bytes / time_s
        return Price(time_s, "measured", "", algbw, algbw * bus_factor(world_size), "measured", None, inside)
