"""A job that does not fit, sharding, marks, and what a run is compared with."""

from typing import Any

import pytest

from paceline.pod import TrainingJob, replay
from paceline.step import Settings, simulate
from paceline.workload import memory_bill

BIG = {"act": "set", "knob": "model_size", "value": 2}
SHARDED = {"act": "set", "knob": "sharding", "value": 3}
START = {"act": "start"}


def job(*actions: dict[str, Any], **settings: Any) -> TrainingJob:
    world = replay("job", Settings(**settings), 0, actions)
    assert isinstance(world, TrainingJob)
    return world


def test_a_job_that_does_not_fit_fails_and_trains_nothing() -> None:
    world = job(BIG, START, {"act": "advance", "microseconds": 10**9}, gpus=1)
    assert (world.state, world.failures, world.steps_done) == ("failed", 1, 0)
    assert world.readings()["free_bytes"].value < 0


def test_more_gpus_do_not_make_it_fit_and_sharding_does() -> None:
    assert job(BIG, START, gpus=32).state == "failed"
    world = job(BIG, START, SHARDED, START, {"act": "advance", "microseconds": 10**7}, gpus=32)
    assert world.state == "running" and world.trained_parameters > 6 * 10**9
    assert "memory alone" in world.note


def test_a_running_job_stands_still_while_it_does_not_fit() -> None:
    world = job(START, BIG, gpus=1)
    assert world.state == "failed"
    world.do({"act": "set", "knob": "model_size", "value": 0})
    assert world.state == "running"


def test_the_readings_are_those_of_the_neighbouring_runs() -> None:
    found = job(gpus=8, global_batch=32).readings()
    on = simulate(Settings(gpus=8, global_batch=32).scenario())
    off = simulate(Settings(gpus=8, global_batch=32, overlap=False).scenario())
    assert found["overlap_worth"].value == pytest.approx(off.step_s / on.step_s - 1)
    assert found["exposed_ratio"].value >= 1
    assert found["slowdown"].value == 1
    hot = job({"act": "set", "knob": "clock_percent", "value": 70}).readings()
    assert hot["slowdown"].value == pytest.approx(1.39, abs=0.01)


def test_a_batch_is_just_covered_at_one_place() -> None:
    covering = [
        batch
        for batch in range(32, 257, 32)
        if job({"act": "set", "knob": "global_batch", "value": batch}).readings()["just_covers"].value
    ]
    assert covering == [64]


def test_marks_are_judged_by_the_sweep() -> None:
    go = {"act": "set", "knob": "world_size", "value": 128}
    world = job(go, {"act": "mark_exposed"}, {"act": "mark_end"})
    found = world.readings()
    assert (found["marked_exposed_right"].value, found["marked_end_right"].value) == (1, 0)


def test_the_sixteen_bytes() -> None:
    world = job(BIG, gpus=1)
    parameters = world.readings()["model_parameters"].value
    assert world.readings()["state_bytes"].value == 16 * parameters
    assert world.bill == memory_bill(world.run.scenario.job.model, micro_batch=8, seq_len=1024)
