"""Dials: a knob reads back what it was put to, and the three factors of a batch stay a product."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.pod.dial import DIALS, Factors, turn_factor
from paceline.pod.knob import KNOBS
from paceline.step import Settings


@pytest.mark.parametrize("name", sorted(DIALS))
def test_a_dial_reads_what_it_was_put_to(name: str) -> None:
    knob = KNOBS[name]
    for value in knob.stops or range(knob.lowest, min(knob.highest, knob.lowest + 4) + 1):
        assert DIALS[name].get(DIALS[name].put(Settings(), value)) == value


@given(st.sampled_from(["micro_batch", "accumulation", "world_size"]), st.integers(1, 64), st.booleans())
def test_the_batch_is_the_product_of_its_factors(name: str, value: int, held: bool) -> None:
    try:
        settings = turn_factor(Settings(global_batch=192, gpus=8), name, value, held)
        factors = Factors.of(settings)
    except BadInput as error:
        assert error.instead
        return
    assert factors.micro_batch * factors.accumulation * factors.world_size == settings.global_batch
    assert getattr(factors, name) == value
    assert settings.global_batch == 192 or not held


def test_a_batch_that_follows_stays_within_reason() -> None:
    with pytest.raises(BadInput, match="at most 65,536"):
        turn_factor(Settings(global_batch=65536, gpus=64), "world_size", 1024, held=False)


def test_one_clock_is_turned_and_other_faults_stay() -> None:
    settings = Settings(faults=("bad-cable@dgx-1:0",))
    hot = DIALS["clock_percent"].put(settings, 70)
    assert hot.faults == ("bad-cable@dgx-1:0", "slow-gpu@dgx-2:5=0.7")
    assert DIALS["clock_percent"].put(hot, 100) == settings
