import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.units import parse, parse_count, show_bytes, show_count, show_percent, show_seconds, significant


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (4e-6, "4.00 µs"), (0.2026, "203 ms"), (5.9513, "5.95 s"), (23200, "6.44 h"), (681000, "7.88 days"),
     (0.9996, "1.00 s"), (0.0009996, "1.00 ms")],
)  # fmt: skip
def test_durations(seconds: float, text: str) -> None:
    assert show_seconds(seconds) == text


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [("400 Gb/s", "GB/s", 50e9), ("2.039 TB/s", "TB/s", 2.039e12), ("80 GB", "B", 80e9), ("25 MiB", "GB", 26214400.0)],
)
def test_parsed_into_base_units(text: str, unit: str, value: float) -> None:
    assert parse(text, unit) == value


@pytest.mark.parametrize("text", ["", "80", "80 XB", "nan GB", "1e999 GB", "80 s", "9" * 50 + " GB", "-"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        parse(text, "GB")


@given(st.text(max_size=30))
def test_any_text_is_a_count_or_a_refusal(text: str) -> None:
    try:
        assert parse_count(text) >= 0
    except BadInput as error:
        assert str(error)


@given(st.floats(1e-9, 1e15), st.integers(1, 6))
def test_rounding_stays_within_half_a_digit(value: float, digits: int) -> None:
    assert float(significant(value, digits).replace(",", "")) == pytest.approx(value, rel=0.51 * 10 ** (1 - digits))


def test_counts_and_shares() -> None:
    assert (show_count(262144), show_percent(0.4161), show_bytes(3115222400, 4)) == ("262,144", "42%", "3.115 GB")


def test_a_count_keeps_every_digit() -> None:
    assert parse_count("999999999999999999") == 999_999_999_999_999_999
    assert parse_count("1.1B") == 1_100_000_000
    assert parse_count("0.3k") == 300
    with pytest.raises(BadInput):
        parse_count("9" * 5000)
