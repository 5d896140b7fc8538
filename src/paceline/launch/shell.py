"""As much of a shell's grammar as a batch script needs: words, quotes, continued lines, names of variables."""

import re
from collections.abc import Iterator, Mapping

from paceline.errors import BadValue

MOST_JOINED = 400
"""Lines that one command may run over."""

_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)(?::?-([^{}]*))?\}|([A-Za-z_]\w*))", re.ASCII)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.ASCII | re.DOTALL)
_CLOSING = {"(": ")", "{": "}"}


def commands(text: str, first: int = 1) -> Iterator[tuple[int, str]]:
    """Each command with the number of its first line: continued lines are joined, quotes may hold line breaks.

    Where a quote or bracket never closes, its line stands alone, as written.
    """
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        end = at + 1
        joined = lines[at]
        if not joined.lstrip().startswith("#"):
            while is_open(joined) and end < min(len(lines), at + MOST_JOINED):
                joined = f"{joined}\n{lines[end]}"
                end += 1
        if is_open(joined):
            joined, end = lines[at], at + 1
        yield first + at, joined
        at = end


def words(command: str) -> tuple[str, ...]:
    """The words of a command, each as written, quotes and all; what follows a # is left out."""
    try:
        return tuple(word for word, _ in _split(command))
    except BadValue:
        return tuple(command.split())


def unquoted(word: str) -> str:
    """A word without its quotes; what stands in it is not expanded."""
    plain = re.sub(r"\\(.)", r"\1", re.sub(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"", lambda m: m[1] or m[2] or "", word))
    return plain.strip()


def assignment(word: str) -> tuple[str, str] | None:
    """The name and the value as written of NAME=value."""
    match = _ASSIGNMENT.fullmatch(word)
    return (match[1], match[2]) if match else None


def expanded(word: str, variables: Mapping[str, str]) -> str:
    """A word without quotes, its known variables replaced; what nobody knows stays as written."""
    value = unquoted(word)
    for _ in range(5):
        replaced = _VARIABLE.sub(lambda match: _value(match, variables), value)
        if replaced == value or len(replaced) > 4096:
            break
        value = replaced
    return unquoted(value)


def named(word: str) -> tuple[str, ...]:
    """The variables that a word reads."""
    return tuple(match[1] or match[3] for match in _VARIABLE.finditer(word))


def _value(match: re.Match[str], variables: Mapping[str, str]) -> str:
    name = match[1] or match[3]
    return variables.get(name, match[2] if match[2] is not None else match[0])


def is_open(text: str) -> bool:
    """Whether a command goes on in the next line, for a quote, a bracket or a backslash."""
    try:
        list(_split(text))
    except BadValue:
        return True
    return False


def _split(command: str) -> Iterator[tuple[str, int]]:
    """Words with their places; refuses what does not close, a backslash at the end too."""
    at, start = 0, -1
    while at < len(command):
        sign = command[at]
        if command.startswith("\\\n", at):
            if start >= 0:
                yield command[start:at], start
            at, start = at + 2, -1
        elif sign.isspace():
            if start >= 0:
                yield command[start:at], start
            at, start = at + 1, -1
        elif sign == "#" and start < 0:
            at = command.find("\n", at) if "\n" in command[at:] else len(command)
        else:
            start = at if start < 0 else start
            at = _after(command, at)
    if start >= 0:
        yield command[start:], start


def _after(text: str, at: int) -> int:
    """The place after the sign, quote or $( ) that begins at `at`."""
    sign = text[at]
    if sign == "\\":
        if at + 1 == len(text):
            raise BadValue("a command", "its last line continues")
        return at + 2
    if sign in "'`":
        end = text.find(sign, at + 1)
        if end < 0:
            raise BadValue("a command", f"{sign} does not close")
        return end + 1
    if sign == '"':
        return _close(text, at + 1, '"')
    if sign == "$" and text[at + 1 : at + 2] in _CLOSING:
        return _close(text, at + 2, _CLOSING[text[at + 1]])
    return at + 1


def _close(text: str, at: int, closing: str) -> int:
    """The place after `closing`, looking through what nests; by hand, for a stack deeper than Python's is refused."""
    stack = [closing]
    while at < len(text):
        sign = text[at]
        if sign == stack[-1]:
            stack.pop()
            at += 1
            if not stack:
                return at
        elif sign == "\\":
            at += 2
        elif sign == '"' and stack[-1] != '"':
            stack.append('"')
            at += 1
        elif sign == "'" and stack[-1] != '"':
            end = text.find("'", at + 1)
            at = end + 1 if end >= 0 else len(text)
        elif sign == "$" and text[at + 1 : at + 2] in _CLOSING:
            stack.append(_CLOSING[text[at + 1]])
            at += 2
        elif sign == "(" and stack[-1] == ")":
            stack.append(")")
            at += 1
        else:
            at += 1
    raise BadValue("a command", f"{stack[-1]} is missing at its end")
