"""The engine answers with the same bytes in CPython and in the browser's Python."""

from collections.abc import Callable

from paceline.app.bundle import baked, canonical
from paceline.engine import handle

# Requests beyond the recorded ones: a thing of each kind, and what must be refused alike.
GRID: list[str] = [
    canonical({"ask": "version"}),
    canonical({"ask": "no such thing"}),
    canonical({}),
    "",
    "not json",
    "[1]",
    "NaN",
    '"\\ud800"',
]


def test_same_bytes(ask_pyodide: Callable[[list[str]], list[str]]) -> None:
    texts = [*GRID, *(text for recorded in baked().values() for text in recorded["replies"])]
    for text, in_browser in zip(texts, ask_pyodide(texts), strict=True):
        assert in_browser == handle(text), f"CPython and Pyodide part on {text[:200]}"
