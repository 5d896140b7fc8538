"""The world of a drill: questions on the all-reduce with fresh numbers, each judged with its working shown."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar

from paceline.collective import bus_factor, ring_all_reduce_s
from paceline.errors import BadValue
from paceline.figures import Figure
from paceline.pod.knob import word
from paceline.pod.world import World
from paceline.units import GB, parse, show_bytes, show_large_count, show_rate, show_seconds, significant
from paceline.workload import find_model

TOLERANCE = 0.05
ROUNDS = 3
MODELS = ("gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl", "llama-3.2-1b", "llama-3.2-3b", "llama-2-7b", "llama-2-13b")
WORLD_SIZES = (2, 4, 8, 16, 32, 64, 128, 256)
BUSBW_GB_PER_S = (12, 24, 48, 96, 180, 240, 360, 380)
BATCHES = (32, 64, 128, 256, 512, 1024)
BYTES_PER_GRADIENT = 2
LONGEST_ANSWER = 40
COMMA = re.compile(r"[0-9],[0-9]{1,2}(?![0-9])")
"""A decimal comma: read as one for thousands it would be a number nobody meant."""


@dataclass(frozen=True, slots=True)
class Task:
    """One question: what is given, what is asked, the truth in bytes, seconds or bytes a second, and its working."""

    question: str
    givens: tuple[tuple[str, str], ...]
    unit: str
    truth: float
    truth_text: str
    working: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """A task with what was answered."""

    task: Task
    you: str
    met: bool
    words: str


def task_of(seed: int, number: int, kind: int) -> Task:
    """The task of a seed with its number; `kind` 0 asks for bytes, 1 for the time, 2 for the busbw."""
    draw = Random(f"{seed}/{number}")
    model = find_model(draw.choice(MODELS))
    world_size, busbw, batch = draw.choice(WORLD_SIZES), draw.choice(BUSBW_GB_PER_S) * GB, draw.choice(BATCHES)
    parameters = model.parameters
    size = BYTES_PER_GRADIENT * parameters
    time_s = ring_all_reduce_s(size, world_size, busbw)
    factor = bus_factor(world_size)
    of_bytes = (
        f"{show_large_count(parameters)} parameters x {BYTES_PER_GRADIENT} bytes = {show_bytes(size)} of gradients"
    )
    of_time = (
        f"{show_bytes(size)} x 2({world_size} - 1)/{world_size} = {show_bytes(size * factor)} over the slowest link"
    )
    job = (("Model", f"{model.title}, {show_large_count(parameters)} parameters"), ("Gradients", "bf16"))
    ranks = ("GPUs", f"{world_size}")
    if kind == 0:
        return Task(
            "How many bytes of gradients does each step all-reduce?",
            (*job, ranks, ("Global batch", f"{batch} sequences")),
            "GB",
            size,
            show_bytes(size),
            (of_bytes, "neither the batch nor the number of GPUs is in it"),
        )
    if kind == 1:
        return Task(
            "How long does the all-reduce take?",
            (*job, ranks, ("busbw", show_rate(busbw)), ("Global batch", f"{batch} sequences")),
            "ms",
            time_s,
            show_seconds(time_s),
            (of_bytes, of_time, f"{show_bytes(size * factor)} / {show_rate(busbw)} = {show_seconds(time_s)}"),
        )
    shown_s = parse(show_seconds(time_s), "s")
    found = size * factor / shown_s
    return Task(
        "The all-reduce took this long. What is its busbw?",
        (*job, ranks, ("Time", show_seconds(time_s))),
        "GB/s",
        found,
        show_rate(found),
        (of_bytes, of_time, f"{show_bytes(size * factor)} / {show_seconds(time_s)} = {show_rate(found)}"),
    )


@dataclass(slots=True)
class Drill(World):
    """What was answered so far; a wrong answer shows its working, and asks the same kind with other numbers."""

    kind: ClassVar[str] = "drill"
    labels: ClassVar[Mapping[str, tuple[str, str]]] = {
        "right": ("count", "Right"),
        "bytes_right": ("count", "Bytes right"),
        "time_right": ("count", "Time right"),
        "busbw_right": ("count", "busbw right"),
        "answers": ("count", "Answers"),
        "rounds": ("count", "Rounds"),
        "tolerance": ("%", "Tolerance"),
        "factor": ("ratio4", "2(N-1)/N"),
        "working": ("count", "Working"),
    }

    past: list[Answered] = field(default_factory=list)

    @property
    def right(self) -> int:
        """Answers within the tolerance."""
        return len([each for each in self.past if each.met])

    @property
    def is_over(self) -> bool:
        """Whether each kind was answered right."""
        return self.right >= ROUNDS

    @property
    def task(self) -> Task:
        """The question that is open; after the last round it asks for the time, again and again."""
        return task_of(self.seed, len(self.past), 1 if self.is_over else self.right)

    @property
    def state(self) -> str:
        """Idle until all rounds are right, then done."""
        return "done" if self.is_over else "idle"

    def own_actions(self) -> tuple[str, ...]:
        """One answers, or has the answer filled in."""
        return ("answer", "reveal")

    def own(self, name: str, action: Mapping[str, object]) -> None:
        """Judge an answer; what is no quantity of the kind asked is refused and counts for nothing."""
        task = self.task
        given = task.truth_text if name == "reveal" else word(action, "text").strip()
        value = _value(given, task.unit)
        factor = value / task.truth
        met = 1 - TOLERANCE <= factor <= 1 + TOLERANCE
        far = significant(factor if factor > 1 else 1 / factor, 2) if 0.001 < factor < 1000 else "over 1,000"
        words = f"within {TOLERANCE:.0%}" if met else f"too {'high' if factor > 1 else 'low'}, by {far} times"
        self.past.append(Answered(task, given if not _is_bare(given) else f"{given} {task.unit}", met, words))
        self.happened("answer", "right" if met else "wrong")

    def pass_time(self, microseconds: int) -> None:
        """Nothing."""

    def turn(self, name: str, value: int) -> None:
        """A drill has no knobs."""

    @property
    def knobs(self) -> dict[str, int]:
        """None."""
        return {}

    def readings(self) -> dict[str, Figure]:
        """How it goes."""
        values: dict[str, float | int] = {
            "right": self.right,
            "bytes_right": int(self.right > 0),
            "time_right": int(self.right > 1),
            "busbw_right": int(self.right > 2),
            "answers": len(self.past),
            "rounds": ROUNDS,
            "tolerance": TOLERANCE,
            "factor": self._factor,
        }
        found = {name: self.reading(name, value) for name, value in values.items()}
        return found | {"working": Figure("working", self.task.truth, "; ".join(self.task.working))}

    @property
    def _factor(self) -> float:
        ranks = next(text for name, text in self.task.givens if name == "GPUs")
        return bus_factor(int(ranks))


def _is_bare(text: str) -> bool:
    return text[-1:].isdigit() or text.endswith(".")


def _value(text: str, unit: str) -> float:
    instead = f"Write it as in '12.5 {unit}'."
    if not text or len(text) > LONGEST_ANSWER or COMMA.search(text):
        raise BadValue(
            f"the answer {text[:LONGEST_ANSWER]!r}", f"it must be one number of {unit}, with a point", instead
        )
    try:
        value = parse(f"{text} {unit}" if _is_bare(text) else text, unit)
    except BadValue as error:
        raise BadValue(f"the answer {text!r}", error.because, instead) from None
    if not 0 < value < 10**18:
        raise BadValue(f"the answer {text!r}", "it must be above zero", instead)
    return value
