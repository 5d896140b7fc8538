"""The textbook law of the all-reduce: what any algorithm must move, and how fast a ring moves it.

Reference: NCCL tests, doc/PERFORMANCE.md, for algbw and busbw.
"""

from paceline.errors import BadValue


def bus_factor(world_size: int) -> float:
    """Bytes each rank sends in a ring all-reduce per byte of the buffer: 2(N-1)/N."""
    _check(world_size)
    return 2 * (world_size - 1) / world_size


def half_bus_factor(world_size: int) -> float:
    """The same for one half of it, a reduce-scatter or an all-gather: (N-1)/N."""
    _check(world_size)
    return (world_size - 1) / world_size


def algbw_bytes_per_s(size_bytes: int, time_s: float) -> float:
    """Buffer bytes reduced per second: size / time."""
    if not time_s > 0:
        raise BadValue(f"{size_bytes} bytes in {time_s} s", "a bandwidth needs a time above zero")
    return size_bytes / time_s


def busbw_bytes_per_s(size_bytes: int, time_s: float, world_size: int) -> float:
    """Bytes per second over each rank's link, comparable with hardware: algbw x 2(N-1)/N."""
    return algbw_bytes_per_s(size_bytes, time_s) * bus_factor(world_size)


def ring_all_reduce_s(
    size_bytes: int, world_size: int, link_unidirectional_bytes_per_s: float, hop_latency_s: float = 0.0
) -> float:
    """Time of a ring paced by a hop of this rate: 2(N-1)/N x size / rate + 2(N-1) x latency."""
    if not link_unidirectional_bytes_per_s > 0:
        raise BadValue(f"a link of {link_unidirectional_bytes_per_s} bytes/s", "a ring needs every link")
    steps = 2 * (world_size - 1)
    return bus_factor(world_size) * size_bytes / link_unidirectional_bytes_per_s + steps * hop_latency_s


def _check(world_size: int) -> None:
    if world_size < 1:
        raise BadValue(f"a ring of {world_size} ranks", "it needs at least one")
