"""The command line, run as a person runs it."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable

import pytest

from paceline import __version__
from paceline.app.cli import COMMANDS

ENVIRONMENT = os.environ | {"COLUMNS": "80", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
PROGRAM = [sys.executable, "-c", "from paceline.app.cli import main; main()"]


def paceline(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*PROGRAM, *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=ENVIRONMENT, timeout=60)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help(golden: Callable[[str, str], None], command: str) -> None:
    run = paceline(*command.split(), "--help")
    assert (run.returncode, run.stderr) == (0, "")
    golden(f"help/paceline{command and '-'}{command}.txt", run.stdout)


def test_version() -> None:
    assert paceline("--version").stdout == f"paceline {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train"], "No such command 'train'"),
        (["--gpus", "8"], "No such option"),
        (["learn", "--port", "65536"], "not in the range"),
        (["learn", "--port", "eight"], "not a valid integer"),
        (["learn", "now"], "unexpected extra argument"),
    ],
)
def test_wrong_usage_is_two_and_a_sentence(arguments: list[str], message: str) -> None:
    run = paceline(*arguments)
    assert (run.returncode, run.stdout) == (2, "")
    assert message in run.stderr and "Traceback" not in run.stderr


def test_a_refusal_is_one_message() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        run = paceline("--no-open", "--port", str(port))
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == (
        f"paceline: port {port}: another program listens there, perhaps an earlier Paceline. "
        "Choose another with --port, or let --port 0 find a free one.\n"
    )


def test_a_reader_that_leaves_hears_no_complaint() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    run = subprocess.run([*PROGRAM, "--help"], stdout=writing, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=60)
    os.close(writing)
    assert (run.returncode, run.stderr) == (1, b"")
