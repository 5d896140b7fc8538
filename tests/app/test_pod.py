"""`paceline pod` fed with commands, and what it refuses."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from paceline.app.cli import cli
from paceline.faults import KINDS

PROMPT = "ops@dgx-1:~$ "


def pod(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(cli, ["pod", *words], input=typed)


def test_commands_are_answered_after_their_prompts() -> None:
    result = pod(typed="echo hi\ncd /tmp\nfor x in 1 2\ndo echo $x\ndone\nssh dgx-2\nhostname\n")
    assert result.stdout == (
        f"{PROMPT}echo hi\nhi\n{PROMPT}cd /tmp\n{PROMPT.replace('~', '/tmp')}for x in 1 2\ndo echo $x\ndone\n1\n2\n"
        "ops@dgx-1:/tmp$ ssh dgx-2\nops@dgx-2:~$ hostname\ndgx-2\n"
    )


@pytest.mark.parametrize(
    ("typed", "code"),
    [("", 0), ("\n", 0), ("true\n", 0), ("true\nfalse\n", 1), ("false\ntrue", 0), ("nosuch\n", 127),
     ("exit 5\necho never\n", 5), ("srun -N2 bash -c 'exit 7'\n", 7)],
)  # fmt: skip
def test_the_exit_code_is_the_last_command_s(typed: str, code: int) -> None:
    result = pod(typed=typed)
    assert result.exit_code == code and "never" not in result.output


def test_lines_may_end_as_on_windows_and_the_last_may_lack_its_end() -> None:
    assert (
        pod(typed="if true\r\nthen echo a\r\nfi\r\necho b\r").stdout
        == pod(typed="if true\nthen echo a\nfi\necho b").stdout
    )
    unfinished = pod(typed='echo "unterminated\n')
    assert unfinished.stdout == f'{PROMPT}echo "unterminated\n'
    assert (unfinished.exit_code, unfinished.stderr.count("\n")) == (2, 1)


def test_faults_are_listed() -> None:
    assert set(json.loads(pod("--list-faults", "--json").stdout)) == set(KINDS)
    listed = pod("--list-faults").stdout
    assert all(name in listed for name in KINDS) and "dgx-1 to dgx-5, indices 0 to 7" in listed


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--fault", "nope"), "no fault of that name"),
        (("--fault", "slow-gpu@"), "HOST:INDEX"),
        (("--fault", "slow-gpu@dgx-1"), "slow-gpu@dgx-2:5"),
        (("--fault", "slow-gpu@:3"), "HOST:INDEX"),
        (("--fault", "slow-gpu@a:b"), "not a number"),
        (("--fault", "slow-gpu@dgx-6:1"), "hosts are dgx-1 to dgx-5, indices 0 to 7"),
        (("--fault", "bad-cable@dgx-2:8"), "hosts are dgx-1 to dgx-5, indices 0 to 7"),
        (("--scenario", "missing.toml"), "no such file"),
        (("--scenario", "."), "it is a folder"),
    ],
)
def test_refusals_teach(words: tuple[str, ...], says: str) -> None:
    result = pod(*words)
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stderr.startswith("paceline: ") and result.stderr.count("\n") == 1
    assert result.stdout == ""


@pytest.mark.parametrize("text", [b"gpus = 'x'", b"faults = ['slow-gpu@9:9']", b"gpus = ", b"\xff\xfe"])
def test_a_bad_scenario_is_refused(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    path.write_bytes(text)
    result = pod("--scenario", str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("paceline: ") and "Traceback" not in result.stderr


def test_a_seed_says_where_and_the_clock_is_the_pod_s() -> None:
    typed = "sbatch train.sbatch\nsleep 300\nibqueryerrors\ndate\n"
    words = ("--fault", "bad-cable", "--seed")
    first = pod(*words, "3", typed=typed)
    assert first.stdout == pod(*words, "3", typed=typed).stdout
    assert len({pod(*words, str(seed), typed=typed).stdout for seed in range(4)}) > 1
    assert first.stdout.endswith("Mon Mar  2 09:05:00 UTC 2026\n")


def test_a_monitor_ends_with_its_reader() -> None:
    shown = pod(typed="sbatch train.sbatch; watch -n 2 squeue | head -n 3; date\n").stdout
    assert "JOBID" in shown and shown.endswith("Mon Mar  2 09:00:00 UTC 2026\n")
    shown = pod(typed="sbatch train.sbatch; sleep 100; tail -f gpt-ddp-1.out | head -n 2; date\n").stdout
    assert shown.count("step ") == 2 and shown.endswith("Mon Mar  2 09:01:40 UTC 2026\n")


def test_tasks_of_srun_run_together_and_say_how_they_end() -> None:
    result = pod(typed="srun -l -N2 bash -c 'hostname; sleep 5; exit 3'; echo $?; date\n")
    assert result.stdout.partition("\n")[2] == "0: dgx-1\n1: dgx-2\n3\nMon Mar  2 09:00:05 UTC 2026\n"
    assert [line.partition(": ")[2] for line in result.stderr.splitlines()] == [
        "error: dgx-1: task 0: Exited with exit code 3",
        "error: dgx-2: task 1: Exited with exit code 3",
    ]
    assert pod(typed="echo x | srun -N2 cat; srun -N2 echo hi\n").stdout.partition("\n")[2] == "x\nx\nhi\nhi\n"


@pytest.mark.parametrize(
    ("line", "says", "code"),
    [
        ("foo", "slurmstepd: error: execve(): foo: No such file or directory", 2),
        ("cd", "slurmstepd: error: execve(): cd: No such file or directory", 2),
        ("./train.py", "slurmstepd: error: execve(): ./train.py: Permission denied", 13),
        ("perfquery 99999", "perfquery: can't resolve destination port 99999", 255),
        ("all_reduce_perf -b 9x", "all_reduce_perf: invalid size specified: '9x'", 1),
    ],
)
def test_a_failing_tool_of_srun_is_named(line: str, says: str, code: int) -> None:
    result = pod(typed=f"srun {line}\n")
    assert (result.exit_code, result.stdout) == (code, f"{PROMPT}srun {line}\n")
    assert result.stderr == f"{says}\nsrun: error: dgx-1: task 0: Exited with exit code {code}\n"


@pytest.mark.parametrize("words", [["--list-faults", "--json"], []])
def test_a_reader_that_leaves_is_no_trouble(words: list[str]) -> None:
    command = [sys.executable, "-c", "from paceline.app.cli import main; main()", "pod", *words]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdout.close()
        process.stdin.write("seq 1000\n" * 9)
        process.stdin.close()
        assert process.stderr.read() == ""
        assert process.wait() == 1
