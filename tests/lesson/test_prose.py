"""Prose: its kinds of piece, and what is refused with file and line."""

import pytest

from paceline.errors import BadFile
from paceline.lesson import Prose, load_lesson
from paceline.lesson.prose import Known
from paceline.step import Settings

KNOWN = Known(("step_s", "speedup"), ("all-reduce",), Settings())


def test_the_kinds_of_piece() -> None:
    text = "An **idea** in `code 1` on an H100, an [all-reduce](term).\n\n= {step_s @ gpus=8} for {set gpus}\n"
    prose = Prose.parse(text, "a.md", 1, KNOWN)
    assert [(each.kind, [piece.kind for piece in each.pieces]) for each in prose.paragraphs] == [
        ("text", ["text", "strong", "text", "code", "text", "term", "text"]),
        ("sum", ["hole", "text", "touch"]),
    ]
    assert prose.holes[0].turns == (("gpus", 8),)


def test_a_hole_is_filled_by_the_engine() -> None:
    prose = Prose.parse("On one {step_s}, on eight {step_s @ gpus=8}.", "a.md", 1, KNOWN)
    assert prose.fill(load_lesson().step("eight-days").open()) == "On one 5.95 s, on eight 760 ms."


def test_numbers_with_an_origin() -> None:
    words = "[256 sequences](given:global_batch), [30 billion tokens](given:tokens), in [2026](fact)"
    assert Prose.parse(words, "a.md", 1, KNOWN).paragraphs[0].pieces[0].text == "256 sequences"


@pytest.mark.parametrize(
    "bad",
    [
        "takes 8 days", "**8 days**", "<b>bold</b>", "{step_tme}", "{step_s", "{step_s @ luck=1}", "[x](term:nothing)",
        "[257 sequences](given:global_batch)", "[x](javascript:alert)", "{set luck}", "[x]",
    ],
)  # fmt: skip
def test_a_refusal_names_its_line(bad: str) -> None:
    with pytest.raises(BadFile, match=r"a\.md:12"):
        Prose.parse(f"Fine.\n\nFine\n{bad}\n", "a.md", 9, KNOWN)
