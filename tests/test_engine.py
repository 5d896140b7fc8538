"""The door: every text gets a reply in JSON, and never the standard library's words."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from paceline.engine import baked_requests, handle

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
NAMES = ("version", "lesson", "step", "figures", "predict", "replay", "start", "set", "advance", "eight-days")
KEYS = ("ask", "act", "step", "knobs", "settings", "guess", "actions", "seed", "value", "microseconds")
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
    assert all("error" not in ask(request) for request in baked_requests())


def test_a_goal_is_judged_on_the_world() -> None:
    opened = ask({"act": "replay", "step": "eight-days", "seed": 0, "actions": []})
    assert opened["unmet"] == "job not yet started"
    assert ask({"act": "start"})["unmet"] == "steps 0: needs at least 3"
    assert ask({"act": "advance", "microseconds": 60_000_000})["meters"]["steps"]["text"] == "10"
    assert ask({"act": "pause"})["met"] is True


def test_a_prediction_meets_the_run() -> None:
    reply = ask({"ask": "predict", "step": "eight-days", "guess": "2"})
    assert reply == {"run": "7.88 days", "words": "That is 3.9 times less than the run.", "you": "2.00 days"}
