"""Tools that change the tree of files: touch, mkdir, rm, cp, mv, chmod."""

import re

from paceline.shell.events import STDERR, Output, Steps
from paceline.shell.files import File, FileProblem, Folder
from paceline.shell.machine import Call, Failed
from paceline.shell.tools.options import options


def touch(call: Call) -> Steps:
    """touch FILE…: make empty files, or mark files as changed now. -c make none."""
    chosen = options(call, "c", code=1)
    _some(call, chosen.operands)
    code = 0
    for name in chosen.operands:
        found = call.files.find(call.host, call.path(name))
        if found is not None:
            found.changed_us = call.now_us
        elif "c" not in chosen:
            try:
                call.write(name, "")
            except Failed as failure:
                yield Output(f"touch: cannot touch '{name}': {str(failure).rpartition(': ')[2]}\n", STDERR)
                code = 1
    return code


def mkdir(call: Call) -> Steps:
    """mkdir FOLDER…: make folders. -p also those above, and no complaint where it is there."""
    chosen = options(call, "pv", code=1)
    _some(call, chosen.operands)
    code = 0
    for name in chosen.operands:
        try:
            call.files.make_folder(call.host, call.path(name), call.now_us, "p" in chosen)
        except FileProblem as problem:
            yield Output(f"mkdir: cannot create directory '{name}': {problem}\n", STDERR)
            code = 1
    return code


def rm(call: Call) -> Steps:
    """rm FILE…: remove files. -r folders too, -f no complaint about what is not there."""
    chosen = options(call, "rRfv", code=1)
    recursive = "r" in chosen or "R" in chosen
    if "f" not in chosen:
        _some(call, chosen.operands)
    code = 0
    for name in chosen.operands:
        path = call.path(name)
        found = call.files.find(call.host, path)
        if found is None and "f" in chosen:
            continue
        try:
            if isinstance(found, Folder) and not recursive:
                raise FileProblem("Is a directory")
            if call.cwd == path or call.cwd.startswith(f"{path.rstrip('/')}/"):
                raise FileProblem("you are in it")
            call.files.remove(call.host, path, recursive)
        except FileProblem as problem:
            yield Output(f"rm: cannot remove '{name}': {problem}\n", STDERR)
            code = 1
    return code


def cp(call: Call) -> Steps:
    """cp FILE… TARGET: copy files to a name or into a folder. -r folders too."""
    chosen = options(call, "rRapv", code=1)
    recursive = any(flag in chosen for flag in "rRa")
    code = 0
    for name, target in _pairs(call, chosen.operands):
        try:
            if call.files.is_folder(call.host, call.path(name)) and not recursive:
                raise FileProblem("it is a directory (-r not specified)")
            call.files.copy(call.host, call.path(name), target, call.now_us)
        except FileProblem as problem:
            yield Output(f"cp: cannot copy '{name}': {problem}\n", STDERR)
            code = 1
    return code


def mv(call: Call) -> Steps:
    """mv FILE… TARGET: rename, or move into a folder. -f without asking, as always here."""
    chosen = options(call, "fv", code=1)
    code = 0
    for name, target in _pairs(call, chosen.operands):
        try:
            call.files.move(call.host, call.path(name), target)
        except FileProblem as problem:
            yield Output(f"mv: cannot move '{name}': {problem}\n", STDERR)
            code = 1
    return code


def chmod(call: Call) -> Steps:
    """chmod +x FILE…: make a file a program that ./FILE runs; -x and numbers such as 755 work too."""
    if len(call.args) < 2:
        raise Failed("missing operand: chmod +x FILE")
    mode, *names = call.args
    match = re.fullmatch(r"(?:[ugoa]*([+-])([rwx]+))|0?([0-7])[0-7][0-7]", mode)
    if match is None:
        raise Failed(f"invalid mode: '{mode}'; here +x, -x and numbers such as 755 work")
    code = 0
    for name in names:
        found = call.files.find(call.host, call.path(name))
        if found is None:
            yield Output(f"chmod: cannot access '{name}': No such file or directory\n", STDERR)
            code = 1
        elif isinstance(found, File) and (match.group(3) or "x" in match.group(2)):
            found.executable = int(match.group(3)) % 2 == 1 if match.group(3) else match.group(1) == "+"
    return code


def _some(call: Call, operands: list[str]) -> None:
    if not operands:
        raise Failed("missing operand")


def _pairs(call: Call, operands: list[str]) -> list[tuple[str, str]]:
    if len(operands) < 2:
        raise Failed("missing file operand" if not operands else f"missing destination after '{operands[0]}'")
    *names, target = operands
    into = call.path(target)
    if not call.files.is_folder(call.host, into):
        if len(names) > 1:
            raise Failed(f"target '{target}': No such file or directory")
        return [(names[0], into)]
    return [(name, f"{into.rstrip('/')}/{call.path(name).rpartition('/')[2]}") for name in names]
