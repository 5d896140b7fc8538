from hypothesis import given
from hypothesis import strategies as st

from paceline.workload.split import largest_divisor, smallest_divisor


@given(st.integers(1, 2000), st.integers(1, 2000))
def test_divisors_are_those_a_search_finds(whole: int, limit: int) -> None:
    divisors = [size for size in range(1, whole + 1) if whole % size == 0]
    assert largest_divisor(whole, limit) == max(size for size in divisors if size <= limit)
    floor = min(limit, whole)
    assert smallest_divisor(whole, floor) == min(size for size in divisors if size >= floor)
