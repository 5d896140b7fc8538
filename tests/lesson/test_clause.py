"""Clauses: the grammar of claims and goals, and the words of what is missing."""

import pytest

from paceline.errors import BadValue
from paceline.lesson import Clause, judge_all, load_lesson

WORLD = load_lesson().step("eight-days").replay(0, ({"act": "start"}, {"act": "advance", "microseconds": 12_000_000}))


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("time_left_s > 7 days", True),
        ("mfu < 50%", True),
        ("mfu >= 50%", False),
        ("steps_done == 2", True),
        ("speedup > 0.99", True),
        ("step_s @ gpus=8 < 0.8 s", True),
        ("step_s @ gpus=8 global_batch=128 < 0.4 s", True),
        ("step_s @ gpus=8 global_batch=512 < 0.8 s", False),
        ("event job state=started", True),
        ("event job state=paused", False),
    ],
)
def test_a_clause_is_judged(text: str, met: bool) -> None:
    assert Clause.parse(text).judge(WORLD).met is met


def test_the_first_unmet_clause_is_said() -> None:
    clauses = [Clause.parse(text) for text in ("event job state=started", "steps_done >= 3", "event job state=paused")]
    assert judge_all(clauses, WORLD)[1] == "Steps done 2, needs at least 3"


@pytest.mark.parametrize("text", ["", "mfu", "mfu ~ 3", "mfu < lots", "event", "event job state", "mfu @ gpus < 3"])
def test_what_is_no_clause_is_refused(text: str) -> None:
    with pytest.raises(BadValue):
        Clause.parse(text)
