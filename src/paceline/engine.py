"""The one door of the page: a request in, a reply out, both JSON text."""

import json
from dataclasses import asdict
from typing import Any

import paceline
from paceline.errors import BadInput, BadValue, UnknownName
from paceline.figures import figures
from paceline.lesson import Step, load_lesson, predict
from paceline.lesson.reply import DRAWN, FRESH_SEEDS, first_moves, lesson_reply, step_reply, world_reply
from paceline.pod import World
from paceline.pod.knob import whole, word
from paceline.records import Table
from paceline.step import Settings, simulate

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
            self.world, self.step = step.replay(whole(request, "seed"), tuple(actions)), step
        elif self.world is None:
            raise BadValue("an action", "no world is open", "Send a replay first.")
        else:
            self.world.do(request)
        assert self.step is not None
        return world_reply(self.world, self.step)


def _version(request: dict[str, Any]) -> dict[str, Any]:
    return {"version": paceline.__version__}


def _lesson(request: dict[str, Any]) -> dict[str, Any]:
    return lesson_reply(load_lesson())


def _step(request: dict[str, Any]) -> dict[str, Any]:
    lesson = load_lesson()
    return step_reply(lesson.step(word(request, "step")), len(lesson.titles))


def _figures(request: dict[str, Any]) -> dict[str, Any]:
    given = request.get("settings", {})
    if not isinstance(given, dict):
        raise BadValue("settings of a request", "they are an object")
    settings = Settings().override(Table("settings", "", (), given))
    found = figures(simulate(settings.scenario()))
    return {"figures": {name: {"value": each.value, "text": each.text} for name, each in found.items()}}


def _predict(request: dict[str, Any]) -> dict[str, Any]:
    step = load_lesson().step(word(request, "step"))
    index = whole(request, "question")
    if not 0 <= index < len(step.questions):
        raise BadValue(f"question {index}", f"step {step.id!r} has {len(step.questions)}")
    return asdict(predict(step, step.questions[index], word(request, "guess")))


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
    """The requests whose replies are recorded at build time: each step's opening, first moves and predictions."""
    found: list[dict[str, Any]] = [{"ask": "version"}, {"ask": "lesson"}]
    for step in load_lesson().steps:
        found.append({"ask": "step", "step": step.id})
        seeds = range(FRESH_SEEDS if step.world in DRAWN else 1)
        for actions in first_moves(step):
            found += [{"act": "replay", "step": step.id, "seed": seed, "actions": actions} for seed in seeds]
        for index, question in enumerate(step.questions):
            guesses = question.stops or tuple(str(option) for option in range(len(question.options)))
            found += [{"ask": "predict", "step": step.id, "question": index, "guess": guess} for guess in guesses]
    return found


def _encode(reply: dict[str, Any]) -> str:
    return json.dumps(reply, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
