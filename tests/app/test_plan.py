import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from paceline.app.cli import cli

GPT2 = {"model_type": "gpt2", "n_embd": 1600, "n_head": 25, "n_layer": 48, "vocab_size": 50257, "n_positions": 1024}
NEEDED = (
    "step_s", "tokens_per_s", "mfu", "memory_bytes", "time_to_train_s", "efficiency", "comm_s", "exposed_comm_s",
    "gradient_bytes", "world_size",
)  # fmt: skip


def plan(*words: str) -> Result:
    return CliRunner().invoke(cli, ["plan", *words])


def test_the_answer_comes_first() -> None:
    result = plan()
    assert result.exit_code == 0
    assert result.output.startswith("6.44 h on 32 GPUs, 92% efficient.")
    assert len(result.output.splitlines()) <= 45


def test_json_holds_every_figure_and_the_sweep() -> None:
    data = json.loads(plan("--json", "--sweep").stdout)
    assert all(name in data["figures"] for name in NEEDED)
    assert [row["world_size"] for row in data["sweep"]] == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert data["figures"]["step_s"] == data["sweep"][5]["step_s"]


def test_a_config_file_is_the_catalog_s_model(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(GPT2))
    ours = json.loads(plan("--json", "--model", str(path)).stdout)["figures"]
    assert ours == json.loads(plan("--json").stdout)["figures"]


def test_options_override_a_scenario_file(tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    path.write_text('gpus = 8\nglobal_batch = 128\nfaults = ["slow-gpu@1:3=0.5"]\n')
    assert json.loads(plan("--json", "--scenario", str(path)).stdout)["figures"]["straggler_s"] > 0
    assert json.loads(plan("--json", "--scenario", str(path), "--gpus", "16").stdout)["figures"]["world_size"] == 16


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--gpus", "48"), "256 = 48 x 5 + 16"),
        (("--gpus", "512"), "no more GPUs than sequences"),
        (("--gpus", "0"), "between 1 and"),
        (("--gpus", "999999999999999999"), "servers give equal shares"),
        (("--model", ""), "no model of that name"),
        (("--gpus", "-4"), "whole positive count"),
        (("--gpus", "nan"), "whole positive count"),
        (("--tokens", "1e40"), "between 1 and"),
        (("--tokens", "inf"), "whole positive count"),
        (("--global-batch", "1.5"), "not a whole number"),
        (("--micro-batch", ""), "whole positive count"),
        (("--seq-len", "4096"), "positions for 1,024"),
        (("--model", "nope"), "no model of that name"),
        (("--model", "llama-3-8b"), "128 GB are weights"),
        (("--model", "missing/config.json"), "no such file"),
        (("--gpu", "h1000"), "Did you mean"),
        (("--nics", "3"), "Try 1, 2, 4, 8"),
        (("--servers", "3"), "32 = 3 x 10 + 2"),
        (("--servers", "2"), "> 8"),
        (("--price", "nan"), "dollars"),
        (("--price", "-1"), "dollars"),
        (("--scenario", "missing.toml"), "no such file"),
    ],
)
def test_refusals_teach(words: tuple[str, ...], says: str) -> None:
    result = plan(*words)
    assert result.exit_code == 2
    assert says in result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"model_type": "mixtral"}', '{"model_type": "llama"}', '{"model_type": "gpt2", "n_embd": -1}',
     '{"model_type": "gpt2", "n_layer": 1e9}', '{"model_type": "gpt2", "n_embd": NaN}', "[" * 5000, "\x00",
     '{"model_type": "gpt2", "n_head": 7}', '{"model_type": ["gpt2"]}'],
)  # fmt: skip
def test_a_malformed_config_is_refused_with_its_place(text: str, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    result = plan("--model", str(path))
    assert result.exit_code == 2, result.output
    assert "config.json" in result.stderr


@pytest.mark.parametrize(
    "text", ["gpus = 'x'", "gpuss = 8", "gpus = ", "faults = [1]", "faults = ['x']", "gpus = true"]
)
def test_a_malformed_scenario_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    path.write_text(text)
    assert plan("--scenario", str(path)).exit_code == 2


def test_the_sweep_agrees_with_the_answer_however_servers_are_shared() -> None:
    data = json.loads(plan("--json", "--sweep", "--servers", "8").stdout)
    row = next(row for row in data["sweep"] if row["world_size"] == 32)
    assert row == data["figures"]


def test_a_folder_without_a_config_is_named_with_the_file_it_lacks(tmp_path: Path) -> None:
    assert f"{tmp_path}/config.json: there is no such file" in plan("--model", str(tmp_path)).stderr
