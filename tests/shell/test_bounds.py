"""No input crashes, hangs or grows without end."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.shell.pod import Pod, Terminal

from paceline.shell import FileProblem, FileSystem, Output, Wait, complete
from paceline.shell.budget import OUTPUT_PER_COMMAND, OUTPUT_PER_LINE
from paceline.shell.files import LARGEST_SYSTEM, absolute
from paceline.shell.glob import matches
from paceline.shell.tools.matcher import Matcher

PIECES = (
    "echo", "cat", "grep", "sed", "if", "then", "fi", "for", "x", "in", "do", "done", "while", "true", "false", "&&",
    "||", "|", ";", "&", "\n", "<", ">", ">>", "2>&1", "<<EOF\n", "EOF\n", "$x", "${x:-", "}", "$(", ")", "$((", "))",
    "'", '"', "\\", "*", "?", "[", "]", "#", "!", "ssh dgx-1", "bash", "-c", "s/a*/b/g", "-E", "(a|b)*", "xargs", "f",
    "export", "wait", "kill %1", "train 3", "exit", "cd", "~", "x=1", "source f", "./f", "set -e", "tail -f f", "1",
    "printf %s", "%99d", "seq 9", "sort", "uniq -c", "cut -c1-", "tr a-z", "test", "-n", "rm -r .", "cp -r", "..", "/",
    "watch", "break", "$@", "$1", "jobs", "flood", "mkdir", "history", "edit f", "sleep 1", "date +%", "ls -l",
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=200),
    st.text(alphabet="ab \n'\"\\$(){}[]<>|&;#*?!=-0x", max_size=200),
    st.lists(st.sampled_from(PIECES), max_size=40).map(lambda parts: " ".join(parts)[:200]),
    st.lists(st.sampled_from(PIECES), max_size=40).map(lambda parts: "".join(parts)[:200]),
)


@given(TEXTS)
@example("cat <<a\n$(cat <<b\nb\n)\na\n")
@example("x=1; while true; do sleep 1 & done")
def test_any_text_ends(text: str) -> None:
    pod = Pod()
    terminal = Terminal(pod)
    for line in ("echo 'echo x; bash f' > f; seq 5 > g", text, "echo alive"):
        shown = 0
        for count, event in enumerate(terminal.session.run(line)):
            if isinstance(event, Output):
                shown += len(event.text)
            elif isinstance(event, Wait):
                terminal.pass_until(event.wake_us(pod.now_us))
            if count > 3_000:
                break
        assert shown <= OUTPUT_PER_LINE + 10_000
    complete(terminal.session, text, len(text) // 2)
    terminal.session.incomplete(text)


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("while true; do :; done", 141, "rounds of loops"),
        ("x=ab; while true; do x=$x$x; done", 141, "a word of more than"),
        ("echo 'bash f' > f; bash f", 141, "nested more than"),
        ("echo 'source f' > f; source f", 141, "nested more than"),
        ("echo 'bash f & wait' > f; bash f", 0, "nested more than"),
        ("flood", 141, "stopped after 200,000 characters"),
        ("x=$(flood); while true; do echo $x; done", 141, "stopped"),
        ("for a in $(seq 999); do for b in $(seq 999); do :; done; done", 141, "rounds of loops"),
        ("while true; do echo xxxxxxxxxxxxxxxxxxxx >> f; cat f f f f > /dev/null; done", 141, "stopped"),
        ("seq 5000 > f; while cat f f >> g; do :; done", 141, "characters of output"),
        ("while true; do sleep 9999 & done", 141, "more than 64 jobs"),
        ("printf %9999d 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7", 141, "stopped after"),
        ("echo " + "$(echo " * 60 + ")" * 60, 2, "nested more than 50 deep"),
        ("echo $((" + "(" * 80 + "1" + ")" * 80 + "))", 1, "nested more than 50 deep"),
        ("echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | grep -E '(((a*)*)*)*b'", 1, ""),
        ("echo a | grep -E '((a{200}){200}){200}'", 2, "the pattern is too large"),
        ("printf x > f; seq 30000 | tr -d '\\n' >> f; cat f | sed 's/[0-9]*x//g' | wc -c", 0, "takes too long"),
        ("if true; then " * 51 + ":" + "; fi" * 51, 2, "nested more than 50 deep"),
    ],
)  # fmt: skip
def test_what_would_not_end_is_stopped(text: str, code: int, words: str) -> None:
    terminal = Terminal()
    assert terminal.run(text)[1] == code
    assert words in terminal.err
    assert len(terminal.err) < 100_000
    assert terminal.run("echo alive") == ("alive\n", 0)


def test_a_full_file_is_said_so() -> None:
    terminal = Terminal()
    terminal.pod.files.write("login", "/home/you/f", "x" * 999_990)
    assert terminal.run("echo 0123456789 >> f") == ("", 1)
    assert terminal.err == "echo: File too large\n"


def test_output_is_shown_up_to_the_bound() -> None:
    assert len(Terminal().run("flood")[0]) == OUTPUT_PER_COMMAND


def test_fifty_deep_still_runs() -> None:
    assert Terminal().run("if true; then " * 45 + "echo in" + "; fi" * 45) == ("in\n", 0)
    assert Terminal().run("echo " + "$(echo " * 45 + "in" + ")" * 45) == ("in\n", 0)


def test_thousands_of_commands_cost_as_much_each_as_the_first() -> None:
    """In events and in what is kept, which do not depend on the machine."""
    terminal = Terminal()
    for _ in range(3_000):
        terminal.run("echo a > f; x=$(cat f); sleep 0 &")
        terminal.pass_until(terminal.pod.now_us + 1)
    assert terminal.events == 6_000
    assert len(terminal.session.history) <= 1_000
    assert len(terminal.session.jobs.all) <= 2
    assert terminal.session.shell.level == 0
    assert terminal.pod.files.characters_used == 2


def test_files_are_bounded_and_counted() -> None:
    files = FileSystem(("a", "b"))
    files.write("a", "/home/f", "x" * 1000)
    assert files.read("b", "/home/f") == "x" * 1000
    files.write("a", "/tmp/g", "y")
    with pytest.raises(FileProblem, match="No such file"):
        files.read("b", "/tmp/g")
    with pytest.raises(FileProblem, match="too large"):
        files.write("a", "/home/f", "x" * 2_000_000)
    for count in range(19):
        files.write("a", f"/home/{count}", "x" * 1_000_000)
    with pytest.raises(FileProblem, match="No space left"):
        files.write("a", "/home/f", "x" * 1_000_000)
    assert files.characters_used <= LARGEST_SYSTEM
    for count in range(19):
        files.remove("b", f"/home/{count}")
    files.copy("a", "/home/f", "/home/h")
    files.move("a", "/home/h", "/home/i")
    files.write("a", "/home/f", "z", append=True)
    assert (files.characters_used, files.entries_used) == (2002, 3)
    files.make_folder("a", "/home/d/e", parents=True)
    files.move("a", "/home/i", "/home/d/e/i")
    files.remove("a", "/home/d", recursive=True)
    assert (files.characters_used, files.entries_used) == (1002, 2)


@given(st.text("ab*?", max_size=20), st.text("ab", max_size=20))
def test_glob_is_what_fnmatch_says(pattern: str, name: str) -> None:
    from fnmatch import fnmatchcase

    assert matches(pattern, name) == fnmatchcase(name, pattern)


@given(st.text("ab.*+?()|^$", max_size=10), st.text("ab", max_size=10))
def test_patterns_find_what_re_finds(pattern: str, line: str) -> None:
    import re
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            known = re.compile(pattern)
    except (re.error, FutureWarning, DeprecationWarning):
        return
    if re.search(r"[*+?][*+?]|[(|^$][*+?]|^[*+?]", pattern):
        return
    assert Matcher(pattern, extended=True).search(line) == bool(known.search(line))


@given(st.text("ab/.", max_size=20))
def test_full_paths_are_stable(name: str) -> None:
    assert absolute("/x", absolute("/x", name)) == absolute("/x", name)
