"""The critical batch: how many more tokens a larger global batch needs for the same loss, and what its step may be.

Below the critical batch a larger one buys fewer steps at almost no cost in tokens; far above it the extra
sequences of a step say little that the others did not (McCandlish et al. 2018, arXiv 1812.06162, equation 2.11).
"""

from math import sqrt

CRITICAL_BATCH_TOKENS = 2_700_000
"""Kaplan et al. 2020 (arXiv 2001.08361, equation 1.4): 2e8 tokens / L^(1/0.21), at the loss L = 2.47 that Hoffmann et
al. 2022 (arXiv 2203.15556, equation 10) predict for 1.56 billion parameters and 30 billion tokens. Both fits are other
people's models: right to a factor of two or so (computed 2026-11-30)."""


def tokens_ratio(batch_tokens: int, base_tokens: int) -> float:
    """Tokens for the same loss at one global batch over those at another, both in tokens a step."""
    return (1 + batch_tokens / CRITICAL_BATCH_TOKENS) / (1 + base_tokens / CRITICAL_BATCH_TOKENS)


def learning_rate_ratio(batch_tokens: int, base_tokens: int) -> float:
    """The learning rate over that of another batch: the square root of their ratio, for Adam.

    Malladi et al. 2022 (arXiv 2205.10287): a rule to begin a search with, not to end it.
    """
    return sqrt(batch_tokens / base_tokens)
