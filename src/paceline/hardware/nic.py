"""A network card: its rate one way, and the fabric it speaks."""

from dataclasses import dataclass

from paceline.errors import BadValue
from paceline.units import show_bit_rate


@dataclass(frozen=True, slots=True)
class Nic:
    """One network card; `unidirectional_bytes_per_s` is its label's Gb/s in bytes."""

    name: str
    title: str
    unidirectional_bytes_per_s: float

    def __post_init__(self) -> None:
        if not self.unidirectional_bytes_per_s > 0:
            raise BadValue(f"NIC {self.name!r}", f"its rate must be above zero, not {self.unidirectional_bytes_per_s}")

    @property
    def label(self) -> str:
        """The rate as people say it: "400 Gb/s"."""
        return show_bit_rate(self.unidirectional_bytes_per_s)
