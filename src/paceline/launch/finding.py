"""A finding: one classic mistake in a script, where it stands, what comes of it, and how to mend it."""

from dataclasses import dataclass
from typing import Literal

Harm = Literal["breaks", "slows", "fragile"]
"""The job does not run as meant; it runs slowly; it runs until something else changes."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`rule` names the mistake, `line` is its place, from 1; `processes` is how many the script starts in all."""

    rule: str
    line: int
    harm: Harm
    says: str
    mend: str
    processes: int
