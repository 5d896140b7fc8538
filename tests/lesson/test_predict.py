"""Predictions: what people type for a number, and what is refused."""

import pytest

from paceline.errors import BadInput
from paceline.lesson import load_lesson, predict

STEP = load_lesson().step("eight-days")
QUESTION = STEP.questions[0]


@pytest.mark.parametrize("guess", ["8", " 8 ", "8.0", "8 days", "192 h", "8e0", "+8"])
def test_ways_to_say_eight_days(guess: str) -> None:
    outcome = predict(STEP, QUESTION, guess)
    assert (outcome.you, outcome.run, outcome.words, outcome.right) == (
        "8 days",
        "7.88 days",
        "within a tenth",
        True,
    )


def test_shares_are_judged_in_points() -> None:
    step = load_lesson().step("thirty-two-gpus")
    near, far = (predict(step, step.questions[0], guess) for guess in ("95", "100"))
    assert (near.right, near.words) == (True, "within 4 points")
    assert (far.right, far.words) == (False, "too high by 8.2 points")


def test_the_factor_is_said() -> None:
    assert predict(STEP, QUESTION, "2").words == "too low by 3.9 times"
    assert predict(STEP, QUESTION, "79").words == "too high by 10 times"


@pytest.mark.parametrize(
    "guess", ["", "eight", "7,9", "0", "-3", "nan", "inf", "1e400", "8 GB", "9" * 60, "?", "1e9", "0.0001"]
)
def test_what_is_no_prediction_is_refused(guess: str) -> None:
    with pytest.raises(BadInput):
        predict(STEP, QUESTION, guess)


@pytest.mark.parametrize("guess", ["", "3", "-1", "one", "0.5"])
def test_what_is_no_option_is_refused(guess: str) -> None:
    step = load_lesson().step("stay-identical")
    with pytest.raises(BadInput):
        predict(step, step.questions[0], guess)
