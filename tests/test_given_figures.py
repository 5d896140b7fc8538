"""The figures the project was given to reproduce, as a person reads them."""

from dataclasses import replace
from typing import Any

import pytest

from paceline.figures import figure
from paceline.step import Run, Settings, simulate


def run_of(**changes: Any) -> Run:
    return simulate(replace(Settings(), **changes).scenario())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("step_s", "5.95 s"),
        ("tokens_per_s", "44,048"),
        ("mfu", "42%"),
        ("memory_bytes", "29 GB"),
        ("time_to_train_s", "7.88 days"),
        ("gradient_bytes", "3.115 GB"),
        ("parameters", "1,557,611,200"),
        ("tokens_per_step", "262,144"),
    ],
)
def test_one_h100(name: str, text: str) -> None:
    assert figure(run_of(gpus=1), name).text == text


def test_thirty_two_gpus_take_six_hours() -> None:
    run = run_of()
    hours = float(figure(run, "time_to_train_s").value) / 3600
    assert round(hours, 1) <= 6.5
    assert run.efficiency > 0.9
    assert run.largest_loss.name == "optimizer"
    assert 0.2 <= run.step_s <= 0.206


@pytest.mark.parametrize("gpus", [1, 8, 32])
def test_memory_stays_what_it_is(gpus: int) -> None:
    assert figure(run_of(gpus=gpus), "memory_bytes").text == "29 GB"


@pytest.mark.parametrize(("batch", "low", "high"), [(32, 0.41, 0.51), (64, 0.70, 0.74), (96, 0.78, 0.82)])
def test_small_batches_on_thirty_two_gpus(batch: int, low: float, high: float) -> None:
    assert low <= run_of(global_batch=batch).efficiency <= high


def test_a_hot_gpu_slows_all_by_about_its_clock() -> None:
    assert 1.35 <= run_of(faults=("slow-gpu@2:5=0.7",)).step_s / run_of().step_s <= 1.43


def test_slack_hides_most_of_a_bad_cable_until_it_does_not() -> None:
    slower = [run_of(faults=(f"bad-cable@3:5={share}",)).step_s / run_of().step_s for share in (0.25, 0.125, 0.1)]
    assert 1.01 < slower[0] < 1.05 < slower[1] < 1.12 < slower[2] < 1.28
    small = run_of(global_batch=64, faults=("bad-cable@3:5=0.25",)).step_s / run_of(global_batch=64).step_s
    assert small > 1.5


def test_one_nic_a_server_loses_half_at_sixty_four() -> None:
    assert run_of(gpus=64, nics=1).efficiency < 0.5
