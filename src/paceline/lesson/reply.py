"""Replies: the lesson, a step and a world as the page reads them; web/src/lesson/reply.ts names the same fields."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from paceline.faults import Fault
from paceline.lesson.loader import Lesson
from paceline.lesson.predict import places
from paceline.lesson.prose import TONES, Piece, Prose
from paceline.lesson.step import TIERS, Question, Step, Title
from paceline.pod import KNOBS, Replicas, Ring, TrainingJob, World, open_world
from paceline.step import Settings, simulate
from paceline.units import show_percent, show_seconds
from paceline.views import lanes_of, views_of

_SECTIONS = {"Opening": "opening", "Do": "doing", "Watch": "watch", "Why": "why", "Further": "further"}
DONE = "Every goal of this step is met."
FRESH_SEEDS = 8
"""Openings of a drill that are recorded, so that its first numbers are fresh and there at once."""
DRAWN = ("drill",)
_PLAY = {"ring": "moves", "script": "run", "drill": "none"}
"""How a world is moved on: by moves, by running it once, by answers alone; others have a clock."""
_SPEED_WORDS = {1: "real time", 60: "a minute a second", 3600: "an hour a second", 86400: "a day a second"}


def lesson_reply(lesson: Lesson) -> dict[str, Any]:
    """The front page and the list of steps."""
    home = lesson.home
    world = open_world("job", home.settings)
    parts = [
        {
            "number": part.number,
            "title": part.title,
            "minutes": part.minutes,
            "steps": [_title(title) for title in part.steps],
        }
        for part in lesson.parts
    ]
    return {
        "title": lesson.title,
        "promise": lesson.promise,
        "kicker": f"An interactive AI-infrastructure lesson, {len(lesson.titles)} steps, about {lesson.minutes} "
        "minutes, on a live simulation in your browser.",
        "minutes": lesson.minutes,
        "headline": home.headline,
        "team": _paragraphs(home.team, world),
        "parts": parts,
        "hero": _hero(home.pod),
        "glossary": dict(lesson.glossary),
    }


def _title(title: Title) -> dict[str, Any]:
    shown = ("id", "number", "title", "short", "takeaway", "to_come")
    return {name: getattr(title, name) for name in shown}


def _hero(settings: Settings) -> dict[str, Any]:
    hot, well = simulate(settings.scenario()), simulate(replace(settings, faults=()).scenario())
    rank, speed = hot.slow_ranks[0]
    other = 0 if rank else 1
    waits = hot.waits_s(other) - well.waits_s(other)
    fault = Fault.parse(settings.faults[0])
    return {
        "hot_rank": rank,
        "hot_place": f"dgx-{fault.server + 1}, GPU {fault.index}",
        "hot_text": f"{show_percent(speed)} clock",
        "hot": {
            "step": show_seconds(hot.step_s),
            "words": f"One GPU of {settings.gpus} runs at {show_percent(speed)} of its clock. The other "
            f"{settings.gpus - 1} wait for it, and a step takes {show_seconds(hot.step_s)}.",
            "wait_per_mille": round(1000 * waits / hot.step_s),
        },
        "well": {
            "step": show_seconds(well.step_s),
            "words": f"All {settings.gpus} GPUs compute. A step takes {show_seconds(well.step_s)}.",
            "wait_per_mille": 0,
        },
    }


def step_reply(step: Step, of: int) -> dict[str, Any]:
    """What of a step does not change."""
    world = step.open()
    reply: dict[str, Any] = {
        "id": step.id,
        "number": step.head.number,
        "of": of,
        "part": step.head.part,
        "title": step.head.title,
        "takeaway": step.head.takeaway,
        "views": list(step.views),
        "questions": [_question(question, world) for question in step.questions],
        "knobs": [_knob(name, step) for name in step.knobs],
        "buttons": [{"label": deed.say, "action": dict(deed.actions[0])} for deed in step.buttons],
        "tries": [{"label": deed.say, "actions": [dict(each) for each in deed.actions]} for deed in step.tries],
        "solution": [{"say": deed.say, "action": dict(each)} for deed in step.solution for each in deed.actions],
        "meters": [{"name": name, "label": world.labels[name][1]} for name in step.meters],
        "watched": step.watched,
        "play": _PLAY.get(world.kind, "clock"),
        "seeds": FRESH_SEEDS if world.kind in DRAWN else 0,
        "start_label": step.start_label,
        "speeds": [
            *({"factor": 1 / times, "text": f"{times} times slower"} for times in step.slow),
            *(
                {"factor": factor, "text": _SPEED_WORDS.get(factor, f"{factor} times as fast")}
                for factor in step.speeds
            ),
        ],
        "speed": _speed(step),
        "code": None
        if step.code is None
        else {"name": step.code.name, "words": step.code.words, "starter": step.code.starter},
    }
    return reply | {key: _paragraphs(step.sections[name], world) for name, key in _SECTIONS.items()}


def _speed(step: Step) -> float:
    """The pace a step opens with: the one it names, a twentieth where it goes slower than life, or its second one."""
    if step.speed:
        return step.speed
    factors = [*(1 / times for times in step.slow), *step.speeds]
    return factors[min(1, len(factors) - 1)]


def _question(question: Question, world: World) -> dict[str, Any]:
    return {
        "kind": "choice" if question.options else "number",
        "question": question.question.fill(world),
        "unit": question.unit,
        "stops": [{"at": at, "text": text} for at, text in places(question)] if question.stops else [],
        "options": [option.say for option in question.options],
    }


def _knob(name: str, step: Step) -> dict[str, Any]:
    knob = KNOBS[name]
    return {
        "name": name,
        "label": knob.label,
        "unit": knob.unit,
        "kind": knob.kind,
        "lowest": knob.lowest,
        "highest": knob.highest,
        "stops": list(knob.stops),
        "words": list(knob.words),
        "further": name in step.further,
    }


def _paragraphs(prose: Prose, world: World) -> list[dict[str, Any]]:
    return [
        {"kind": paragraph.kind, "pieces": [_piece(piece, world) for piece in paragraph.pieces]}
        for paragraph in prose.paragraphs
    ]


def _piece(piece: Piece, world: World) -> dict[str, str]:
    text = KNOBS[piece.name].text(world.knobs[piece.name]) if piece.kind == "touch" else piece.fill(world)
    name = piece.key if piece.kind == "hole" else piece.name
    return {"kind": piece.kind, "text": text, "name": name, "tone": TONES.get(piece.name, "")}


def world_reply(world: World, step: Step) -> dict[str, Any]:
    """Everything the page shows of a world."""
    readings = world.readings()
    verdicts = [goal.clause.judge(world) for goal in step.goals]
    met = all(verdict.met for verdict in verdicts)
    holes = {piece.key: piece.fill(world) for prose in step.sections.values() for piece in prose.holes}
    shown = dict.fromkeys((*step.meters, step.watched))
    reply: dict[str, Any] = {
        "clock_us": world.clock_us,
        "state": world.state,
        "meters": {name: {"text": readings[name].text, "was": _was(world, name)} for name in shown},
        "goals": [
            {
                "say": goal.say,
                "met": verdict.met,
                "missing": "" if verdict.met else goal.missing.fill(world) or verdict.text,
            }
            for goal, verdict in zip(step.goals, verdicts, strict=True)
        ],
        "met": met,
        "hints": [{"tier": tier, "say": DONE if met and tier == "Nudge" else step.hint(tier, world)} for tier in TIERS],
        "holes": holes,
        "knobs": {
            name: {"value": world.knobs[name], "text": KNOBS[name].text(world.knobs[name])} for name in step.knobs
        },
        "views": views_of(world, step.views),
        "step_us": 0,
        "into_step_us": 0,
        "lanes": None,
        "move": 0,
        "moves": 0,
        "note": world.note,
    }
    if isinstance(world, Ring):
        reply |= {"move": world.move, "moves": world.moves_total}
    elif isinstance(world, (TrainingJob, Replicas)):
        reply |= {"step_us": world.step_us, "into_step_us": world.into_step_us}
    if isinstance(world, TrainingJob):
        reply["lanes"] = _lanes(world.settings, world.step_us)
    return reply


@lru_cache(maxsize=32)
def _lanes(settings: Settings, step_us: int) -> dict[str, Any]:
    return lanes_of(simulate(settings.scenario()), step_us)


def _was(world: World, name: str) -> str:
    before = world.was.get(name, "")
    return before if before != world.readings()[name].text else ""


def first_moves(step: Step) -> list[list[dict[str, Any]]]:
    """The action logs a learner is likely to begin with.

    The opening, each knob's stops, what is there to try, the solution line by line, the first beats or moves.
    """
    world = step.open()
    logs: list[list[dict[str, Any]]] = [[]]
    for name in step.knobs:
        knob = KNOBS[name]
        values = range(knob.lowest, knob.highest + 1) if knob.words else knob.stops
        logs += [[{"act": "set", "knob": name, "value": value}] for value in values]
    logs += [[dict(action) for action in deed.actions] for deed in step.tries]
    solution = [dict(action) for deed in step.solution for action in deed.actions]
    logs += [solution[:count] for count in range(1, len(solution) + 1)]
    if isinstance(world, Ring):
        logs += [[{"act": "go", "move": move}] for move in range(world.moves_total)]
        logs += [[{"act": "finish"}], [{"act": "go", "move": world.moves_total - 1}, {"act": "finish"}]]
    elif isinstance(world, (TrainingJob, Replicas)):
        start: dict[str, Any] = {"act": "start"}
        beats = range(1, step.beats + 1)
        logs += [[start], *([start, {"act": "advance", "microseconds": beat * world.step_us}] for beat in beats)]
    return logs
