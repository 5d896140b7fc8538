"""The lesson's files: they load, their claims hold, and no step starts solved."""

from paceline.figures import figures
from paceline.lesson import judge_all, load_lesson
from paceline.step import simulate


def test_claims_hold() -> None:
    for step in load_lesson().steps:
        run = simulate(step.settings.scenario())
        readings = {name: (float(each.value), each.text) for name, each in figures(run).items()}
        assert judge_all(step.claims, readings, [])[1] == "", step.id


def test_every_step_has_its_parts() -> None:
    for step in load_lesson().steps:
        assert len(step.hints) == 3
        assert step.goals and step.prose.holes
        assert len(step.takeaway) <= 200 and len(step.short) <= 27
