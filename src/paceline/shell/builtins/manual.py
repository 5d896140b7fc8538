"""Built-in commands that tell what is here: help, man, which, type; and edit."""

import re
from inspect import cleandoc

from paceline.shell.events import Edit, Steps
from paceline.shell.files import Folder
from paceline.shell.machine import Call, Failed
from paceline.shell.shell import Shell
from paceline.shell.simple import NOT_HERE, is_known, known_commands
from paceline.shell.streams import Streams
from paceline.shell.tools import TOOLS


def help_(shell: Shell, call: Call, streams: Streams) -> Steps:
    """help [COMMAND]: the commands there are, or what one does."""
    if call.args:
        return (yield from man(shell, call, streams))
    names = [name for name in known_commands(shell) if name not in (":", "[", ".", "sh")]
    width = max(10, *map(len, names))
    lines = [f"  {name:<{width}}  {_summary(shell, name)}\n" for name in names]
    yield from streams.say("Commands here; `man COMMAND` says more of one:\n" + "".join(lines))
    yield from streams.say("Ctrl-C stops a command; & at its end lets it run in the background.\n")
    return 0


def man(shell: Shell, call: Call, streams: Streams) -> Steps:
    """man COMMAND: what a command does here, and its options."""
    if not call.args:
        raise Failed("What manual page do you want? For example: man grep")
    code = 0
    for name in call.args:
        text = _document(shell, name)
        if text:
            yield from streams.say(f"{text}\n")
        else:
            why = f"; {NOT_HERE[name]}" if NOT_HERE.get(name) else ""
            yield from streams.complain(f"No manual entry for {name[:80]}{why}")
            code = 16
    return code


def which(shell: Shell, call: Call, streams: Streams) -> Steps:
    """which COMMAND…: whether commands are here."""
    code = 0
    for name in call.args:
        if not is_known(shell, name):
            code = 1
        elif name in shell.builtins:
            yield from streams.say(f"{name}: shell built-in command\n")
        else:
            yield from streams.say(f"/usr/bin/{name}\n")
    return code


def edit(shell: Shell, call: Call, streams: Streams) -> Steps:
    """edit FILE: open a file in the editor."""
    if len(call.args) != 1:
        raise Failed("name one file: edit FILE", 2)
    path = shell.path(call.args[0])
    if isinstance(shell.machine.files.find(shell.host, path), Folder):
        raise Failed(f"{call.args[0]}: Is a directory")
    if shell.can_edit:
        yield Edit(path)
        return 0
    name = call.args[0]
    yield from streams.say(
        f"There is no editor in this terminal. To write {name}:\n  cat > {name} <<'EOF'\n  …\n  EOF\n"
        f"To change a word in it:\n  sed -i 's/OLD/NEW/' {name}\n"
    )
    return 1


def _document(shell: Shell, name: str) -> str:
    found = shell.builtins.get(name) or shell.machine.commands.get(name) or TOOLS.get(name)
    if found is None:
        return ""
    text = cleandoc(found.__doc__ or "a command of this pod.")
    is_named = name in shell.builtins or name not in shell.machine.commands or re.match(rf"{re.escape(name)}\b", text)
    return text if is_named else f"{name}: {text}"


def _summary(shell: Shell, name: str) -> str:
    first = _document(shell, name).partition("\n")[0]
    head, colon, what = first.partition(": ")
    return what if colon else head
