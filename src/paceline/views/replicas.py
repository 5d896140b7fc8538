"""The replicas view: a checksum and a loss for each copy, and how losses and weights part over the steps."""

from typing import Any

from paceline.pod import Replicas
from paceline.units import significant

MOST_POINTS = 60


def replicas_view(world: Replicas) -> dict[str, Any]:
    """Everything the picture of eight copies shows."""
    training = world.training
    found = world.readings()
    checksums = training.checksums
    groups: dict[str, int] = {}
    for checksum in checksums:
        groups.setdefault(checksum, len(groups))
    losses = [significant(loss, 3) for loss in training.history[-1].losses]
    replicas = [
        {"rank": rank, "checksum": checksum, "loss": losses[rank], "group": groups[checksum]}
        for rank, checksum in enumerate(checksums)
    ]
    last = max(10, training.steps)
    highest = max(max(moment.losses) for moment in training.history)
    widest = max(moment.gap for moment in training.history)
    stride = -(-len(training.history) // MOST_POINTS)
    shown = [moment for moment in training.history if moment.step % stride == 0 or moment.step == training.steps]
    history = [
        {
            "x": 1000 * moment.step // last,
            "step": moment.step,
            "losses": [round(1000 * loss / highest) for loss in moment.losses],
            "gap": round(1000 * moment.gap / widest) if widest else 0,
        }
        for moment in shown
    ]
    models = training.models
    words = (
        f"After {training.steps} steps {world.training.world_size} GPUs hold "
        f"{'one and the same model' if models == 1 else f'{models} different models'}; the largest gap between two "
        f"copies of a weight is {found['gap'].text}. Averaging is {'on' if world.averaging else 'off'}."
    )
    return {
        "claim": found["models"].text,
        "claim_words": f"{'model' if models == 1 else 'different models'} on {training.world_size} GPUs",
        "replicas": replicas,
        "averaging": world.averaging,
        "history": history,
        "without": _without(world, last),
        "broadcasts": [1000 * step // last for step in training.broadcasts],
        "loss_top": significant(highest, 2),
        "gap_top": significant(widest, 2),
        "step_end": f"step {last}",
        "words": words,
        "twin": {
            "caption": "The copies",
            "columns": ["Rank", "Checksum of all weights", "Loss"],
            "rows": [[str(each["rank"]), str(each["checksum"]), str(each["loss"])] for each in replicas],
        },
    }


def _without(world: Replicas, last: int) -> list[dict[str, int]]:
    spans: list[list[int]] = []
    for moment in world.training.history[1:]:
        if moment.averaged:
            continue
        if spans and spans[-1][1] == moment.step - 1:
            spans[-1][1] = moment.step
        else:
            spans.append([moment.step - 1, moment.step])
    return [{"start": 1000 * start // last, "end": 1000 * end // last} for start, end in spans]
