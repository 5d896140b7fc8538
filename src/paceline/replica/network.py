"""A network of one hidden layer of ReLU and a squared loss: only + - x and comparisons, so bits agree."""

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

INPUTS = 2
HIDDEN = 6
WEIGHTS = HIDDEN * (INPUTS + 1) + HIDDEN + 1
"""Hidden weights and biases, output weights, output bias; kept as one flat list, the way DDP sees gradients."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One example: two inputs and the number to predict from them."""

    a: float
    b: float
    target: float


def draw_samples(seed: int, count: int) -> tuple[Sample, ...]:
    """Examples of a smooth surface, a x b + a / 2, from a seed."""
    draw = Random(seed).random
    pairs = [(2 * draw() - 1, 2 * draw() - 1) for _ in range(count)]
    return tuple(Sample(a, b, a * b + a / 2) for a, b in pairs)


@dataclass(slots=True)
class Network:
    """One replica's weights."""

    weights: list[float]

    @classmethod
    def start(cls, seed: int) -> "Network":
        """The weights every replica starts from."""
        draw = Random(seed).random
        return cls([(2 * draw() - 1) for _ in range(WEIGHTS)])

    def gradient(self, samples: Sequence[Sample]) -> list[float]:
        """The mean gradient of the squared loss over some samples, as flat as the weights."""
        gradient = [0.0] * WEIGHTS
        for sample in samples:
            self._add_gradient(sample, gradient)
        return [each / len(samples) for each in gradient]

    def loss(self, samples: Sequence[Sample]) -> float:
        """The mean squared error over some samples."""
        total = 0.0
        for sample in samples:
            error = self._forward(sample)[0] - sample.target
            total += error * error
        return total / len(samples)

    def descend(self, gradient: Sequence[float], rate: float) -> None:
        """One step of plain gradient descent."""
        self.weights = [weight - rate * slope for weight, slope in zip(self.weights, gradient, strict=True)]

    @property
    def checksum(self) -> str:
        """Four hexadecimal digits over the bits of all weights: equal weights, equal checksum."""
        return f"{zlib.crc32(struct.pack(f'<{WEIGHTS}d', *self.weights)) & 0xFFFF:04x}"

    def _forward(self, sample: Sample) -> tuple[float, list[float]]:
        weights = self.weights
        active = []
        output = weights[-1]
        for unit in range(HIDDEN):
            at = unit * (INPUTS + 1)
            value = weights[at] * sample.a + weights[at + 1] * sample.b + weights[at + 2]
            value = value if value > 0 else 0.0
            active.append(value)
            output += weights[HIDDEN * (INPUTS + 1) + unit] * value
        return output, active

    def _add_gradient(self, sample: Sample, gradient: list[float]) -> None:
        output, active = self._forward(sample)
        slope = 2 * (output - sample.target)
        gradient[-1] += slope
        for unit, value in enumerate(active):
            into_output = HIDDEN * (INPUTS + 1) + unit
            gradient[into_output] += slope * value
            if value > 0:
                inner = slope * self.weights[into_output]
                at = unit * (INPUTS + 1)
                gradient[at] += inner * sample.a
                gradient[at + 1] += inner * sample.b
                gradient[at + 2] += inner
