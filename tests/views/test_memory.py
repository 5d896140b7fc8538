"""Memory: the bar is the bill, and the wall stands where the GPU ends."""

from itertools import pairwise
from typing import Any

import pytest

from paceline.pod import TrainingJob, replay
from paceline.step import Settings
from paceline.views.memory import memory


def job(*turns: tuple[str, int]) -> TrainingJob:
    actions: list[dict[str, Any]] = [{"act": "set", "knob": knob, "value": value} for knob, value in turns]
    world = replay("job", Settings(checkpointing=False), 0, actions)
    assert isinstance(world, TrainingJob)
    return world


@pytest.mark.parametrize("turns", [(), (("model_size", 2),), (("model_size", 3), ("sharding", 3)), (("sharding", 1),)])
def test_the_bars_are_the_bill(turns: tuple[tuple[str, int], ...]) -> None:
    world = job(*turns)
    view = memory(world)
    here = next(bar for bar in view["bars"] if bar["here"])
    assert here["total"] == view["claim"] == world.readings()["memory_bytes"].text
    blocks = here["blocks"]
    assert [block["name"] for block in blocks] == [line.name for line in world.bill.lines]
    assert blocks[0]["start"] == 0 and all(a["end"] == b["start"] for a, b in pairwise(blocks))
    assert here["over"] is (blocks[-1]["end"] > view["limit"]["at"]) is bool(view["error"])
    tenths = [float(row["values"][-1]) for row in view["bill"] if row["values"][-1] != "–"]
    assert sum(tenths) == pytest.approx(float(view["sum"]["values"][-1]), abs=0.5)


def test_what_n_divides() -> None:
    assert {row["divided"] for row in memory(job(("model_size", 2)))["bill"]} == {"no"}
    divided = {row["name"] for row in memory(job(("sharding", 1)))["bill"] if row["divided"] == "by 32"}
    assert divided == {"master weights", "optimizer state"}
