"""Worlds: time adds up exactly, an action log leads to one world, and what a drag leaves out changes nothing."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.lesson import load_lesson
from paceline.pod import KNOBS, TrainingJob, World, open_world, replay

Actions = list[dict[str, Any]]
OWN: dict[str, list[dict[str, Any]]] = {
    "job": [{"act": name} for name in ("start", "pause", "resume")],
    "replicas": [{"act": name} for name in ("start", "pause", "resume", "broadcast")],
    "ring": [{"act": "finish"}, {"act": "go", "move": 0}, {"act": "go", "move": 1}],
    "script": [{"act": "start"}],
    "drill": [{"act": "reveal"}, {"act": "answer", "text": "3.1"}, {"act": "answer", "text": "1e9"}],
}
SETTINGS = {step.world: step.settings for step in reversed(load_lesson().steps)}
TURNS: dict[str, list[tuple[str, int]]] = {
    "job": [("gpus", n) for n in (1, 2, 4, 8)]
    + [("mfu_percent", n) for n in (5, 42, 100)]
    + [("tokens_billion", n) for n in (1, 30, 300)]
    + [("world_size", n) for n in (1, 8, 64, 256)]
    + [("global_batch", n) for n in (256, 512)]
    + [(name, n) for name in ("overlap", "batch_held", "checkpointing", "bucket_view") for n in (0, 1)]
    + [("model_size", n) for n in (0, 2)]
    + [("sharding", n) for n in (0, 3)]
    + [(name, n) for name in ("micro_batch", "accumulation") for n in (1, 2)]
    + [("ring_forced", 0), ("ring_forced", 1), ("servers", 2), ("servers", 4)]
    + [("nics", 1), ("nics", 8), ("nic_gbit", 100), ("nic_gbit", 400), ("bucket_mib", 1), ("bucket_mib", 400)],
    "replicas": [("averaging", 0), ("averaging", 1)],
    "script": [("edit", 0), ("edit", 4), ("line", 1), ("line", 30)],
    "drill": [],
    "ring": [("ranks", 2), ("ranks", 8), ("ranks", 8000), ("link_percent", 50), ("link_percent", 100)],
}


def some_actions(kind: str) -> st.SearchStrategy[Actions]:
    longest = 10**11 if kind == "job" else 2 * 10**6
    sets: Actions = [{"act": "set", "knob": knob, "value": value} for knob, value in TURNS[kind]]
    advances = st.integers(0, longest).map(lambda us: {"act": "advance", "microseconds": us})
    return st.lists(st.one_of(st.sampled_from([*OWN[kind], *sets]), advances), max_size=10)


WITH_KNOBS = sorted(kind for kind, turns in TURNS.items() if turns)


def cases(kinds: list[str]) -> st.SearchStrategy[tuple[str, Actions]]:
    return st.sampled_from(kinds).flatmap(lambda kind: st.tuples(st.just(kind), some_actions(kind)))


KINDS_AND_ACTIONS = cases(sorted(OWN))


def after(kind: str, actions: Actions) -> World:
    """The world after those of the actions that are not refused: a refused one changes nothing."""
    world = open_world(kind, SETTINGS[kind])
    for action in actions:
        with suppress(BadInput):
            world.do(action)
    return world


@given(KINDS_AND_ACTIONS, st.integers(0, 10**6), st.integers(0, 10**6))
def test_advance_adds_up(case: tuple[str, Actions], a: int, b: int) -> None:
    parted, whole = after(*case), after(*case)
    parted.advance(a)
    parted.advance(b)
    whole.advance(a + b)
    assert parted == whole


@given(cases(WITH_KNOBS), st.data())
def test_of_a_knob_set_twice_the_last_counts(case: tuple[str, Actions], data: st.DataObject) -> None:
    kind, actions = case
    name = data.draw(st.sampled_from(sorted({knob for knob, _ in TURNS[kind]})))
    values = [value for knob, value in TURNS[kind] if knob == name]
    first, last = (data.draw(st.sampled_from(values)) for _ in range(2))

    def turn(value: int) -> dict[str, Any]:
        return {"act": "set", "knob": name, "value": value}

    assert after(kind, [*actions, turn(first), turn(last)]) == after(kind, [*actions, turn(last)])


@given(KINDS_AND_ACTIONS)
def test_a_world_stays_in_its_bounds(case: tuple[str, Actions]) -> None:
    world = after(*case)
    assert world == after(*case)
    assert world.state in ("idle", "running", "paused", "done", "failed")
    for name, value in world.knobs.items():
        if name in ("gpus", "servers"):
            continue  # they count one server and the four of the pod, and the job may have left those
        assert KNOBS[name].lowest <= value <= KNOBS[name].highest
    assert set(world.labels) <= set(world.readings())


@given(cases(WITH_KNOBS))
def test_a_what_if_leaves_the_world_alone(case: tuple[str, Actions]) -> None:
    world, same = after(*case), after(*case)
    world.what_if([TURNS[case[0]][0]])
    assert world == same


def test_a_job_ends_when_its_tokens_do() -> None:
    world = after("job", [{"act": "start"}, {"act": "advance", "microseconds": 10**12}])
    assert world.state == "done"
    assert world.readings()["time_left_s"].text == "0 s"


def test_what_is_assumed_of_the_gpu() -> None:
    world = after("job", [{"act": "set", "knob": "mfu_percent", "value": 100}])
    assert world.readings()["time_to_train_s"].text == "3.28 days"


def test_the_readings_before_a_change_are_kept() -> None:
    world = after("job", [{"act": "set", "knob": "gpus", "value": value} for value in (2, 4, 8)])
    assert world.was["step_s"] == "5.95 s"
    assert world.readings()["step_s"].text == "760 ms"


def test_a_refused_turn_changes_nothing() -> None:
    world, same = TrainingJob(SETTINGS["job"]), TrainingJob(SETTINGS["job"])
    with pytest.raises(BadInput, match="256 = 3 x 85"):
        world.do({"act": "set", "knob": "gpus", "value": 3})
    assert world == same


@pytest.mark.parametrize("kind", sorted(OWN))
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
        {"act": "set", "knob": "ranks", "value": 1},
        {"act": "set", "knob": "averaging", "value": 2},
    ],
)
def test_refusals(kind: str, action: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        replay(kind, SETTINGS[kind], 0, [action])
