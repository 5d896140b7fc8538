"""Predictions: what was guessed against what the run says, with the factor between them."""

import re
from dataclasses import dataclass
from itertools import pairwise

from paceline.errors import BadValue
from paceline.lesson.step import Question, Step
from paceline.pod import World
from paceline.units import parse, show_count, significant

FARTHEST = 100
"""How many times beyond the ends of its scale a guess may lie."""
NEAR = 1.1
"""A guess within a tenth is called right."""
NEAR_POINTS = 4
"""Of a share in per cent, a guess within so many points."""
LONGEST_GUESS = 40


@dataclass(frozen=True, slots=True)
class Outcome:
    """Both answers as texts, as places on the scale in thousandths, and what lies between them in words."""

    you: str
    run: str
    words: str
    right: bool
    you_at: int = 0
    run_at: int = 0
    answer: int = -1


def places(question: Question) -> tuple[tuple[int, str], ...]:
    """The stops of a number's scale, evenly spaced, as (thousandths, text)."""
    last = len(question.stops) - 1
    return tuple((1000 * index // last, text) for index, text in enumerate(question.stops))


def answer_of(step: Step, question: Question) -> int:
    """The index of the option that the engine bears out."""
    world = step.replay(0, question.after)
    right = [index for index, option in enumerate(question.options) if _holds(world, question, index)]
    if len(right) != 1:
        raise BadValue(f"the options of a question of {step.id!r}", f"{len(right)} of them hold, and one must")
    return right[0]


def predict(step: Step, question: Question, guess: str) -> Outcome:
    """What the run says to a guess: the text of a number, or the index of an option."""
    if question.options:
        return _choice(step, question, guess)
    world = step.replay(0, question.after)
    truth = world.readings()[question.figure]
    value = _number(guess, question.unit)
    lowest, highest = (_number(question.stops[end], question.unit) for end in (0, -1))
    if not lowest / FARTHEST <= value <= highest * FARTHEST:
        raise BadValue(
            f"the prediction {guess.strip()!r}",
            f"it is far off the scale from {question.stops[0]} to {question.stops[-1]} {question.unit}".strip(),
            "Predict something nearer to it.",
        )
    factor = value / truth.value
    side = "high" if factor > 1 else "low"
    if question.unit == "%":
        points = 100 * (value - truth.value)
        near = abs(points) <= NEAR_POINTS
        words = f"within {NEAR_POINTS} points" if near else f"too {side} by {significant(abs(points), 2)} points"
    else:
        near = 1 / NEAR <= factor <= NEAR
        off = significant(factor if factor >= 1 else 1 / factor, 2)
        words = "within a tenth" if near else f"too {side} by {off} times"
    number = value / _unit(question.unit)
    shown = f"{show_count(number) if number == int(number) else significant(number, 3)} {question.unit}".strip()
    return Outcome(shown, truth.text, words, near, _place(question, value), _place(question, truth.value))


def _choice(step: Step, question: Question, guess: str) -> Outcome:
    if guess not in [str(index) for index in range(len(question.options))]:
        raise BadValue(f"option {guess!r}", f"it is a number from 0 to {len(question.options) - 1}")
    chosen, answer = int(guess), answer_of(step, question)
    world = step.replay(0, question.after)
    because = question.options[chosen].because.fill(world)
    run = question.options[answer].say
    return Outcome(question.options[chosen].say, run, because, chosen == answer, answer=answer)


def _holds(world: World, question: Question, index: int) -> bool:
    return all(claim.judge(world).met for claim in question.options[index].claims)


def _unit(unit: str) -> float:
    return parse(f"1 {unit}", unit) if unit else 1.0


def _number(guess: str, unit: str) -> float:
    text = guess.strip()
    instead = f"Write it as in '3.5 {unit}'." if unit else "Write it as in '3.5'."
    if len(text) > LONGEST_GUESS or re.search(r"[0-9],[0-9]{1,2}(?![0-9])", text):
        raise BadValue(f"the prediction {text[:LONGEST_GUESS]!r}", "it must be one number, with a point", instead)
    try:
        bare = re.fullmatch(r"[-+0-9.,_eE ]+", text) is not None
        value = parse(f"{text} {unit or 'B'}" if bare else text, unit or "B")
    except BadValue as error:
        raise BadValue(f"the prediction {text!r}", error.because, instead) from None
    if not 0 < value < 10**18:
        raise BadValue(f"the prediction {text!r}", "it must be a number above zero", instead)
    return value


def _place(question: Question, value: float) -> int:
    stops = [_number(text, question.unit) for text in question.stops]
    if value <= stops[0]:
        return 0
    for index, (low, high) in enumerate(pairwise(stops)):
        if value <= high:
            return round(1000 * (index + (value - low) / (high - low)) / (len(stops) - 1))
    return 1000
