"""Splits: the divisors of a whole, found in its square root's time whatever a person types."""

from math import isqrt


def largest_divisor(whole: int, cap: int) -> int:
    """The largest divisor of `whole` (from 1 up) that does not exceed `cap` (from 1 up)."""
    best = 1
    for small in range(1, isqrt(whole) + 1):
        if whole % small == 0:
            for divisor in (small, whole // small):
                if best < divisor <= cap:
                    best = divisor
    return best


def smallest_divisor(whole: int, floor: int) -> int:
    """The smallest divisor of `whole` (from 1 up) that is not below `floor`, which must not exceed it."""
    return whole // largest_divisor(whole, whole // floor)
