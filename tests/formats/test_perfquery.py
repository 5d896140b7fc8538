"""perfquery: counters plain and extended, and their names in sysfs."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.formats.perfquery import CLASSIC, EXTENDED, SYSFS, Reading, parse, render

# From a public test of guilbaults/infiniband-exporter's kind: a real `perfquery -x` of rdma-core, shortened.
REAL = """# Port extended counters: Lid 134 port 1 (CapMask: 0x5A00 CapMask2: 0x0000000)
PortSelect:......................1
CounterSelect:...................0x0000
PortXmitData:....................9049592493976
PortRcvData:.....................9752484588300
PortXmitPkts:....................28825338611
PortRcvPkts:.....................33038722564
PortUnicastXmitPkts:.............28824617123
PortUnicastRcvPkts:..............29306563974
PortMulticastXmitPkts:...........721488
PortMulticastRcvPkts:............3732158589
CounterSelect2:..................0x00000000
SymbolErrorCounter:..............0
ExcessiveBufferOverrunErrors:....0
QP1Dropped:......................0
"""


@st.composite
def readings(draw: st.DrawFn) -> Reading:
    extended = draw(st.booleans())
    fields = EXTENDED if extended else CLASSIC
    names = draw(st.sets(st.sampled_from(sorted(fields))))
    counters = tuple((name, draw(st.integers(0, 2**bits - 1))) for name, bits in fields.items() if name in names)
    where = draw(st.sampled_from(["Lid 12", "GUID 0x946dae0300123456", "DR path slid 65535; dlid 65535; 0,1"]))
    mask = draw(st.none() | st.integers(0, 2**16 - 1))
    mask2 = draw(st.none() | st.integers(0, 2**27)) if extended and mask is not None else None
    return Reading(where, draw(st.integers(0, 255)), counters, mask, mask2, extended)


def test_a_real_reading_is_printed_as_it_was() -> None:
    (reading,) = parse(REAL)
    assert render([reading]) == REAL
    assert reading.xmit_bytes == 4 * 9049592493976 and reading.get("SymbolErrorCounter") == 0
    assert (reading.where, reading.port, reading.cap_mask, reading.extended) == ("Lid 134", 1, 0x5A00, True)


@settings(max_examples=40)
@given(st.lists(readings(), min_size=1, max_size=3).map(tuple))
def test_read_again_as_printed(found: tuple[Reading, ...]) -> None:
    assert parse(render(found)) == found


def test_classic_counters_stick() -> None:
    reading = Reading("Lid 12", 1, (("SymbolErrorCounter", 65535), ("LinkDownedCounter", 3)), 0x5A00)
    assert reading.stuck == ("SymbolErrorCounter",)
    assert render([reading]).splitlines()[1] == "SymbolErrorCounter:..............65535"
    with pytest.raises(BadInput, match="16 bits"):
        replace(reading, counters=(("SymbolErrorCounter", 65536),))
    with pytest.raises(BadInput, match="order"):
        replace(reading, counters=reading.counters[::-1])


def test_sysfs_names_are_counters() -> None:
    assert set(SYSFS.values()) <= {*CLASSIC, *EXTENDED}


@pytest.mark.parametrize(
    ("text", "line"),
    [("", 1), ("SymbolErrorCounter:....0", 1), (REAL.replace("9049592493976", "foo"), 4),
     ("# Port counters: Lid 1 port 1\nSymbolErrorCounter:....70000", 1)],
)  # fmt: skip
def test_other_text_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(BadInput, match=f"line {line}"):
        parse(text)


@given(st.text() | st.text().map("# Port counters: Lid 1 port 1\nPortSelect:....{}".format))
def test_never_another_error(text: str) -> None:
    try:
        parse(text)
    except BadInput as error:
        assert error.because
