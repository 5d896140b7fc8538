import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.errors import BadInput, BadValue, DoesNotDivide, UnknownName
from paceline.workload import Job, find_model

XL = find_model("gpt2-xl")


@pytest.mark.parametrize(("world_size", "accumulation_steps"), [(1, 32), (8, 4), (32, 1)])
def test_the_running_example(world_size: int, accumulation_steps: int) -> None:
    job = Job.of(XL, 256, world_size)
    assert (job.micro_batch, job.accumulation_steps) == (8, accumulation_steps)
    assert job.tokens_per_step == 262_144
    assert job.tokens_per_micro_step == 8192
    assert job.gradient_bytes == 3_115_222_400


@given(st.integers(1, 10**6), st.integers(1, 2000), st.integers(1, 64))
def test_a_job_splits_its_batch_exactly_or_says_what_would(batch: int, world_size: int, cap: int) -> None:
    try:
        job = Job.of(XL, batch, world_size, cap)
    except DoesNotDivide as refusal:
        assert batch % world_size
        assert refusal.instead.startswith("Try ")
        return
    assert job.micro_batch * job.accumulation_steps * job.world_size == batch
    assert job.micro_batch <= cap
    share = batch // world_size
    assert all(share % size for size in range(job.micro_batch + 1, min(cap, share) + 1))
    assert job.on(1, cap).global_batch == batch


@pytest.mark.parametrize(
    ("batch", "world_size", "message"),
    [
        (
            256,
            48,
            "global batch 256: it does not split over 48 GPUs: 256 = 48 x 5 + 16. "
            "Try 32 or 64 GPUs, or a global batch of 240 or 288.",
        ),
        (
            256,
            512,
            "global batch 256 on 512 GPUs: a sequence goes to one GPU whole, so there can be no more GPUs "
            "than sequences. Try 256 GPUs or fewer, or a global batch of 512.",
        ),
        (1, 2, "Try 1 GPU or fewer, or a global batch of 2."),
        (7, 2, "Try 1 or 7 GPUs, or a global batch of 6 or 8."),
        (0, 1, "global-batch 0: it is a whole number from 1 to 1,000,000,000."),
        (256, -8, "world-size -8"),
        (10**40, 8, "global-batch as given"),
    ],
)
def test_what_does_not_split_is_refused_with_the_sum(batch: int, world_size: int, message: str) -> None:
    with pytest.raises(BadInput) as refusal:
        Job.of(XL, batch, world_size)
    assert message in str(refusal.value)


def test_a_split_that_does_not_multiply_is_refused() -> None:
    with pytest.raises(DoesNotDivide, match="micro-batch 8 x accumulation 2 x 8 GPUs = 128"):
        Job(XL, 256, 8, 2, 8, 1024)


def test_sequences_end_with_the_context() -> None:
    assert Job.of(XL, 256, 8, seq_len=512).tokens_per_step == 131_072
    with pytest.raises(BadValue, match="GPT-2 XL has positions for 1,024"):
        Job.of(XL, 256, 8, seq_len=2048)


def test_unknown_words_are_refused() -> None:
    with pytest.raises(UnknownName):
        Job.of(XL, 256, 8, precision="int4")
    with pytest.raises(UnknownName):
        Job.of(XL, 256, 8, optimizer="lion")
    with pytest.raises(BadValue, match="bucket"):
        Job.of(XL, 256, 8, bucket_cap_bytes=0)


def test_absurd_numbers_answer_at_once() -> None:
    assert Job.of(XL, 999_999_937, 1, 10**9 - 64).micro_batch == 1
    with pytest.raises(DoesNotDivide):
        Job.of(XL, 10**9, 999_999_937)
