import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.collective import MeasuredTable
from paceline.errors import BadValue

TABLE = MeasuredTable(((1000, 20e-6), (2000, 30e-6), (4000, 40e-6)))


@pytest.mark.parametrize(
    ("size_bytes", "time_s", "validated"),
    [(1000, 20e-6, True), (1500, 25e-6, True), (3000, 35e-6, True), (4000, 40e-6, True), (6000, 50e-6, False),
     (500, 15e-6, False), (0, 10e-6, False)],
)  # fmt: skip
def test_straight_lines_between_and_beyond(size_bytes: int, time_s: float, validated: bool) -> None:
    price = TABLE.price(size_bytes, 8)
    assert price.time_s == pytest.approx(time_s)
    assert price.validated is validated
    assert price.busbw_bytes_per_s == price.algbw_bytes_per_s * 1.75


def test_one_rank_costs_nothing() -> None:
    assert TABLE.price(1500, 1).time_s == 0


@given(st.lists(st.floats(1e-6, 1e-3), min_size=2, max_size=8), st.integers(0, 2000), st.integers(0, 2000))
def test_outside_the_table_more_bytes_are_never_faster(times: list[float], one: int, other: int) -> None:
    table = MeasuredTable(tuple((1000 * at, time_s) for at, time_s in enumerate(times, 2)))
    less, more = sorted((one, other))
    last = 1000 * (len(times) + 1)
    assert table.price(less, 8).time_s <= table.price(more, 8).time_s
    assert 0 < table.price(last + less, 8).time_s <= table.price(last + more, 8).time_s


@pytest.mark.parametrize(
    "points", [(), ((8, 1e-6),), ((8, 1e-6), (8, 2e-6)), ((16, 1e-6), (8, 1e-6)), ((8, 0.0), (16, 1e-6)),
               ((8, float("nan")), (16, 1e-6)), ((-1, 1e-6), (8, 1e-6))]
)  # fmt: skip
def test_what_is_no_table_is_refused(points: tuple[tuple[int, float], ...]) -> None:
    with pytest.raises(BadValue):
        MeasuredTable(points)
