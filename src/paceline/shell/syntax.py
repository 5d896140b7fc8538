"""What a command line is once it is read: words of parts, commands, pipelines, lists."""

import re
from dataclasses import dataclass

from paceline.errors import PacelineError

ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


class Refused(PacelineError):
    """Text that is no command line of this shell, with its place; `incomplete` where more of it may come."""

    def __init__(self, why: str, line: int, column: int, incomplete: bool = False) -> None:
        self.why = why
        self.line = line
        self.column = column
        self.incomplete = incomplete
        super().__init__(f"line {line}, column {column}: {why}")


@dataclass(frozen=True, slots=True)
class Text:
    """Characters as they stand; unquoted ones may be a file pattern."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """$NAME, or ${NAME:-default}."""

    name: str
    quoted: bool = False
    default: "Word | None" = None


@dataclass(frozen=True, slots=True)
class Substitution:
    """$(…): what the commands print."""

    script: "Script"
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """$((…)): a sum of whole numbers."""

    expression: "Word"
    quoted: bool = False


Part = Text | Variable | Substitution | Arithmetic


@dataclass(frozen=True, slots=True)
class Word:
    """Parts without a blank between them."""

    parts: tuple[Part, ...]

    @property
    def plain(self) -> str | None:
        """Its text where it is nothing but unquoted characters, as a reserved word is."""
        if len(self.parts) == 1 and isinstance(self.parts[0], Text) and not self.parts[0].quoted:
            return self.parts[0].text
        return None

    @property
    def assigns(self) -> str:
        """The name that it sets, as in NAME=value; empty where it sets none."""
        first = self.parts[0] if self.parts else None
        if isinstance(first, Text) and not first.quoted and (match := ASSIGNMENT.match(first.text)):
            return match.group()[:-1]
        return ""

    @property
    def value(self) -> "Word":
        """What follows the first equals sign."""
        first = self.parts[0]
        assert isinstance(first, Text)
        rest = first.text.partition("=")[2]
        kept = (Text(rest), *self.parts[1:]) if rest else self.parts[1:]
        return Word(kept)


NO_WORD = Word(())


@dataclass(slots=True)
class Document:
    """A here-document; its body is read when the line is over."""

    delimiter: str
    quoted: bool
    tabs: bool
    body: Word = NO_WORD


@dataclass(frozen=True, slots=True)
class Redirect:
    """`operator` is one of > >> < &> &>> >& <<; `target` is the file, the stream's number or the here-document."""

    stream: int
    operator: str
    target: Word | Document


@dataclass(frozen=True, slots=True)
class Simple:
    """Assignments, a command's words, redirections."""

    assignments: tuple[Word, ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class If:
    """Conditions with what follows each, and what follows none."""

    branches: tuple[tuple["Script", "Script"], ...]
    otherwise: "Script | None"
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class For:
    """A loop over words; over "$@" where none are given."""

    name: str
    words: tuple[Word, ...]
    body: "Script"
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class While:
    """A loop as long as its condition ends with 0."""

    condition: "Script"
    body: "Script"
    redirects: tuple[Redirect, ...] = ()


Node = Simple | If | For | While


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands, each reading what the one before printed."""

    commands: tuple[Node, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Chain:
    """Pipelines joined by && and ||, as it was written."""

    first: Pipeline
    rest: tuple[tuple[str, Pipeline], ...]
    background: bool
    text: str


@dataclass(frozen=True, slots=True)
class Script:
    """Chains one after another."""

    chains: tuple[Chain, ...]
