"""Prose: a small Markdown of paragraphs, strong words, code and holes that the engine fills; no HTML."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from paceline.errors import BadFile

_PIECE = re.compile(r"\*\*(?P<strong>[^*]+)\*\*|`(?P<code>[^`]+)`|\{(?P<hole>[^{}]+)\}")
_HOLE = re.compile(r"\s*([a-z][a-z0-9_]*)\s*(?:@\s*([a-z_]+)=([0-9]+)\s*)?")


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of one kind; a hole has the figure's name as `text`, its what-if in `knob` and `value`."""

    kind: str
    text: str
    knob: str = ""
    value: int = 0


@dataclass(frozen=True, slots=True)
class Prose:
    """The paragraphs of a step."""

    paragraphs: tuple[tuple[Piece, ...], ...]

    @classmethod
    def parse(cls, text: str, file: str, first_line: int, known: Mapping[str, object]) -> "Prose":
        """The prose from `first_line` of a file on; bare digits, HTML and unknown figures are refused."""
        paragraphs = []
        line = first_line
        for block in re.split(r"(\n\s*\n)", text):
            if block.strip():
                paragraphs.append(_pieces(block, file, line, known))
            line += block.count("\n")
        return cls(tuple(paragraphs))

    @property
    def holes(self) -> tuple[Piece, ...]:
        """All holes in reading order."""
        return tuple(piece for paragraph in self.paragraphs for piece in paragraph if piece.kind == "hole")


def _pieces(block: str, file: str, first: int, known: Mapping[str, object]) -> tuple[Piece, ...]:
    pieces = []
    at = len(block) - len(block.lstrip())

    def place(offset: int) -> str:
        return f"{file}:{first + block.count(chr(10), 0, offset)}"

    def plain(end: int) -> None:
        words = block[at:end]
        bad = re.search(r"(?<![A-Za-z0-9])[0-9]|[<>{}]", words)
        if bad:
            raise BadFile(place(at + bad.start()), f"a bare {bad[0]!r} in prose", "Write numbers as {figure} holes.")
        if words:
            pieces.append(Piece("text", " ".join(words.split("\n"))))

    for match in _PIECE.finditer(block):
        plain(match.start())
        at = match.end()
        if match["hole"] is None:
            pieces.append(Piece("strong" if match["strong"] else "code", match["strong"] or match["code"]))
            if match["strong"] and re.search("[0-9<>]", match["strong"]):
                raise BadFile(place(match.start()), "a bare number in strong words", "Write it as a {figure} hole.")
            continue
        hole = _HOLE.fullmatch(match["hole"])
        if hole is None or hole[1] not in known:
            raise BadFile(
                place(match.start()), f"there is no figure {match['hole']!r}", "See figures.py for the names."
            )
        pieces.append(Piece("hole", hole[1], hole[2] or "", int(hole[3] or 0)))
    plain(len(block.rstrip()))
    return tuple(pieces)
