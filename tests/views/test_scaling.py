"""Scaling: shares add up, the axis is N's, and what is marked is the sweep's."""

from typing import Any

import pytest

from paceline.pod import TrainingJob, replay
from paceline.scaling import sweep
from paceline.step import Settings
from paceline.views.scaling import scaling
from paceline.views.scaling import sweep as as_far_as_here


def job(*actions: dict[str, Any], **settings: Any) -> TrainingJob:
    world = replay("job", Settings(**settings), 0, actions)
    assert isinstance(world, TrainingJob)
    return world


@pytest.mark.parametrize(
    "settings", [{}, {"nics": 1}, {"global_batch": 32}, {"global_batch": 1024}, {"gpus": 48, "global_batch": 192}]
)
def test_the_three_panels(settings: dict[str, Any]) -> None:
    view = scaling(job(**settings))
    points = view["points"]
    assert [point["n"] for point in points] == sorted({point["n"] for point in points})
    assert points[0]["x"] == 0 and all(0 <= point["x"] <= 1000 for point in points)
    assert [point["here"] for point in points].count(True) == 1
    for point in points:
        assert sum(share["share"] for share in point["shares"]) == pytest.approx(1000, abs=1)
        assert 0 <= point["throughput"] <= point["ideal"] + 1 and point["ideal"] <= 1000
    assert all(0 <= tick["at"] <= 1000 for tick in view["throughput_ticks"])


def test_where_things_change_is_where_the_sweep_says() -> None:
    view, found = scaling(job()), sweep(Settings(gpus=1).scenario())
    assert view["exposed_from"]["text"] == f"{found.exposed_from} GPUs"
    assert view["knee"]["text"] == "64 GPUs" and found.last_good == 32
    assert view["cap"]["text"] == "256 sequences" and view["points"][-1]["n"] == 256


def test_as_far_as_the_learner_went() -> None:
    view = as_far_as_here(job())
    assert view["points"][-1]["n"] == 32 and view["exposed_from"] is None and view["cap"] is None
    there = as_far_as_here(job({"act": "set", "knob": "world_size", "value": 256}))
    assert there["points"] == scaling(job({"act": "set", "knob": "world_size", "value": 256}))["points"]
    assert there["cap"]["text"] == "256 sequences"


def test_marks_are_drawn() -> None:
    view = scaling(job({"act": "set", "knob": "world_size", "value": 128}, {"act": "mark_exposed"}))
    assert [mark["text"] for mark in view["marks"]] == ["128"]
