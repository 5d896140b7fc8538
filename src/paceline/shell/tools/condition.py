"""test and [ … ]: conditions on files, texts and whole numbers."""

import re

from paceline.shell.events import Steps
from paceline.shell.files import File, Folder
from paceline.shell.machine import Call, Failed

_NUMBERS = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")
_TEXTS = ("=", "==", "!=")
_UNARY = ["-e", "-f", "-d", "-s", "-r", "-w", "-x", "-z", "-n"]


def test(call: Call) -> Steps:
    """test CONDITION, or [ CONDITION ]: succeed where it holds.

    -f FILE, -d FOLDER, -e either, -s not empty, -x program; -z TEXT empty, -n TEXT not; A = B, A != B;
    A -eq B, -ne -lt -le -gt -ge for whole numbers; ! not, -a and, -o or.
    """
    yield from ()
    args = list(call.args)
    if call.name == "[" and (not args or args.pop() != "]"):
        raise Failed("missing `]'", 2)
    return int(not _either(call, args))


def _either(call: Call, args: list[str]) -> bool:
    if len(args) > 4:
        for operator in ("-o", "-a"):
            for index in range(len(args) - 2, 0, -1):
                if args[index] == operator:
                    left, right = _either(call, args[:index]), _plain(call, args[index + 1 :])
                    return (left or right) if operator == "-o" else (left and right)
    return _plain(call, args)


def _plain(call: Call, args: list[str]) -> bool:
    if not args:
        return False
    if len(args) == 1:
        return args[0] != ""
    if len(args) == 3 and args[1] in (*_TEXTS, *_NUMBERS, "-a", "-o"):
        return _compared(args[0], args[1], args[2])
    if args[0] == "!":
        return not _plain(call, args[1:]) if len(args) < 50 else False
    if len(args) == 2 and args[0] in _UNARY:
        return _unary(call, args[0], args[1])
    if len(args) == 2:
        raise Failed(f"{args[0]}: unary operator expected; here {' '.join(_UNARY)} work", 2)
    if len(args) == 3:
        raise Failed(f"{args[1]}: binary operator expected; here {' '.join((*_TEXTS, *_NUMBERS))} work", 2)
    raise Failed("too many arguments (a variable with blanks wants quotes)", 2)


def _compared(left: str, operator: str, right: str) -> bool:
    if operator in _TEXTS:
        return (left == right) == (operator != "!=")
    if operator in ("-a", "-o"):
        return bool(left and right) if operator == "-a" else bool(left or right)
    for text in (left, right):
        if not re.fullmatch(r"\s*[-+]?\d{1,30}\s*", text):
            raise Failed(f"{text[:40]}: integer expression expected", 2)
    first, second = int(left), int(right)
    return {
        "-eq": first == second, "-ne": first != second, "-lt": first < second, "-le": first <= second,
        "-gt": first > second, "-ge": first >= second,
    }[operator]  # fmt: skip


def _unary(call: Call, operator: str, text: str) -> bool:
    if operator in ("-z", "-n"):
        return (text == "") == (operator == "-z")
    found = call.files.find(call.host, call.path(text)) if text else None
    if operator == "-f":
        return isinstance(found, File)
    if operator == "-d":
        return isinstance(found, Folder)
    if operator == "-s":
        return found is not None and not (isinstance(found, File) and found.size == 0)
    if operator == "-x":
        return isinstance(found, Folder) or (found is not None and found.executable)
    return found is not None
