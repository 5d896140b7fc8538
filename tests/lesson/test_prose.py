"""Prose: holes, and what is refused with file and line."""

import pytest

from paceline.errors import BadFile
from paceline.figures import FIGURES
from paceline.lesson.prose import Prose


def test_the_kinds_of_piece() -> None:
    prose = Prose.parse("An **idea** in `code 1` on an H100.\n\nTakes {step_s @ gpus=8}.\n", "a.md", 1, FIGURES)
    assert [[piece.kind for piece in each] for each in prose.paragraphs] == [
        ["text", "strong", "text", "code", "text"],
        ["text", "hole", "text"],
    ]
    assert (prose.holes[0].knob, prose.holes[0].value) == ("gpus", 8)


@pytest.mark.parametrize("bad", ["takes 8 days", "**8 days**", "<b>bold</b>", "{step_tme}", "{step_s"])
def test_a_refusal_names_its_line(bad: str) -> None:
    with pytest.raises(BadFile, match=r"a\.md:12"):
        Prose.parse(f"Fine.\n\nFine\n{bad}\n", "a.md", 9, FIGURES)
