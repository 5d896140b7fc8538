"""Timelines: the picture's lengths are the run's figures, for one rank, for all ranks, for every batch."""

from itertools import pairwise
from typing import Any

import pytest

from paceline.pod import TrainingJob, replay
from paceline.step import Settings
from paceline.views.timeline import ranks, ticks_of, timeline


def job(**settings: Any) -> TrainingJob:
    world = replay("job", Settings(**settings), 0, [])
    assert isinstance(world, TrainingJob)
    return world


def length(span: dict[str, Any]) -> int:
    return int(span["end_us"] - span["start_us"])


@pytest.mark.parametrize("batch", [32, 64, 256])
def test_one_rank(batch: int) -> None:
    world = job(global_batch=batch)
    view, found = timeline(world), world.readings()
    compute = view["compute"]
    assert (compute[0]["start_us"], compute[-1]["end_us"]) == (0, view["length_us"])
    assert all(a["end_us"] == b["start_us"] for a, b in pairwise(compute))
    assert length(view["exposed"]) == pytest.approx(found["exposed_comm_s"].value * 1e6, abs=2)
    assert sum(map(length, view["comm"])) == pytest.approx(found["comm_s"].value * 1e6, abs=100)
    assert view["claim"] == found["exposed_comm_s"].text


def test_one_gpu_has_nobody_to_wait_for() -> None:
    view = timeline(job(gpus=1))
    assert view["comm"] == [] and view["exposed"] is None and view["ladder"] is None


def test_the_ladder_repeats_the_job_at_every_batch() -> None:
    world = job(global_batch=96)
    ladder = timeline(world)["ladder"]
    assert [rung["here"] for rung in ladder["rungs"]].count(True) == 1
    here = next(rung for rung in ladder["rungs"] if rung["here"])
    assert here is ladder["rungs"][0], "smaller batches are for the learner to try"
    assert here["label"] == "96" and here["bars"][-1]["end_us"] == pytest.approx(world.run.step_s * 1e6 / 3, abs=2)
    for rung in ladder["rungs"]:
        assert all(a["end_us"] == b["start_us"] for a, b in pairwise(rung["bars"]))
        assert rung["bars"][-1]["end_us"] <= ladder["length_us"]


def test_all_ranks_end_together_and_one_does_not_wait() -> None:
    world = job(faults=("slow-gpu@dgx-2:5=0.7",))
    view = ranks(world)
    assert len(view["waits"]) == 32
    assert min(view["waits"], key=lambda each: each["height"])["rank"] == 13
    for row in view["rows"]:
        assert row["spans"][-1]["end_us"] == pytest.approx(view["length_us"], abs=2)
        waited = sum(length(span) for span in row["spans"] if span["kind"] in ("wait", "exposed"))
        assert waited == pytest.approx(world.run.waits_s(row["rank"]) * 1e6, abs=3)
        assert bool(row["fault"]) is (row["rank"] == 13)
    assert view["twin"]["rows"][0][0] == "13"


def test_a_healthy_pod_waits_alike() -> None:
    view = ranks(job())
    assert len({each["height"] for each in view["waits"]}) == 1
    assert not any(row["fault"] for row in view["rows"])


@pytest.mark.parametrize("length_us", [1, 999, 54_362, 5_951_000, 12_000_000])
def test_ticks_are_few_and_inside(length_us: int) -> None:
    places = [tick["at_us"] for tick in ticks_of(length_us)]
    assert places[0] == 0 and places[-1] <= length_us and len(places) <= 8
