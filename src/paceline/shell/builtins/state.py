"""Built-in commands that change the shell itself: cd, export, unset, set, exit, break, continue and their like."""

import re

from paceline.shell.events import Steps
from paceline.shell.files import File
from paceline.shell.machine import Call, Failed
from paceline.shell.shell import OPTIONS, Exit, LoopControl, Shell
from paceline.shell.streams import Streams

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def cd(shell: Shell, call: Call, streams: Streams) -> Steps:
    """cd [FOLDER]: go to a folder; home without one, back with -."""
    if len(call.args) > 1:
        raise Failed("too many arguments")
    name = call.args[0] if call.args else shell.home
    if name == "-":
        name = shell.get("OLDPWD") or ""
        if not name:
            raise Failed("OLDPWD not set")
        yield from streams.say(f"{name}\n")
    path = shell.path(name) if name else shell.cwd
    found = shell.machine.files.find(shell.host, path)
    if found is None or isinstance(found, File):
        raise Failed(f"{name}: {'No such file or directory' if found is None else 'Not a directory'}")
    shell.set("OLDPWD", shell.cwd)
    shell.cwd = path
    shell.env["PWD"] = path
    return 0


def pwd(shell: Shell, call: Call, streams: Streams) -> Steps:
    """pwd: the folder you are in."""
    yield from streams.say(f"{shell.cwd}\n")
    return 0


def export(shell: Shell, call: Call, streams: Streams) -> Steps:
    """export NAME=VALUE…: set a variable that commands see too; without a name it lists them."""
    if not call.args or call.args == ("-p",):
        for name in sorted(shell.env):
            yield from streams.say(f'declare -x {name}="{shell.env[name]}"\n')
        return 0
    for arg in call.args:
        name, equals, value = arg.partition("=")
        if not _NAME.fullmatch(name):
            raise Failed(f"`{arg[:40]}': not a valid identifier; write export NAME=VALUE")
        shell.export(name, value if equals else None)
    return 0


def unset(shell: Shell, call: Call, streams: Streams) -> Steps:
    """unset NAME…: forget variables."""
    yield from ()
    for name in call.args:
        if name != "-v":
            shell.unset(name)
    return 0


def set_(shell: Shell, call: Call, streams: Streams) -> Steps:
    """set: list variables. set -e ends at a failure, -u at an unset variable, -x shows commands, -o pipefail."""
    if not call.args:
        everything = {**shell.env, **shell.own}
        for name in sorted(everything):
            yield from streams.say(f"{name}={everything[name]}\n")
        return 0
    args = list(call.args)
    options = dict.fromkeys(sorted(shell.options))
    while args:
        arg = args.pop(0)
        if arg == "--":
            shell.args = tuple(args)
            break
        if arg[:1] not in ("-", "+") or len(arg) < 2:
            shell.args = (arg, *args)
            break
        for letter in arg[1:]:
            name = OPTIONS.get(letter, "")
            if letter == "o" and args and args[0] in ("errexit", "nounset", "xtrace", "pipefail"):
                name = args.pop(0)
            if not name:
                raise Failed(f"{arg}: unknown option; here set knows -e, -u, -x and -o pipefail", 2)
            if arg[0] == "-":
                options[name] = None
            else:
                options.pop(name, None)
    shell.options = frozenset(options)
    return 0


def exit_(shell: Shell, call: Call, streams: Streams) -> Steps:
    """exit [CODE]: leave this shell."""
    yield from ()
    if call.args and not re.fullmatch(r"-?\d{1,18}", call.args[0]):
        yield from streams.complain(f"bash: exit: {call.args[0][:40]}: numeric argument required")
        raise Exit(2)
    raise Exit(int(call.args[0]) % 256 if call.args else shell.code)


def loop_control(shell: Shell, call: Call, streams: Streams) -> Steps:
    """break, continue [LEVELS]: leave a loop, or go to its next round."""
    yield from ()
    text = call.args[0] if call.args else "1"
    if not re.fullmatch(r"[1-9]\d{0,3}", text):
        raise Failed(f"{text[:40]}: loop count out of range")
    if not shell.loops:
        yield from streams.complain(f"bash: {call.name}: only meaningful in a `for' or `while' loop")
        return 0
    raise LoopControl(call.name == "continue", int(text))


def nothing(shell: Shell, call: Call, streams: Streams) -> Steps:
    """: does nothing, well."""
    yield from ()
    return 0


def history(shell: Shell, call: Call, streams: Streams) -> Steps:
    """history [NUMBER]: the lines you typed. -c forgets them."""
    if call.args == ("-c",):
        shell.history.clear()
        return 0
    count = len(shell.history)
    if call.args:
        if not call.args[0].isdecimal() or len(call.args[0]) > 9:
            raise Failed(f"{call.args[0][:40]}: numeric argument required; history, history NUMBER and -c work here")
        count = min(count, int(call.args[0]))
    first = len(shell.history) - count
    lines = [f"{number:>5}  {line}\n" for number, line in enumerate(shell.history[first:], first + 1)]
    yield from streams.say("".join(lines))
    return 0
