"""ibqueryerrors: nodes, counts with their sizes, links and the summary."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.formats.ibqueryerrors import (
    EXAMPLE_THRESHOLDS,
    Count,
    Link,
    Node,
    PortErrors,
    Remote,
    Report,
    parse,
    render,
)

# A real report, posted to an OpenSM list with switches of Mellanox; shortened.
REAL = """Errors for 0x2c903006e29b0 "MF0;switch:IS5030/U1"
   GUID 0x2c903006e29b0 port ALL: [SymbolErrorCounter == 65535] [PortXmitWait == 2]
   GUID 0x2c903006e29b0 port 5: [SymbolErrorCounter == 65535] [LinkErrorRecoveryCounter == 8] [PortXmitWait == 84704351]
Errors for "rd240 mlx4_0"
   GUID 0xe41d2d0300e0bae1 port 1: [PortXmitWait == 4294967295]
   GUID 0xe41d2d0300e0bae2 port 2: [PortXmitWait == 1]

## Summary: 4 nodes checked, 2 bad nodes found
##          43 ports checked, 3 ports have errors beyond threshold
## Thresholds: 
## Suppressed:
"""  # noqa: W291

guids = st.integers(0, 2**64 - 1)
small = st.integers(0, 999)
names = st.from_regex(r"[A-Za-z][A-Za-z0-9;:/_. -]{0,20}", fullmatch=True).filter(lambda name: ": " not in name)
counts = st.builds(
    Count, st.sampled_from([name for name, _ in EXAMPLE_THRESHOLDS] + ["PortXmitData"]), guids, st.booleans()
)
could = st.sampled_from(["", "4X"]), st.sampled_from(["", "53.125 Gbps"])
remotes = st.none() | st.builds(Remote, guids, small, small, names, *could)
links = st.builds(
    Link, small, small, st.just("Active"), st.just("LinkUp"), st.just("4X"), st.just("106.25 Gbps"), remotes
)
down = st.builds(Link, small, small, st.just("Down"), st.just("Polling"), st.just(""), st.just(""), remotes)
many = st.lists(counts, min_size=1, max_size=3).map(tuple)
ports = st.builds(PortErrors, guids, small, many, st.none() | links | down) | st.builds(
    PortErrors, guids, st.none(), many
)
nodes = st.lists(
    st.builds(Node, names, st.lists(ports, min_size=1, max_size=3).map(tuple), st.none() | guids), max_size=3
).map(tuple)
thresholds = st.sampled_from([(), EXAMPLE_THRESHOLDS])
reports = st.builds(
    Report, nodes, small, small, thresholds, st.sampled_from([(), ("PortXmitWait",)]), st.integers(0, 9)
)


def test_a_real_report_is_printed_as_it_was() -> None:
    report = parse(REAL)
    assert render(report) == REAL
    assert report.nodes[0].guid == 0x2C903006E29B0 and report.nodes[1].name == "rd240 mlx4_0"
    assert report.nodes[1].ports[0].counts == (Count("PortXmitWait", 4294967295, sized=False),)


@settings(max_examples=40)
@given(reports)
def test_read_again_as_printed(report: Report) -> None:
    assert parse(render(report)) == report


@pytest.mark.parametrize(
    ("name", "value", "size"),
    [("PortXmitWait", 0, "0.000"), ("PortXmitWait", 1023, "1023.000"), ("PortXmitWait", 1536, "1.500K"),
     ("PortXmitData", 1, "4.000B"), ("PortXmitData", 1023, "3.996KB"), ("PortRcvData", 123456789012, "459.912GB"),
     ("SymbolErrorCounter", 2**64 - 1, "16.000E")],
)  # fmt: skip
def test_sizes_as_a_float_of_24_bits_shows_them(name: str, value: int, size: str) -> None:
    node = Node("dgx-1 mlx5_0", (PortErrors(1, 1, (Count(name, value),)),))
    assert f"   GUID 0x1 port 1: [{name} == {value} ({size})]\n" in render(Report((node,)))


def test_a_link_that_trained_below_what_it_could() -> None:
    remote = Remote(0xB8CEF60300AA, 5, 7, "MF0;leaf-1:MQM9700/U1", "", "106.25 Gbps")
    link = Link(12, 1, "Active", "LinkUp", "4X", "53.125 Gbps", remote)
    report = Report((Node("dgx-3 mlx5_3", (PortErrors(1, 1, (Count("LinkDownedCounter", 1),), link),)),))
    assert render(report).splitlines()[2] == (
        "       Link info:     12   1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>  "
        '0x0000b8cef60300aa      5    7[  ] "MF0;leaf-1:MQM9700/U1" ( Could be 106.25 Gbps)'
    )
    assert parse("ibwarn: [1] noise\n" + render(report)) == report


@given(st.text() | st.text().map('Errors for "a"\n   GUID 0x1 port 1: [{}]'.format))
def test_never_another_error(text: str) -> None:
    try:
        parse(text)
    except BadInput as error:
        assert error.because


def test_other_text_is_refused() -> None:
    with pytest.raises(BadInput, match="line 1"):
        parse("hello\nthere")
