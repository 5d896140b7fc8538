"""The one door of the page: a request in, a reply out, both JSON text."""

import json
from typing import Any

import paceline
from paceline.errors import BadInput, BadValue, UnknownName
from paceline.figures import figures
from paceline.lesson import Step, judge_all, load_lesson
from paceline.lesson.prose import Piece
from paceline.pod import KNOBS, World
from paceline.pod.world import replay, whole, word
from paceline.records import Table
from paceline.step import Settings, simulate
from paceline.units import DAY_S, parse, significant

LONGEST_REQUEST = 2 * 10**6
DEEPEST = 16
LONGEST_WORD = 200
MOST_ACTIONS = 50_000


class Door:
    """Holds the one open world between requests."""

    def __init__(self) -> None:
        self.world: World | None = None
        self.step: Step | None = None

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to a well-formed request."""
        if "act" in request:
            return self._act(request)
        asks = {
            "version": _version,
            "lesson": _lesson,
            "step": _step,
            "figures": _figures,
            "predict": _predict,
        }
        name = word(request, "ask")
        if name not in asks:
            raise UnknownName.among("question", name, asks)
        return asks[name](request)

    def _act(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["act"] == "replay":
            step = load_lesson().step(word(request, "step"))
            actions = request.get("actions")
            if not isinstance(actions, list) or len(actions) > MOST_ACTIONS:
                raise BadValue("actions of a replay", f"they are a list of at most {MOST_ACTIONS}")
            if not all(isinstance(action, dict) for action in actions):
                raise BadValue("an action of a replay", "each is an object such as {'act': 'start'}")
            self.world, self.step = replay(step.settings, whole(request, "seed"), actions), step
        elif self.world is None:
            raise BadValue("an action", "no world is open", "Send a replay first.")
        else:
            self.world.do(request)
        assert self.step is not None
        return world_reply(self.world, self.step)


def world_reply(world: World, step: Step) -> dict[str, Any]:
    """Everything the page shows of a world."""
    readings = world.readings()
    pairs = {name: (reading.value, reading.text) for name, reading in readings.items()}
    verdicts, unmet = judge_all([goal.clause for goal in step.goals], pairs, world.journal)
    return {
        "clock_us": world.clock_us,
        "state": world.state,
        "into_step_per_mille": world.into_step_us * 1000 // world.step_us,
        "meters": {name: {"value": value, "text": text} for name, (value, text) in pairs.items()},
        "goals": [{"say": goal.say, "met": v.met} for goal, v in zip(step.goals, verdicts, strict=True)],
        "met": unmet == "",
        "unmet": unmet,
        "knobs": world.knobs,
        "assumed": world.mfu_percent > 0,
        "journal": world.journal[-20:],
    }


def _version(request: dict[str, Any]) -> dict[str, Any]:
    return {"version": paceline.__version__}


def _lesson(request: dict[str, Any]) -> dict[str, Any]:
    lesson = load_lesson()
    shown = ("id", "title", "short", "takeaway", "part")
    steps = [{name: getattr(step, name) for name in shown} for step in lesson.steps]
    return {
        "title": lesson.title,
        "promise": lesson.promise,
        "minutes": lesson.minutes,
        "steps": steps,
        "glossary": dict(lesson.glossary),
    }


def _step(request: dict[str, Any]) -> dict[str, Any]:
    step = load_lesson().step(word(request, "step"))
    world = World(step.settings)
    knobs = request.get("knobs", {})
    if not isinstance(knobs, dict):
        raise BadValue("knobs of a request", "they are an object of whole numbers")
    for name in sorted(knobs):
        world.do({"act": "set", "knob": name, "value": knobs[name]})
    prose = [[_piece(world, piece) for piece in paragraph] for paragraph in step.prose.paragraphs]
    return {
        "id": step.id,
        "part": step.part,
        "title": step.title,
        "takeaway": step.takeaway,
        "view": step.view,
        "hints": list(step.hints),
        "question": step.predict.question,
        "unit": step.predict.unit,
        "prose": prose,
        "knobs": [
            {"name": k.name, "label": k.label, "unit": k.unit, "lowest": k.lowest, "highest": k.highest}
            for k in (KNOBS[name] for name in step.knobs)
        ],
    }


def _piece(world: World, piece: Piece) -> dict[str, str]:
    if piece.kind != "hole":
        return {"kind": piece.kind, "text": piece.text, "name": ""}
    found = world.base
    if piece.knob:
        settings = world.settings.override(Table("prose", "", (), {piece.knob: piece.value}))
        found = figures(simulate(settings.scenario()))
    return {"kind": piece.kind, "text": found[piece.text].text, "name": piece.text}


def _figures(request: dict[str, Any]) -> dict[str, Any]:
    given = request.get("settings", {})
    if not isinstance(given, dict):
        raise BadValue("settings of a request", "they are an object")
    settings = Settings().override(Table("settings", "", (), given))
    found = figures(simulate(settings.scenario()))
    return {"figures": {name: {"value": each.value, "text": each.text} for name, each in found.items()}}


def _predict(request: dict[str, Any]) -> dict[str, Any]:
    step = load_lesson().step(word(request, "step"))
    guess_s = parse(f"{word(request, 'guess')} {step.predict.unit}", "s")
    if not DAY_S / 10**4 <= guess_s <= DAY_S * 10**6:
        raise BadValue("the prediction", "it is a number of days from 0.0001 to a million")
    truth = World(step.settings).base[step.predict.figure]
    factor = guess_s / truth.value
    side = "more" if factor >= 1 else "less"
    off = significant(factor if factor >= 1 else 1 / factor, 2)
    words = "You are within a tenth." if 0.9 <= factor <= 1.1 else f"That is {off} times {side} than the run."
    return {
        "you": f"{significant(guess_s / DAY_S, 3)} {step.predict.unit}",
        "run": truth.text,
        "words": words,
    }


_DOOR = Door()


def handle(text: str) -> str:
    """The reply to a request; one without an answer gets what was given, why not, and what would work."""
    try:
        return _encode(_DOOR.reply(_decode(text)))
    except BadInput as error:
        return _encode({"error": {"given": error.given, "because": error.because, "instead": error.instead}})


def _decode(text: str) -> dict[str, Any]:
    refusal = BadValue("the request", "it is not a JSON object of text and whole numbers", 'Such as {"ask":"version"}.')
    if len(text) > LONGEST_REQUEST or not text.isascii() or _depth(text) > DEEPEST:
        raise refusal

    def refuse(_: str) -> Any:
        raise refusal

    def integer(digits: str) -> int:
        if len(digits) > 19:
            raise refusal
        return int(digits)

    try:
        request = json.loads(text, parse_float=refuse, parse_constant=refuse, parse_int=integer)
    except ValueError:
        raise refusal from None
    if not isinstance(request, dict) or not _is_plain(request):
        raise refusal
    return request


def _depth(text: str) -> int:
    depth = deepest = 0
    for character in text:
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def _is_plain(value: Any) -> bool:
    """Text that both Pythons print alike, whole numbers, true and false; lists and objects of them."""
    if isinstance(value, dict):
        return all(_is_plain(key) and _is_plain(each) for key, each in value.items())
    if isinstance(value, list):
        return all(_is_plain(each) for each in value)
    if isinstance(value, str):
        return len(value) <= LONGEST_WORD and value.isascii() and (value.isprintable() or not value)
    return isinstance(value, int)


def baked_requests() -> list[dict[str, Any]]:
    """The requests whose replies are recorded at build time: each step's opening and first moves."""
    found: list[dict[str, Any]] = [{"ask": "version"}, {"ask": "lesson"}]
    for step in load_lesson().steps:
        found.append({"ask": "step", "step": step.id})
        for actions in ([], [{"act": "start"}]):
            found.append({"act": "replay", "step": step.id, "seed": 0, "actions": actions})
    return found


def _encode(reply: dict[str, Any]) -> str:
    return json.dumps(reply, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
