"""Slurm's hostlists, as 22.05.8 folds and expands them: dgx-[1-4,7] is dgx-1 to dgx-4 and dgx-7."""

import re
from collections.abc import Iterable

from paceline.errors import BadValue
from paceline.formats.line import shown

MOST_HOSTS = 2**16
"""In one bracket, as in Slurm, and here in a whole list."""
MOST_DIGITS = 18
"""A longer number overflows Slurm's own: here it is part of the name."""

_NUMBERED = re.compile(rf"(.*?)(\d{{1,{MOST_DIGITS}}})", re.ASCII | re.DOTALL)
_RANGE = re.compile(rf"(\d{{1,{MOST_DIGITS}}})(?:-(\d{{1,{MOST_DIGITS}}}))?", re.ASCII)
_NAME = re.compile(r"[^\[\],\s]+")


def parse(text: str) -> tuple[str, ...]:
    """The hosts of a hostlist, in its order, repeats kept; blanks separate as commas do.

    A bracket ends its part, and others may stand before it: r[1-2]n[01-02]. Empty text has no hosts.
    """
    hosts: list[str] = []
    for part in _parts(text):
        hosts += _expand(part, text)
        if len(hosts) > MOST_HOSTS:
            raise _bad(text, f"it has more than {MOST_HOSTS:,} hosts")
    return tuple(hosts)


def render(hosts: Iterable[str]) -> str:
    """The shortest hostlist that Slurm would print: neighbours of one prefix share a bracket, order is kept."""
    groups: list[tuple[str, list[tuple[str, str]]]] = []
    for host in hosts:
        if not _NAME.fullmatch(host):
            raise BadValue(f"a host named {shown(host)}", "brackets, commas and blanks are the list's own")
        prefix, digits = _numbered(host)
        if not digits:
            groups.append((host, []))
        elif not (groups and groups[-1][0] == prefix and groups[-1][1]):
            groups.append((prefix, [(digits, digits)]))
        elif _follows(groups[-1][1][-1], digits):
            groups[-1][1][-1] = (groups[-1][1][-1][0], digits)
        else:
            groups[-1][1].append((digits, digits))
    return ",".join(prefix + _bracket(ranges) for prefix, ranges in groups)


def in_order(hosts: Iterable[str]) -> tuple[str, ...]:
    """Hosts by prefix, then by number: dgx-2 before dgx-10."""
    return tuple(sorted(hosts, key=_place))


def _place(host: str) -> tuple[str, int, int]:
    prefix, digits = _numbered(host)
    return prefix, len(digits) if digits.startswith("0") else 0, int(digits or 0)


def _numbered(host: str) -> tuple[str, str]:
    """Prefix and number of a name; a number of too many digits belongs to the prefix."""
    match = _NUMBERED.fullmatch(host)
    if match is None or match[1][-1:].isdigit():
        return host, ""
    return match[1], match[2]


def _follows(last: tuple[str, str], digits: str) -> bool:
    """Whether `digits` is the next number after a range, padded as the range's first is."""
    return digits == f"{int(last[1]) + 1:0{len(last[0])}d}"


def _bracket(ranges: list[tuple[str, str]]) -> str:
    if not ranges:
        return ""
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return ranges[0][0]
    return f"[{','.join(low if low == high else f'{low}-{high}' for low, high in ranges)}]"


def _parts(text: str) -> list[str]:
    """The parts between commas or blanks that no bracket holds."""
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign == "[") - (sign == "]")
        if depth not in (0, 1) or (depth and sign.isspace()):
            raise _bad(text, f"{sign!r} has no place there")
        if not depth and (sign == "," or sign.isspace()):
            parts.append(text[start:at])
            start = at + 1
    if depth:
        raise _bad(text, "a bracket is not closed")
    return [part for part in (*parts, text[start:]) if part]


def _expand(part: str, text: str) -> list[str]:
    names = [""]
    for piece in re.findall(r"\[[^\]]*\]|[^\[]+", part):
        if not piece.startswith("["):
            names = [name + piece for name in names]
            continue
        numbers = _numbers(piece[1:-1], text)
        if len(names) * len(numbers) > MOST_HOSTS:
            raise _bad(text, f"it has more than {MOST_HOSTS:,} hosts")
        names = [name + number for name in names for number in numbers]
    if "[" in part and not part.endswith("]"):
        raise _bad(text, f"nothing may follow the last bracket of {shown(part)}")
    return names


def _numbers(ranges: str, text: str) -> list[str]:
    numbers: list[str] = []
    for written in ranges.split(","):
        match = _RANGE.fullmatch(written)
        if match is None:
            raise _bad(text, f"{shown(written)} is no range of numbers")
        low, high = match[1], match[2] or match[1]
        if int(low) > int(high):
            raise _bad(text, f"the range {written} runs backwards")
        if int(high) - int(low) >= MOST_HOSTS:
            raise _bad(text, f"the range {written} has more than {MOST_HOSTS:,} hosts")
        numbers += [f"{number:0{len(low)}d}" for number in range(int(low), int(high) + 1)]
    return numbers


def _bad(text: str, because: str) -> BadValue:
    return BadValue(f"the hostlist {shown(text)}", because, "Write as in dgx-[1-4,7].")
