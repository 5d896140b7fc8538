"""Views: every world has its own, each with a text twin, and each number stands in the world's readings too."""

import json
from itertools import pairwise

import pytest

from paceline.lesson import load_lesson
from paceline.views import VIEWS, lanes_of, views_of


@pytest.mark.parametrize("step", load_lesson().steps, ids=lambda step: step.id)
def test_each_view_has_a_text_twin(step) -> None:  # type: ignore[no-untyped-def]
    for world in (step.open(), step.replay(0, tuple(a for deed in step.solution for a in deed.actions))):
        found = views_of(world, step.views)
        assert set(found) <= set(step.views) <= set(VIEWS[step.world])
        for view in found.values():
            assert view["words"].endswith(".") and view["claim"]
            twin = view["twin"]
            assert twin["rows"] and all(len(row) == len(twin["columns"]) for row in twin["rows"])
            assert all(isinstance(cell, str) for row in twin["rows"] for cell in row)
        json.dumps(found, allow_nan=False)


def test_the_lanes_fill_the_step() -> None:
    world = load_lesson().step("copy-the-model").replay(0, ({"act": "set", "knob": "gpus", "value": 8},))
    lanes = lanes_of(world.run, world.step_us)  # type: ignore[attr-defined]
    compute = lanes["compute"]
    assert compute[0]["start_us"] == 0 and compute[-1]["end_us"] == lanes["length_us"]
    assert all(a["end_us"] == b["start_us"] for a, b in pairwise(compute))
    exposed = sum(span["end_us"] - span["start_us"] for span in lanes["comm"] if span["kind"] == "exposed")
    assert exposed == pytest.approx(world.readings()["exposed_comm_s"].value * 1e6, abs=len(lanes["comm"]))


def test_the_ring_picture_counts_what_the_world_counts() -> None:
    world = load_lesson().step("ring").replay(0, ({"act": "go", "move": 4},))
    view = views_of(world, ["ring"])["ring"]
    assert view["lines"][3] == "Move 4 of 14: GPU 3 sends chunk 0 to GPU 4, there now 5 of 8 ranks in it"
    assert view["cells"][0][4] == {"has": 0b11111, "arrived": 0b1111, "twice": 0, "count": 5, "complete": False}
    assert [point["here"] for point in view["curve"]].count(True) == 1
