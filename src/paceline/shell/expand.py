"""From words to arguments: variables, $(…), sums, splitting at blanks, file patterns."""

import re
from collections.abc import Callable, Generator

from paceline.shell import glob
from paceline.shell.arithmetic import arithmetic
from paceline.shell.budget import LONGEST_VALUE, TooMuch
from paceline.shell.events import Event
from paceline.shell.shell import Shell
from paceline.shell.syntax import Arithmetic, Part, Script, Substitution, Text, Variable, Word

Substitute = Callable[[Script], Generator[Event, None, str]]
Piece = tuple[str, bool, bool]
"""A text, whether it is quoted, whether blanks in it part words."""
_BREAK: None = None
_BLANKS = re.compile(r"[ \t\n]+")


def expand(shell: Shell, word: Word, substitute: Substitute) -> Generator[Event, None, list[str]]:
    """The arguments that a word becomes; none, one or many."""
    found: list[str] = []
    for field in _fields((yield from _pieces(shell, word.parts, substitute))):
        text = "".join(piece for piece, _ in field)
        if any(char in piece for piece, quoted in field if not quoted for char in glob.SPECIAL):
            pattern = "".join(glob.escaped(piece) if quoted else piece.replace("\\", "\\\\") for piece, quoted in field)
            shell.budget.work(100 * len(pattern))
            found.extend(glob.expand(shell.machine.files, shell.host, shell.cwd, pattern) or [text])
        else:
            found.append(text)
    return found


def expand_text(shell: Shell, word: Word, substitute: Substitute) -> Generator[Event, None, str]:
    """The one text that a word is as a value, unsplit."""
    pieces = yield from _pieces(shell, word.parts, substitute)
    return "".join(" " if piece is None else piece[0] for piece in pieces)


def _pieces(
    shell: Shell, parts: tuple[Part, ...], substitute: Substitute
) -> Generator[Event, None, list[Piece | None]]:
    found: list[Piece | None] = []
    long = 0
    for index, part in enumerate(parts):
        new: list[Piece | None] = []
        match part:
            case Text(text, quoted):
                if index == 0 and not quoted and re.match(r"~(?=/)" if len(parts) > 1 else r"~(?=/|$)", text):
                    text = shell.home + text[1:]
                new = [(text, quoted, False)]
            case Variable("@", True, None):
                for place, argument in enumerate(shell.args):
                    new += [_BREAK] if place else []
                    new.append((argument, True, False))
            case Variable(_, quoted, Word(default)) if not shell.get(part.name):
                new = yield from _pieces(shell, default, substitute)
                if not quoted:
                    new = [piece and (piece[0], piece[1], not piece[1]) for piece in new]
            case Variable(name, quoted):
                new = [(shell.value(name), quoted, not quoted)]
            case Substitution(script, quoted):
                new = [((yield from substitute(script)), quoted, not quoted)]
            case Arithmetic(expression, quoted):
                text = yield from expand_text(shell, expression, substitute)
                shell.budget.work(10 * len(text))
                new = [(str(arithmetic(text, shell.value)), quoted, not quoted)]
        long += sum(len(piece[0]) for piece in new if piece)
        if long > LONGEST_VALUE:
            raise TooMuch(f"stopped: a word of more than {LONGEST_VALUE:,} characters")
        found.extend(new)
    shell.budget.work(long)
    return found


def _fields(pieces: list[Piece | None]) -> list[list[tuple[str, bool]]]:
    fields: list[list[tuple[str, bool]]] = []
    field: list[tuple[str, bool]] = []
    for piece in [*pieces, _BREAK]:
        if piece is None:
            if field:
                fields.append(field)
            field = []
            continue
        text, quoted, splits = piece
        if not splits:
            if text or quoted:
                field.append((text, quoted))
            continue
        for index, part in enumerate(_BLANKS.split(text)):
            if index and field:
                fields.append(field)
                field = []
            if part:
                field.append((part, False))
    return fields
