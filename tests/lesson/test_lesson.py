"""The lesson's files: claims hold, each step is solved by its solution and by nothing else, wrong options are wrong."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from paceline.errors import BadFile, BadValue, DoesNotDivide
from paceline.lesson import TIERS, Step, answer_of, judge_all, load_lesson, predict
from paceline.lesson.loader import LESSONS
from paceline.pod import KNOBS

LESSON = load_lesson()
STEPS = pytest.mark.parametrize("step", LESSON.steps, ids=lambda step: step.id)


def solution(step: Step) -> tuple[Any, ...]:
    return tuple(action for deed in step.solution for action in deed.actions)


def test_the_outline() -> None:
    assert len(LESSON.titles) == 23 and len(LESSON.parts) == 8 and LESSON.minutes == 32
    assert [title.number for title in LESSON.titles] == list(range(1, 24))
    assert len({title.id for title in LESSON.titles}) == 23
    for title in LESSON.titles:
        assert len(title.takeaway) <= 200 and len(title.short) <= 27, title.id


@STEPS
def test_claims_hold(step: Step) -> None:
    assert judge_all(step.claims, step.open())[1] == ""


@STEPS
def test_no_start_is_solved_and_the_solution_solves(step: Step) -> None:
    for seed in (0, 1, 4_000_000_000):
        start, end = step.open(seed), step.replay(seed, solution(step))
        clauses = [goal.clause for goal in step.goals]
        assert not any(verdict.met for verdict in judge_all(clauses, start)[0])
        assert judge_all(clauses, end)[1] == ""
        # Each goal needs its part of the way: one action fewer and something is missing.
        assert judge_all(clauses, step.replay(seed, solution(step)[:-1]))[1] != ""


@STEPS
def test_predictions(step: Step) -> None:
    assert step.questions or step.head.title.startswith("Drill")
    for question in step.questions:
        if question.options:
            right = answer_of(step, question)
            for index in range(len(question.options)):
                outcome = predict(step, question, str(index))
                assert outcome.right is (index == right) and outcome.words
            continue
        outcomes = [predict(step, question, stop) for stop in question.stops]
        assert [each.you_at for each in outcomes] == sorted({each.you_at for each in outcomes})
        assert 0 < outcomes[0].run_at < 1000, "the answer lies on the scale, not at its end"
        assert not outcomes[0].right and not outcomes[-1].right


@STEPS
def test_the_words(step: Step) -> None:
    for name in ("Opening", "Do", "Watch", "Why"):
        assert step.sections[name].paragraphs, name
    words = " ".join(step.sections[name].fill(step.open()) for name in ("Opening", "Do", "Watch", "Why"))
    assert 80 <= len(re.findall(r"\S+", words)) <= 190, "about 100 words, formulas counted"


@STEPS
def test_hints_and_goals_speak_in_every_state(step: Step) -> None:
    actions = solution(step)
    for count in range(len(actions) + 1):
        world = step.replay(0, actions[:count])
        for tier in TIERS:
            assert step.hint(tier, world)
        assert all(goal.missing.fill(world) for goal in step.goals)
    nudges = {step.hint("Nudge", step.replay(0, actions[:count])) for count in range(len(actions) + 1)}
    assert len(nudges) > 1, "a nudge reacts to what was done"


@STEPS
def test_every_end_of_a_knob_is_a_world(step: Step) -> None:
    for name in step.knobs:
        for value in {KNOBS[name].lowest, KNOBS[name].highest, *KNOBS[name].stops}:
            try:
                assert step.open().what_if([(name, value)])
            except (BadValue, DoesNotDivide) as error:
                assert error.instead


@STEPS
def test_what_is_to_be_tried_can_be(step: Step) -> None:
    refused = []
    for deed in (*step.tries, *step.buttons):
        try:
            step.replay(0, deed.actions)
        except Exception as error:
            refused.append(str(error))
    assert all(re.search("256 = 3 x 85|no more GPUs than sequences|3 does not divide 8", each) for each in refused)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("5.95", "5.95", ""),
        ("The work is fixed", "The 8 works are fixed", "bare '8'"),
        ("{token_budget}", "{token_budgte}", "no figure 'token_budgte'"),
        ('watched = "time_left_s"', 'watched = "luck"', "no meter 'luck'"),
        ('clause = "steps_done >= 3"', 'clause = "steps_done about 3"', "steps_done about 3"),
        ('world = "job"', 'wurld = "job"', "Did you mean 'world'"),
        ("## Why", "## Because", "no section 'Because'"),
        ("[MFU](term)", "[luck](term)", "no 'luck'"),
    ],
)
def test_a_writer_is_told_file_and_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    copy = tmp_path / "lesson"
    shutil.copytree(LESSONS / "data-parallel", copy)
    path = copy / "steps" / "01-one-gpu" / "01-eight-days.md"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    if not says:
        assert load_lesson(copy).steps[0].id == "eight-days"
        return
    with pytest.raises(BadFile, match=r"01-eight-days\.md:\d+") as refused:
        load_lesson(copy)
    assert says in str(refused.value)
