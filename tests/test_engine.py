"""The door: every text gets a reply in JSON, and never the standard library's words."""

import json
import re
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.engine import baked_requests, handle
from paceline.figures import FIGURES
from paceline.lesson import load_lesson
from paceline.pod import KNOBS, WORLDS

READINGS = {*FIGURES, *(name for world in WORLDS.values() for name in world.labels)}

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
NAMES = ("version", "lesson", "step", "figures", "predict", "replay", "start", "set", "advance", "eight-days")
KEYS = ("ask", "act", "step", "settings", "question", "guess", "actions", "seed", "value", "microseconds", "chunks")
REQUESTS = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(NAMES) | VALUES, max_size=6)


def ask(request: dict[str, Any]) -> dict[str, Any]:
    reply: dict[str, Any] = json.loads(handle(json.dumps(request)))
    return reply


@given(st.text() | VALUES.map(json.dumps) | REQUESTS.map(json.dumps))
def test_any_text_gets_a_reply(text: str) -> None:
    reply = json.loads(handle(text))
    if "error" in reply:
        assert set(reply["error"]) == {"given", "because", "instead"}


def test_deep_and_large_requests_are_refused() -> None:
    for text in ("[" * 10**5, "9" * 5000, '{"ask":' + "9" * 5000 + "}", '{"ask":1.5}', '{"ask":NaN}'):
        assert "error" in json.loads(handle(text))


def test_baked_requests_are_answered() -> None:
    for request in baked_requests():
        refusal = ask(request).get("error")
        # A knob's slider may offer what the world refuses; that is recorded too, with what would work.
        assert refusal is None or (request.get("actions") and refusal["instead"]), request


def test_a_goal_is_judged_on_the_world() -> None:
    opened = ask({"act": "replay", "step": "eight-days", "seed": 0, "actions": []})
    assert opened["goals"][0]["missing"] == "The GPU is idle."
    assert ask({"act": "start"})["goals"][1]["missing"] == "0 finished so far, 5.95 s each."
    assert ask({"act": "advance", "microseconds": 60_000_000})["meters"]["steps_done"]["text"] == "10"
    assert ask({"act": "pause"})["met"] is True


def test_a_refused_action_leaves_the_world() -> None:
    ask({"act": "replay", "step": "copy-the-model", "seed": 0, "actions": [{"act": "start"}]})
    refused = ask({"act": "set", "knob": "gpus", "value": 3})["error"]
    assert "256 = 3 x 85 + 1" in refused["because"] and "2 or 4 GPUs" in refused["instead"]
    assert ask({"act": "set", "knob": "gpus", "value": 4})["meters"]["step_s"] == {"text": "1.50 s", "was": "5.95 s"}


def test_every_text_of_a_world_is_filled() -> None:
    for request in baked_requests():
        text = handle(json.dumps(request))
        assert [hole for hole in re.findall(r"\{([a-z][a-z0-9_]*)[ }]", text) if hole in READINGS] == [], request


def test_what_is_too_large_is_refused_in_words() -> None:
    ask({"act": "replay", "step": "drill-all-reduce-time", "seed": 0, "actions": []})
    assert "error" in ask({"act": "answer", "text": "1e300"})
    assert "error" in ask({"ask": "predict", "step": "global-batch", "question": 0, "guess": "1e299TB"})


@pytest.mark.parametrize("step", [step.id for step in load_lesson().steps])
def test_every_pair_of_stops_leaves_a_world_that_answers(step: str) -> None:
    knobs = load_lesson().step(step).knobs
    stops = {name: KNOBS[name].stops or range(KNOBS[name].lowest, KNOBS[name].highest + 1) for name in knobs}
    for first, second in permutations(knobs, 2):
        for one in stops[first][:12:3]:
            for two in stops[second][:12:3]:
                ask({"act": "replay", "step": step, "seed": 0, "actions": []})
                for knob, value in ((first, one), (second, two)):
                    reply = ask({"act": "set", "knob": knob, "value": value})
                    assert "error" not in reply or reply["error"]["instead"], (first, one, second, two, reply)
                assert "error" not in ask({"act": "advance", "microseconds": 1}), (first, one, second, two)


def test_a_prediction_meets_the_run() -> None:
    reply = ask({"ask": "predict", "step": "eight-days", "question": 0, "guess": "2"})
    assert (reply["you"], reply["run"], reply["words"]) == ("2 days", "7.88 days", "too low by 3.9 times")
