"""Errors that teach: what was given, why it cannot be, what would work.

PacelineError
└── BadInput              the user's to mend; a command line ends with exit code 2
    ├── BadValue          a number or word outside what the thing can be
    ├── UnknownName       a name no catalog or table holds; carries the nearest ones
    ├── BadFile           a file that is missing, malformed or says an unknown key; carries the place
    ├── DoesNotDivide     a batch or a group of GPUs that does not come out even; carries the sum
    └── DoesNotFit        a model that exceeds one GPU's memory; carries the bill
"""

from collections.abc import Iterable
from difflib import get_close_matches


class PacelineError(Exception):
    """Anything Paceline refuses, said in a sentence a person can act on."""


class BadInput(PacelineError):
    """A refusal with its three parts: `given`, `because`, `instead`."""

    def __init__(self, given: str, because: str, instead: str = "") -> None:
        self.given = given
        self.because = because
        self.instead = instead
        super().__init__(given, because, instead)

    def __str__(self) -> str:
        text = f"{self.given}: {self.because}"
        if not text.endswith((".", "?", "!")):
            text += "."
        return f"{text} {self.instead}" if self.instead else text


class BadValue(BadInput):
    """A value outside the range it can have."""


class UnknownName(BadInput):
    """A name that nothing answers to."""

    @classmethod
    def among(cls, kind: str, name: str, known: Iterable[str]) -> "UnknownName":
        """The refusal of `name`, with the nearest known names first, or all of them when none is near."""
        names = sorted(known)
        near = get_close_matches(name.lower(), names, n=3, cutoff=0.5)
        instead = f"Did you mean {' or '.join(near)}?" if near else f"Known: {', '.join(names)}."
        return cls(f"{kind} {name!r}", f"there is no {kind} of that name", instead)


class BadFile(BadInput):
    """A file that cannot be used; `given` is its place, as file:line where a line is known."""


class DoesNotDivide(BadInput):
    """A whole that does not split evenly, with the division that fails."""


class DoesNotFit(BadInput):
    """A job that exceeds one GPU's memory, with the sum that does."""
