from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.collective import (
    all_reduce,
    bus_factor,
    chunk_bounds,
    moves,
    replay_time_s,
    ring_all_reduce_s,
    sent_bytes,
)
from paceline.errors import BadValue

RANKS = st.integers(1, 9)


@st.composite
def buffers(draw: st.DrawFn, element: st.SearchStrategy[float]) -> list[list[float]]:
    length = draw(st.integers(0, 24))
    return draw(st.lists(st.lists(element, min_size=length, max_size=length), min_size=1, max_size=9))


@given(buffers(st.integers(-(10**12), 10**12)))
def test_whole_numbers_are_summed_exactly_on_every_rank(given_buffers: list[list[float]]) -> None:
    sums = [sum(column) for column in zip(*given_buffers, strict=True)]
    assert all_reduce(given_buffers) == [sums] * len(given_buffers)


@given(buffers(st.floats(-1e9, 1e9)))
def test_floats_end_in_the_same_bits_on_every_rank(given_buffers: list[list[float]]) -> None:
    held = all_reduce(given_buffers)
    assert all([x.hex() for x in map(float, one)] == [x.hex() for x in map(float, held[0])] for one in held)


@given(RANKS, st.integers(0, 20))
def test_no_rank_is_missing_or_counted_twice(world_size: int, length: int) -> None:
    held = all_reduce([[Counter([rank]) for _ in range(length)] for rank in range(world_size)])
    assert held == [[Counter(range(world_size))] * length] * world_size


@given(RANKS)
def test_after_the_first_half_each_chunk_is_whole_on_one_rank(world_size: int) -> None:
    held: dict[tuple[int, int], tuple[int, ...]] = {
        (rank, chunk): (rank,) for rank in range(world_size) for chunk in range(world_size)
    }
    for at_once in moves(world_size):
        if at_once[0].phase == "reduce-scatter":
            sent = [held[move.sender, move.chunk] for move in at_once]
            for move, ranks in zip(at_once, sent, strict=True):
                held[move.receiver, move.chunk] += ranks
    whole = [chunk for (_, chunk), ranks in held.items() if sorted(ranks) == list(range(world_size))]
    assert sorted(whole) == list(range(world_size))


@given(RANKS, st.integers(0, 1000))
def test_the_bytes_sent(world_size: int, parts: int) -> None:
    even = sent_bytes(parts * world_size, world_size)
    assert all(Fraction(sent) == parts * world_size * Fraction(2 * (world_size - 1), world_size) for sent in even)
    assert sum(sent_bytes(parts, world_size)) == 2 * (world_size - 1) * parts


@given(RANKS, st.integers(0, 100))
def test_chunks_cover_the_buffer_evenly(world_size: int, length: int) -> None:
    bounds = chunk_bounds(length, world_size)
    sizes = [after - before for before, after in pairwise(bounds)]
    assert (bounds[0], bounds[-1], len(sizes)) == (0, length, world_size)
    assert max(sizes) - min(sizes) <= 1


@given(st.integers(1, 9), st.integers(1, 10**9), st.floats(1e6, 1e12), st.floats(0, 1e-3))
def test_the_law_is_the_replay_of_the_moves(world_size: int, part: int, rate: float, latency_s: float) -> None:
    size_bytes = part * world_size
    replayed = replay_time_s(size_bytes, [rate] * world_size, [latency_s] * world_size)
    assert replayed == pytest.approx(ring_all_reduce_s(size_bytes, world_size, rate, latency_s), rel=1e-12)


@given(st.integers(2, 9), st.data())
def test_one_slow_hop_paces_the_ring_and_no_other_matters(world_size: int, data: st.DataObject) -> None:
    hops = data.draw(st.lists(st.floats(1e9, 1e10), min_size=world_size, max_size=world_size))
    at = data.draw(st.integers(0, world_size - 1))
    size_bytes = world_size * 1000
    healthy = replay_time_s(size_bytes, hops)
    slowed = [*hops[:at], hops[at] / 2, *hops[at + 1 :]]
    assert replay_time_s(size_bytes, slowed) >= healthy
    if slowed[at] >= min(hops):
        assert replay_time_s(size_bytes, slowed) == healthy


def test_the_factor_is_nearly_two_whatever_the_size() -> None:
    assert bus_factor(1) == 0
    assert bus_factor(8) == 1.75
    assert 1.99 < bus_factor(8000) < 2


@pytest.mark.parametrize("buffers_given", [[], [[1], [1, 2]]])
def test_what_is_no_ring_is_refused(buffers_given: list[list[int]]) -> None:
    with pytest.raises(BadValue):
        all_reduce(buffers_given)


@pytest.mark.parametrize("rates", [[], [0.0], [float("nan")]])
def test_hops_without_a_rate_are_refused(rates: list[float]) -> None:
    with pytest.raises(BadValue):
        replay_time_s(8, rates)
    with pytest.raises(BadValue):
        bus_factor(len(rates) - len(rates))
