"""Clauses: the grammar of claims and goals, and the words of what is missing."""

import pytest

from paceline.errors import BadValue
from paceline.lesson import Clause, judge_all

READINGS = {"time_left_s": (680_832.0, "7.88 days"), "mfu": (0.416, "42%"), "steps": (2.0, "2")}
JOURNAL = [{"name": "job", "state": "started"}]


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("time_left_s > 7 days", True),
        ("mfu < 50%", True),
        ("mfu >= 50%", False),
        ("steps == 2", True),
        ("event job state=started", True),
        ("event job state=paused", False),
    ],
)
def test_a_clause_is_judged(text: str, met: bool) -> None:
    assert Clause.parse(text).judge(READINGS, JOURNAL).met is met


def test_the_first_unmet_clause_is_said() -> None:
    clauses = [Clause.parse(text) for text in ("event job state=started", "steps >= 3", "event job state=paused")]
    assert judge_all(clauses, READINGS, JOURNAL)[1] == "steps 2: needs at least 3"


@pytest.mark.parametrize("text", ["", "mfu", "mfu ~ 3", "mfu < lots", "event", "event job state"])
def test_what_is_no_clause_is_refused(text: str) -> None:
    with pytest.raises(BadValue):
        Clause.parse(text)
