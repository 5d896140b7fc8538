"""The training script: each edit is one, still Python, and has the consequence that its text says."""

import ast
from typing import Any

import pytest

from paceline.pod import Script, replay
from paceline.pod.knob import KNOBS
from paceline.pod.script import FOLDER, training_script
from paceline.pod.script import shard as shard_of
from paceline.step import Settings
from paceline.views.code import NEVER, code

SCRIPT = training_script()


def script(*actions: dict[str, Any]) -> Script:
    world = replay("script", Settings(gpus=8, global_batch=64), 0, actions)
    assert isinstance(world, Script)
    return world


def put(edit: int) -> dict[str, Any]:
    return {"act": "set", "knob": "edit", "value": edit}


def test_the_knobs_reach_every_line_and_edit() -> None:
    assert KNOBS["line"].highest == len(SCRIPT.lines)
    assert len(KNOBS["edit"].words) == len(SCRIPT.edits) + 1
    assert max(map(len, SCRIPT.lines)) <= 80, "it is read beside a picture"


@pytest.mark.parametrize("edit", range(len(KNOBS["edit"].words)))
def test_an_edited_script_is_python(edit: int) -> None:
    lines, was = SCRIPT.edited(edit)
    ast.parse("\n".join(lines))
    assert len(lines) == len(SCRIPT.lines) and bool(was) is (edit > 0)
    assert [number for number, (a, b) in enumerate(zip(lines, SCRIPT.lines, strict=True), 1) if a != b] == sorted(was)


def test_every_name_of_the_script_is_imported() -> None:
    modules = {node.module for node in ast.walk(ast.parse("\n".join(SCRIPT.lines))) if isinstance(node, ast.ImportFrom)}
    assert "gpt" in modules and (FOLDER / "gpt.py").is_file()


def test_shards_are_apart_and_whole() -> None:
    dealt = [place for rank in range(8) for place in shard_of(256, rank, 8)]
    assert sorted(dealt) == list(range(256))
    assert shard_of(256, 3, 8)[:3] == (3, 11, 19)


def test_consequences() -> None:
    values = {edit: {name: each.value for name, each in script(put(edit)).readings().items()} for edit in range(5)}
    assert values[0]["distinct_sequences"] == 64
    assert values[1]["gpus_busy"] == 0 and values[1]["memory_on_gpu_0"] == 8 * values[0]["memory_bytes"]
    assert values[2]["distinct_sequences"] == 8
    assert values[2]["time_to_train_s"] == pytest.approx(8 * values[0]["time_to_train_s"])
    assert (values[3]["orders_seen"], values[0]["orders_seen"]) == (1, 3)
    assert values[4]["gpus_busy"] == 0


def test_what_comes_after_the_end_of_a_run_is_never_reached() -> None:
    for edit, line in ((1, 19), (4, 18)):
        effects = code(script(put(edit)))["effects"]
        assert set(effects[line:]) == {"", NEVER} and NEVER not in effects[:line]
    assert NEVER not in code(script(put(2)))["effects"]


def test_an_edit_counts_once_it_was_run() -> None:
    assert script(put(1), put(2)).readings()["edits_tried"].value == 0
    tried = [action for edit in (1, 2, 3, 4) for action in (put(edit), {"act": "start"})]
    assert script(*tried).readings()["mended"].value == 0
    assert script(*tried, put(0)).readings()["mended"].value == 1
