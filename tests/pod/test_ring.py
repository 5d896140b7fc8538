"""The ring's world: what its picture and its meters say is what the moves do."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.collective import chunk_bounds, replay_time_s, ring_chunks
from paceline.errors import BadInput
from paceline.lesson import load_lesson
from paceline.pod import Ring, replay

SETTINGS = load_lesson().step("ring").settings


def ring(*actions: dict[str, Any]) -> Ring:
    world = replay("ring", SETTINGS, 0, actions)
    assert isinstance(world, Ring)
    return world


def ranks(value: int) -> dict[str, Any]:
    return {"act": "set", "knob": "ranks", "value": value}


@given(st.integers(2, 8), st.data())
def test_sent_is_counted_in_moves(size: int, data: st.DataObject) -> None:
    move = data.draw(st.integers(0, 2 * (size - 1) - 1))
    found = ring(ranks(size), {"act": "go", "move": move}).readings()
    assert found["sent_so_far"].value == move / size
    assert ring(ranks(size), {"act": "finish"}).readings()["sent_so_far"].value == found["sent_total"].value


@given(st.integers(2, 8), st.integers(5, 100))
def test_time_is_that_of_the_moves_over_the_slowest_link(size: int, percent: int) -> None:
    world = ring(ranks(size), {"act": "set", "knob": "link_percent", "value": percent})
    found = world.readings()
    rates = [found["link_bytes_per_s"].value] * size
    rates[world.slow_sender] = found["slowest_bytes_per_s"].value
    # Whole chunks: the law knows no remainders.
    buffer = int(found["buffer_bytes"].value) // size * size
    assert len(chunk_bounds(buffer, size)) == size + 1
    assert found["ring_time_s"].value == pytest.approx(replay_time_s(buffer, rates), rel=1e-6)


def test_every_chunk_is_complete_at_the_end_and_not_before() -> None:
    for size in range(2, 9):
        assert ring(ranks(size), {"act": "finish"}).readings()["complete_chunks"].value == size * size
        last = {"act": "go", "move": 2 * (size - 1) - 1}
        assert ring(ranks(size), last).readings()["complete_chunks"].value < size * size


def test_a_ring_of_ones_own() -> None:
    right = [list(row) for row in ring_chunks(4)]
    world = ring(ranks(4), {"act": "chunks", "chunks": right}, {"act": "finish"})
    assert world.is_right and world.journal[-1]["state"] == "complete"
    wrong = [list(range(4)) for _ in range(6)]
    world = ring(ranks(4), {"act": "chunks", "chunks": wrong}, {"act": "finish"})
    assert not world.is_right and world.journal[-1]["state"] == "wrong"


def test_what_is_sent_twice_is_counted_twice() -> None:
    # GPU 0 sends chunk 0 in both moves of the reduce-scatter of three, so GPU 1 adds it twice.
    chunks = [[0, 1, 2], [0, 0, 1], [1, 2, 0], [0, 1, 2]]
    world = ring(ranks(3), {"act": "chunks", "chunks": chunks}, {"act": "go", "move": 2})
    assert world.cells[0][1].counts == (2, 1, 0)


@pytest.mark.parametrize(
    "chunks", ["no", [[0]], [[0, 1], [0, 2]], [[0, 1], [0, -1]], [[0, True], [0, 1]], [[0, 1]] * 3, [0, 1]]
)
def test_what_is_no_table_of_chunks_is_refused(chunks: Any) -> None:
    with pytest.raises(BadInput):
        ring(ranks(2), {"act": "chunks", "chunks": chunks})


@pytest.mark.parametrize("move", [-1, 14, 10**9])
def test_a_move_that_is_none_is_refused(move: int) -> None:
    with pytest.raises(BadInput):
        ring({"act": "go", "move": move})
