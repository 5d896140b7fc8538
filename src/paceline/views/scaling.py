"""The scaling view: throughput, efficiency and where the step goes, against N on one log axis."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from paceline.errors import BadInput
from paceline.pod import TrainingJob
from paceline.pod.comparison import run_of
from paceline.scaling import EXPOSED_SHARE, GOOD_EFFICIENCY
from paceline.step import Run, Settings
from paceline.units import show_count, show_decade, show_gpus, show_milliseconds, show_percent_tenth, show_seconds

LARGEST = 1024
_NAMES = {
    "compute": "compute",
    "kernels": "small kernels",
    "contention": "contention",
    "wait": "waiting",
    "exposed": "exposed",
    "optimizer": "optimizer",
}


@lru_cache(maxsize=32)
def _runs(settings: Settings) -> tuple[Run, ...]:
    """The job on 1 to 1,024 GPUs by doublings, and on as many as it has now; what cannot be is left out."""
    sizes = sorted({1 << power for power in range(LARGEST.bit_length())} | {settings.gpus})
    found = []
    for size in sizes:
        try:
            found.append(
                run_of(replace(settings, gpus=size, servers=0, faults=settings.faults if size == settings.gpus else ()))
            )
        except BadInput:
            continue
    return tuple(found)


def _doublings(size: int) -> float:
    whole = size.bit_length() - 1
    return whole + size / (1 << whole) - 1


def _tokens_per_s(run: Run) -> float:
    return run.scenario.job.tokens_per_step / run.step_s


def _log_share(value: float, low: int, high: int) -> int:
    """Where a value stands between two powers of ten, in thousandths; straight between powers of two, without a log."""
    thousandth = value / low
    whole, top = 0, high / low
    while thousandth >= 2:
        thousandth /= 2
        whole += 1
    span = 0
    while top >= 2:
        top /= 2
        span += 1
    return round(1000 * (whole + thousandth - 1) / (span + top - 1))


def scaling(world: TrainingJob) -> dict[str, Any]:
    """The three panels over all N."""
    return _panels(world, _runs(world.settings))


def sweep(world: TrainingJob) -> dict[str, Any]:
    """The three panels as far as the learner has gone: up to the N the job has, on the axis of all."""
    runs = tuple(run for run in _runs(world.settings) if run.scenario.job.world_size <= world.settings.gpus)
    return _panels(world, runs)


def _panels(world: TrainingJob, runs: tuple[Run, ...]) -> dict[str, Any]:
    settings = world.settings
    batch = settings.global_batch
    every = _runs(settings)
    last = max(_doublings(min(max(batch, settings.gpus), LARGEST)), _doublings(every[-1].scenario.job.world_size))
    alone = _tokens_per_s(every[0]) / every[0].scenario.job.world_size
    low, high = _decades(alone, max(alone * run.scenario.job.world_size for run in every))
    points = [_point(run, settings, alone, low, high, last) for run in runs]
    below = next((run for run in runs if run.efficiency < GOOD_EFFICIENCY), None)
    exposed = next((run for run in runs if run.exposed_comm_s > EXPOSED_SHARE * run.step_s), None)
    here = next(run for run in runs if run.scenario.job.world_size == settings.gpus)
    used = {share["kind"] for point in points for share in point["shares"] if share["share"]}
    cap = None
    if batch <= runs[-1].scenario.job.world_size:
        words = f"no sequence for GPU {batch + 1:,}"
        cap = {"x": round(1000 * _doublings(batch) / last), "text": f"{batch:,} sequences", "words": words}
    return {
        "claim": show_percent_tenth(here.efficiency),
        "claim_words": f"efficiency on {show_gpus(settings.gpus)}",
        "points": points,
        "throughput_ticks": _decade_ticks(low, high),
        "good": {"at": 900, "text": "90%"},
        "knee": _place(below, last, "below 90% from here on"),
        "exposed_from": _place(exposed, last, "exposed from here on"),
        "cap": cap,
        "marks": _marks(world, last),
        "names": [{"kind": kind, "text": text} for kind, text in _NAMES.items() if kind in used],
        "words": _words(here, below, exposed, batch if cap else 0),
        "lines": [
            f"{_size(run)} GPUs: largest loss {_largest(run)}" for run in runs if run.scenario.job.world_size > 1
        ],
        "twin": _twin(runs),
    }


def _words(here: Run, below: Run | None, exposed: Run | None, cap: int) -> str:
    size = here.scenario.job.world_size
    words = (
        f"{show_gpus(size)} reach {show_percent_tenth(here.efficiency)} of {size:,} times one GPU's throughput."
        if size > 1
        else f"One GPU is the measure: {show_count(_tokens_per_s(here))} tokens a second."
    )
    words += f" Efficiency is below 90% from {_size(below)} GPUs on." if below else " It stays above 90% up to here."
    if exposed:
        words += f" From {_size(exposed)} on, waiting for the all-reduce takes over 5% of the step."
    if cap:
        words += f" {cap:,} sequences are too few for more than {show_gpus(cap)}."
    return words


def _size(run: Run) -> str:
    return f"{run.scenario.job.world_size:,}"


def _place(run: Run | None, last: float, words: str) -> dict[str, Any] | None:
    if run is None:
        return None
    return {
        "x": round(1000 * _doublings(run.scenario.job.world_size) / last),
        "text": f"{_size(run)} GPUs",
        "words": words,
    }


def _marks(world: TrainingJob, last: float) -> list[dict[str, Any]]:
    found = []
    for size, words in ((world.marked_exposed, "you: exposure begins"), (world.marked_end, "you: sequences end")):
        if size:
            found.append({"x": min(1000, round(1000 * _doublings(size) / last)), "text": f"{size:,}", "words": words})
    return found


def _point(run: Run, settings: Settings, alone: float, low: int, high: int, last: float) -> dict[str, Any]:
    size = run.scenario.job.world_size
    return {
        "n": size,
        "text": f"{size:,}",
        "x": round(1000 * _doublings(size) / last),
        "throughput": _log_share(_tokens_per_s(run), low, high),
        "ideal": _log_share(alone * size, low, high),
        "efficiency": round(1000 * run.efficiency),
        "shares": _shares(run),
        "efficiency_text": show_percent_tenth(run.efficiency),
        "largest": _largest(run),
        "here": size == settings.gpus,
    }


def _largest(run: Run) -> str:
    loss = run.largest_loss
    return f"{loss.name}, {show_milliseconds(loss.seconds)}" if loss.seconds > 0 else "none"


def _shares(run: Run) -> list[dict[str, Any]]:
    """The parts of one step: what a perfect split would take, and each loss by its name."""
    losses = {loss.name: loss.seconds for loss in run.losses}
    parts = {
        "compute": run.compute.total_s - losses["small kernels"],
        "kernels": losses["small kernels"],
        "contention": losses["contention"],
        "wait": losses["straggler"],
        "exposed": losses["exposed"],
        "optimizer": run.compute.optimizer_s,
    }
    found, before, at = [], 0, 0.0
    for kind, seconds in parts.items():
        at += seconds / run.step_s
        found.append({"kind": kind, "share": round(1000 * at) - before})
        before = round(1000 * at)
    return found


def _decades(lowest: float, highest: float) -> tuple[int, int]:
    low = 1
    while low * 10 <= lowest:
        low *= 10
    high = low * 10
    while high < highest:
        high *= 10
    return low, high


def _decade_ticks(low: int, high: int) -> list[dict[str, Any]]:
    ticks, at = [], low
    while at <= high:
        ticks.append({"at": _log_share(at, low, high), "text": show_decade(at)})
        at *= 10
    return ticks


def _twin(runs: tuple[Run, ...]) -> dict[str, Any]:
    rows = []
    for run in runs:
        loss = {each.name: show_milliseconds(each.seconds) for each in run.losses}
        rows.append(
            [
                _size(run), show_count(_tokens_per_s(run)), show_percent_tenth(run.efficiency),
                show_seconds(run.step_s),
                loss["exposed"], loss["optimizer"], loss["contention"], loss["small kernels"], _largest(run),
            ]
        )  # fmt: skip
    columns = [
        "GPUs",
        "Tokens/s",
        "Efficiency",
        "Step",
        "Exposed",
        "Optimizer",
        "Contention",
        "Small kernels",
        "Largest loss",
    ]
    return {"caption": "The job on growing numbers of GPUs", "columns": columns, "rows": rows}
