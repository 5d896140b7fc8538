"""What is beyond this shell is refused by name, with its place; what is merely half typed is told apart."""

import pytest
from tests.shell.pod import Terminal

from paceline.shell import Refused
from paceline.shell.parser import parse


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("[[ a = b ]]", 1, 1, "[[ … ]] is not part of this shell; use [ … ]"),
        ("echo a\n  [[ a ]]", 2, 3, "[[ … ]]"),
        ("f() { echo; }", 1, 1, "a function is not part"),
        ("function f { echo; }", 1, 1, "a function is not part"),
        ("case x in a) ;; esac", 1, 1, "case is not part of this shell; use if"),
        ("(cd /; ls)", 1, 1, "a subshell"),
        ("((i++))", 1, 1, "(( … )) is not part"),
        ("echo; { echo a; }", 1, 7, "a group"),
        ("a=(1 2)", 1, 1, "an array"),
        ("a[1]=2", 1, 1, "an array"),
        ("x+=1", 1, 1, "+="),
        ("diff <(ls) <(ls)", 1, 6, "process substitution"),
        ("echo {1..3}", 1, 6, "brace expansion"),
        ("cp a.{py,txt} b", 1, 4, "brace expansion"),
        ("echo `date`", 1, 6, "use $(…)"),
        ("echo ${x%.py}", 1, 6, "${…%…}"),
        ("echo ${#x}", 1, 6, "a length"),
        ("echo ${a[0]}", 1, 6, "an array"),
        ("echo ${x:=1}", 1, 6, "${…:=…}"),
        ("echo $'a'", 1, 6, "$'…'"),
        ("cat <<< word", 1, 5, "use echo … |"),
        ("ls |& wc", 1, 4, "use 2>&1 |"),
        ("until true; do :; done", 1, 1, "use while"),
        ("for ((i=0;i<3;i++)); do :; done", 1, 5, "use for x in $(seq 1 8)"),
        ("echo 3>f", 1, 7, "stream 3"),
        ("echo a ;; b", 1, 8, "near unexpected token `;;'"),
        ("fi", 1, 1, "near unexpected token `fi'"),
        ("echo a | | b", 1, 10, "near unexpected token `|'"),
    ],
)  # fmt: skip
def test_refused_by_name_and_place(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(Refused) as refusal:
        parse(text)
    assert words in refusal.value.why
    assert (refusal.value.line, refusal.value.column) == (line, column)
    assert not refusal.value.incomplete
    terminal = Terminal()
    assert terminal.run(text) == ("", 2)
    assert f"bash: line {line}, column {column}: " in terminal.err


@pytest.mark.parametrize(
    "text", ["if true", "for x in a; do", "echo 'a", 'echo "a', "cat <<EOF\na\n", "a &&", "a |", "echo $(ls", "echo \\"]
)
def test_half_typed(text: str) -> None:
    assert Terminal().session.incomplete(text)


@pytest.mark.parametrize("text", ["echo a", "fi", "if true; then echo; fi", "[[ a", "cat <<EOF\nEOF", "echo \\\\"])
def test_not_half_typed(text: str) -> None:
    assert not Terminal().session.incomplete(text)


@pytest.mark.parametrize(
    ("text", "words", "code"),
    [
        ("awk '{print $1}' f", "awk is not part of this shell; use cut, grep and sed", 127),
        ("vim f", "use edit FILE", 127),
        ("gerp", "command not found (did you mean grep", 127),
        ("grep -Z a f", "unknown option -Z; grep here knows -i", 2),
        ("ls --color", "unknown option --color; ls here knows -l", 2),
        ("sed y/a/b/ f", "'y' is not part of this sed", 1),
        ("grep '\\(a\\)\\1' f", "\\1 in a pattern is not part", 2),
        ("ssh nowhere", "ssh: Could not resolve hostname nowhere: Name or service not known", 255),
        ("cd /nowhere", "cd: /nowhere: No such file or directory", 1),
        ("cat nothing", "cat: nothing: No such file or directory", 1),
        ("./x", "bash: ./x: No such file or directory", 127),
        ("echo $((1/0))", "division by 0", 1),
        ("echo $((i++))", "+ - * / % and comparisons are part", 1),
        ("cd /; rm -r /home", "Device or resource busy", 1),
        ("cat", "there is no keyboard input here", 1),
    ],
)  # fmt: skip
def test_refused_while_running(text: str, words: str, code: int) -> None:
    terminal = Terminal()
    assert terminal.run(text) == ("", code)
    assert words in terminal.err
