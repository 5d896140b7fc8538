"""Drills: fresh numbers by seed, truth by the law, a tolerance, and refusals that do not count."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.collective import bus_factor
from paceline.errors import BadInput
from paceline.pod import Drill, replay
from paceline.pod.drill import ROUNDS, task_of
from paceline.step import Settings

UNITS = {"GB": 1e9, "ms": 1e-3, "GB/s": 1e9}


def drill(*texts: str, seed: int = 0) -> Drill:
    actions: list[dict[str, Any]] = [{"act": "answer", "text": text} for text in texts]
    world = replay("drill", Settings(), seed, actions)
    assert isinstance(world, Drill)
    return world


@given(st.integers(0, 2**32 - 1), st.integers(0, 50))
def test_the_three_kinds_agree(seed: int, number: int) -> None:
    size, time, busbw = (task_of(seed, number, kind) for kind in range(3))
    givens = dict(time.givens)
    assert time.givens[:3] == size.givens[:3] == busbw.givens[:3]
    moved = size.truth * bus_factor(int(givens["GPUs"]))
    assert time.truth * busbw.truth == pytest.approx(moved, rel=0.01)
    assert size.working[0] in time.working and time.truth_text in time.working[-1]


@given(st.integers(0, 2**32 - 1), st.floats(0.5, 2))
def test_right_is_within_a_twentieth(seed: int, factor: float) -> None:
    task = drill(seed=seed).task
    world = drill(f"{factor * task.truth / UNITS[task.unit]:.9f}", seed=seed)
    if abs(factor - 0.95) > 1e-6 and abs(factor - 1.05) > 1e-6:
        assert world.past[0].met is (0.95 < factor < 1.05)
    assert world.right == world.past[0].met


def test_numbers_are_fresh_and_the_same_again() -> None:
    assert len({drill(seed=seed).task for seed in range(20)}) > 10
    assert drill(seed=7).task == drill(seed=7).task
    assert drill("1", seed=7).task != drill(seed=7).task


@pytest.mark.parametrize("text", ["", "lots", "3 s", "-1", "0", "1e400", "7,9", "3,12", "1e300", "9" * 60])
def test_what_is_no_answer_counts_for_nothing(text: str) -> None:
    with pytest.raises(BadInput):
        drill(text)


def test_filled_in_answers_end_it() -> None:
    world = replay("drill", Settings(), 3, [{"act": "reveal"}] * ROUNDS)
    assert isinstance(world, Drill) and world.is_over and world.state == "done"
    world.do({"act": "reveal"})
    assert world.right == ROUNDS + 1
