"""The documents name only what exists, and their commands run."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from paceline.app.cli import cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = re.findall(r"^    paceline (plan[^#\n]*)", README, re.MULTILINE)


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "DESIGN.md"])
def test_every_file_named_exists(document: str) -> None:
    named = re.findall(r"`((?:src|tests|docs|examples|web|bench)/[\w./-]+)`", (ROOT / document).read_text("utf-8"))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_runs(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert CliRunner().invoke(cli, shlex.split(command)).exit_code == 0
