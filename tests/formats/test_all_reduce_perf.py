"""all_reduce_perf: what is rendered is read back, and real tables of nine years are read."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.errors import BadInput, BadValue
from paceline.formats.all_reduce_perf import HEADS, parse, parse_all, render, render_row
from paceline.formats.nccl_tests import TYPE_BYTES, Device, Result, Row, Run, Timing

LOGS = Path(__file__).parents[1] / "data" / "logs"
COUNTS = st.integers(0, 10**8)
RATES = st.floats(0, 2000)
TIMINGS = st.builds(Timing.measured, st.floats(0, 1e9), RATES, RATES, st.none() | COUNTS)


@st.composite
def rows(draw: st.DrawFn) -> Row:
    kind, count = draw(st.sampled_from(sorted(TYPE_BYTES))), draw(COUNTS)
    redop = draw(st.sampled_from(["sum", "prod", "max", "min", "avg", "mulsum"]))
    return Row(count * TYPE_BYTES[kind], count, kind, redop, draw(TIMINGS), draw(TIMINGS))


HOSTS = st.sampled_from(["dgx-1", "ip-10-0-0-1", "h"])
NAMES = st.sampled_from(["NVIDIA H100 80GB HBM3", "A100-SXM4-40GB", "x"])
DEVICES = st.builds(Device, COUNTS, COUNTS, COUNTS, HOSTS, COUNTS, st.sampled_from(["0000:1b:00", "0x87"]), NAMES)
RUNS = st.builds(Run, *[COUNTS] * 5, st.sampled_from(["factor", "bytes"]), *[COUNTS] * 6)
RESULTS = st.one_of(
    st.builds(
        Result,
        st.sampled_from(["2.18.3", "2.17.4"]),
        COUNTS,
        COUNTS,
        st.none() | RUNS,
        st.lists(DEVICES, max_size=3).map(tuple),
        st.lists(rows(), max_size=5).map(tuple),
        st.none() | COUNTS,
        RATES.map(lambda mean: float(f"{mean:g}")),
        st.sampled_from(["", "OK", "FAILED"]),
        st.booleans(),
    ),
    st.builds(Result, rows=st.lists(rows(), max_size=3).map(tuple), concluded=st.booleans()),
)

REAL_2_18 = """\
# nccl-tests version 2.18.3 nccl-headers=22809 nccl-library=22809
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 8 maxBytes 16 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 \
graph: 0 unalign: 0
#
# Using devices
#  Rank  0 Group  0 Pid 3660022 on      dgx-1 device  0 [0000:18:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid 106224 on      dgx-2 device  0 [0000:18:00] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong 
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)         
           8             2     float     sum      -1    29.72    0.00    0.00       0    28.67    0.00    0.00       0
          16             4     float     sum      -1  3912.90    0.00    0.00     N/A   123457  1234.5    0.00     N/A
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 33.4128 
#
# Collective test concluded: all_reduce_perf
#

"""  # noqa: W291


@given(RESULTS)
def test_what_is_rendered_is_read_back(result: Result) -> None:
    assert parse(render(result)) == result


def test_every_blank_is_the_tools_own() -> None:
    found = parse(REAL_2_18)
    assert render(found) == REAL_2_18
    assert [row.line for row in found.rows] == [12, 13] and found.line == 1
    assert found.rows[1].in_place == Timing(123457, 1234.5, 0, None)
    assert found.run and found.run.step_kind == "factor" and len(found.devices) == 2


def test_the_heads_have_the_columns_widths() -> None:
    widths = (10, 12, 8, 6, 6, *[7, 6, 6, 6] * 2)
    bandwidth = ("(us)", "(GB/s)", "(GB/s)", "")
    for line, words in zip(
        HEADS.splitlines()[2:], ((), ("(B)", "(elements)", "", "", "", *bandwidth * 2)), strict=True
    ):
        words = words or ("size", "count", "type", "redop", "root", *("time", "algbw", "busbw", "#wrong") * 2)
        assert line == "# " + "  ".join(f"{word:>{width}}" for word, width in zip(words, widths, strict=True)) + " "


@pytest.mark.parametrize(
    ("time_us", "printed"),
    [(0.004, "   0.00"), (1234.56, "1234.56"), (12345.67, "12345.7"), (123456.7, " 123457"), (12345678.9, "1.2e+07")],
)
def test_a_time_takes_the_digits_that_fit(time_us: float, printed: str) -> None:
    row = Row(8, 2, "float", "sum", Timing.measured(time_us, 0, 0), Timing(1, 0, 0))
    assert render_row(row)[54:61] == printed


def test_a_table_from_under_srun() -> None:
    first, second = parse_all((LOGS / "nccl-tests-aws.log").read_text())
    assert [row.size_bytes for row in first.rows] == [2**29, 2**30, 2**31]
    assert first.rows[-1].out_of_place == Timing(51406, 41.78, 78.33)
    assert second.rows[-1].in_place.busbw_gb_per_s == 487.26 and second.rows[-1].line == 12
    with pytest.raises(BadValue, match=r"line 8: a second run"):
        parse((LOGS / "nccl-tests-aws.log").read_text())


def test_a_table_of_before_there_was_a_root() -> None:
    found = parse((LOGS / "nccl-tests-tcp-100g.log").read_text())
    assert [row.out_of_place.busbw_gb_per_s for row in found.rows] == [4.52, 5.21, 1.48, 1.12, 1.40]
    assert found.rows[0].in_place.wrong is None, "the last column is the largest error"
    assert (found.out_of_bounds, found.avg_busbw_gb_per_s, found.rows[3].line) == (0, 2.68429, 10)
    assert parse(render(found)) == found


def test_the_result_among_nccls_lines() -> None:
    found = parse((LOGS / "nccl-tests-gdr-missing.log").read_text())
    assert (found.rows, found.avg_busbw_gb_per_s) == ((), 33.3227)


def test_ranks_built_without_mpi_are_runs_of_their_own() -> None:
    lines = REAL_2_18.splitlines()
    both = "\n".join(f"{rank}: {line}" for line in lines for rank in (0, 1))
    assert parse_all(both) == (parse(REAL_2_18),) * 2
    tagged = "\n".join(f"\x1b[1m[1,{3}]<stdout>:{line}\r" for line in lines)
    assert parse(tagged) == parse(REAL_2_18)


def test_per_iteration_columns_and_times_of_day_are_passed_over() -> None:
    found = parse(
        "  8  2  float  sum  -1  29.72  0.00  0.01  0  28.1 30.2 30.1 2.50  28.67  0.00  0.02  1  28.1 30.2 30.1 2.50"
        "   2026-01-02 03:04:05"
    )
    assert found.rows[0].in_place == Timing(28.67, 0, 0.02, 1)


@pytest.mark.parametrize("name", ["all_gather_perf", "reduce_scatter_perf", "sendrecv_perf"])
def test_another_collective_is_refused_by_name(name: str) -> None:
    with pytest.raises(BadValue, match=name):
        parse(REAL_2_18.replace("all_reduce_perf", name))
    assert len(parse_all(REAL_2_18.replace("all_reduce_perf", name) + REAL_2_18)) == 1


@pytest.mark.parametrize(
    "row",
    [
        "   8   2  float  none  -1  29.72  0.00  0.00  0  28.67  0.00  0.00  0",
        "   8   2  float  sum  0  29.72  0.00  0.00  0  28.67  0.00  0.00  0",
        "  64   2  float  sum  -1  29.72  0.00  0.00  0  28.67  0.00  0.00  0",
        "   8   2  float  sum  -1  29.721  0.00  0.00  0  28.67  0.00  0.00  0",
    ],
)
def test_a_row_of_another_collective_is_refused_with_its_line(row: str) -> None:
    with pytest.raises(BadValue, match=r"^line 2"):
        parse(f"\n{row}\n")


@pytest.mark.parametrize("time_us", [-1.0, float("nan"), 1e15, 0.123])
def test_no_such_number_is_printed(time_us: float) -> None:
    with pytest.raises(BadValue):
        Timing(time_us, 0, 0)


PIECES = [*REAL_2_18.splitlines(), "# ", "0:", "float", "sum", "8", "-1", "1e9", "9e99", "N/A"]


@given(st.text() | st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    for changed in (text, f"# nThread {text}\n8 2 float sum -1 {text} 1 1 0 {text}", text.replace(" ", "\n")):
        try:
            parse(changed)
        except BadInput as refused:
            assert "line" in str(refused)
