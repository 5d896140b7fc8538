"""Prose: a small Markdown of paragraphs, strong words, code, terms and holes that the engine fills; no HTML.

`{name}` and `{name @ knob=value knob=value}` are holes, `{set knob}` a number the reader can change, `[words](term)` or
`[words](term:name)` a word of the glossary, `[words](given:setting)` an input of the scenario, `[words](fact)` a
number that is neither. A paragraph that begins with `= ` is arithmetic on a line of its own.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

from paceline.errors import BadFile, BadInput
from paceline.lesson.clause import parse_turns
from paceline.pod import KNOBS, World
from paceline.step import Settings
from paceline.units import parse_count

_PIECE = re.compile(
    r"\*\*(?P<strong>[^*]+)\*\*|`(?P<code>[^`]+)`|\{(?P<hole>[^{}]+)\}|\[(?P<words>[^\]]+)\]\((?P<origin>[^)]+)\)"
)
_HOLE = re.compile(r"([a-z][a-z0-9_]*)\s*(?:@\s*([a-z_]+=[0-9]+(?:\s+[a-z_]+=[0-9]+)*))?")
_BARE = re.compile(r"(?<![A-Za-z0-9])[0-9]|[<>{}\[\]]")
_NO_FIGURE = re.compile(r"(?<![A-Za-z0-9.])[0-9]\(N-1\)(?:/N)?|1/N|GPU [0-9]+")
"""Digits that hold for every run: in the ring's own formula, and in the name of a GPU."""
NOT_SO = "–"
TONES = {
    "compute_s": "compute",
    "forward_s": "compute",
    "backward_s": "compute",
    "hidden_comm_s": "hidden",
    "exposed_comm_s": "exposed",
    "optimizer_s": "optimizer",
}
"""Figures that stand for one of the meanings a colour has."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of one kind; a hole has the figure's name as `text`, the knobs of its what-if in `turns`."""

    kind: str
    text: str
    name: str = ""
    turns: tuple[tuple[str, int], ...] = ()

    @property
    def key(self) -> str:
        """How a hole is named in a reply."""
        turns = " ".join(f"{knob}={value}" for knob, value in self.turns)
        return f"{self.text} @ {turns}" if turns else self.text

    def fill(self, world: World) -> str:
        """The text of a piece in a world."""
        if self.kind != "hole":
            return self.text
        try:
            readings = world.what_if(self.turns) if self.turns else world.readings()
        except BadInput:
            return NOT_SO  # the world as it stands leaves no such what-if
        return readings[self.text].text


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, `sum` when it is arithmetic on a line of its own."""

    kind: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """What a lesson's words may refer to; `settings` are the scenario's inputs."""

    figures: Collection[str]
    terms: Collection[str]
    settings: Settings


@dataclass(frozen=True, slots=True)
class Prose:
    """Some paragraphs."""

    paragraphs: tuple[Paragraph, ...]

    @classmethod
    def parse(cls, text: str, file: str, first_line: int, known: Known) -> "Prose":
        """The prose from `first_line` of a file on; bare digits, HTML and unknown names are refused with their line."""
        paragraphs = []
        line = first_line
        for block in re.split(r"(\n\s*\n)", text):
            if block.strip():
                paragraphs.append(_paragraph(block, file, line, known))
            line += block.count("\n")
        return cls(tuple(paragraphs))

    @property
    def holes(self) -> tuple[Piece, ...]:
        """All holes in reading order."""
        return tuple(piece for each in self.paragraphs for piece in each.pieces if piece.kind == "hole")

    def fill(self, world: World) -> str:
        """The whole as one line of text in a world."""
        return " ".join("".join(piece.fill(world) for piece in each.pieces) for each in self.paragraphs)


def _paragraph(block: str, file: str, first: int, known: Known) -> Paragraph:
    pieces: list[Piece] = []
    at = len(block) - len(block.lstrip())
    kind = "text"
    if block[at:].startswith("= "):
        kind, at = "sum", at + 2

    def place(offset: int) -> str:
        return f"{file}:{first + block.count(chr(10), 0, offset)}"

    def plain(end: int) -> None:
        words = block[at:end]
        bad = _BARE.search(_NO_FIGURE.sub(lambda found: "N" * len(found[0]), words))
        if bad:
            raise BadFile(place(at + bad.start()), f"a bare {bad[0]!r} in prose", "Write numbers as {figure} holes.")
        if words:
            pieces.append(Piece("text", " ".join(words.split("\n"))))

    for match in _PIECE.finditer(block, at):
        plain(match.start())
        at = match.end()
        where = place(match.start())
        if match["hole"] is not None:
            pieces.append(_hole(match["hole"].strip(), where, known))
        elif match["words"] is not None:
            pieces.append(_marked(match["words"], match["origin"], where, known))
        else:
            if match["strong"] and _BARE.search(match["strong"]):
                raise BadFile(where, "a bare number in strong words", "Write it as a {figure} hole.")
            pieces.append(Piece("strong" if match["strong"] else "code", match["strong"] or match["code"]))
    plain(len(block.rstrip()))
    return Paragraph(kind, tuple(pieces))


def _hole(text: str, place: str, known: Known) -> Piece:
    verb, _, knob = text.partition(" ")
    if verb == "set" and knob in KNOBS:
        return Piece("touch", knob, knob)
    hole = _HOLE.fullmatch(text)
    if hole is None or hole[1] not in known.figures:
        raise BadFile(place, f"there is no figure {text!r}", "See figures.py and the world's labels for the names.")
    turns = parse_turns(hole[2] or "")
    for name, _ in turns:
        if name not in KNOBS:
            raise BadFile(place, f"there is no knob {name!r}", f"Known: {', '.join(KNOBS)}.")
    return Piece("hole", hole[1], hole[1], turns)


def _marked(words: str, origin: str, place: str, known: Known) -> Piece:
    words = " ".join(words.split("\n"))
    kind, _, name = origin.partition(":")
    if kind == "fact":
        return Piece("text", words)
    if kind == "given":
        if not hasattr(known.settings, name) or not _says(words, getattr(known.settings, name)):
            raise BadFile(place, f"{words!r} is not what the scenario gives as {name!r}", "See its scenario file.")
        return Piece("text", words)
    if kind == "term":
        term = name or words
        if term not in known.terms:
            raise BadFile(place, f"the glossary has no {term!r}", "Add it to glossary.toml, or use [words](term:name).")
        return Piece("term", words, term)
    raise BadFile(place, f"{origin!r} is no origin of words", "Use term, term:NAME, given:SETTING or fact.")


def _says(words: str, value: object) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        number = re.match(r"[0-9][0-9,]*", words)
        count = parse_count(number[0]) if number else -1
        return value in (count, count * 10**6, count * 10**9)
    return words == str(value)


def one_line(text: str, file: str, line: int, known: Known) -> Prose:
    """A sentence of a step's head as prose, under the same rules."""
    try:
        return Prose.parse(text, file, line, known)
    except BadFile as error:
        raise BadFile(f"{file}:{line}", error.because, error.instead) from None
