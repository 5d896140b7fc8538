from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.collective import all_reduce, bus_factor, moves, ring_all_reduce_s
from paceline.collective.ring import replay_s, sent_elements

RANKS = st.integers(1, 9)


@given(RANKS, st.integers(0, 40), st.data())
def test_sums_are_exact_and_equal_everywhere(ranks: int, length: int, data: st.DataObject) -> None:
    row = st.lists(st.integers(-(10**9), 10**9), min_size=length, max_size=length)
    buffers = data.draw(st.lists(row, min_size=ranks, max_size=ranks))
    sums = [sum(column) for column in zip(*buffers, strict=True)] if length else []
    assert all_reduce(buffers) == [sums] * ranks


@given(st.integers(2, 8), st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=9))
def test_floats_end_in_the_same_bits_on_all_ranks(ranks: int, row: list[float]) -> None:
    result = all_reduce([[value * (rank + 1) / 3 for value in row] for rank in range(ranks)])
    assert all(buffer == result[0] for buffer in result)


@given(RANKS, st.integers(1, 20))
def test_each_rank_is_counted_once(ranks: int, length: int) -> None:
    result = all_reduce([[Counter({rank: 1})] * length for rank in range(ranks)])
    assert all(chunk == Counter(range(ranks)) for buffer in result for chunk in buffer)


@given(st.integers(2, 12), st.integers(1, 30))
def test_bytes_sent(ranks: int, parts: int) -> None:
    assert set(sent_elements(ranks * parts, ranks)) == {2 * (ranks - 1) * parts}
    assert sum(sent_elements(parts, ranks)) == 2 * (ranks - 1) * parts


@given(st.integers(2, 9), st.integers(1, 50), st.integers(1, 10**9))
def test_price_is_the_replay_of_the_moves(ranks: int, parts: int, speed: int) -> None:
    size = ranks * parts
    replayed = replay_s(size, [float(speed)] * ranks, 1e-6)
    assert replayed == pytest.approx(ring_all_reduce_s(size, ranks, speed, 1e-6))


@given(st.integers(2, 8), st.integers(0, 7), st.floats(0.05, 1))
def test_a_slow_hop_never_helps(ranks: int, hop: int, share: float) -> None:
    healthy = [1e9] * ranks
    slow = list(healthy)
    slow[hop % ranks] *= share
    assert replay_s(ranks * 1000, slow) >= replay_s(ranks * 1000, healthy)


def test_moves_and_the_factor() -> None:
    assert len(list(moves(8))) == 14
    assert bus_factor(8) == 1.75
    assert 1.999 < bus_factor(8000) < 2
