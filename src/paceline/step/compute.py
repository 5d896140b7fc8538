"""Compute: how long one micro-step and the optimizer take on one GPU at its rated clock."""

from dataclasses import dataclass

from paceline.hardware import Gpu
from paceline.workload import Job, compute_efficiency

HBM_EFFICIENCY = 0.9
"""Share of rated HBM bandwidth that streaming kernels reach: STREAM-like copies on H100 print 90 to 93 %
(babelstream results for H100 SXM, read 2026-11-29); Adam only streams."""

OPTIMIZER_BYTES_PER_PARAMETER = 28
"""Adam reads and writes fp32 weight and both moments (24), reads a bf16 gradient and writes a bf16
weight (4); with fp32 gradients and no bf16 copy it is 28 as well."""

CONTENTION_IN_SERVER = 0.12
CONTENTION_ACROSS_SERVERS = 0.05
"""How much longer compute takes while a collective runs: calibrated with the given figures of the lesson
(32 GPUs above 90 %). NCCL holds up to 24 of an H100's 132 multiprocessors inside a server, fewer busy
ones when NICs limit; Calculon charges 0.15 and 0.02 for the two (systems/h100*.json, read 2026-11-29)."""


@dataclass(frozen=True, slots=True)
class Compute:
    """Seconds of one GPU at its rated clock: forward and backward of one micro-step, and the optimizer."""

    forward_s: float
    backward_s: float
    micro_steps: int
    optimizer_s: float

    @property
    def total_s(self) -> float:
        """Forward and backward of all micro-steps."""
        return self.micro_steps * (self.forward_s + self.backward_s)


def price_compute(job: Job, gpu: Gpu) -> Compute:
    """The compute of one step of a job on one GPU.

    A micro-step's time is its hardware FLOP over the peak rate times the efficiency reached; forward is one
    part, backward two, and recomputation one more that runs inside the backward.
    """
    tokens = job.micro_batch * job.seq_len
    forward_flop = 2 * job.model.parameters * tokens
    backward_parts = 3 if job.checkpointing else 2
    rate = gpu.peak_flop_per_s * compute_efficiency(job, gpu.name)
    optimizer_bytes = OPTIMIZER_BYTES_PER_PARAMETER * job.model.parameters
    return Compute(
        forward_s=forward_flop / rate,
        backward_s=backward_parts * forward_flop / rate,
        micro_steps=job.accumulation_steps,
        optimizer_s=optimizer_bytes / (gpu.hbm_bytes_per_s * HBM_EFFICIENCY),
    )
