"""The textbook law of the ring: every GPU moves 2(N-1)/N of the buffer over the slowest link.

busbw = algbw x 2(N-1)/N and algbw = size / time, as nccl-tests defines them (doc/PERFORMANCE.md,
read 2026-11-29).
"""

from paceline.errors import BadValue


def bus_factor(world_size: int) -> float:
    """2(N-1)/N: the share of the buffer that each GPU sends, and receives, in an all-reduce."""
    if world_size < 1:
        raise BadValue(f"{world_size} ranks", "a ring has at least one")
    return 2 * (world_size - 1) / world_size


def busbw_bytes_per_s(size_bytes: int, time_s: float, world_size: int) -> float:
    """Bus bandwidth of an all-reduce of `size_bytes` that took `time_s`."""
    return size_bytes / time_s * bus_factor(world_size)


def ring_all_reduce_s(size_bytes: int, world_size: int, link_bytes_per_s: float, hop_latency_s: float = 0.0) -> float:
    """Seconds of a ring all-reduce over links of one speed: bytes by the law, and 2(N-1) hops of latency."""
    return size_bytes * bus_factor(world_size) / link_bytes_per_s + 2 * (world_size - 1) * hop_latency_s
