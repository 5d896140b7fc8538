"""Eight copies: identical bits while they average, apart without, and apart for good until weights are broadcast."""

from hypothesis import given
from hypothesis import strategies as st

from paceline.replica import Network, Sample, Training

SEEDS = st.integers(0, 2**31)


def trained(seed: int, averaged: int, alone: int, again: int) -> Training:
    training = Training(seed)
    for averaging, steps in ((True, averaged), (False, alone), (True, again)):
        for _ in range(steps):
            training.step(averaging)
    return training


@given(SEEDS, st.integers(1, 20))
def test_averaging_keeps_the_bits_equal(seed: int, steps: int) -> None:
    training = trained(seed, steps, 0, 0)
    assert training.models == 1 and len(set(training.checksums)) == 1
    assert training.history[-1].gap == 0


@given(SEEDS)
def test_averaging_again_does_not_heal(seed: int) -> None:
    before = trained(seed, 3, 5, 0)
    after = trained(seed, 3, 5, 10)
    assert before.models == after.models == 8
    # The same step for all: the gap stays, up to the rounding of the weights.
    assert abs(after.history[-1].gap - before.history[-1].gap) < 1e-12


@given(SEEDS)
def test_a_broadcast_heals(seed: int) -> None:
    training = trained(seed, 3, 5, 2)
    training.broadcast()
    assert training.models == 1 and training.history[-1].gap == 0
    training.step(averaging=True)
    assert training.models == 1


@given(SEEDS)
def test_training_lowers_the_loss(seed: int) -> None:
    training = trained(seed, 60, 0, 0)
    assert training.history[-1].losses[0] < training.history[0].losses[0]


@given(SEEDS, st.floats(-1, 1), st.floats(-1, 1))
def test_the_gradient_is_the_slope_of_the_loss(seed: int, a: float, b: float) -> None:
    network, sample = Network.start(seed), (Sample(a, b, 0.3),)
    gradient = network.gradient(sample)
    nudge = 1e-6
    for index, slope in enumerate(gradient):
        losses = []
        for by in (-nudge, nudge):
            weights = list(network.weights)
            weights[index] += by
            losses.append(Network(weights).loss(sample))
        kink = abs((losses[1] + losses[0] - 2 * network.loss(sample)) / nudge) > 1e-3
        assert kink or abs((losses[1] - losses[0]) / (2 * nudge) - slope) < 1e-4


def test_one_replica_on_the_whole_batch_takes_the_same_step() -> None:
    eight, one = Training(5), Training(5, world_size=1)
    for _ in range(10):
        eight.step(averaging=True)
        one.step(averaging=True)
    pairs = zip(eight.replicas[0].weights, one.replicas[0].weights, strict=True)
    assert max(abs(a - b) for a, b in pairs) < 1e-12
