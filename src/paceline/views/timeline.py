"""The timeline views: one rank's two streams and the same job at every batch; all ranks under each other."""

from dataclasses import replace
from typing import Any

from paceline.errors import BadInput
from paceline.pod import TrainingJob
from paceline.pod.comparison import run_of, waiting_of
from paceline.step import Run, Settings, spans_of
from paceline.units import show_bytes, show_milliseconds, show_percent, show_seconds
from paceline.views.lanes import lanes_of

_TICKS_US = tuple(step * scale for scale in (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000) for step in (1, 2, 5))
MOST_TICKS = 7
RUNGS = 6
MOST_DOUBLINGS = 14
_LABELS = {
    "forward": ("Forward", "Fwd"),
    "backward": ("Backward", "Bwd"),
    "wait": ("waiting", "wait"),
    "optimizer": ("Optimizer", "Opt"),
}
MOST_ROWS = 10


def ticks_of(length_us: int) -> list[dict[str, Any]]:
    """Round places on a time axis."""
    step = next((each for each in _TICKS_US if length_us / each <= MOST_TICKS), _TICKS_US[-1])
    return [{"at_us": at, "text": show_seconds(at / 10**6, 2) if at else "0"} for at in range(0, length_us + 1, step)]


def timeline(world: TrainingJob) -> dict[str, Any]:
    """One step of rank 0, with the exposed block and the ladder of batches."""
    run, found = world.run, world.readings()
    lanes = lanes_of(run, world.step_us)
    gpus = world.settings.gpus
    exposed = found["exposed_comm_s"]
    blocks = [_block(span) for span in lanes["compute"]]
    late = [span for span in lanes["comm"] if span["kind"] == "exposed"]
    hidden_s = found["hidden_comm_s"].value
    notes = []
    if run.buckets:
        backward_end = max(span["end_us"] for span in lanes["compute"] if span["kind"] == "backward")
        notes.append({"at_us": backward_end, "text": "backward ends"})
        last = show_bytes(run.buckets[-1].gradient_bytes)
        notes.append({"at_us": lanes["comm"][-1]["start_us"], "text": f"last bucket, {last}"})
    split = (
        f"compute {show_milliseconds(run.step_s - run.exposed_comm_s - run.compute.optimizer_s)} + exposed "
        f"{show_milliseconds(run.exposed_comm_s)} + optimizer {show_milliseconds(run.compute.optimizer_s)} = step "
        f"{found['step_s'].text}"
    )
    plural = "GPU" if gpus == 1 else "GPUs"
    words = (
        f"One step on rank 0 of {gpus} {plural} takes {found['step_s'].text}. The all-reduce takes "
        f"{found['comm_s'].text}: "
        f"{found['hidden_comm_s'].text} of it beside the backward pass, {exposed.text} exposed."
        if run.buckets
        else f"One step on a single GPU takes {found['step_s'].text}; there is nobody to agree with, so no all-reduce."
    )
    claim = (exposed.text, "exposed") if run.buckets else (found["step_s"].text, "a step")
    if run.slow_ranks and run.speed_of(0) == 1:
        claim = (show_seconds(run.waits_s(0)), "of waiting on rank 0")
    return {
        "claim": claim[0],
        "claim_words": claim[1],
        "title": f"One step on rank 0, of {gpus} {plural}",
        "length_us": world.step_us,
        "ticks": ticks_of(world.step_us),
        "compute": blocks,
        "comm": lanes["comm"],
        "hidden_text": _hidden_words(run, hidden_s),
        "exposed": {"start_us": late[0]["start_us"], "end_us": late[-1]["end_us"], "text": "exposed"} if late else None,
        "notes": notes,
        "ladder": _ladder(world),
        "words": words,
        "lines": [split],
        "twin": {
            "caption": "Spans of rank 0",
            "columns": ["Stream", "What", "Starts", "Takes"],
            "rows": _rows(lanes),
        },
    }


def _hidden_words(run: Run, hidden_s: float) -> str:
    if not run.buckets:
        return ""
    plural = "bucket" if len(run.buckets) == 1 else "buckets"
    return f"hidden: {show_milliseconds(hidden_s)}, of {len(run.buckets)} {plural}"


def _block(span: dict[str, Any]) -> dict[str, Any]:
    label, short = _LABELS[span["kind"]]
    text = show_seconds((span["end_us"] - span["start_us"]) / 10**6)
    return span | {"label": label, "short": short, "text": text}


def _rows(lanes: dict[str, Any]) -> list[list[str]]:
    spans = [("compute", each) for each in lanes["compute"]] + [("communication", each) for each in lanes["comm"]]
    spans.sort(key=lambda each: each[1]["start_us"])
    return [
        [
            stream,
            f"{span['name']}, {span['kind']}" if stream == "communication" else str(span["name"]),
            show_milliseconds(span["start_us"] / 1000 / 1000),
            show_milliseconds((span["end_us"] - span["start_us"]) / 1000 / 1000),
        ]
        for stream, span in spans
    ]


def _batches(settings: Settings) -> list[int]:
    """This batch and larger ones: what a smaller one would cost is for the learner to find out."""
    gpus = settings.gpus
    doublings = [gpus << power for power in range(MOST_DOUBLINGS)]
    return [settings.global_batch, *(batch for batch in doublings if batch > settings.global_batch)][:RUNGS]


def _ladder(world: TrainingJob) -> dict[str, Any] | None:
    settings = world.settings
    if settings.gpus == 1 or world.mfu_percent:
        return None
    rungs = []
    longest = 0
    for batch in _batches(settings):
        try:
            run = run_of(replace(settings, global_batch=batch))
        except BadInput:
            continue
        share = batch // settings.gpus
        parts = (
            ("backward", "compute", run.step_s - run.exposed_comm_s - run.compute.optimizer_s),
            ("exposed", "exposed", run.exposed_comm_s),
            ("optimizer", "optimizer", run.compute.optimizer_s),
        )
        bars, at_s = [], 0.0
        for kind, name, seconds in parts:
            start, at_s = at_s, at_s + seconds / share
            bars.append({"kind": kind, "name": name, "start_us": round(start * 10**6), "end_us": round(at_s * 10**6)})
        longest = max(longest, round(at_s * 10**6))
        rungs.append(
            {
                "label": f"{batch:,}",
                "small": f"{share:,} per GPU",
                "bars": bars,
                "text": show_milliseconds(run.step_s / share),
                "efficiency": show_percent(run.efficiency),
                "here": batch == settings.global_batch,
            }
        )
    alone_s = world.run.alone_s / settings.global_batch
    alone = {"at_us": round(alone_s * 10**6), "text": f"one GPU alone, this batch: {show_milliseconds(alone_s)}"}
    return {
        "title": "The same job at larger batches",
        "unit": "GPU time per sequence",
        "length_us": longest,
        "rungs": rungs,
        "alone": alone,
    }


def ranks(world: TrainingJob) -> dict[str, Any]:
    """Every rank's step: who waits, and for whom."""
    run = world.run
    gpus, each = world.settings.gpus, run.scenario.cluster.gpus_per_server
    slow = dict(run.slow_ranks)
    slowest = min(slow, key=lambda rank: (slow[rank], rank)) if slow else 0
    shown = _shown(run, slowest)
    longest_us = world.step_us
    waits = [run.waits_s(rank) for rank in range(gpus)]
    most = max(max(waits), run.step_s / 20)
    rows = []
    for index, rank in enumerate(shown):
        server = rank // each
        first = index == 0 or shown[index - 1] // each != server
        lost = show_percent(slow[rank]) if rank in slow else ""
        rows.append(
            {
                "rank": rank,
                "host": run.scenario.cluster.host(server) if first else "",
                "spans": _rank_spans(run, rank),
                "waits": show_milliseconds(waits[rank]),
                "fault": f"{lost} of its clock: it computes, {gpus - 1} wait" if lost else "",
            }
        )
    left = gpus - len(shown)
    waiting = waiting_of(run)
    cluster = run.scenario.cluster
    if slow:
        words = f"Rank {slowest}, GPU {slowest % each} of {cluster.host(slowest // each)}, runs at "
        words += (
            f"{show_percent(slow[slowest])} of its clock. The other {gpus - 1} wait {show_seconds(waiting)} for it "
        )
        words += "in the all-reduce, in every step."
    else:
        words = f"All {gpus} ranks compute equally long and wait equally little: {show_seconds(waits[0])} each."
    order = sorted(range(gpus), key=lambda rank: (waits[rank], rank))[:32]
    return {
        "claim": show_seconds(waiting) if slow else show_seconds(waits[0]),
        "claim_words": f"is how long {gpus - 1} GPUs wait for one" if slow else "is how long each rank waits",
        "title": f"One step of all {gpus} ranks",
        "length_us": longest_us,
        "ticks": ticks_of(longest_us),
        "rows": rows,
        "more": f"{left} more ranks look like rank {_like(run, shown)}." if left else "",
        "waits": [
            {"rank": rank, "height": round(1000 * wait / most), "fault": rank in slow}
            for rank, wait in enumerate(waits)
        ],
        "waits_text": show_milliseconds(max(waits)),
        "words": words,
        "twin": {
            "caption": "Ranks by waiting, least first",
            "columns": ["Rank", "Host", "Clock", "Waits"],
            "rows": [
                [
                    str(rank),
                    cluster.host(rank // each),
                    show_percent(slow.get(rank, 1.0)),
                    show_milliseconds(waits[rank]),
                ]
                for rank in order
            ],
        },
    }


def _like(run: Run, shown: list[int]) -> int:
    slow = {rank for rank, _ in run.slow_ranks}
    return next((rank for rank in shown if rank not in slow), 0)


def _shown(run: Run, slowest: int) -> list[int]:
    """The slowest with its neighbours, and the first ranks of every server, as many as there is room for."""
    gpus, each = run.scenario.job.world_size, run.scenario.cluster.gpus_per_server
    wanted = [rank for rank, _ in run.slow_ranks]
    wanted += [server * each for server in range(run.scenario.cluster.servers)]
    wanted += [slowest - 1, slowest + 1, 1, gpus - 1, *range(gpus)]
    found: list[int] = []
    for rank in wanted:
        if 0 <= rank < gpus and rank not in found and len(found) < MOST_ROWS:
            found.append(rank)
    return sorted(found)


def _rank_spans(run: Run, rank: int) -> list[dict[str, Any]]:
    spans = []
    backward_end_s = run.before_last_backward_s + run.overlap.backward_end_s
    for each in spans_of(run, rank):
        if each.stream != "compute":
            continue
        kind = each.name.split(" ")[0]
        parts = [(kind, each.start_s, each.end_s)]
        if kind == "wait":
            # The all-reduce itself is exposed once the slowest rank has ended its backward; before, one waits for it.
            middle = max(each.start_s, min(each.end_s, backward_end_s))
            parts = [("wait", each.start_s, middle), ("exposed", middle, each.end_s)]
        for name, start, end in parts:
            if end > start:
                spans.append(
                    {"kind": name, "name": name, "start_us": round(start * 10**6), "end_us": round(end * 10**6)}
                )
    return spans
