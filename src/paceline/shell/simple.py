"""A simple command: its words made arguments, its redirections opened, the right program found and run."""

from collections.abc import Generator, Mapping
from dataclasses import replace
from difflib import get_close_matches

from paceline.errors import PacelineError
from paceline.shell.arithmetic import ArithmeticProblem
from paceline.shell.budget import LONGEST_VALUE, OUTPUT_PER_COMMAND, TOO_MUCH_CODE, TooMuch
from paceline.shell.events import Event, Output, Steps, relay
from paceline.shell.expand import Substitute, expand, expand_text
from paceline.shell.files import File, FileProblem
from paceline.shell.machine import Call, Command, Failed, Stdin
from paceline.shell.shell import Exit, Shell, Unset
from paceline.shell.streams import IntoFile, Streams, Terminal
from paceline.shell.syntax import Document, Redirect, Simple
from paceline.shell.tools import TOOLS

_ASSIGNING = ("export",)
NOT_HERE = {
    "awk": "use cut, grep and sed", "gawk": "use cut, grep and sed", "perl": "use cut, grep and sed",
    "eval": "write the command itself", "exec": "write the command itself", "trap": "", "read": "use $(cat FILE)",
    "shift": "use $1, $2 and $@", "alias": "write a file of commands and run bash FILE", "declare": "use NAME=value",
    "typeset": "use NAME=value", "local": "use NAME=value", "readonly": "use NAME=value", "let": "use $(( … ))",
    "mapfile": "use for x in $(cat FILE)", "getopts": "use $1, $2 and $@", "pushd": "use cd", "popd": "use cd",
    "vi": "use edit FILE", "vim": "use edit FILE", "nano": "use edit FILE", "emacs": "use edit FILE",
    "find": "use ls and grep -r", "scp": "use cp: /home is the same on every host", "sudo": "you need no rights here",
    "rsync": "use cp: /home is the same on every host", "fg": "use wait", "bg": "use &", "screen": "use &",
    "tmux": "use &", "bc": "use $(( … ))", "expr": "use $(( … ))",
}  # fmt: skip


class _Flood(Exception):
    def __init__(self, last: Output | None) -> None:
        self.last = last
        super().__init__()


def run_simple(shell: Shell, node: Simple, streams: Streams, substitute: Substitute) -> Steps:
    """Run one simple command."""
    try:
        return (yield from _run(shell, node, streams, substitute))
    except (FileProblem, ArithmeticProblem) as problem:
        yield from streams.complain(f"bash: {problem}")
        return 1
    except Unset as problem:
        yield from streams.complain(f"bash: {problem}")
        if shell.interactive:
            return 1
        raise Exit(1) from None


def _run(shell: Shell, node: Simple, streams: Streams, substitute: Substitute) -> Steps:
    shell.substituted = 0
    words: list[str] = []
    for word in node.words:
        if words and words[0] in _ASSIGNING and word.assigns:
            words.append(f"{word.assigns}=" + (yield from expand_text(shell, word.value, substitute)))
        else:
            words.extend((yield from expand(shell, word, substitute)))
    if sum(len(word) for word in words) > LONGEST_VALUE:
        yield from streams.complain(f"bash: {words[0][: LONGEST_VALUE // 1000]}: Argument list too long")
        return 126
    env: dict[str, str] = {}
    for word in node.assignments:
        value = yield from expand_text(shell, word.value, substitute)
        if word.assigns == "IFS":
            raise FileProblem("IFS is fixed in this shell: words part at blanks")
        env[word.assigns] = value
        if not words:
            shell.set(word.assigns, value)
    code = shell.substituted
    inner = yield from redirected(shell, node.redirects, streams, substitute)
    if "xtrace" in shell.options:
        yield from streams.complain("+ " + " ".join([*(f"{name}={value}" for name, value in env.items()), *words]))
    if not words:
        return code
    return (yield from dispatch(shell, words[0], tuple(words[1:]), inner, env))


def redirected(
    shell: Shell, redirects: tuple[Redirect, ...], streams: Streams, substitute: Substitute
) -> Generator[Event, None, Streams]:
    """The streams with redirections applied in their order."""
    for redirect in redirects:
        if isinstance(redirect.target, Document):
            text = yield from expand_text(shell, redirect.target.body, substitute)
            streams = replace(streams, stdin=Stdin(text))
            continue
        target = yield from expand_text(shell, redirect.target, substitute)
        if redirect.operator == ">&":
            sink = streams.out if target == "1" else streams.err
            streams = replace(streams, err=sink) if redirect.stream == 2 else replace(streams, out=sink)
            continue
        path = shell.path(target)
        files = shell.machine.files
        try:
            if not target:
                raise FileProblem("No such file or directory")
            if redirect.operator == "<":
                streams = replace(streams, stdin=Stdin(files.read(shell.host, path)))
                continue
            files.write(shell.host, path, "", shell.machine.now_us, append=">>" in redirect.operator)
        except FileProblem as problem:
            raise FileProblem(f"{target}: {problem}") from None
        into = IntoFile(shell.machine, shell.host, path)
        if redirect.operator.startswith("&"):
            streams = replace(streams, out=into, err=into)
        elif redirect.stream == 2:
            streams = replace(streams, err=into)
        else:
            streams = replace(streams, out=into)
    return streams


def dispatch(shell: Shell, name: str, args: tuple[str, ...], streams: Streams, env: Mapping[str, str] = {}) -> Steps:
    """Find the program of a name and run it."""
    shell.budget.work(100)
    shell.jobs.advance(shell.machine.now_us)
    call = Call(
        name, args, streams.stdin, {**shell.env, **env}, shell.cwd, shell.host, shell.width, shell.machine,
        isinstance(streams.out, Terminal),
    )  # fmt: skip
    try:
        if name in shell.builtins:
            return (yield from shell.builtins[name](shell, call, streams))
        if "/" in name:
            return (yield from _run_path(shell, call, streams))
        command = shell.machine.commands.get(name) or TOOLS.get(name)
        if command is not None:
            return (yield from run_command(shell, command, call, streams))
    except Failed as failure:
        yield from streams.complain(f"{name}: {failure}")
        return failure.code
    except (TooMuch, Unset):
        raise
    except PacelineError as error:
        yield from streams.complain(f"{name}: {error}")
        return 1 if isinstance(error, FileProblem) else 2
    yield from streams.complain(_not_found(shell, name))
    return 127


def run_command(shell: Shell, command: Command, call: Call, streams: Streams) -> Steps:
    """Run a command's generator, its output sent where it goes and held within bounds."""
    shown = 0

    def put(output: Output) -> Output | None:
        nonlocal shown
        room = OUTPUT_PER_COMMAND - shown
        shown += len(output.text)
        shell.budget.show(min(room, len(output.text)))
        if shown > OUTPUT_PER_COMMAND:
            raise _Flood(streams.put(Output(output.text[:room], output.stream)))
        return streams.put(output)

    try:
        return (yield from relay(command(call), put))
    except _Flood as flood:
        if flood.last is not None:
            yield flood.last
        yield from streams.complain(f"\n{call.name}: stopped after {OUTPUT_PER_COMMAND:,} characters of output")
        return TOO_MUCH_CODE


def _run_path(shell: Shell, call: Call, streams: Streams) -> Steps:
    found = shell.machine.files.find(shell.host, shell.path(call.name))
    base = call.name.rpartition("/")[2]
    if found is None and call.name.startswith(("/bin/", "/usr/bin/")) and is_known(shell, base):
        return (yield from dispatch(shell, base, call.args, streams, call.env))
    if found is None:
        yield from streams.complain(f"bash: {call.name}: No such file or directory")
        return 127
    if not isinstance(found, File) or not found.executable:
        why = "Permission denied (chmod +x makes it a program)" if isinstance(found, File) else "Is a directory"
        yield from streams.complain(f"bash: {call.name}: {why}")
        return 126
    first = found.text.partition("\n")[0]
    named = first[2:].split() if first.startswith("#!") else []
    program = named[0].rpartition("/")[2] if named else "bash"
    if program == "env" and len(named) > 1:
        program = named[1]
    return (yield from dispatch(shell, program, (call.name, *call.args), streams, call.env))


def is_known(shell: Shell, name: str) -> bool:
    """Whether a command of that name runs here."""
    return name in shell.builtins or name in shell.machine.commands or name in TOOLS


def known_commands(shell: Shell) -> list[str]:
    """Every name that runs, sorted."""
    return sorted({*shell.builtins, *shell.machine.commands, *TOOLS})


def _not_found(shell: Shell, name: str) -> str:
    if name in NOT_HERE:
        instead = NOT_HERE[name]
        return f"bash: {name} is not part of this shell" + (f"; {instead}" if instead else "")
    near = get_close_matches(name[:40], known_commands(shell), n=2, cutoff=0.7)
    return f"bash: {name}: command not found" + (f" (did you mean {' or '.join(near)}?)" if near else "")
