"""Overlap: two streams, compute and communication, laid side by side for the last micro-step's backward.

A bucket's all-reduce starts when its last gradient is complete on every rank and the communication
stream is free. While a collective moves data it holds some of the GPU's multiprocessors and memory
bandwidth, so compute takes `contention` longer per second of work. What outlasts the backward is exposed.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Overlap:
    """Where the last backward and its collectives end, in seconds from that backward's start.

    `collectives` are the (start, end) of each bucket's all-reduce, in order.
    """

    backward_end_s: float
    comm_end_s: float
    contention_s: float
    collectives: tuple[tuple[float, float], ...]


def lay_out(
    backward_s: float, ready: Sequence[float], prices_s: Sequence[float], contention: float, overlap: bool = True
) -> Overlap:
    """The two streams of one backward pass of `backward_s` seconds of work, on the slowest rank.

    `ready` are the shares of that work after which each bucket may leave, ascending; `prices_s` how long
    each takes. Without overlap every bucket waits for the backward's end.
    """
    now = done = extra = 0.0
    free = 0.0
    collectives: list[tuple[float, float]] = []
    for share, price in zip(ready, prices_s, strict=True):
        work = (share if overlap else 1.0) * backward_s - done
        if free > now and work > 0:
            beside = min(work, (free - now) / (1 + contention))
            extra += beside * contention
            now = min(free, now + beside * (1 + contention))
            done += beside
            work -= beside
        if work > 0:
            now += work
            done += work
        start = max(now, free)
        free = start + price
        collectives.append((start, free))
    if done < backward_s:
        work = backward_s - done
        beside = min(work, max(0.0, free - now) / (1 + contention))
        extra += beside * contention
        now += work + beside * contention
    return Overlap(now, max(now, free), extra, tuple(collectives))


def pace(backward_s: float, collectives: Sequence[tuple[float, float]], start_s: float, contention: float) -> float:
    """When a rank that starts the same backward at `start_s` ends it, slowed by the same collectives.

    Times are on the slowest rank's clock, as `lay_out` gives them.
    """
    now, work = start_s, backward_s
    for start, end in collectives:
        if now < start:
            alone = min(work, start - now)
            now += alone
            work -= alone
        if work <= 0:
            return now
        if now < end:
            beside = min(work, (end - now) / (1 + contention))
            now += beside * (1 + contention)
            work -= beside
            if work <= 0:
                return now
    return now + work
