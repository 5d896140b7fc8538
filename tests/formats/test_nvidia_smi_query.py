"""nvidia-smi -q: the tree reads back, excerpts are read, counters are no flags, sections keep the tool's order."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.formats.nvidia_smi_query import GpuBlock, Log, Node, event_reasons, parse, render
from paceline.formats.nvidia_smi_sections import DISPLAYS, EccCounts, GpuReadings, block, displays

LOGS = Path(__file__).parents[1] / "data" / "logs"

# Put together from public -q texts of drivers 580.173 and 595.71 on other GPUs, values changed; no H100 capture.
# The blank after one title is theirs.
SAMPLE = """
==============NVSMI LOG==============

Timestamp                                              : Fri May 29 15:43:05 2026
Driver Version                                         : 580.173.02
CUDA Version                                           : 13.0

Attached GPUs                                          : 8
GPU 00000000:1B:00.0
    Performance State                                  : P0
    Clocks Event Reasons
        Idle                                           : Not Active
        Applications Clocks Setting                    : Not Active
        SW Power Cap                                   : Active
        HW Slowdown                                    : Not Active
            HW Thermal Slowdown                        : Not Active
            HW Power Brake Slowdown                    : Not Active
        Sync Boost                                     : Not Active
        SW Thermal Slowdown                            : Not Active
        Display Clock Setting                          : Not Active
    Clocks Event Reasons Counters
        SW Power Capping                               : 12234991553 us
        Sync Boost                                     : 0 us
        SW Thermal Slowdown                            : 11591399010 us
        HW Thermal Slowdown                            : 0 us
        HW Power Braking                               : 0 us
    Sparse Operation Mode                              : Disabled
    GPU Memory Power Readings 
        Average Power Draw                             : N/A
        Instantaneous Power Draw                       : N/A

"""  # noqa: W291

keys = st.lists(st.text("aB.", min_size=1, max_size=5), min_size=1, max_size=3).map(" ".join)
values = st.lists(st.text("aB0/%:-", min_size=1, max_size=5), max_size=3).map(" ".join)
leaves = st.builds(Node, keys, values)
nodes = st.recursive(
    leaves,
    lambda below: st.builds(Node, keys, st.none() | values, st.lists(below, min_size=1, max_size=3).map(tuple)),
    max_leaves=5,
).filter(lambda node: depth(node) <= 5)
blocks = st.builds(
    GpuBlock,
    st.integers(0, 255).map(lambda bus: f"00000000:{bus:02X}:00.0"),
    st.lists(nodes, min_size=1, max_size=4).map(tuple),
)
logs = st.builds(Log, st.lists(blocks, min_size=1, max_size=3).map(tuple), values, values, values, st.integers(0, 16))
whole = st.integers(0, 10**6)
counts = st.builds(EccCounts, whole, whole, whole, whole, whole)


def depth(node: Node) -> int:
    return 1 + max(map(depth, node.children), default=0)


@given(logs)
@settings(max_examples=30)
def test_what_is_rendered_reads_back(log: Log) -> None:
    assert parse(render(log)) == log


def test_the_sample_text_comes_out_as_it_went_in() -> None:
    log = parse(SAMPLE)
    assert render(log) == SAMPLE
    assert log.attached_gpus == 8 and log.gpus[0].line == 9


def test_counters_of_the_same_name_are_no_flags() -> None:
    gpu = parse(SAMPLE).gpus[0]
    active = [each for each in event_reasons(gpu) if each.active]
    assert [(each.reason.label, each.reason.bit, each.line) for each in active] == [("SW Power Cap", 4, 14)]
    assert len(event_reasons(gpu)) == 9
    counter = gpu.find("Clocks Event Reasons Counters", "SW Thermal Slowdown")
    assert counter is not None and counter.number == 11591399010
    assert gpu.find("Clocks Event Reasons Counters", "Idle") is None and gpu.find("Fan") is None
    older = parse(SAMPLE.replace("Clocks Event Reasons\n", "Clocks Throttle Reasons\n")).gpus[0]
    assert event_reasons(older) == event_reasons(gpu)


def test_an_excerpt_says_its_active_reason() -> None:
    log = parse((LOGS / "f15-sw-power-cap-normal.log").read_text(encoding="utf-8"))
    assert [each.reason.leaf for each in event_reasons(log.gpus[0]) if each.active] == ["sw_power_cap"]
    assert log.gpus[0].bus_id == "" and parse(render(log)) == log


def test_ecc_errors_in_the_midst_of_a_page() -> None:
    gpu = parse((LOGS / "f05-uncorrectable-ecc.log").read_text(encoding="utf-8")).gpus[0]
    volatile = gpu.find("ECC Errors", "Volatile", "SRAM Uncorrectable")
    aggregate = gpu.find("ECC Errors", "Aggregate", "SRAM Uncorrectable")
    assert volatile is not None and aggregate is not None
    assert (volatile.number, volatile.line, aggregate.number) == (1, 21, 5)
    assert [node.key for node in gpu.nodes] == ["ECC Errors"]


def test_launchers_and_pasted_edges_do_not_matter() -> None:
    log = parse(SAMPLE)
    for mark in ("3: ", "[1,0]<stdout>:"):
        assert parse("".join(mark + line + "\r\n" for line in SAMPLE.splitlines())) == log
    flush = "Performance State : P0\nClocks Event Reasons\n    Idle : Active\nsome words\n"
    assert [each.active for each in event_reasons(parse(flush).gpus[0])] == [True]


@given(
    st.builds(
        GpuReadings,
        bus_id=st.just("00000000:1B:00.0"),
        temperature_celsius=st.integers(20, 99),
        power_watts=st.integers(0, 70_000).map(lambda hundredths: hundredths / 100),
        memory_used_mib=st.integers(0, 80_000),
        utilization_percent=st.integers(0, 100),
        event_reasons=st.sets(st.sampled_from(["SW Power Cap", "HW Slowdown", "HW Thermal Slowdown"])).map(
            lambda labels: tuple(sorted(labels))
        ),
        counters_us=st.tuples(whole, whole, whole, whole, whole),
        ecc_aggregate=counts,
    ),
    st.sets(st.sampled_from(DISPLAYS), min_size=1).map(sorted),
)
@settings(max_examples=40)
def test_readings_come_back_from_the_sections_asked(gpu: GpuReadings, asked: list[str]) -> None:
    log = Log((block(gpu, asked),), "Sat Nov 29 16:54:56 2026", "580.105.08", "13.0", 8)
    found = parse(render(log))
    assert found == log
    said = found.gpus[0]
    temperature = said.find("Temperature", "GPU Current Temp")
    assert (temperature is not None) == ("TEMPERATURE" in asked)
    assert temperature is None or temperature.number == gpu.temperature_celsius
    if "PERFORMANCE" in asked:
        active = sorted(each.reason.label for each in event_reasons(said) if each.active)
        assert active == sorted(gpu.event_reasons)
    if "POWER" in asked:
        draw = said.find("GPU Power Readings", "Average Power Draw")
        assert draw is not None and draw.number == gpu.power_watts


def test_sections_keep_the_tools_order() -> None:
    assert displays("power,ECC") == ("ECC", "POWER")
    assert [node.key for node in block(GpuReadings("00000000:1B:00.0"), ["POWER", "ECC"]).nodes] == [
        "ECC Mode", "ECC Errors", "GPU Power Readings", "Power Samples",
        "GPU Memory Power Readings", "Module Power Readings",
    ]  # fmt: skip
    text = render(Log((block(GpuReadings("00000000:1B:00.0"), ["TEMPERATURE"]),)))
    assert "        Memory Max Operating T.Limit Temp              : 0 C\n" in text
    with pytest.raises(BadInput, match="Known: CLOCK, ECC"):
        displays("POWR")


def test_values_are_complete_at_birth() -> None:
    for wrong in (
        lambda: Node("a:b", "1"), lambda: Node("Title"), lambda: Node("Key", "two\nlines"), lambda: GpuBlock("", ()),
        lambda: GpuBlock("1B", (Node("a", "1"),)), lambda: GpuBlock("", (Node("k" * 52, "1"),)), lambda: Log(()),
        lambda: Log((GpuBlock("", (Node("Key", "1"),)),)),
        lambda: GpuReadings("00000000:1B:00.0", event_reasons=("Hot",)),
        lambda: GpuReadings("00000000:1B:00.0", memory_used_mib=90_000),
        lambda: GpuReadings("00000000:1B:00.0", power_watts=float("nan")),
        lambda: EccCounts(sram_correctable=-1),
    ):  # fmt: skip
        with pytest.raises(BadInput):
            wrong()


@given(st.text() | st.text(alphabet=" :abE\nGPU0.", max_size=300))
@settings(max_examples=60)
def test_any_other_text_is_refused_or_read(text: str) -> None:
    for candidate in (text, SAMPLE.replace("Active", text[:9]), "    ECC Errors\n" + text, " " * 8 + text):
        try:
            parse(candidate)
        except BadInput as error:
            assert "line " in str(error)
