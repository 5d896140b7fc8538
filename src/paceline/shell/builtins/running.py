"""Built-in commands that run others: bash, source, ssh, env, nohup, xargs, watch."""

import re
import shlex
from collections.abc import Generator
from dataclasses import replace

from paceline.shell.budget import Budget
from paceline.shell.evaluate import run_process, run_script, run_text
from paceline.shell.events import Event, Steps, Wait
from paceline.shell.files import FileProblem
from paceline.shell.machine import Call, Failed, Stdin
from paceline.shell.parser import parse
from paceline.shell.shell import OPTIONS, Shell
from paceline.shell.simple import dispatch
from paceline.shell.streams import Streams
from paceline.shell.syntax import Refused
from paceline.shell.tools.moment import Moment
from paceline.shell.tools.options import lines_of, options

MOST_ROUNDS = 10_000
KEPT_BY_SSH = ("HOME", "USER", "PATH", "LANG", "TERM", "SHELL")


def bash(shell: Shell, call: Call, streams: Streams) -> Steps:
    """bash FILE [ARGUMENT…], or bash -c 'COMMANDS': run a file of commands. -e ends at a failure, -x shows commands."""
    args = list(call.args)
    chosen: list[str] = []
    text: str | None = None
    while args and args[0][:1] == "-" and len(args[0]) > 1:
        arg = args.pop(0)
        for letter in arg[1:]:
            if letter == "c" and args:
                text = args.pop(0)
            elif letter in OPTIONS:
                chosen.append(OPTIONS[letter])
            elif letter not in "li":
                raise Failed(f"{arg}: invalid option; here bash knows -c, -e, -u and -x", 2)
    name = "bash"
    if text is None and args:
        name = args.pop(0)
        try:
            text = shell.machine.files.read(shell.host, shell.path(name))
        except FileProblem as problem:
            yield from streams.complain(f"bash: {name}: {problem}")
            return 126 if "directory" in str(problem).lower() and "No such" not in str(problem) else 127
    elif text is not None and args:
        name = args.pop(0)
    elif text is None:
        text = streams.stdin.take()
    child = shell.process(call.env, name, tuple(args))
    child.options = frozenset(chosen)
    return (yield from run_text(child, text, streams, name))


def source(shell: Shell, call: Call, streams: Streams) -> Steps:
    """source FILE: run a file of commands in this very shell, whose variables it may change."""
    if not call.args:
        raise Failed("filename argument required", 2)
    try:
        script = parse(shell.machine.files.read(shell.host, shell.path(call.args[0])))
    except FileProblem as problem:
        raise Failed(f"{call.args[0]}: {problem}") from None
    except Refused as refusal:
        yield from streams.complain(f"{call.args[0]}: {refusal}")
        return 2
    kept = shell.args
    shell.args = call.args[1:] or kept
    shell.deeper()
    try:
        return (yield from run_script(shell, script, streams))
    finally:
        shell.args = kept
        shell.level -= 1


def ssh(shell: Shell, call: Call, streams: Streams) -> Steps:
    """ssh HOST [COMMAND]: a shell on another host, or one command there."""
    chosen = options(call, "tqnTAX", "pl", permute=False, code=255)
    if not chosen.operands:
        raise Failed("a host is missing: ssh HOST [COMMAND]", 255)
    name, *words = chosen.operands
    host = name.rpartition("@")[2]
    if host not in shell.machine.hosts:
        yield from streams.complain(f"ssh: Could not resolve hostname {host[:80]}: Name or service not known")
        return 255
    env = {key: value for key, value in shell.env.items() if key in KEPT_BY_SSH}
    env |= {"HOSTNAME": host, "PWD": shell.home, "SSH_CONNECTION": f"{shell.host} {host}"}
    remote = shell.process(env)
    remote.host, remote.cwd = host, shell.home
    remote.budget = shell.budget
    if words:
        return (yield from run_text(remote, " ".join(words), streams))
    if shell.interactive and not call.piped:
        remote.interactive = True
        remote.level = shell.level + 1
        shell.stack.append(remote)
        return 0
    return (yield from run_text(remote, streams.stdin.take(), streams))


def env(shell: Shell, call: Call, streams: Streams) -> Steps:
    """env [NAME=VALUE…] [COMMAND]: the variables that commands see, or a command with others. -u NAME without one."""
    chosen = options(call, "i", "u", permute=False, code=125)
    values = {} if "i" in chosen else dict(call.env)
    values.pop(chosen.values.get("u", ""), None)
    words = list(chosen.operands)
    while words and re.match(r"[A-Za-z_]\w*=", words[0]):
        name, _, value = words.pop(0).partition("=")
        values[name] = value
    if words:
        child = shell.process(values)
        return (yield from dispatch(child, words[0], tuple(words[1:]), streams))
    yield from streams.say("".join(f"{name}={values[name]}\n" for name in values))
    return 0


def printenv(shell: Shell, call: Call, streams: Streams) -> Steps:
    """printenv [NAME…]: the variables that commands see, or the value of some."""
    code = 0
    for name in call.args or tuple(call.env):
        if name in call.env:
            yield from streams.say(f"{call.env[name]}\n" if call.args else f"{name}={call.env[name]}\n")
        else:
            code = 1
    return code


def nohup(shell: Shell, call: Call, streams: Streams) -> Steps:
    """nohup COMMAND: run a command that outlives the shell, as every job does here."""
    if not call.args:
        raise Failed("missing operand", 125)
    return (yield from dispatch(shell, call.args[0], call.args[1:], streams, call.env))


def xargs(shell: Shell, call: Call, streams: Streams) -> Steps:
    """xargs COMMAND: run a command on words read from a pipe. -n NUMBER of words at once, -I {} one line at {}."""
    chosen = options(call, "rt", "nI", permute=False, code=1)
    command = chosen.operands or ["echo"]
    text = streams.stdin.take()
    if "I" in chosen.values:
        mark = chosen.values["I"]
        calls = [[word.replace(mark, line.strip()) for word in command] for line in lines_of(text) if line.strip()]
    else:
        try:
            words = shlex.split(text)
        except ValueError:
            raise Failed("unmatched quote in what it reads") from None
        size = chosen.number("n", max(1, len(words)), "xargs") or 1
        calls = [[*command, *words[at : at + size]] for at in range(0, len(words), size)]
        if not words and "r" not in chosen:
            calls = [command]
    code = 0
    for words in calls:
        shell.budget.loop()
        ended = yield from dispatch(shell, words[0], tuple(words[1:]), replace(streams, stdin=Stdin("")), call.env)
        if ended == 127:
            return 127
        code = 123 if ended else code
    return code


def watch(shell: Shell, call: Call, streams: Streams) -> Steps:
    """watch COMMAND: run a command every two seconds until Ctrl-C. -n SECONDS between, -t without a title."""
    chosen = options(call, "td", "n", permute=False, code=1)
    every = chosen.values.get("n", "2")
    if not re.fullmatch(r"\d{1,6}(\.\d{1,3})?", every):
        raise Failed(f"failed to parse argument: '{every[:40]}'")
    if not chosen.operands:
        raise Failed("a command is missing: watch -n 2 COMMAND")
    whole, _, part = every.partition(".")
    every_us = max(100_000, int(whole) * 10**6 + int(part.ljust(6, "0")))
    text = " ".join(chosen.operands)
    try:
        script = parse(text)
    except Refused as refusal:
        raise Failed(str(refusal)) from None
    for _ in range(MOST_ROUNDS):
        yield from _title(shell, streams, text, every, "t" in chosen)
        child = shell.copy()
        child.budget = Budget()
        yield from run_process(child, script, replace(streams, stdin=Stdin("")))
        yield Wait(for_us=every_us)
    return 0


def _title(shell: Shell, streams: Streams, text: str, every: str, plain: bool) -> Generator[Event, None, None]:
    at = Moment.at(shell.machine.now_us).shown("%a %b %e %H:%M:%S %Y")
    title = f"Every {every}s: {text}"
    end = f"{shell.host}: {at}"
    gap = " " * max(2, shell.width - len(title) - len(end))
    yield from streams.say("\f" + ("" if plain else f"{title}{gap}{end}\n\n"))
