"""A board follows its heat: cool ones keep their clock, hot ones settle where their cooling lets them, and recover."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.pod.gpu_board import (
    AIR_CELSIUS,
    LARGEST_CLOCK_MHZ,
    POWER_LIMIT_W,
    SLOWDOWN_CELSIUS,
    TICK_US,
    GpuBoard,
    cooling_for,
)


def worked(board: GpuBoard, seconds: int, computing: float = 1.0) -> GpuBoard:
    for _ in range(seconds):
        board.tick(computing)
    return board


@given(st.floats(0.01, 1))
def test_a_cooled_board_keeps_its_clock(computing: float) -> None:
    board = worked(GpuBoard(), 600, computing)
    assert board.clock_mhz == LARGEST_CLOCK_MHZ and not board.slowdown_us
    assert AIR_CELSIUS < board.temperature_celsius < SLOWDOWN_CELSIUS and board.power_w <= POWER_LIMIT_W


@given(st.floats(0.5, 0.95))
def test_a_hot_board_settles_where_its_cooling_lets_it(share: float) -> None:
    board = worked(GpuBoard(cooling=cooling_for(share)), 900)
    clocks = []
    for _ in range(300):
        clocks.append(worked(board, 1).clock_share)
    assert sum(clocks) / len(clocks) == pytest.approx(share, abs=0.06)
    assert board.slowdown_us > 600 * TICK_US
    board.cooling = 1.0
    worked(board, 600)
    assert board.clock_mhz == LARGEST_CLOCK_MHZ
    slowed_us = board.slowdown_us
    assert worked(board, 60).slowdown_us == slowed_us


def test_utilization_says_nothing_of_who_waits() -> None:
    assert worked(GpuBoard(), 5, 0.1).utilization_percent == worked(GpuBoard(), 5, 1.0).utilization_percent == 100
    assert worked(GpuBoard(), 5, 0.0).utilization_percent == 0


@pytest.mark.parametrize("computing", [-0.1, 1.1, float("nan")])
def test_a_share_of_the_time_is_a_share(computing: float) -> None:
    with pytest.raises(BadInput, match="share"):
        GpuBoard().tick(computing)
