"""The drill view: the open question with its givens, and the working of the one before."""

from typing import Any

from paceline.pod.drill import ROUNDS, TOLERANCE, Drill
from paceline.units import show_percent


def drill(world: Drill) -> dict[str, Any]:
    """The card of a drill."""
    task = world.task
    last = world.past[-1] if world.past else None
    tolerance = show_percent(TOLERANCE)
    done = f"{min(world.right, ROUNDS)} of {ROUNDS} right."
    return {
        "claim": f"{min(world.right, ROUNDS)} of {ROUNDS}",
        "claim_words": "answered right" if not world.is_over else "answered right; go on as long as you like",
        "question": task.question,
        "givens": [{"name": name, "text": text} for name, text in task.givens],
        "unit": task.unit,
        "tolerance": f"Right within {tolerance}.",
        "round": min(world.right + 1, ROUNDS),
        "rounds": ROUNDS,
        "last": None
        if last is None
        else {
            "question": last.task.question,
            "you": last.you,
            "right": last.task.truth_text,
            "met": last.met,
            "words": last.words,
            "working": list(last.task.working),
        },
        "words": f"{done} {task.question} " + ", ".join(f"{name}: {text}" for name, text in task.givens) + ".",
        "twin": {
            "caption": "What is given",
            "columns": ["What", "Value"],
            "rows": [[name, text] for name, text in task.givens],
        },
    }
