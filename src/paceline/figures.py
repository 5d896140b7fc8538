"""Figures: every number a screen may show, by name, with its text; nothing else reads a run for one."""

from collections.abc import Callable
from dataclasses import dataclass

from paceline.collective import ring_all_reduce_s
from paceline.errors import UnknownName
from paceline.step import Run
from paceline.units import HOUR_S, SHOW
from paceline.workload import Bill


@dataclass(frozen=True, slots=True)
class Figure:
    """A named number of a run with the text every screen shows for it."""

    name: str
    value: float | int
    text: str


@dataclass(frozen=True, slots=True)
class Declaration:
    """How a figure is computed and shown; `show` is a key of units.SHOW, `meaning` one line for menus."""

    show: str
    meaning: str
    of: Callable[[Run], float | int]


def bill_of(run: Run) -> Bill:
    """The memory bill of one GPU of the run."""
    return run.scenario.job.memory_bill()


def _tokens_per_s(run: Run) -> float:
    return run.scenario.job.tokens_per_step / run.step_s


def _peak(run: Run) -> float:
    return run.scenario.cluster.server.gpu.peak_flop_per_s * run.scenario.job.world_size


def _time_to_train_s(run: Run) -> float:
    return run.scenario.token_budget / _tokens_per_s(run)


def _total_flop(run: Run) -> int:
    return 6 * run.scenario.job.model.parameters * run.scenario.token_budget


def _mfu(run: Run) -> float:
    return 6 * run.scenario.job.model.parameters * _tokens_per_s(run) / _peak(run)


def _hfu(run: Run) -> float:
    return _mfu(run) * (4 / 3 if run.scenario.job.checkpointing else 1)


def _law_comm_s(run: Run) -> float:
    cluster, job = run.scenario.cluster, run.scenario.job
    link = cluster.server.gpu.nvlink_unidirectional_bytes_per_s
    if cluster.servers > 1:
        link = min(link, cluster.nics_in_use * cluster.server.nic_effective_bytes_per_s)
    return ring_all_reduce_s(job.gradient_bytes, job.world_size, link)


def _gpu_hours(run: Run) -> float:
    return _time_to_train_s(run) * run.scenario.job.world_size / HOUR_S


def _loss(name: str) -> Callable[[Run], float]:
    return lambda run: next(loss.seconds for loss in run.losses if loss.name == name)


FIGURES: dict[str, Declaration] = {
    "step_s": Declaration("s", "one training step, every weight updated once", lambda run: run.step_s),
    "tokens_per_s": Declaration("count", "throughput of the whole job", _tokens_per_s),
    "tokens_per_s_per_gpu": Declaration(
        "count", "throughput of one GPU", lambda run: _tokens_per_s(run) / run.scenario.job.world_size
    ),
    "mfu": Declaration("%", "model FLOP (6 per parameter and token) over peak", _mfu),
    "hfu": Declaration("%.1", "FLOP done, recomputation included, over peak", _hfu),
    "efficiency": Declaration("%", "throughput over N times that of one GPU", lambda run: run.efficiency),
    "memory_bytes": Declaration("GB", "peak memory of one GPU", lambda run: bill_of(run).total_bytes),
    "gpu_memory_bytes": Declaration("GB", "what a GPU holds", lambda run: run.scenario.cluster.server.gpu.memory_bytes),
    "time_to_train_s": Declaration("s", "the token budget at this throughput", _time_to_train_s),
    "time_to_train_at_peak_s": Declaration(
        "s", "the token budget at 100% MFU, which no GPU reaches", lambda run: _total_flop(run) / _peak(run)
    ),
    "total_flop": Declaration("FLOP", "6 FLOP per parameter and token of the budget", _total_flop),
    "steps": Declaration(
        "count",
        "steps in the token budget",
        lambda run: -(-run.scenario.token_budget // run.scenario.job.tokens_per_step),
    ),
    "compute_s": Declaration("s", "forward and backward of all micro-steps", lambda run: run.compute_s),
    "forward_s": Declaration("s", "forward of one micro-step", lambda run: run.compute.forward_s),
    "backward_s": Declaration("s", "backward of one micro-step", lambda run: run.compute.backward_s),
    "optimizer_s": Declaration("s", "the weight update", lambda run: run.compute.optimizer_s),
    "comm_s": Declaration("s", "the gradient all-reduce, all buckets", lambda run: run.comm_s),
    "exposed_comm_s": Declaration("s", "communication the step waits for", lambda run: run.exposed_comm_s),
    "hidden_comm_s": Declaration("s", "communication beside the backward", lambda run: run.hidden_comm_s),
    "law_comm_s": Declaration("s", "the all-reduce by the textbook law, one shot at link speed", _law_comm_s),
    "contention_s": Declaration("s", "compute slowed by collectives", lambda run: run.overlap.contention_s),
    "small_kernels_s": Declaration("s", "compute lost to small micro-batches", _loss("small kernels")),
    "straggler_s": Declaration("s", "waiting for the slowest GPU's clock", lambda run: run.straggler_s),
    "gradient_bytes": Declaration("bytes4", "all-reduced each step", lambda run: run.scenario.job.gradient_bytes),
    "buckets": Declaration("count", "all-reduces each step", lambda run: len(run.buckets)),
    "world_size": Declaration("count", "ranks, one per GPU", lambda run: run.scenario.job.world_size),
    "servers": Declaration("count", "servers in use", lambda run: run.scenario.cluster.servers),
    "global_batch": Declaration("count", "sequences each step", lambda run: run.scenario.job.global_batch),
    "micro_batch": Declaration("count", "sequences at a time on a GPU", lambda run: run.scenario.job.micro_batch),
    "accumulation_steps": Declaration(
        "count", "micro-batches before the all-reduce", lambda run: run.scenario.job.accumulation_steps
    ),
    "seq_len": Declaration("count", "tokens in a sequence", lambda run: run.scenario.job.seq_len),
    "tokens_per_step": Declaration("count", "tokens each step", lambda run: run.scenario.job.tokens_per_step),
    "token_budget": Declaration("large count", "tokens to train on", lambda run: run.scenario.token_budget),
    "parameters": Declaration("count", "weights of the model", lambda run: run.scenario.job.model.parameters),
    "peak_flop_per_s": Declaration(
        "FLOP/s", "dense bf16 peak of one GPU", lambda run: run.scenario.cluster.server.gpu.peak_flop_per_s
    ),
    "gpu_hours": Declaration("count", "GPUs times hours", _gpu_hours),
    "cost_dollars": Declaration(
        "$", "GPU hours at the given price", lambda run: _gpu_hours(run) * run.scenario.price_per_gpu_hour
    ),
}
"""All figures by name; docs and the lesson's holes choose from here."""


def figure(run: Run, name: str) -> Figure:
    """One figure of a run; an unknown name is refused with the nearest."""
    declaration = FIGURES.get(name)
    if declaration is None:
        raise UnknownName.among("figure", name, FIGURES)
    value = declaration.of(run)
    return Figure(name, value, SHOW[declaration.show](value))


def figures(run: Run) -> dict[str, Figure]:
    """Every figure of a run, in the order declared."""
    return {name: figure(run, name) for name in FIGURES}
