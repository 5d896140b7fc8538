"""What bash does, the shell does: the same snippets through both, standard output and exit code equal."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.shell.pod import Terminal

BASH = shutil.which("bash")

SNIPPETS = [
    # quoting and words
    "echo one   two",
    "echo 'one   two' \"three  four\" five\\ \\ six",
    "echo 'a'\"b\"c; echo \"it's\" 'say \"hi\"'",
    'echo "a\\"b\\\\c\\$d\\e"',
    "echo a\\\nb; echo \"c\\\nd\"",
    "echo # a comment\necho a#b '#c'",
    "echo \"\" '' | wc -c",
    "echo 'two\nlines'",
    # variables
    'x="a  b"; echo $x "$x" ${x}y',
    "echo [$nothing] ${nothing:-default} \"${nothing:-a b}\" ${nothing:-}",
    "x=; echo ${x:-empty} ${x:-$HOME_NOT_SET}end",
    "x=5 y=6; echo $x$y; x=7 sh -c 'echo $x'; echo $x",
    "false; echo $?; true; echo $?",
    "export A=1; B=2; bash -c 'echo $A $B.'; unset A; echo [$A]",
    "set -- a 'b c' d; echo $# $1 \"$2\" $3 $4; for x in \"$@\"; do echo \"<$x>\"; done; echo $*",
    "x='*'; echo \"$x\" '$x' \\$x",
    "x=$(echo hi; echo there); echo \"$x\" $x",
    "echo $(echo $(echo deep) \"$(echo 'q  q')\")",
    "x=$(false); echo $?; x=$(exit 3) ; echo $?",
    "echo $((1 + 2 * 3)) $(( (1+2)*3 )) $((7/2)) $((-7/2)) $((-7%3)) $((010)) $((0x1f))",
    "i=4; i=$((i+1)); echo $i $((i*i)) $(($i - 1)) $((i > 3)) $((unset_name + 1))",
    "echo ~ | grep -c '^/'; echo a~b '~'",
    # lists
    "true && echo yes || echo no; false && echo yes || echo no",
    "false || true && echo c; ! true; echo $?; ! false && echo d",
    "echo a; echo b && echo c\necho d",
    "false\n",
    "true; exit 7; echo never",
    "bash -c 'exit 3'; echo $?",
    # pipes and redirections
    "printf 'c\\na\\nb\\n' | sort | head -2 | tr a-z A-Z",
    "echo one > f; echo two >> f; cat f; cat < f | wc -l",
    "ls /nowhere 2> err; echo $?; wc -l < err",
    "ls /nowhere > both 2>&1; wc -l < both; ls /nowhere &> both; wc -l < both",
    "ls /nowhere 2>&1 > f | wc -l; wc -c < f",
    "echo to-err >&2; echo x 1>&2 2>/dev/null; echo done",
    "> empty; cat empty; wc -c < empty; [ -s empty ]; echo $?",
    "cat < missing; echo $?",
    "cat missing 2>/dev/null | wc -l; echo hi > /dev/null; echo $?",
    "x=1; echo y | x=2; echo $x",
    "false | true; echo $?; true | false; echo $?; set -o pipefail; false | true; echo $?",
    "cat <<EOF\nhome $((1+1)) $(echo sub) \\$x \"q\"\nEOF\necho after",
    "x=v; cat <<'EOF'\n$x $(no) \\n\nEOF\ncat <<-END | tr a-z A-Z\n\t\ttabs $x\n\tEND",
    "cat <<A; cat <<B\none\nA\ntwo\nB",
    "for x in 1 2; do echo $x; done > f; cat f",
    "if true; then cat; fi <<EOF\nbody\nEOF",
    # if, for, while
    "if false; then echo a; elif true; then echo b; else echo c; fi",
    "if [ 1 -gt 2 ]; then echo a; else echo c; fi; if false; then :; fi; echo $?",
    "for x in a b c; do if [ $x = b ]; then continue; fi; echo $x; done",
    "for x in $(seq 1 5); do [ $x -eq 4 ] && break; echo $x; done; echo $x",
    "for x in; do echo never; done; echo $?",
    "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done; echo end $i",
    "for a in 1 2; do for b in x y; do [ $b = y ] && continue 2; echo $a$b; done; done",
    "if ! test -f nothing; then echo no file; fi",
    "while false; do :; done; echo $?",
    # scripts
    "echo '#!/bin/bash\n#SBATCH --nodes=2\necho $0 $1 $#' > s.sh; bash s.sh a b; chmod +x s.sh; ./s.sh c",
    "echo 'x=inner; cd /' > s.sh; x=outer; bash s.sh; echo $x; source ./s.sh; echo $x; pwd",
    "./nothing 2>/dev/null; echo $?; echo x > f; ./f 2>/dev/null; echo $?; nosuchcommand 2>/dev/null; echo $?",
    "set -e; echo a; false || echo b; if false; then :; fi; false; echo never",
    "set -u; echo ${x:-ok}; echo $x; echo never",
    "echo 'exit 4' > s; bash s; echo $?; bash -c 'echo $0 $1' n arg",
    # jobs
    "sleep 0 & wait; echo $?; bash -c 'exit 5' & wait $!; echo $?",
    "echo a > f & wait; cat f",
    # globs
    "touch a1 a2 b1 .h; echo a* ?1 '*' \"a*\" z* .h*; mkdir d; touch d/x; echo */x d/*",
    "touch ab ac ad; echo a[bc] a[!b]; rm a?; ls",
    "touch 'a b'; for f in a*; do echo \"<$f>\"; done",
    # tools
    "printf '%s-%d|%5s|%-5s|%05d|%.2f\\n' a 1 b c 42 3.14159 x 2",
    "printf 'no newline'; printf '%s\\n' a b c; printf '%%\\n'",
    "echo -n x; echo -e 'a\\tb'; echo -E 'a\\tb'",
    "printf 'b 2\\na 10\\nc 1\\n' > f; sort f; sort -k2 -n f; sort -rn -k2 f; sort -k2,2nr f; sort -t' ' -k1,1r f",
    "printf 'a\\na\\nb\\na\\n' | uniq -c; printf 'a\\na\\nb\\n' | uniq -d; printf 'b\\na\\nb\\n' | sort -u",
    "printf 'a:b:c\\nd:e\\nnone\\n' > f; cut -d: -f2 f; cut -d: -f1,3 f; cut -c2-3 f; cut -d: -f2- -s f",
    "seq 10 > f; head -n 2 f; tail -n 2 f; tail -n +9 f; head -3 f | tail -1; head -n -8 f; wc -l f; wc f",
    "seq 3 -1 1; seq 1 2 5; seq -w 8 10; seq -s, 3",
    "printf 'Loss 1\\nloss 2\\nacc 3\\n' > f; grep loss f; grep -i loss f; grep -v -i loss f; grep -n acc f",
    "printf 'Loss 1\\nloss 2\\n' > f; grep -c loss f; grep -c -v x f",
    "printf 'aXb\\naYYb\\n' > f; grep -E 'X|Y{2}' f; grep -o 'Y*b' f; grep -q Z f; echo $?",
    "printf 'aXb\\naYYb\\ncZ\\n' > f; grep -e X -e Z f; grep -o -e Y -e YY f; grep -c -F -e . -e Z f",
    "printf 'aXb\\naYYb\\n' > f; grep 'a[^X]' f; grep 'Y\\+' f",
    "seq 9 > f; grep -A1 -B1 5 f; grep -C1 -n -e 2 -e 2 f; grep -A1 '[28]' f",
    "mkdir -p d/e; echo hit > d/e/f; echo hit > d/g; grep -r hit d | sort; grep -rl hit d | sort; grep hit d/g d/e/f",
    "grep -w ab <<EOF\nab c\nabc\nx ab\nEOF\necho 'a.c abc' | grep -o 'a\\.c'; echo abc | grep -F 'a.c'; echo $?",
    "echo hello | sed 's/l/L/'; echo hello | sed 's/l/L/g'; echo a/b | sed 's|/|-|'; echo hello | sed 's/l/L/2'",
    "echo 'key=val' | sed -E 's/(.*)=(.*)/\\2=\\1/'; echo 'key=val' | sed 's/\\(k\\)ey/[\\1&]/'",
    "echo abc | sed 's/x*/-/g'",
    "seq 9 | sed -n '2,4p'; seq 9 | sed -n '$p'; seq 9 | sed -n '/7/p'; seq 5 | sed '2,4d'; seq 3 | sed -n 's/2/two/p'",
    "echo x=1 > f; sed -i 's/1/2/' f; cat f; seq 9 | sed -n '/3/,/5/p'; seq 3 | sed '1!s/$/./'",
    "echo hello | tr a-y b-z; echo 'a  b' | tr -s ' '; echo abc | tr -d b; echo aBc | tr '[:lower:]' '[:upper:]'",
    "echo 1 2 3 | xargs -n1 echo n; echo a b | xargs; printf 'x\\ny\\n' | xargs -I{} echo '<{}>'",
    "echo t | tee a b > c; cat a b c; echo u | tee -a a; cat a",
    "mkdir d; mkdir d; echo $?; mkdir -p d/e/f; ls d; rm d; echo $?; rm -r d; ls d; echo $?; rm -f nothing; echo $?",
    "echo 1 > a; cp a b; mv b c; cat c; mkdir d; cp a c d; ls d | cat; cp -r d e; ls -1 e",
    "mkdir d; touch d/a; mv d f; ls -1 f; ls f/a zz; echo $?",
    "cd d; echo $?; mkdir d; cd d; pwd | grep -o '/d$'; cd ..; cd d; cd - > /dev/null; ls",
    "[ a = a ]; echo $?; [ a != a ]; echo $?; [ -z '' ]; echo $?; [ 2 -le 2 -a 3 -ne 4 ]; echo $?",
    "test -d /; echo $?; [ ]; echo $?",
    "[ ! -e x ]; echo $?; [ x -eq 1 ]; echo $?; [ -n ]; echo $?; [ ! a = b ] && echo y; [ a; echo $?",
    "cat -n <<EOF\na\n\nb\nEOF\necho a | cat - ; ls | wc -l",
    "env X=5 bash -c 'echo $X'; X=1 env | grep '^X='; printenv NOT_SET; echo $?",
    "echo 'unclosed",
    "if true; then echo a",
    "for x in 1; done",
    "echo a; )",
    "echo $(echo a; exit 4); echo $?",
    "x=1; if [ $x = 1 ] && [ -z \"$y\" ]; then echo both; fi; [ $x = 1 ] || echo no",
    "echo a | while false; do :; done; echo $?; echo 'a b' | cat | cat | wc -w",
    "echo 3 > n; n=$(cat n); for i in $(seq $n); do printf '%s ' $i; done; echo",
]  # fmt: skip


def as_bash(text: str, folder: Path) -> tuple[str, int]:
    assert BASH is not None
    (folder / "home").mkdir()
    script = folder / "script"
    script.write_text(text, "utf-8")
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(folder / "home"), "USER": "you"}
    with (folder / "stdin").open("w+") as nothing:
        done = subprocess.run(
            [BASH, script], cwd=folder / "home", env=env, stdin=nothing, capture_output=True, text=True
        )
    return done.stdout, done.returncode


@pytest.mark.skipif(BASH is None, reason="there is no bash to compare with")
@pytest.mark.parametrize("text", SNIPPETS)
def test_the_same_as_bash(text: str, tmp_path: Path) -> None:
    terminal = Terminal()
    terminal.pod.files.write("login", "/tmp/script", text)
    assert terminal.run("bash /tmp/script < /dev/null") == as_bash(text, tmp_path)
