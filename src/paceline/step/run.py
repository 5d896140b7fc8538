"""A run: what one step of a scenario came to; every figure, picture and reading is read from it."""

from dataclasses import dataclass

from paceline.collective import Price
from paceline.step.bucket import Bucket
from paceline.step.compute import Compute
from paceline.step.overlap import Overlap, pace
from paceline.step.scenario import Scenario

ROUNDING_S = 1e-12


@dataclass(frozen=True, slots=True)
class Loss:
    """One named part of the gap between this step and a perfect split of the one-GPU step."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Run:
    """One step, on the clock of the slowest rank.

    `slow_ranks` are (rank, speed) of GPUs below their rated clock, lowest rank first; all others run alike.
    `alone` is the compute of the same global batch on one healthy GPU.
    """

    scenario: Scenario
    compute: Compute
    alone: Compute
    buckets: tuple[Bucket, ...]
    prices: tuple[Price, ...]
    overlap: Overlap
    contention: float
    slowest_speed: float
    slow_ranks: tuple[tuple[int, float], ...]

    @property
    def before_last_backward_s(self) -> float:
        """Time to the start of the last micro-step's backward, on the slowest rank."""
        return (self.compute.total_s - self.compute.backward_s) / self.slowest_speed

    @property
    def step_s(self) -> float:
        """The whole step."""
        return self.before_last_backward_s + self.overlap.comm_end_s + self.compute.optimizer_s

    @property
    def comm_s(self) -> float:
        """Time the communication stream is busy."""
        total = 0.0
        for price in self.prices:
            total += price.time_s
        return total

    @property
    def exposed_comm_s(self) -> float:
        """Communication that outlasts the backward, so the step waits for it."""
        return min(self.overlap.comm_end_s - self.overlap.backward_end_s, self.comm_s)

    @property
    def hidden_comm_s(self) -> float:
        """Communication beside the backward pass."""
        hidden_s = self.comm_s - self.exposed_comm_s
        # Both are sums of many prices: what rounding leaves of their difference is no time.
        return hidden_s if hidden_s > ROUNDING_S else 0.0

    @property
    def compute_s(self) -> float:
        """Forward and backward of all micro-steps at the rated clock, undisturbed."""
        return self.compute.total_s

    @property
    def straggler_s(self) -> float:
        """What the slowest GPU's lower clock adds to everyone's step."""
        return self.compute.total_s / self.slowest_speed - self.compute.total_s

    @property
    def alone_s(self) -> float:
        """The same global batch on one healthy GPU."""
        return self.alone.total_s + self.alone.optimizer_s

    @property
    def efficiency(self) -> float:
        """Throughput over N times the throughput of one GPU, N0 = 1."""
        return self.alone_s / (self.scenario.job.world_size * self.step_s)

    @property
    def losses(self) -> tuple[Loss, ...]:
        """Where the step goes beyond 1/N of the one-GPU step; they add up to that gap."""
        world_size = self.scenario.job.world_size
        return (
            Loss("optimizer", self.compute.optimizer_s - self.alone.optimizer_s / world_size),
            Loss("exposed", self.exposed_comm_s),
            Loss("contention", self.overlap.contention_s),
            Loss("small kernels", self.compute.total_s - self.alone.total_s / world_size),
            Loss("straggler", self.straggler_s),
        )

    @property
    def largest_loss(self) -> Loss:
        """The loss to name first."""
        return max(self.losses, key=lambda loss: loss.seconds)

    @property
    def is_validated(self) -> bool:
        """Whether every all-reduce lies in the range checked against measurements."""
        return all(price.validated for price in self.prices)

    def speed_of(self, rank: int) -> float:
        """The share of its rated clock that a rank's GPU runs at."""
        return dict(self.slow_ranks).get(rank, 1.0)

    def backward_end_s(self, rank: int) -> float:
        """When a rank has done its own backward work, from the start of the step."""
        speed = self.speed_of(rank)
        if speed == self.slowest_speed:
            return self.before_last_backward_s + self.overlap.backward_end_s
        backward_s = self.compute.backward_s / speed
        start_s = (self.compute.total_s - self.compute.backward_s) / speed - self.before_last_backward_s
        return self.before_last_backward_s + pace(backward_s, self.overlap.collectives, start_s, self.contention)

    def waits_s(self, rank: int) -> float:
        """How long a rank stands in the all-reduce after its own backward; the slowest rank least."""
        return self.before_last_backward_s + self.overlap.comm_end_s - self.backward_end_s(rank)
