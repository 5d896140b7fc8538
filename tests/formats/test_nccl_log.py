"""NCCL's log: what is rendered is read back, and real excerpts say what their threads say of them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.errors import BadInput, BadValue
from paceline.formats.nccl_log import KINDS, Channel, Log, Record, parse, render

LOGS = Path(__file__).parents[1] / "data" / "logs"
WORDS = st.sampled_from(
    [
        "Using network IB",
        "Channel 00/0 : 7[7] -> 8[0] [send] via NET/IB/0/GDRDMA",
        "NCCL version 2.28.9+cuda12.9",
        "Call to ibv_open_device failed",
        "PROFILER/Plugin: Could not find: libnccl-profiler.so. ",
        "x",
    ]
)
TEXTS = WORDS | st.text(st.characters(min_codepoint=32, max_codepoint=382, exclude_characters="\x7f\x85"), max_size=30)
NUMBERS = st.integers(0, 10**7)


@st.composite
def records(draw: st.DrawFn) -> Record:
    if draw(st.booleans()):
        return Record("VERSION", draw(st.sampled_from(["NCCL version 2.17.1+cuda12.1", "NCCL version 2.30.7"])))
    warns = draw(st.booleans())
    whose: tuple[str, int | None, int | None] = ("", None, None)
    if draw(st.booleans()):
        whose = draw(st.sampled_from(["dgx-1", "ip-10-0-0-1"])), draw(NUMBERS), draw(NUMBERS)
    return Record(
        "WARN" if warns else "INFO",
        draw(TEXTS.filter(lambda text: "NCCL " not in text[1:])),
        *whose,
        draw(st.none() | st.integers(0, 15)),
        draw(st.sampled_from(["", "misc/socket.cc:49"])),
        draw(st.sampled_from(["", "2026-04-22 21:34:20"])),
    )


def read(name: str) -> Log:
    return parse((LOGS / f"{name}.log").read_text())


@given(st.lists(records(), min_size=1, max_size=6))
def test_what_is_rendered_is_read_back(found: list[Record]) -> None:
    log = Log(tuple(found))
    assert parse(render(log)) == log


@pytest.mark.parametrize("name", sorted(path.stem for path in LOGS.glob("nccl-[!t]*.log")))
def test_a_real_log_comes_back(name: str) -> None:
    assert parse(render(read(name))) == read(name)


def test_a_container_without_infiniband() -> None:
    log = read("nccl-ib-open-fails")
    assert (log.uses_ib, log.networks, log.uses_gdrdma) == (False, ("Socket",), None)
    assert [(each.text, each.line) for each in log.warnings] == [
        ("Call to ibv_open_device failed", 16),
        ("NET/IB : Unable to open device mlx5_bond_0", 17),
    ]
    assert log.warnings[0].source == "misc/ibvwrap.cc:212" and log.environment == {"NCCL_IB_DISABLE": "0"}
    assert log.of("no ib") and log.interfaces == ("bond0",)


def test_sockets_on_every_interface() -> None:
    log = read("nccl-no-device")
    assert log.versions == ("2.17.1+cuda12.1",) and log.uses_ib is False
    assert log.interfaces == ("ens5f0np0", "ens3f0np0", "ens8f1np1", "bond0", "virbr0")
    assert log.records[0] == Record("INFO", "Bootstrap : Using ens5f0np0:10.0.0.1<0>", "node1", 7839, 7839, 0)


def test_a_plugin_and_merged_ports() -> None:
    log = read("nccl-merged-nics")
    assert (log.networks, log.uses_ib, log.uses_gdrdma) == (("IBext_v8",), True, False)
    assert log.hcas == ("mlx5_2:1", "mlx5_3:1", "mlx5_0:1", "mlx5_1:1")
    assert log.transports == {0: ("NET/IBext_v8",), 1: ("NET/IBext_v8",)}
    assert (log.started, log.completed, log.environment) == ((2,), (), {"NCCL_P2P_LEVEL": "LOC"})
    assert log.channels[2] == Channel(0, 2, "0", 0, "0", "send", "NET", "IBext_v8/1", 17)


def test_the_first_cause_among_its_consequences() -> None:
    log = read("nccl-out-of-memory")
    assert [each.gpu for each in log.warnings] == [0, 0, 3, 3, 3]
    assert "Failed to CUDA calloc 6291456 bytes" in [each.text for each in log.warnings]
    assert len(log.of("returned")) == 13


def test_times_before_warnings_and_launchers_before_lines() -> None:
    assert read("nccl-shm-with-time").warnings[0].time == "2026-04-22 21:34:20"
    efa = read("nccl-efa")
    assert (efa.hosts, efa.versions, efa.uses_ib) == (
        ("p5-dy-gpu-3", "p5-dy-gpu-4", "p5-dy-gpu-2"),
        ("2.26.2+cuda12.2",),
        None,
    )
    assert efa.records[0].line == 5


def test_nccls_lines_in_a_table() -> None:
    log = read("nccl-tests-gdr-missing")
    assert [each.kind for each in log.records] == ["end", "end"]


def test_two_healthy_servers() -> None:
    log = read("nccl-two-servers")
    assert (log.uses_ib, log.uses_gdrdma, log.hosts) == (True, True, ("node1", "node2"))
    assert log.transports == {3: ("P2P",), 1: ("NET/NCCL RDMA Plugin v8",), 0: ("NET/NCCL RDMA Plugin v8",)}
    assert log.channels[1].device == 1


def test_lines_glued_together_are_two() -> None:
    log = parse("\x1b[31mnode1:1:2 [0] NCCL INFO Using network IB node2:3:4 [1] NCCL INFO Using network Socket\r\n")
    assert [(each.host, each.gpu, each.line) for each in log.records] == [("node1", 0, 1), ("node2", 1, 1)]
    assert (log.networks, log.uses_ib) == (("IB", "Socket"), False)


@pytest.mark.parametrize(
    ("path", "network", "device", "gdrdma"),
    [
        ("NET/IB/7(7)/GDRDMA", "IB", 7, True),
        ("NET/IB/0/GDRDMA(PCI)", "IB", 0, True),
        ("NET/IB/0/Shared", "IB", 0, False),
        ("NET/Socket/0", "Socket", 0, False),
        ("P2P/CUMEM/read", "", None, False),
        ("SHM/direct/direct", "", None, False),
    ],
)
def test_a_channels_path(path: str, network: str, device: int | None, gdrdma: bool) -> None:
    (found,) = parse(f"NCCL INFO Channel 00/0 : 6[1b000] -> 15[7] [send] via {path}").channels
    assert (found.network, found.device, found.gdrdma, found.gpu) == (network, device, gdrdma, "1b000")


def test_gdrdma_from_the_rings_line() -> None:
    rings = "NCCL INFO Using network IB\nNCCL INFO Connected all rings, use ring PXN 0 GDR {}"
    assert parse(rings.format(0)).uses_gdrdma is False and parse(rings.format(1)).uses_gdrdma is True


@pytest.mark.parametrize("name", ["kernel-peermem", "nccl-tests-aws"])
def test_what_nccl_did_not_write_is_refused(name: str) -> None:
    with pytest.raises(BadValue, match="line 1"):
        read(name)


@pytest.mark.parametrize(
    "record",
    [
        ("INFO", "two\nlines"),
        ("INFO", "a NCCL INFO b"),
        ("INFO", "x", "a b", 1, 1),
        ("INFO", "x", "host"),
        ("DEBUG", "x"),
        ("WARN", "x\x85"),
        ("VERSION", "2.28"),
    ],
)
def test_a_line_that_would_not_come_back_is_refused(record: tuple[str, ...]) -> None:
    with pytest.raises(BadValue):
        Record(*record)  # type: ignore[arg-type]


PIECES = [
    *(read("nccl-two-servers").records[at].text for at in (0, 1, 8, 11)),
    "NCCL INFO ",
    "NCCL WARN ",
    "h:1:2 ",
    "[0] ",
]


@given(
    st.text() | st.lists(st.sampled_from([*PIECES, "\n", "rank ", "<0>", " via NET/", "NCCL version 2.1"])).map("".join)
)
def test_any_text_is_read_or_refused(text: str) -> None:
    for changed in (text, f"NCCL INFO {text}", text.replace(" ", "NCCL INFO ")):
        try:
            log = parse(changed)
        except BadInput:
            continue
        assert {each.kind for each in log.records} <= {"warning", "other", *(kind for kind, _ in KINDS)}
        assert (log.versions, log.networks, log.uses_gdrdma, log.transports, log.interfaces) is not None
