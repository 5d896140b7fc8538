"""ibstat: what it prints is read again as it is, whole or in parts."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.formats.ibstat import PHYSICAL_STATES, STATES, Ca, Port, parse, render, render_port

PRINTED = """CA 'mlx5_0'
	CA type: MT4129
	Number of ports: 1
	Firmware version: 28.39.2048
	Hardware version: 0
	Node GUID: 0x946dae0300123456
	System image GUID: 0x946dae0300123456
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Base lid: 12
		LMC: 0
		SM lid: 1
		Capability mask: 0xa651e848
		Port GUID: 0x946dae0300123456
		Link layer: InfiniBand
"""
GUID = 0x946DAE0300123456
PORT = Port(1, "Active", "LinkUp", 400, 12, 0, 1, 0xA651E848, GUID, "InfiniBand")
CA = Ca("mlx5_0", (PORT,), "MT4129", "28.39.2048", "0", GUID, GUID)

words = st.from_regex(r"[A-Za-z0-9_.]{1,12}", fullmatch=True)
numbers = st.none() | st.integers(0, 10**9 - 1)
guids = st.none() | st.integers(0, 2**64 - 1)
rates = st.just(2.5) | st.sampled_from([0, 10, 40, 100, 200, 400, 800]).map(float)
ports = st.builds(
    Port, st.integers(1, 99), st.sampled_from(STATES), st.sampled_from(PHYSICAL_STATES), rates, numbers, numbers,
    numbers, guids, guids, words | st.just(""), st.just(False), numbers,
)  # fmt: skip
cas = st.builds(
    Ca, words, st.lists(ports, max_size=3).map(tuple), words | st.just(""), words, words, guids, guids
)  # fmt: skip


def test_a_dgx_adapter() -> None:
    assert render([CA]) == PRINTED
    assert parse(PRINTED) == (CA,)
    assert parse(render([CA, replace(CA, name="mlx5_1")]))[1].name == "mlx5_1"


@settings(max_examples=40)
@given(st.lists(cas, min_size=1, max_size=3).map(tuple))
def test_read_again_as_printed(found: tuple[Ca, ...]) -> None:
    assert parse(render(found)) == found


def test_one_port_alone_and_fdr10() -> None:
    port = replace(PORT, rate_gbit_per_s=40.0, fdr10=True)
    assert "\nRate: 40 (FDR10)\n" in render_port("mlx5_0", port)
    assert parse(render_port("mlx5_0", port))[0].ports == (port,)


def test_a_pasted_part_with_launchers_prefixes() -> None:
    text = "0: CA 'mlx5_10'\r\n0: \tnoise\n0: \t\tState: Down\n0: \t\tPhysical state: Polling\n0: \t\tRate: 10\n"
    (ca,) = parse(text)
    assert (ca.ports[0].state, ca.ports[0].physical_state, ca.ports[0].rate_gbit_per_s) == ("Down", "Polling", 10)
    assert ca.ports[0].lid is None


@pytest.mark.parametrize(
    ("text", "line"), [("", 1), ("hello", 1), ("CA 'a'\n\tPort 1:\n\t\tRate: fast", 3), ("CA 'a'\nPort 1:", 2)]
)
def test_other_text_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(BadInput, match=f"line {line}"):
        parse(text)


@given(st.text() | st.text().map("CA 'x'\nState: Active\nPhysical state: LinkUp\n{}".format))
def test_never_another_error(text: str) -> None:
    try:
        parse(text)
    except BadInput as error:
        assert error.because


def test_impossible_ports_are_refused() -> None:
    with pytest.raises(BadInput):
        replace(PORT, state="Up")
    with pytest.raises(BadInput):
        replace(PORT, rate_gbit_per_s=1.5)
