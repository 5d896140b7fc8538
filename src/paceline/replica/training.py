"""Training a network on several replicas, with the ring all-reduce between them or without it."""

from dataclasses import dataclass, field

from paceline.collective import all_reduce
from paceline.replica.network import Network, draw_samples

SEQUENCES = 32
"""The global batch of the tiny model, dealt out as DistributedSampler does: rank r takes r, r + N, r + 2N, ..."""
HELD_OUT = 16
RATE = 0.1
_HELD_OUT_SEED = 2**31


@dataclass(frozen=True, slots=True)
class Moment:
    """What the replicas came to after a step: a loss each, and the largest gap between two copies of one weight."""

    step: int
    losses: tuple[float, ...]
    gap: float
    averaged: bool


@dataclass(slots=True)
class Training:
    """Replicas that start from the same weights; `history` begins with the moment before the first step."""

    seed: int
    world_size: int = 8
    steps: int = 0
    broadcasts: list[int] = field(default_factory=list)
    replicas: list[Network] = field(init=False)
    history: list[Moment] = field(init=False)

    def __post_init__(self) -> None:
        self.replicas = [Network.start(self.seed) for _ in range(self.world_size)]
        self.history = [self._moment(averaged=True)]

    def step(self, averaging: bool) -> None:
        """One step of all replicas: each its own shard, then the averaged gradient or each its own."""
        samples = draw_samples(self.seed * 10**6 + self.steps + 1, SEQUENCES)
        gradients = [net.gradient(samples[rank :: self.world_size]) for rank, net in enumerate(self.replicas)]
        if averaging:
            gradients = [[each / self.world_size for each in summed] for summed in all_reduce(gradients)]
        for network, gradient in zip(self.replicas, gradients, strict=True):
            network.descend(gradient, RATE)
        self.steps += 1
        self.history.append(self._moment(averaging))

    def broadcast(self) -> None:
        """Give every replica the weights of rank 0."""
        for network in self.replicas[1:]:
            network.weights = list(self.replicas[0].weights)
        self.broadcasts.append(self.steps)
        self.history[-1] = self._moment(self.history[-1].averaged)

    @property
    def checksums(self) -> tuple[str, ...]:
        """One checksum a replica."""
        return tuple(network.checksum for network in self.replicas)

    @property
    def models(self) -> int:
        """How many different models the replicas hold."""
        return len({tuple(network.weights) for network in self.replicas})

    def _moment(self, averaged: bool) -> Moment:
        held_out = draw_samples(_HELD_OUT_SEED + self.seed, HELD_OUT)
        known: dict[tuple[float, ...], float] = {}
        losses = []
        for network in self.replicas:
            key = tuple(network.weights)
            if key not in known:
                known[key] = network.loss(held_out)
            losses.append(known[key])
        gap = max(max(copies) - min(copies) for copies in zip(*(net.weights for net in self.replicas), strict=True))
        return Moment(self.steps, tuple(losses), gap, averaged)
