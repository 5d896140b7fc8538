"""--query-gpu: header, units and words as the tool spells them; unknown fields refused as it does."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.formats.query_gpu import FIELDS, UNAVAILABLE, Row, Sheet, Value, asked, complaint, parse, render

SHEET = Sheet(
    asked("timestamp,index,pstate,power.draw,clocks.sm,utilization.gpu,memory.used,clocks_throttle_reasons.active"),
    (
        Row(("2026/11/29 16:54:56.123", 0, "P0", 345.1, 1980, 100, 36463, 4)),
        Row(("2026/11/29 16:54:56.123", 1, "P0", "[N/A]", 345, 0, 0, 1)),
    ),
)
TEXT = (
    "timestamp, index, pstate, power.draw [W], clocks.current.sm [MHz], utilization.gpu [%], memory.used [MiB],"
    " clocks_event_reasons.active\n"
    "2026/11/29 16:54:56.123, 0, P0, 345.10 W, 1980 MHz, 100 %, 36463 MiB, 0x0000000000000004\n"
    "2026/11/29 16:54:56.123, 1, P0, [N/A], 345 MHz, 0 %, 0 MiB, 0x0000000000000001\n"
)

VALUES: dict[str, st.SearchStrategy[Value]] = {
    "word": st.from_regex(r"[A-Za-z0-9/:.-]{1,9}( [A-Za-z0-9]{1,5})?", fullmatch=True),
    "whole": st.integers(-100, 10**9),
    "hundredths": st.integers(0, 10**6).map(lambda hundredths: hundredths / 100),
    "mask": st.integers(0, 2**64 - 1),
}


@st.composite
def sheets(draw: st.DrawFn) -> Sheet:
    names = draw(st.lists(st.sampled_from(sorted(FIELDS)), min_size=1, max_size=6))
    cells = [VALUES[FIELDS[name].kind] | st.sampled_from(UNAVAILABLE) for name in names]
    rows = draw(st.lists(st.tuples(*cells).map(Row), min_size=1, max_size=4))
    return Sheet(tuple(names), tuple(rows))


@given(sheets(), st.booleans(), st.booleans())
@settings(max_examples=60)
def test_what_is_rendered_reads_back(sheet: Sheet, header: bool, units: bool) -> None:
    text = render(sheet, header, units)
    assert parse(text, () if header else sheet.fields) == sheet
    assert parse(text, sheet.fields) == sheet


def test_the_text_is_the_tools() -> None:
    assert render(SHEET) == TEXT and parse(TEXT) == SHEET
    assert (
        render(SHEET, header=False, units=False)
        .splitlines()[0]
        .endswith("0, P0, 345.10, 1980, 100, 36463, 0x0000000000000004")
    )
    assert SHEET.column("clocks.sm") == (1980, 345) and SHEET.column("fan.speed") == ()


def test_noise_and_fields_of_other_drivers_are_borne() -> None:
    noisy = "$ nvidia-smi\n" + TEXT.replace("\n", "\r\n") + "interrupted\n"
    assert parse(noisy) == SHEET and [row.line for row in parse(noisy).rows] == [3, 4]
    other = parse("index, dram.encryption.mode.current, fan.speed [%]\n0, [N/A], 30 %\n1, Disabled, [N/A]\n")
    assert other.column("dram.encryption.mode.current") == ("[N/A]", "Disabled") and other.column("fan.speed") == (
        30,
        "[N/A]",
    )


def test_an_unknown_field_is_refused_as_the_tool_does() -> None:
    assert complaint("index,cuda_version") == 'Field "cuda_version" is not a valid field to query.\n\n'
    assert complaint("index,gpu_name") == "" and asked("gpu_name, clocks.mem") == ("name", "clocks.current.memory")
    with pytest.raises(BadInput, match=r"power\.draw"):
        asked("power.drow")


def test_values_are_complete_at_birth() -> None:
    for fields, values in (
        (("nothing",), ("1",)), (("clocks.sm",), (1980,)), (("index",), (1, 2)), (("index",), ("one",)),
        (("power.draw",), (1.234,)), (("power.draw",), (float("inf"),)), (("name",), ("a, b",)), (("name",), (1,)),
        (("clocks_event_reasons.active",), (-1,)),
    ):  # fmt: skip
        with pytest.raises(BadInput):
            Sheet(fields, (Row(values),))


@given(st.text() | st.text(alphabet="index, power.draw[W]0123\n", max_size=200))
@settings(max_examples=60)
def test_any_other_text_is_refused_or_read(text: str) -> None:
    for candidate, fields in (
        (text, ()),
        (text, ("index", "name")),
        (TEXT + text, ()),
        (TEXT.replace("345.10", text), ()),
    ):
        try:
            parse(candidate, fields)
        except BadInput as error:
            assert "line " in str(error)
