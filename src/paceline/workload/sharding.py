"""Sharding: which lines of a memory bill ZeRO and FSDP divide over the ranks; the traffic that costs is not priced."""

from dataclasses import replace

from paceline.errors import BadValue
from paceline.workload.job import Job
from paceline.workload.memory import Bill, Line

DIVIDED: tuple[tuple[str, ...], ...] = (
    (),
    ("master weights", "optimizer state"),
    ("master weights", "optimizer state", "gradients"),
    ("master weights", "optimizer state", "gradients", "weights"),
)
"""Rajbhandari et al. 2020 (arXiv 1910.02054), figure 1: what each stage partitions; FSDP's full shard is the third."""

GATHERED_LAYERS = 2
"""The layer at work and the next one, fetched ahead (torch FSDP, limit_all_gathers; backward_prefetch)."""


def divided_lines(stage: int) -> tuple[str, ...]:
    """The lines that a stage from 0 to 3 divides over the ranks."""
    if not 0 <= stage < len(DIVIDED):
        raise BadValue(f"ZeRO stage {stage}", f"there are {len(DIVIDED) - 1}, and 0 for none")
    return DIVIDED[stage]


def sharded_bill(job: Job, stage: int) -> Bill:
    """The bill of one GPU of `job` with ZeRO's `stage` from 0, which is plain data parallelism, to 3."""
    divided = divided_lines(stage)
    bill = job.memory_bill()
    ranks = job.world_size
    if stage == 0 or ranks == 1:
        return bill
    lines = [
        replace(line, bytes=-(-line.bytes // ranks), how=f"{line.how} / {ranks} ranks")
        if line.name in divided
        else line
        for line in bill.lines
    ]
    if "weights" in divided:
        whole = bill.line("weights")
        assert whole is not None, "every bill has weights"
        gathered = GATHERED_LAYERS * (whole.bytes // job.model.layers)
        how = f"{GATHERED_LAYERS} of {job.model.layers} layers, whole while they run"
        lines.insert(1, Line("gathered weights", gathered, how))
    return Bill(tuple(lines))
