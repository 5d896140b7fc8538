from dataclasses import replace

from paceline.scaling import sweep, world_sizes
from paceline.step import Settings


def test_the_lesson_s_job_stops_paying_where_it_says() -> None:
    scaling = sweep(Settings().scenario())
    efficiency = {run.scenario.job.world_size: run.efficiency for run in scaling.runs}
    assert list(efficiency) == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert efficiency[1] == 1
    assert scaling.last_good == 32
    assert efficiency[32] >= 0.9 > efficiency[64]
    assert scaling.cap == 256


def test_only_sizes_that_divide_the_batch_are_visited() -> None:
    assert world_sizes(replace(Settings(), gpus=8, global_batch=24).scenario()) == (1, 2, 4, 8)


def test_faults_stay_where_their_place_exists() -> None:
    broken = replace(Settings(), faults=("slow-gpu@4:5=0.7",)).scenario()
    assert broken.on(32).cluster.conditions
    assert not broken.on(8).cluster.conditions
    assert broken.healthy == Settings().scenario()


def test_a_fault_on_the_sixteenth_nic_stays_in_the_sweep() -> None:
    broken = replace(Settings(), nics=16, nic="edr-100", faults=("bad-cable@1:15=0.5",)).scenario()
    assert broken.on(16).cluster.conditions == broken.cluster.conditions
