import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.errors import DoesNotFit
from paceline.units import GB
from paceline.workload import (
    Job,
    check_fits,
    find_model,
    largest_micro_batch,
    memory_bill,
    sharded_bytes,
    ways_to_fit,
)

XL = find_model("gpt2-xl")
H100_BYTES = 80 * GB


@given(st.sampled_from(["gpt2", "gpt2-xl", "llama-3.2-1b", "llama-2-7b"]), st.booleans(), st.integers(1, 200))
def test_the_largest_micro_batch_fits_and_one_more_does_not(name: str, checkpointing: bool, gigabytes: int) -> None:
    job = Job.of(find_model(name), 64, 8, 1, seq_len=1024, checkpointing=checkpointing)
    size = largest_micro_batch(job, gigabytes * GB)

    def needed(micro_batch: int) -> int:
        return memory_bill(job.model, micro_batch, 1024, checkpointing=checkpointing, world_size=8).total_bytes

    assert size == 0 or needed(size) <= gigabytes * GB
    assert needed(size + 1) > gigabytes * GB


def test_the_running_example_fits() -> None:
    job = Job.of(XL, 256, 32)
    assert check_fits(job, H100_BYTES) == job.memory_bill()


@pytest.mark.parametrize("world_size", [1, 32])
def test_seven_billion_fit_on_no_number_of_gpus(world_size: int) -> None:
    job = Job.of(find_model("llama-2-7b"), 32, world_size, 1, seq_len=1024)
    assert largest_micro_batch(job, H100_BYTES) == 0
    assert not any(way.fits for way in ways_to_fit(job, H100_BYTES))
    with pytest.raises(DoesNotFit) as refusal:
        check_fits(job, H100_BYTES)
    text = str(refusal.value)
    assert "a GPU of 80 GB would have to hold" in text
    assert "108 GB are weights, gradients and optimizer state" in text
    assert "more GPUs do not help" in text
    assert (sharded_bytes(job) <= H100_BYTES) == (world_size > 1)


def test_what_would_fit_is_said() -> None:
    job = Job.of(XL, 512, 8, 64, checkpointing=False, gradient_as_bucket_view=False)
    ways = ways_to_fit(job, H100_BYTES)
    assert [way.name for way in ways] == [
        "gradient_as_bucket_view",
        "micro-batch 16",
        "activation checkpointing",
        "activation checkpointing and micro-batch 1",
    ]
    assert [way.fits for way in ways] == [False, True, True, True]
    assert all(way.job.global_batch == 512 and way.bill == way.job.memory_bill() for way in ways)
    with pytest.raises(DoesNotFit, match="What would fit: micro-batch 16; activation checkpointing"):
        check_fits(job, H100_BYTES)
