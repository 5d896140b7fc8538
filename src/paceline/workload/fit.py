"""Fitting: whether a job's bill fits one GPU, the largest micro-batch that does, what would make it fit."""

from dataclasses import dataclass, replace

from paceline.errors import DoesNotFit
from paceline.units import show_count, show_gigabytes, show_large_count
from paceline.workload.job import Job
from paceline.workload.memory import Bill, memory_bill
from paceline.workload.split import largest_divisor

LARGEST_MICRO_BATCH = 2**20


@dataclass(frozen=True, slots=True)
class Way:
    """A change to a job and the bill it leads to."""

    name: str
    job: Job
    bill: Bill
    fits: bool


def largest_micro_batch(job: Job, memory_bytes: int) -> int:
    """The most sequences at a time whose bill fits in `memory_bytes`; 0 when not even one does."""
    below, above = 0, LARGEST_MICRO_BATCH + 1
    while above - below > 1:
        middle = (below + above) // 2
        if _bytes_with(job, middle) <= memory_bytes:
            below = middle
        else:
            above = middle
    return below


def ways_to_fit(job: Job, memory_bytes: int) -> tuple[Way, ...]:
    """What plain data parallelism can change, mildest first; a bucket view stays in the ways after it.

    The last way is all of them; when even that does not fit, the model needs sharding.
    """
    ways: list[Way] = []
    current = job
    if not current.gradient_as_bucket_view and current.world_size > 1:
        current = replace(current, gradient_as_bucket_view=True)
        ways.append(_way("gradient_as_bucket_view", current, memory_bytes))
    smaller = largest_micro_batch(current, memory_bytes)
    share = job.micro_batch * job.accumulation_steps
    can_shrink = job.micro_batch > 1
    if can_shrink:
        size = largest_divisor(share, max(1, min(smaller, job.micro_batch - 1)))
        split = replace(current, micro_batch=size, accumulation_steps=share // size)
        ways.append(_way(f"micro-batch {show_count(size)}", split, memory_bytes))
    if not current.checkpointing:
        current = replace(current, checkpointing=True)
        ways.append(_way("activation checkpointing", current, memory_bytes))
        if can_shrink:
            split = replace(current, micro_batch=1, accumulation_steps=share)
            ways.append(_way("activation checkpointing and micro-batch 1", split, memory_bytes))
    return tuple(ways)


def sharded_bytes(job: Job) -> int:
    """Bytes a GPU would hold with weights, gradients and optimizer state divided over all ranks, as by FSDP.

    Without the layer that is gathered while it runs.
    """
    bill = job.memory_bill()
    return bill.total_bytes - bill.state_bytes + -(-bill.state_bytes // job.world_size)


def check_fits(job: Job, memory_bytes: int) -> Bill:
    """The bill of a job that fits in `memory_bytes`, or a refusal with the sum and what would fit."""
    bill = job.memory_bill()
    if bill.total_bytes <= memory_bytes:
        return bill
    fitting = [way.name for way in ways_to_fit(job, memory_bytes) if way.fits]
    if fitting:
        instead = f"What would fit: {'; '.join(fitting)}."
    else:
        instead = (
            "Data parallelism divides the work, never the memory: more GPUs do not help. Shard the model "
            "(ZeRO or FSDP) or take a GPU with more memory."
        )
    raise DoesNotFit(
        f"{job.model.title}, {show_large_count(job.model.parameters)} parameters",
        f"a GPU of {show_gigabytes(memory_bytes)} would have to hold {show_gigabytes(bill.total_bytes)}, "
        f"of which {show_gigabytes(bill.state_bytes)} are weights, gradients and optimizer state",
        instead,
    )


def _way(name: str, job: Job, memory_bytes: int) -> Way:
    bill = job.memory_bill()
    return Way(name, job, bill, bill.total_bytes <= memory_bytes)


def _bytes_with(job: Job, micro_batch: int) -> int:
    return memory_bill(
        job.model,
        micro_batch=micro_batch,
        seq_len=job.seq_len,
        precision=job.precision,
        optimizer=job.optimizer,
        checkpointing=job.checkpointing,
        gradient_as_bucket_view=job.gradient_as_bucket_view,
        world_size=job.world_size,
    ).total_bytes
