"""The memory view: the bill of one GPU against what it holds, beside that of the model the lesson began with."""

from dataclasses import replace
from typing import Any

from paceline.pod import TrainingJob
from paceline.pod.comparison import run_of
from paceline.pod.out_of_memory import out_of_memory
from paceline.step import Settings
from paceline.units import GB, show_gigabyte_tenths, show_gigabytes, show_large_count
from paceline.workload import Bill, Model, divided_lines

_KINDS = {
    "weights": "weights",
    "gathered weights": "weights",
    "gradients": "gradients",
    "DDP buckets": "gradients",
    "master weights": "optimizer",
    "optimizer state": "optimizer",
    "layer inputs": "activations",
    "activations": "activations",
    "autocast copies": "activations",
    "logits and loss": "activations",
    "one layer's backward": "activations",
}
_PLAIN = Settings(gpus=1)


def memory(world: TrainingJob) -> dict[str, Any]:
    """The bars, the bill, and the error where the bill does not fit."""
    job = world.run.scenario.job
    limit = int(world.base["gpu_memory_bytes"].value)
    first = replace(_PLAIN, micro_batch=world.settings.micro_batch, checkpointing=world.settings.checkpointing)
    base = run_of(first).scenario.job
    bills = [(_name(job.model), world.bill)]
    if base.model != job.model:
        bills.insert(0, (_name(base.model), base.memory_bill()))
    top = max(limit, *(bill.total_bytes for _, bill in bills)) * 1.08
    bill = world.bill
    over = bill.total_bytes - limit
    error, place = out_of_memory(job, bill, limit)
    gpus = f"{job.world_size} {'GPU' if job.world_size == 1 else 'GPUs'}"
    states = f"{show_gigabytes(bill.state_bytes)} of that are weights, gradients and optimizer state."
    who = f"{_name(job.model)} parameters on {gpus}: each"
    if over > 0:
        words = f"{who} would hold {show_gigabytes(bill.total_bytes)}, {show_gigabytes(over)} more than it has. "
        words += f"{states} It fails at {place}."
    else:
        words = f"{who} holds {show_gigabytes(bill.total_bytes)} of {show_gigabytes(limit)}. {states}"
    divided = divided_lines(world.sharding) if job.world_size > 1 else ()
    rows = _bill(bills, divided, job.world_size)
    sums = [show_gigabyte_tenths(each.total_bytes) for _, each in bills]
    return {
        "claim": show_gigabytes(bill.total_bytes),
        "claim_words": f"on every GPU, {show_gigabytes(over)} too much"
        if over > 0
        else f"on every GPU, of {show_gigabytes(limit)}",
        "bars": [_bar(name, each, limit, top, index == len(bills) - 1) for index, (name, each) in enumerate(bills)],
        "limit": {"at": round(1000 * limit / top), "text": f"{show_gigabytes(limit)}: the GPU ends here"},
        "ticks": [
            {"at": round(1000 * at * GB / top), "text": str(at)} for at in range(0, int(top / GB) + 1, _tick(top))
        ],
        "columns": [name for name, _ in bills],
        "bill": rows,
        "sum": {"values": sums, "divided": "in part" if divided else "never"},
        "error": error if over > 0 else "",
        "words": words,
        "twin": {
            "caption": "The bill of one GPU",
            "columns": ["Line", "How", *(name for name, _ in bills), "Divided by N"],
            "rows": [
                *([row["name"], row["how"], *row["values"], row["divided"]] for row in rows),
                ["All", "", *sums, "in part" if divided else "never"],
            ],
        },
    }


def _name(model: Model) -> str:
    return f"{model.title}, {show_large_count(model.parameters)}"


def _tick(top: float) -> int:
    return next((step for step in (10, 20, 50, 100, 200) if top / GB / step <= 8), 500)


def _bar(name: str, bill: Bill, limit: int, top: float, here: bool) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = []
    at = 0
    for line in bill.lines:
        start, at = at, at + line.bytes
        kind = _KINDS.get(line.name, "context")
        blocks.append(
            {"kind": kind, "name": line.name, "start": round(1000 * start / top), "end": round(1000 * at / top)}
        )
    left = limit - bill.total_bytes
    rest = f"{show_gigabytes(left)} free" if left >= 0 else f"{show_gigabytes(-left)} over: out of memory"
    return {
        "label": name,
        "blocks": blocks,
        "total": show_gigabytes(bill.total_bytes),
        "rest": rest,
        "over": left < 0,
        "here": here,
    }


def _bill(bills: list[tuple[str, Bill]], divided: tuple[str, ...], ranks: int) -> list[dict[str, Any]]:
    names = list(dict.fromkeys(line.name for _, bill in reversed(bills) for line in bill.lines))
    rows = []
    for name in names:
        found = [bill.line(name) for _, bill in bills]
        last = next(line for line in reversed(found) if line is not None)
        rows.append(
            {
                "kind": _KINDS.get(name, "context"),
                "name": name,
                "how": last.how,
                "values": [show_gigabyte_tenths(line.bytes) if line else "–" for line in found],
                "divided": f"by {ranks}" if name in divided else "no",
            }
        )
    return rows
