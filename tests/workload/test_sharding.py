"""Sharding: each stage divides what its paper says, and nothing else."""

import pytest

from paceline.errors import BadValue
from paceline.workload import Job, divided_lines, find_model, sharded_bill, sharded_bytes

JOB = Job.of(find_model("llama-2-7b"), 256, 32, 8, seq_len=1024)
PSI = JOB.model.parameters


def test_the_first_figure_of_the_zero_paper() -> None:
    states = [sharded_bill(JOB, stage).state_bytes / PSI for stage in range(4)]
    # Rajbhandari et al. 2020, figure 1, with K = 12 and N ranks: 4 + K, 4 + K/N, 2 + (2 + K)/N, (4 + K)/N bytes each.
    assert states == pytest.approx([16, 4 + 12 / 32, 2 + 14 / 32, 16 / 32], rel=1e-6)


def test_one_rank_has_nothing_to_divide() -> None:
    alone = JOB.on(1, 8)
    assert all(sharded_bill(alone, stage) == alone.memory_bill() for stage in range(4))


def test_what_is_gathered_is_counted() -> None:
    gathered = sharded_bill(JOB, 3).line("gathered weights")
    assert gathered is not None
    assert sharded_bill(JOB, 3).total_bytes - gathered.bytes == pytest.approx(sharded_bytes(JOB), abs=100)


@pytest.mark.parametrize("stage", [-1, 4])
def test_there_is_no_other_stage(stage: int) -> None:
    with pytest.raises(BadValue):
        divided_lines(stage)
