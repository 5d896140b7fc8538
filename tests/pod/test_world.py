"""The world: time adds up exactly and an action log leads to one world."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.lesson import load_lesson
from paceline.pod.world import World, replay

SETTINGS = load_lesson().step("eight-days").settings
ACTIONS = st.lists(
    st.one_of(
        st.sampled_from([{"act": name} for name in ("start", "pause", "resume", "reset")]),
        st.integers(0, 10**11).map(lambda us: {"act": "advance", "microseconds": us}),
        st.integers(5, 100).map(lambda value: {"act": "set", "knob": "mfu_percent", "value": value}),
        st.integers(1, 300).map(lambda value: {"act": "set", "knob": "tokens_billion", "value": value}),
    ),
    max_size=12,
)


@given(ACTIONS, st.integers(0, 10**12), st.integers(0, 10**12))
def test_advance_adds_up(actions: list[dict[str, Any]], a: int, b: int) -> None:
    parted, whole = replay(SETTINGS, 0, actions), replay(SETTINGS, 0, actions)
    parted.advance(a)
    parted.advance(b)
    if a + b <= 10**12:
        whole.advance(a + b)
        assert parted == whole


@given(ACTIONS)
def test_replay_is_the_same_world(actions: list[dict[str, Any]]) -> None:
    world = World(SETTINGS)
    for action in actions:
        world.do(action)
    assert world == replay(SETTINGS, 0, actions)
    assert 0 <= world.steps_done <= world.steps_total
    assert 0 <= world.into_step_us < world.step_us


def test_a_job_ends_when_its_tokens_do() -> None:
    world = replay(SETTINGS, 0, [{"act": "start"}, {"act": "advance", "microseconds": 10**12}])
    assert world.state == "done"
    assert world.readings()["time_left_s"].text == "0 s"


def test_what_is_assumed_of_the_gpu() -> None:
    world = replay(SETTINGS, 0, [{"act": "set", "knob": "mfu_percent", "value": 100}])
    assert world.readings()["time_to_train_s"].text == "3.28 days"


@pytest.mark.parametrize(
    "action",
    [
        {"act": "fly"},
        {},
        {"act": "advance"},
        {"act": "advance", "microseconds": -1},
        {"act": "advance", "microseconds": True},
        {"act": "set", "knob": "luck", "value": 1},
        {"act": "set", "knob": "mfu_percent", "value": 0},
    ],
)
def test_refusals(action: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        World(SETTINGS).do(action)
