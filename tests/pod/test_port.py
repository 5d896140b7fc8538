"""A port counts what passes; only a bad cable under traffic gathers errors, and its repair keeps the counters."""

from hypothesis import given
from hypothesis import strategies as st

from paceline.pod.port import RATED_GBIT, SECONDS_PER_RECOVERY, Port


@given(st.lists(st.integers(0, 50 * 10**9), max_size=20))
def test_a_good_port_counts_bytes_alone(traffic: list[int]) -> None:
    port = Port()
    for sent in traffic:
        port.carry(sent, 10**6)
    assert port.sent_bytes == port.received_bytes == sum(traffic)
    assert not (port.symbol_errors or port.recoveries or port.downed)


@given(st.floats(0.01, 0.99), st.integers(1, 400))
def test_errors_come_with_traffic_and_stay_after_the_repair(share: float, seconds: int) -> None:
    port = Port()
    port.break_to(share)
    port.carry(0, 10**6)
    assert not port.symbol_errors
    for _ in range(seconds):
        port.carry(10**9, 10**6)
    found = port.symbol_errors
    assert found == seconds * int(2 * RATED_GBIT * (1 - share)) and port.recoveries == seconds // SECONDS_PER_RECOVERY
    port.break_to(1.0)
    port.carry(10**9, 10**6)
    assert port.symbol_errors == found and port.rate_gbit == RATED_GBIT


@given(st.lists(st.integers(1, 10**7), min_size=1, max_size=20))
def test_time_in_parts_gathers_what_the_whole_does(parts: list[int]) -> None:
    whole, pieces = Port(share=0.25), Port(share=0.25)
    whole.carry(sum(parts), sum(parts))
    for part in parts:
        pieces.carry(part, part)
    assert whole == pieces


def test_a_lost_link_carries_nothing() -> None:
    port = Port(share=0.0)
    port.carry(10**9, 10**6)
    assert not port.sent_bytes


def test_a_cable_that_lost_half_its_speed_trains_lower_and_a_lost_one_is_down() -> None:
    port = Port()
    rates = []
    for share in (0.9, 0.5, 0.25, 0.0):
        port.break_to(share)
        rates.append(port.rate_gbit)
    assert rates == [400, 200, 100, 0]
    port.break_to(0.0)
    assert port.downed == 1 and not port.is_up
