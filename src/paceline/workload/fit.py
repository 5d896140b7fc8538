"""Fitting: whether a job's bill fits one GPU, the largest micro-batch that does, and what would make it fit."""

from dataclasses import dataclass, replace

from paceline.errors import DoesNotFit
from paceline.units import show_gigabytes, show_large_count
from paceline.workload.job import Job
from paceline.workload.memory import Bill, memory_bill

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
    """What plain data parallelism can change, mildest first, each added to those before it.

    The last way is all of them; when even that does not fit, the model needs sharding.
    """
    ways: list[Way] = []
    current = job
    if not current.gradient_as_bucket_view and current.world_size > 1:
        current = replace(current, gradient_as_bucket_view=True)
        ways.append(_way("gradient_as_bucket_view", current, memory_bytes))
    smaller = largest_micro_batch(current, memory_bytes)
    share = job.micro_batch * job.accumulation_steps
    divisors = [size for size in range(1, current.micro_batch) if share % size == 0]
    fitting = [size for size in divisors if size <= smaller] or divisors[:1]
    if fitting:
        split = replace(current, micro_batch=fitting[-1], accumulation_steps=share // fitting[-1])
        ways.append(_way(f"micro-batch {fitting[-1]}", split, memory_bytes))
    if not current.checkpointing:
        current = replace(current, checkpointing=True)
        ways.append(_way("activation checkpointing", current, memory_bytes))
        if fitting:
            split = replace(current, micro_batch=1, accumulation_steps=share)
            ways.append(_way("activation checkpointing and micro-batch 1", split, memory_bytes))
    return tuple(ways)


def sharded_bytes(job: Job) -> int:
    """Bytes a GPU would hold if weights, gradients and optimizer state were divided over all ranks, as FSDP does.

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
            "Data parallelism divides the work, never the memory: more GPUs do not help. Shard the model (ZeRO or "
            "FSDP) or take a GPU with more memory."
        )
    raise DoesNotFit(
        f"{job.model.title}, {show_large_count(job.model.parameters)} parameters",
        f"a GPU of {show_gigabytes(memory_bytes)} would have to hold {show_gigabytes(bill.total_bytes)}, of which "
        f"{show_gigabytes(bill.state_bytes)} are weights, gradients and optimizer state",
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
