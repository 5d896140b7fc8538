"""The critical batch: its number follows from the fits it names."""

import pytest

from paceline.workload import learning_rate_ratio, tokens_ratio
from paceline.workload.critical_batch import CRITICAL_BATCH_TOKENS


def test_the_constant_is_what_its_sources_give() -> None:
    parameters, tokens = 1.5576112e9, 30e9
    loss = 1.69 + 406.4 / parameters**0.34 + 410.7 / tokens**0.28
    assert loss == pytest.approx(2.47, abs=0.01)
    assert 2e8 / loss ** (1 / 0.21) == pytest.approx(CRITICAL_BATCH_TOKENS, rel=0.02)


def test_the_ratios() -> None:
    assert tokens_ratio(CRITICAL_BATCH_TOKENS, 1) == pytest.approx(2, rel=1e-5)
    assert tokens_ratio(5, 5) == 1
    assert learning_rate_ratio(4, 1) == 2
