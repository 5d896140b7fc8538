"""The front door: one step of a scenario, exactly, in well under a millisecond."""

from functools import lru_cache

from paceline.collective import Fabric, Price, price_all_reduce
from paceline.hardware import Cluster
from paceline.step.bucket import Bucket, cut_buckets
from paceline.step.compute import CONTENTION_ACROSS_SERVERS, CONTENTION_IN_SERVER, price_compute
from paceline.step.overlap import lay_out
from paceline.step.run import Run
from paceline.step.scenario import Scenario


def simulate(scenario: Scenario) -> Run:
    """One step of the scenario: buckets cut, priced by the NCCL model, laid beside the backward pass.

    Equal ranks are simulated once, micro-steps before the last are folded, and each bucket size is priced
    once, so the cost does not depend on the number of GPUs.
    """
    job, cluster = scenario.job, scenario.cluster
    compute = price_compute(job, cluster.server.gpu)
    alone_job = job if job.world_size == 1 else job.on(1, scenario.micro_batch_cap)
    slow_ranks = _slow_ranks(cluster)
    slowest = min((speed for _, speed in slow_ranks), default=1.0)
    buckets: tuple[Bucket, ...] = ()
    prices: tuple[Price, ...] = ()
    if job.world_size > 1:
        buckets = cut_buckets(job.model, job.gradient_bytes_per_parameter, job.first_bucket_bytes, job.bucket_cap_bytes)
        prices = _price(scenario, buckets)
    contention = CONTENTION_IN_SERVER if cluster.servers == 1 else CONTENTION_ACROSS_SERVERS
    overlap = lay_out(
        compute.backward_s / slowest,
        [bucket.ready for bucket in buckets],
        [price.time_s for price in prices],
        contention,
        job.overlap,
    )
    return Run(
        scenario=scenario,
        compute=compute,
        alone=price_compute(alone_job, cluster.server.gpu),
        buckets=buckets,
        prices=prices,
        overlap=overlap,
        contention=contention,
        slowest_speed=slowest,
        slow_ranks=slow_ranks,
    )


_fabric = lru_cache(maxsize=256)(Fabric.of)


def _price(scenario: Scenario, buckets: tuple[Bucket, ...]) -> tuple[Price, ...]:
    by_size: dict[int, Price] = {}
    table = scenario.measured_all_reduce
    fabric = _fabric(scenario.cluster)
    for bucket in buckets:
        size = bucket.gradient_bytes
        if size not in by_size:
            by_size[size] = (
                table.price(size, scenario.job.world_size)
                if table is not None
                else price_all_reduce(fabric, size, scenario.nccl_algo or None)
            )
    return tuple(by_size[bucket.gradient_bytes] for bucket in buckets)


def _slow_ranks(cluster: Cluster) -> tuple[tuple[int, float], ...]:
    return tuple(
        (cluster.rank_of(server, local_rank), cluster.share("gpu", server, local_rank))
        for server, local_rank in cluster.places("gpu")
    )
