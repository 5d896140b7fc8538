"""Knobs: the controls of a world, in whole numbers, and what a request may say of them."""

from collections.abc import Mapping
from dataclasses import dataclass

from paceline.errors import BadValue


@dataclass(frozen=True, slots=True)
class Knob:
    """A control; `stops` are what its slider offers, `words` the names of 0 and 1 where it is a switch."""

    name: str
    label: str
    unit: str
    lowest: int
    highest: int
    stops: tuple[int, ...] = ()
    words: tuple[str, ...] = ()
    further: bool = False

    @property
    def kind(self) -> str:
        """How the page draws it."""
        return "switch" if self.words else "stops" if self.stops else "range"

    def check(self, value: int) -> None:
        """Refuse a value it cannot stand at."""
        if not self.lowest <= value <= self.highest:
            unit = f" {self.unit}" if self.unit else ""
            raise BadValue(
                f"{self.label} {value:,}", f"it lies between {self.lowest:,} and {self.highest:,}{unit} here"
            )

    def text(self, value: int) -> str:
        """A value as the page shows it."""
        return self.words[value] if self.words else f"{value:,}"


KNOBS = {
    knob.name: knob
    for knob in (
        Knob("mfu_percent", "MFU", "%", 5, 100),
        Knob("tokens_billion", "Token budget", "billion tokens", 1, 300),
        Knob("gpus", "GPUs", "of dgx-1", 1, 8, (1, 2, 4, 8)),
        Knob("averaging", "Averaging", "", 0, 1, words=("off", "on")),
        Knob("ranks", "GPUs", "in the ring", 2, 16384, (2, 3, 4, 5, 6, 7, 8, 32, 256, 1024, 8000)),
        Knob("link_percent", "One link", "% of its speed", 5, 100),
        Knob("buffer_kb", "Buffer", "kB", 1, 4_000_000, (1, 16, 256, 4096, 65536, 1_000_000, 3_115_222), further=True),
    )
}


def whole(request: Mapping[str, object], key: str) -> int:
    """The whole number at `key` of a request."""
    value = request.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadValue(f"{key} of a request", "it must be a whole number")
    return value


def word(request: Mapping[str, object], key: str) -> str:
    """The text at `key` of a request."""
    value = request.get(key)
    if not isinstance(value, str):
        raise BadValue(f"{key} of a request", "it must be text")
    return value
