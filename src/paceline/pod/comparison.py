"""Comparisons: a run beside the ones that one change would make of it, as readings of the job's world."""

from dataclasses import replace
from functools import lru_cache

from paceline.collective import Fabric, Tiers, price_all_reduce
from paceline.errors import BadInput
from paceline.figures import Figure
from paceline.scaling import GOOD_EFFICIENCY, sweep
from paceline.step import Run, Settings, simulate
from paceline.units import GB, GIB, SHOW, show_milliseconds
from paceline.workload import learning_rate_ratio, tokens_ratio

BUCKET_SIZES_MIB = (1, 5, 25, 50, 100, 400, 1600, 4000)
"""Among these the best bucket size is looked for, as the knob's slider offers them."""
TEST_BYTES = 8 * GIB
"""The size at which busbw is read, large enough to be the plateau: the last one of `all_reduce_perf -e 8G`."""
BASE_BATCH = 256
"""The global batch that the lesson's tokens and learning rate are compared with."""

LABELS: dict[str, tuple[str, str]] = {
    "overlap_worth": ("%.1", "Off would cost"),
    "exposed_ratio": ("ratio", "Times the best"),
    "best_bucket_mib": ("count", "Best bucket, MiB"),
    "exposed_share": ("%.1", "Exposed, share"),
    "busbw_bytes_per_s": ("bytes/s", "busbw"),
    "network_share": ("%", "Network, of NVLink"),
    "good_gpus": ("count", "GPUs above 90%"),
    "just_covers": ("count", "Just covered"),
    "slowdown": ("ratio", "Times as long"),
    "waiting_s": ("s", "The others wait"),
    "nvlink_across_bytes_per_s": ("bytes/s", "NVLink, across"),
    "cover": ("ratio", "Covered, times"),
    "largest_loss_s": ("ms", "Largest loss"),
    "optimizer_loss_s": ("ms", "Lost: optimizer"),
    "exposed_loss_s": ("ms", "Lost: exposed"),
    "contention_loss_s": ("ms", "Lost: contention"),
    "kernels_loss_s": ("ms", "Lost: small kernels"),
    "tokens_ratio": ("ratio", "Tokens, same loss"),
    "learning_rate_ratio": ("ratio", "Learning rate ×"),
    "exposed_from": ("count", "Exposure begins at"),
    "last_good": ("count", "Last N at 90%"),
}


def run_of(settings: Settings) -> Run:
    """The run of some settings, simulated once."""
    return _run(settings)


_run = lru_cache(maxsize=512)(lambda settings: simulate(settings.scenario()))


@lru_cache(maxsize=64)
def comparisons(settings: Settings) -> dict[str, Figure]:
    """Every comparison of one run, by name."""
    run = run_of(settings)
    job = run.scenario.job
    apart = run_of(replace(settings, overlap=False))
    together = run_of(replace(settings, overlap=True))
    healthy = run_of(replace(settings, faults=()))
    exposures = [
        (run_of(replace(settings, overlap=True, bucket_cap_mib=size)).exposed_comm_s, size) for size in BUCKET_SIZES_MIB
    ]
    best_s, best_mib = min(exposures)
    losses = {loss.name: loss.seconds for loss in run.losses}
    cover = _cover(run)
    busbw, in_server = busbw_of(run), _busbw_in_server(settings)
    base_tokens = BASE_BATCH * job.seq_len
    scaling = _scaling(settings)
    values: dict[str, float | int] = {
        "overlap_worth": apart.step_s / together.step_s - 1,
        "exposed_ratio": run.exposed_comm_s / best_s if best_s else 1.0,
        "best_bucket_mib": best_mib,
        "exposed_share": run.exposed_comm_s / run.step_s,
        "busbw_bytes_per_s": busbw,
        "network_share": busbw / in_server if run.scenario.cluster.servers > 1 else 0.0,
        "good_gpus": job.world_size if run.efficiency >= GOOD_EFFICIENCY else 0,
        "just_covers": int(cover >= 1 and job.global_batch == _smallest_cover(settings)),
        "slowdown": run.step_s / healthy.step_s,
        "waiting_s": waiting_of(run),
        "nvlink_across_bytes_per_s": nvlink_across(run),
        "cover": cover,
        "largest_loss_s": run.largest_loss.seconds,
        "optimizer_loss_s": losses["optimizer"],
        "exposed_loss_s": losses["exposed"],
        "contention_loss_s": losses["contention"],
        "kernels_loss_s": losses["small kernels"],
        "tokens_ratio": tokens_ratio(job.tokens_per_step, base_tokens),
        "learning_rate_ratio": learning_rate_ratio(job.tokens_per_step, base_tokens),
        "exposed_from": scaling[0],
        "last_good": scaling[1],
    }
    found = {name: Figure(name, value, SHOW[LABELS[name][0]](value)) for name, value in values.items()}
    largest = run.largest_loss
    name = f"{largest.name}, {show_milliseconds(largest.seconds)}" if largest.seconds > 0 else "none"
    found["largest_loss_s"] = Figure("largest_loss_s", largest.seconds, name)
    if not scaling[0]:
        found["exposed_from"] = Figure("exposed_from", 0, "no number of GPUs in sight")
    if run.scenario.cluster.servers == 1:
        found["network_share"] = Figure("network_share", 0.0, "–")
    return found


def waiting_of(run: Run) -> float:
    """How long a rank at full clock stands in the all-reduce after its own backward pass."""
    slow = {rank for rank, _ in run.slow_ranks}
    return run.waits_s(next((rank for rank in range(run.scenario.job.world_size) if rank not in slow), 0))


def nvlink_across(run: Run) -> float:
    """What NVLink alone would allow a ring between servers: of a server's hops one leaves by a NIC."""
    cluster = run.scenario.cluster
    gpus = cluster.gpus_per_server
    return Tiers.of(cluster).nvlink_gb_per_s * gpus / (gpus - 1) * GB if gpus > 1 else 0.0


def busbw_of(run: Run) -> float:
    """The bus bandwidth of one large all-reduce over the run's cluster, 0 for one GPU."""
    return price_all_reduce(_fabric(run.scenario.cluster), TEST_BYTES, run.scenario.nccl_algo or None).busbw_bytes_per_s


_fabric = lru_cache(maxsize=64)(Fabric.of)


@lru_cache(maxsize=8)
def _busbw_in_server(settings: Settings) -> float:
    return busbw_of(
        run_of(replace(settings, gpus=8, global_batch=8, micro_batch=1, servers=0, nics=0, nic="", faults=()))
    )


MOST_SEQUENCES = 64


@lru_cache(maxsize=64)
def _smallest_cover(settings: Settings) -> int:
    """The smallest batch whose last backward covers the all-reduce; 0 where none of up to 64 sequences a GPU does."""
    for share in range(1, MOST_SEQUENCES + 1):
        batch = share * settings.gpus
        if _cover(run_of(replace(settings, global_batch=batch))) >= 1:
            return batch
    return 0


def _cover(run: Run) -> float:
    """The last backward pass over the all-reduce it has to hide; 0 where there is none."""
    return run.compute.backward_s / run.comm_s if run.comm_s else 0.0


@lru_cache(maxsize=64)
def _scaling(settings: Settings) -> tuple[int, int]:
    try:
        found = sweep(replace(settings, gpus=1, servers=0, faults=()).scenario())
    except BadInput:
        return 0, 0
    return found.exposed_from or 0, found.last_good or 0
