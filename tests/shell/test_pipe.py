"""Pipes whose reader leaves, or reads line by line: the writer's clock stops there."""

import pytest
from tests.shell.pod import Pod, Terminal

from paceline.shell import Interrupt, Output, Wait

BEGIN = "train 500 > f & sleep 3.5; "


@pytest.mark.parametrize(
    ("line", "out", "seconds"),
    [
        ("train 99 | head -n 2", "login step 0\nlogin step 1\n", 2),
        ("train 99 | head -2 > g; cat g", "login step 0\nlogin step 1\n", 2),
        ("n=2; train 99 | head -n $n", "login step 0\nlogin step 1\n", 2),
        ("train 99 | head -c 5", "login", 1),
        ("train 99 | head -n 0", "", 0),
        ("train 99 | grep -m 1 'step 4'", "login step 4\n", 5),
        ("train 99 | grep -q 'step [3-5]' && echo yes", "yes\n", 4),
        ("train 99 | grep 'step [3-9]' | cut -d ' ' -f 3 | head -n 2", "3\n4\n", 5),
        ("train 99 | cat | tr a-z A-Z | sed 's/STEP/at/' | head -n 1", "LOGIN at 0\n", 1),
        ("echo $(train 99 | head -n 1)", "login step 0\n", 1),
        ("set -o pipefail; train 99 | head -n 1 > g; echo $?", "141\n", 1),
        ("for h in dgx-1 dgx-2; do ssh $h train 99; done | head -n 1", "dgx-1 step 0\n", 1),
        ("while true; do hostname; sleep 2; done | head -n 2", "login\nlogin\n", 2),
        ("train 9 | nosuch", "", 0),
        ("train 9 | head -z", "", 0),
        ("train 3 | head -n 9", "login step 0\nlogin step 1\nlogin step 2\n", 3),
        ("train 3 | head -n -2", "login step 0\n", 3),
        ("train 3 | sort -r | head -n 1", "login step 2\n", 3),
        ("train 3 | wc -l", "3\n", 3),
        ("train 3 | grep -c step", "3\n", 3),
        ("train 3 | grep step > g; wc -l < g", "3\n", 3),
        ("train 3 | grep 9; echo $?", "1\n", 3),
        ("train 3 | grep 'step 1' | cut -c 1-5; echo $?", "login\n0\n", 3),
        ("set -o pipefail; train 2 | cat; echo $?", "login step 0\nlogin step 1\n3\n", 2),
    ],
)
def test_a_writer_ends_with_its_reader(line: str, out: str, seconds: int) -> None:
    terminal = Terminal()
    assert terminal.run(line)[0] == out
    assert terminal.pod.now_us // 10**6 == seconds


@pytest.mark.parametrize("reader", ["head -n 2", "grep -m 2 step", "grep step | head -n 2"])
def test_what_follows_a_file_ends_once_enough_is_there(reader: str) -> None:
    terminal = Terminal()
    assert terminal.run(f"{BEGIN}tail -f f | {reader}")[0] == "login step 0\nlogin step 1\n"
    assert terminal.pod.now_us == 3_500_000


def test_line_filters_stream_until_ctrl_c() -> None:
    steps = Terminal(Pod()).session.run("train 99 | grep -v 'step 0' | cut -c 7-; echo never")
    seen = [next(steps) for _ in range(4)]
    second = Wait(for_us=1_000_000)
    assert seen == [second, second, Output("step 1\n"), second]
    with pytest.raises(StopIteration) as done:
        steps.throw(Interrupt())
    assert done.value.value == 130


def test_background_pipes_end_too() -> None:
    terminal = Terminal()
    assert terminal.run("train 99 | head -n 1 > g & wait; cat g")[0] == "login step 0\n"
    assert terminal.pod.now_us == 1_000_000
