"""dcgmi dmon and dcgmi diag: columns, repeated headers and broken messages as printed, and read back."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.formats import dcgmi, dcgmi_diag
from paceline.formats.dcgmi import BY_SHORT, FIELDS, Monitor, Row, asked
from paceline.formats.dcgmi_diag import Entry, Report

LOGS = Path(__file__).parents[1] / "data" / "logs"


@st.composite
def monitors(draw: st.DrawFn) -> Monitor:
    shorts = draw(st.lists(st.sampled_from([each.short for each in FIELDS]), min_size=1, max_size=5))
    whole = st.none() | st.integers(0, 10**10)
    share = st.none() | st.integers(0, 10**6).map(lambda thousandths: thousandths / 1000)
    values = st.tuples(*[share if BY_SHORT[short].decimals else whole for short in shorts])
    entities = draw(st.sampled_from([["GPU 0"], ["GPU 0", "GPU 1", "GPU 0 LINK 3"], ["GPU 1", "GPU-I 3", "Switch 9"]]))
    sample = st.tuples(*[st.builds(Row, st.just(entity), values) for entity in entities])
    return Monitor(tuple(shorts), tuple(draw(st.lists(sample, max_size=4))))


@given(monitors())
@settings(max_examples=50)
def test_a_run_reads_back(monitor: Monitor) -> None:
    assert dcgmi.parse(dcgmi.render(monitor)) == monitor


def test_columns_are_the_tools() -> None:
    row = Row("GPU 0", (75, 42, 185.3, 68, 0, None, 28456))
    text = dcgmi.render(Monitor(asked("203,204,155,150,310,311,252"), ((row,),)))
    names, units, values = text.split("\n")[:3]
    assert names == (
        "#Entity         GPUTL             MCUTL             POWER             "
        "TMPTR        ESVTL        EDVTL        FBUSD             "
    )
    assert units == "ID" + " " * 50 + " W" + " " * 16 + " C" + " " * 55
    assert values == (
        "GPU 0           75                42                185.300           "
        "68           0            N/A          28456             "
    )
    assert dcgmi.parse(text).column("POWER", "GPU 0") == (185.3,) and dcgmi.parse(text).column("SMACT", "GPU 0") == ()


def test_the_header_comes_again() -> None:
    samples = tuple((Row("GPU 0", (number,)), Row("GPU 1", (None,))) for number in range(31))
    text = dcgmi.render(Monitor(("SMCLK",), samples))
    heads = [number for number, line in enumerate(text.splitlines()) if line.startswith("#")]
    assert heads == [0, 2 + 30, 2 + 30 + 2 + 28]
    assert dcgmi.parse(text) == Monitor(("SMCLK",), samples)
    assert dcgmi.parse(text).samples[15][0].line == 35


def test_older_and_noisy_tables_are_read() -> None:
    old = (
        "# Entity  SMCLK  TENSO\n    Id                \n    GPU 0   1980  0.512\nwarning: x\n"
        "    GPU 1    N/A  0.498\n    GPU 0   1200\n"
    )
    found = dcgmi.parse("".join(f"0: {line}\r\n" for line in old.splitlines()))
    assert found.column("SMCLK", "GPU 0") == (1980,) and found.column("TENSO", "GPU 1") == (0.498,)
    assert dcgmi.parse("#Entity   NEWFLD\nID\nGPU 0     12\n").column("NEWFLD", "GPU 0") == (12,)


def test_fields_by_id() -> None:
    assert asked("100, 112,1004") == ("SMCLK", "DVCCTR", "TENSO")
    for wrong in ("99", "SMCLK", ""):
        with pytest.raises(BadInput):
            asked(wrong)


def test_the_real_thermal_violation() -> None:
    report = dcgmi_diag.parse((LOGS / "f03-dcgmi-thermal-violation.log").read_text(encoding="utf-8"))
    error, memory, warning = report.entries
    assert (error.section, error.failed, error.gpus, error.line) == ("Deployment", True, (3,), 6)
    assert error.messages == ("GPU 3 has uncorrectable memory errors and row remappings are pending",)
    assert (
        memory.messages == ("Pass - GPUs: 1, 2, 3, 4, 5, 6, 7", "Fail - GPU: 0")
        and memory.failed
        and memory.gpus == (0,)
    )
    assert warning.gpus == (0,) and not warning.failed
    assert warning.messages[0].startswith("GPU 0 Thermal violations totaling 13.3 seconds started at 9.7 seconds into")
    assert warning.messages[0].endswith("thermal material interface, fans, and any other components.")
    assert dcgmi_diag.parse(dcgmi_diag.render(report)) == report


messages = (
    st.lists(st.text("aZ09:.,-", min_size=1, max_size=14), min_size=1, max_size=9)
    .map(" ".join)
    .filter(lambda text: len(text) % 45 and not any(text[end - 1] == " " for end in range(45, len(text), 45)))
)
entries = st.builds(
    Entry,
    st.sampled_from(["Metadata", "Deployment", "Hardware", "Stress"]),
    st.sampled_from(["DCGM Version", "NVML Library", "PCIe", "Warning", "GPU Memory"]),
    st.lists(messages, min_size=1, max_size=3).map(tuple),
)


@given(st.lists(entries, min_size=1, max_size=6).map(tuple).map(Report))
@settings(max_examples=30)
def test_a_report_reads_back(report: Report) -> None:
    text = dcgmi_diag.render(report)
    assert dcgmi_diag.parse(text) == report
    assert {len(line) for line in text.splitlines()[1:]} == {78}


def test_values_are_complete_at_birth() -> None:
    for wrong in (
        lambda: Row("gpu0", (1,)), lambda: Monitor((), ()), lambda: Monitor(("SMCLK",), ((),)),
        lambda: Monitor(("SMCLK",), ((Row("GPU 0", (1, 2)),),)),
        lambda: Monitor(("SMCLK",), ((Row("GPU 0", (1.5,)),),)),
        lambda: Monitor(("SMACT",), ((Row("GPU 0", (0.12345,)),),)),
        lambda: Monitor(("SMCLK",), ((Row("GPU 0", (1,)),), (Row("GPU 1", (1,)),))),
        lambda: Entry("", "x" * 26, ("Pass",)), lambda: Entry("", "PCIe", ()), lambda: Entry("9", "PCIe", ("Pass",)),
        lambda: Entry("", "PCIe", ("x" * 45, "y")), lambda: Report(()),
        lambda: Report((Entry("Stress", "PCIe", ("Pass",)), Entry("", "PCIe", ("Pass",)))),
    ):  # fmt: skip
        with pytest.raises(BadInput):
            wrong()


@given(st.text() | st.text(alphabet="|+-= PasGU#Entity09\n", max_size=200))
@settings(max_examples=60)
def test_any_other_text_is_refused_or_read(text: str) -> None:
    box = dcgmi_diag.render(Report((Entry("Stress", "PCIe", ("Fail - GPU: 0", "x" * 100)),)))
    for candidate in (
        text,
        "#Entity  SMCLK\nID\n" + text,
        "#Entity  SMCLK\nGPU 0 5\n" + "GPU 0 " + text,
        box.replace("xxxxx", text[:5]),
    ):
        for parse in (dcgmi.parse, dcgmi_diag.parse):
            try:
                parse(candidate)
            except BadInput as error:
                assert "line " in str(error)
