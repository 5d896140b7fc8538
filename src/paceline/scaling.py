"""Scaling: the same training on 1 to N GPUs, where it stops paying, and what is to blame."""

from collections.abc import Iterable
from dataclasses import dataclass

from paceline.step import Run, Scenario, simulate

GOOD_EFFICIENCY = 0.9
"""The lesson's line between compute-bound and not: above it more GPUs pay."""

EXPOSED_SHARE = 0.05
"""Exposure has begun when waiting for the all-reduce takes more of the step than one part in twenty."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """Runs of one training on growing numbers of GPUs, and the N at which things change (None: not seen).

    `last_good` is the largest N above 90 % efficiency, `exposed_from` the smallest N that waits for more
    than 5 % of its step, `cap` the number of sequences, beyond which there is nothing to give a GPU.
    """

    runs: tuple[Run, ...]
    last_good: int | None
    exposed_from: int | None
    cap: int


def world_sizes(scenario: Scenario, largest: int | None = None) -> tuple[int, ...]:
    """The numbers of GPUs a sweep visits: halvings of a server, then doublings of servers, that divide the batch."""
    batch, per_server = scenario.job.global_batch, scenario.cluster.server.gpus
    limit = min(batch, largest or batch)
    sizes = [size for size in range(1, per_server + 1) if per_server % size == 0]
    servers = 2
    while servers * per_server <= limit:
        sizes.append(servers * per_server)
        servers *= 2
    sizes.append(scenario.job.world_size)
    return tuple(sorted(dict.fromkeys(size for size in sizes if size <= limit and batch % size == 0)))


def sweep(scenario: Scenario, sizes: Iterable[int] | None = None) -> Scaling:
    """The scenario on each of `sizes` GPUs (by default as `world_sizes` says), healthy or not as it is."""
    runs = tuple(simulate(scenario.on(size)) for size in (sizes if sizes is not None else world_sizes(scenario)))
    good = [run.scenario.job.world_size for run in runs if run.efficiency >= GOOD_EFFICIENCY]
    exposed = [run.scenario.job.world_size for run in runs if run.exposed_comm_s > EXPOSED_SHARE * run.step_s]
    return Scaling(runs, max(good, default=None), min(exposed, default=None), scenario.job.global_batch)
