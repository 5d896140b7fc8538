"""Tools that say something of their own: echo, printf, seq, date, hostname, whoami, sleep, true, false."""

import re

from paceline.shell.events import STDERR, Output, Steps, Wait
from paceline.shell.machine import Call, Failed
from paceline.shell.tools.moment import Moment
from paceline.shell.tools.options import options

LONGEST_SEQUENCE = 100_000
_DIRECTIVE = re.compile(r"%([-+ 0#]*)(\d{0,4})(?:\.(\d{0,3}))?([a-zA-Z%])")
_ESCAPES = {
    "n": "\n", "t": "\t", "r": "\r", "\\": "\\", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v", "0": "\0",
}  # fmt: skip
_UNITS_S = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def echo(call: Call) -> Steps:
    r"""echo [TEXT…]: print text. -n without a line end, -e with \n and \t read."""
    args = list(call.args)
    flags = ""
    while args and re.fullmatch(r"-[neE]+", args[0]):
        flags += args.pop(0)[1:]
    text = " ".join(args)
    if flags.rfind("e") > flags.rfind("E"):
        text = _unescaped(text)
    yield Output(text + ("" if "n" in flags else "\n"))
    return 0


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match.group(1), match.group()), text)


def printf(call: Call) -> Steps:
    """printf FORMAT [VALUE…]: print values in a layout: %s text, %d whole numbers, %f with a point, %5s %-5s %05d."""
    if not call.args:
        raise Failed("usage: printf FORMAT [VALUE…]", 2)
    layout, *values = call.args
    pieces: list[str] = []
    troubles: list[str] = []
    layout = _unescaped(layout)
    takes = any(match.group(4) != "%" for match in _DIRECTIVE.finditer(layout))
    while True:
        at = 0
        for match in _DIRECTIVE.finditer(layout):
            pieces.append(layout[at : match.start()])
            at = match.end()
            kind = match.group(4)
            pieces.append("%" if kind == "%" else _directive(match, values.pop(0) if values else None, troubles))
        pieces.append(layout[at:])
        if not (values and takes) or sum(len(piece) for piece in pieces) > 10**6:
            break
    yield Output("".join(pieces))
    for trouble in troubles[:10]:
        yield Output(f"bash: printf: {trouble}\n", STDERR)
    return int(bool(troubles))


def _directive(match: re.Match[str], value: str | None, troubles: list[str]) -> str:
    flags, width, precision, kind = match.groups()
    spec = "%" + flags + width + ("" if precision is None else f".{precision}")
    if kind in "sb":
        text = _unescaped(value or "") if kind == "b" else value or ""
        return (spec + "s") % text
    if kind == "c":
        return (spec + "s") % (value or "")[:1]
    if kind not in "diuxXofeEgG":
        raise Failed(f"%{kind} is not part of this printf; it knows %s %d %i %x %o %f %e %g %c %b")
    number = re.fullmatch(r"\s*([-+]?(?:0[xX][0-9a-fA-F]{1,16}|\d{1,30}))(\.\d{0,30})?(e[-+]?\d{1,2})?", value or "0")
    if number is None or (kind in "diuxXo" and (number.group(2) or number.group(3))):
        troubles.append(f"{(value or '')[:40]}: invalid number")
        lead = re.match(r"\s*[-+]?\d{1,30}", value or "")
        plain = lead.group() if lead else "0"
    else:
        plain = number.group().strip()
    if kind in "diuxXo":
        whole = int(plain, 16) if "x" in plain.lower() else int(plain)
        return (spec + {"i": "d", "u": "d"}.get(kind, kind)) % whole
    return (spec + kind) % float(int(plain, 16) if "x" in plain.lower() else float(plain))


def seq(call: Call) -> Steps:
    """seq [FIRST [STEP]] LAST: print whole numbers. -s TEXT between them, -w all equally wide."""
    args = list(call.args)
    between, equal = "\n", False
    while args and args[0].startswith(("-s", "-w")):
        flag = args.pop(0)
        if flag == "-w":
            equal = True
        else:
            between = flag[2:] or (args.pop(0) if args else "")
    if not 1 <= len(args) <= 3 or not all(re.fullmatch(r"[-+]?\d{1,15}", arg) for arg in args):
        raise Failed("seq takes whole numbers: LAST, FIRST LAST, or FIRST STEP LAST; and -s TEXT, -w")
    numbers = [int(arg) for arg in args]
    first, step, last = (1, 1, numbers[0]) if len(args) == 1 else (numbers[0], 1, numbers[-1])
    if len(args) == 3:
        step = numbers[1]
    if step == 0:
        raise Failed("invalid Zero increment value: '0'")
    found = range(first, last + (1 if step > 0 else -1), step)
    if len(found) > LONGEST_SEQUENCE:
        raise Failed(f"more than {LONGEST_SEQUENCE:,} numbers")
    width = max((len(str(number)) for number in (found[0], found[-1])), default=0) if found else 0
    shown = [f"{number:0{width}}" if equal else str(number) for number in found]
    if shown:
        yield Output(between.join(shown) + "\n")
    return 0


def date(call: Call) -> Steps:
    """date [+LAYOUT]: the pod's date and time; a layout holds %Y %m %d %H %M %S %F %T %s and more. -u is the same."""
    chosen = options(call, "u", code=1)
    layout = "%a %b %e %H:%M:%S UTC %Y"
    for operand in chosen.operands:
        if not operand.startswith("+"):
            raise Failed(f"invalid date '{operand}'; here date and date +LAYOUT work")
        layout = operand[1:]
    yield Output(Moment.at(call.now_us).shown(layout) + "\n")
    return 0


def hostname(call: Call) -> Steps:
    """hostname: the name of the host you are on. -s the same."""
    options(call, "sf", code=1)
    yield Output(f"{call.host}\n")
    return 0


def whoami(call: Call) -> Steps:
    """whoami: your user name."""
    options(call, "", code=1)
    yield Output(f"{call.env.get('USER', 'nobody')}\n")
    return 0


def sleep(call: Call) -> Steps:
    """sleep NUMBER: wait so many seconds; 5m, 2h and 1d work too."""
    wait_us = 0
    for arg in call.args:
        match = re.fullmatch(r"(\d{1,9})?(?:\.(\d{1,6})\d*)?([smhd]?)", arg)
        if match is None or not arg[:1].strip("smhd"):
            raise Failed(f"invalid time interval '{arg[:40]}'")
        whole, part, unit = match.groups()
        wait_us += (int(whole or 0) * 10**6 + int((part or "").ljust(6, "0"))) * _UNITS_S[unit]
    if not call.args:
        raise Failed("missing operand: sleep NUMBER")
    if wait_us:
        yield Wait(for_us=wait_us)
    return 0


def true(call: Call) -> Steps:
    """true: succeed."""
    yield from ()
    return 0


def false(call: Call) -> Steps:
    """false: fail."""
    yield from ()
    return 1
