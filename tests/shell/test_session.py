"""A person at a prompt: prompt, history, other hosts, Ctrl-C, jobs, time, editing, completion."""

import pytest
from tests.shell.pod import Pod, Terminal

from paceline.shell import Call, Edit, Interrupt, Output, Steps, Wait, complete


def test_prompt_history_and_code() -> None:
    terminal = Terminal()
    assert terminal.session.prompt == "you@login:~$ "
    terminal.run("mkdir -p a/b; cd a")
    assert terminal.session.prompt == "you@login:~/a$ "
    terminal.run("cd /tmp; false")
    assert (terminal.session.prompt, terminal.session.code, terminal.session.cwd) == ("you@login:/tmp$ ", 1, "/tmp")
    terminal.run("")
    assert terminal.session.code == 1
    assert terminal.run("history 2")[0] == "    2  cd /tmp; false\n    3  history 2\n"


def test_ssh_nests_and_shares_home() -> None:
    terminal = Terminal()
    assert terminal.run("ssh dgx-1 hostname") == ("dgx-1\n", 0)
    assert terminal.run("ssh dgx-1 'exit 5'")[1] == 5
    terminal.run("X=1; echo here > f; echo local > /tmp/f; ssh dgx-2")
    assert terminal.session.prompt == "you@dgx-2:~$ "
    assert terminal.run("cat f; cat /tmp/f; echo [$X] $HOSTNAME") == ("here\n[] dgx-2\n", 0)
    terminal.run("ssh dgx-1")
    assert terminal.session.host == "dgx-1"
    terminal.run("exit 3")
    assert "Connection to dgx-1 closed." in terminal.err
    assert (terminal.session.host, terminal.session.code) == ("dgx-2", 3)
    terminal.run("exit")
    terminal.run("exit")
    assert terminal.session.ended
    assert Terminal().run("for h in dgx-1 dgx-2; do ssh $h hostname; done")[0] == "dgx-1\ndgx-2\n"
    assert Terminal().run("ssh dgx-1 <<EOF\nhostname\nEOF")[0] == "dgx-1\n"


def test_ctrl_c_ends_the_line_with_130() -> None:
    terminal = Terminal()
    steps = terminal.session.run("sleep 100; echo never")
    assert next(steps) == Wait(for_us=100_000_000)
    with pytest.raises(StopIteration) as done:
        steps.throw(Interrupt())
    assert done.value.value == terminal.session.code == 130


def test_a_command_may_have_its_own_end_at_ctrl_c() -> None:
    def patient(call: Call) -> Steps:
        try:
            yield Wait(for_us=10)
        except Interrupt:
            yield Output("saved\n")
            return 9
        return 0

    session = Terminal(Pod({"patient": patient})).session
    steps = session.run("patient > f; echo $?")
    next(steps)
    assert steps.throw(Interrupt()) == Output("9\n")
    assert session.shell.machine.files.read("login", "/home/you/f") == "saved\n"


def test_jobs_go_on_beside_the_prompt() -> None:
    terminal = Terminal()
    assert terminal.run("train 3 & echo $!") == ("4001\n", 0)
    assert terminal.err == "[1] 4001\n"
    assert terminal.run("jobs")[0] == "[1]  Running                 train 3 &\n"
    terminal.pass_until(2_500_000)
    assert terminal.out.endswith("login step 0\nlogin step 1\n")
    terminal.run("wait %1; echo $?")
    assert terminal.out == "login step 2\n3\n"
    assert terminal.pod.now_us == 3_000_000
    assert terminal.run("jobs") == ("", 0)


def test_jobs_that_end_are_told_once() -> None:
    terminal = Terminal()
    terminal.run("sleep 1 &")
    terminal.err = ""
    terminal.pass_until(5_000_000)
    assert terminal.err == "[1]  Done                    sleep 1\n"
    terminal.run("true")
    assert terminal.err == ""


def test_kill_and_redirected_jobs() -> None:
    terminal = Terminal()
    terminal.run("train 100 > log &")
    terminal.pass_until(3_000_000)
    assert terminal.run("kill %1; cat log")[0] == "login step 0\nlogin step 1\nlogin step 2\n"
    assert "Terminated" in terminal.err
    assert terminal.run("kill 4001")[1] == 1


def test_tail_follows_what_grows() -> None:
    terminal = Terminal()
    steps = terminal.session.run("train 3 > log & tail -f log")
    next(steps)
    seen = ""
    for _ in range(20):
        event = next(steps)
        if isinstance(event, Output):
            seen += event.text
        elif isinstance(event, Wait):
            terminal.pass_until(event.wake_us(terminal.pod.now_us))
    assert seen == "login step 0\nlogin step 1\nlogin step 2\n"


def test_two_waits_are_one_of_their_sum() -> None:
    apart, once = Terminal(), Terminal()
    for terminal in (apart, once):
        terminal.run("train 4 & train 2 &")
    for until_us in range(0, 5_000_001, 250_000):
        apart.pass_until(until_us)
    once.pass_until(5_000_000)
    assert apart.out == once.out


def test_scripts_with_jobs_inside() -> None:
    script = "#!/bin/bash\n#SBATCH --nodes=2\nfor h in dgx-1 dgx-2; do\n  ssh $h train 2 &\ndone\nwait\necho all\n"
    terminal = Terminal()
    terminal.pod.files.write("login", "/home/you/run.sh", script)
    out, code = terminal.run("bash run.sh > log; cat log")
    assert out == "dgx-1 step 0\ndgx-2 step 0\ndgx-1 step 1\ndgx-2 step 1\nall\n"
    assert (code, terminal.pod.now_us) == (0, 2_000_000)


def test_only_the_last_of_a_pipeline_streams() -> None:
    assert list(Terminal().session.run("train 2 | sort | grep 1")) == [
        Wait(for_us=1_000_000),
        Wait(for_us=1_000_000),
        Output("login step 1\n"),
    ]


def test_watch_repeats_until_ctrl_c() -> None:
    terminal = Terminal()
    steps = terminal.session.run("watch -n 5 hostname")
    first = [next(steps) for _ in range(3)]
    assert isinstance(first[0], Output) and first[0].text.startswith("\fEvery 5s: hostname")
    assert first[1:] == [Output("login\n"), Wait(for_us=5_000_000)]
    with pytest.raises(StopIteration):
        steps.throw(Interrupt())


def test_edit_asks_the_front_end_or_says_how() -> None:
    assert list(Terminal(can_edit=True).session.run("edit train.py")) == [Edit("/home/you/train.py")]
    assert "cat > train.py <<'EOF'" in Terminal().run("edit train.py")[0]


def test_files_as_people_see_them() -> None:
    terminal = Terminal()
    terminal.run("mkdir d; echo hello > d/f; touch d/g; chmod +x d/g")
    assert terminal.run("ls -l d")[0] == (
        "total 4\n-rw-r--r-- 1 you you 6 Mar  2 09:00 f\n-rwxr-xr-x 1 you you 0 Mar  2 09:00 g\n"
    )
    assert terminal.run("ls d; ls -a d | head -2")[0] == "f  g\n.\n..\n"
    terminal.pod.now_us = 90_000_000_000
    assert terminal.run("date; date +%F_%T")[0] == "Tue Mar  3 10:00:00 UTC 2026\n2026-03-03_10:00:00\n"


def test_help_and_man_name_what_is_here() -> None:
    terminal = Terminal()
    shown = terminal.run("help")[0]
    assert "  train       print a line a second." in shown and "  grep        print the lines" in shown
    assert all(len(line) <= 120 for line in shown.splitlines())
    assert terminal.run("man grep")[0].startswith("grep PATTERN [FILE…]: ")
    assert terminal.run("man awk") == ("", 16)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("tra", ("train",)),
        ("cat s", ("script.sh", "sub/")),
        ("cat sub/", ("sub/x",)),
        ("echo a && who", ("whoami",)),
        ("ssh d", ("dgx-1", "dgx-2")),
        ("echo $HOS", ("$HOSTNAME",)),
        ("./s", ("./sub/",)),
        ("x=su", ("sub/",)),
        ("cat zz", ()),
        ("ls > s", ("script.sh", "sub/")),
    ],
)  # fmt: skip
def test_completion(line: str, found: tuple[str, ...]) -> None:
    terminal = Terminal()
    terminal.run("mkdir sub; touch sub/x script.sh .hidden")
    assert complete(terminal.session, line, len(line)) == found
