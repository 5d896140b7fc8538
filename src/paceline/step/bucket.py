"""Buckets: gradients that travel together, cut in the order the backward pass completes them.

PyTorch's DDP closes a bucket once it reaches its limit, 1 MiB for the first and 25 MiB after, and
never splits a parameter. The first step of a job runs with the order of registration; what is cut
here is the order rebuilt from arrival, which every later step uses (torch/nn/parallel/distributed.py,
torch/csrc/distributed/c10d/reducer.cpp, 2.13, read 2026-11-29).
"""

from dataclasses import dataclass
from functools import lru_cache

from paceline.workload import Model


@dataclass(frozen=True, slots=True)
class Bucket:
    """Gradients reduced by one all-reduce; `ready` is the share of the backward pass done when it is full."""

    gradient_bytes: int
    ready: float
    first_parameter: str
    last_parameter: str


@lru_cache(maxsize=64)
def cut_buckets(model: Model, bytes_per_gradient: int, first_limit_bytes: int, limit_bytes: int) -> tuple[Bucket, ...]:
    """The buckets of a model, first to leave first."""
    buckets: list[Bucket] = []
    filled, first_name = 0, ""
    for parameter, done in model.backward_milestones:
        first_name = first_name or parameter.name
        filled += parameter.elements * bytes_per_gradient
        if filled >= (limit_bytes if buckets else first_limit_bytes):
            buckets.append(Bucket(filled, done, first_name, parameter.name))
            filled, first_name = 0, ""
    if filled:
        buckets.append(Bucket(filled, 1.0, first_name, parameter.name))
    return tuple(buckets)
