"""The table of nvidia-smi: exact to the blank, read back whole, and read in older and newer layouts."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.formats.nvidia_smi import GpuRow, Process, Table, failures, parse, render, shown_name

# Put together: an 8 x H100 table of driver 580.95 (public) with addresses of a DGX, processes of other 5xx tables.
SAMPLE = """\
Mon Nov 24 12:53:00 2025       
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.95.05              Driver Version: 580.95.05      CUDA Version: 13.0     |
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA H100 80GB HBM3          On  |   00000000:1B:00.0 Off |                    0 |
| N/A   37C    P0            345W /  700W |   36463MiB /  81559MiB |     18%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
|   7  NVIDIA H100 80GB HBM3          On  |   00000000:DF:00.0 Off |                    0 |
| N/A   30C    P0             68W /  700W |       0MiB /  81559MiB |      0%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+

+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
|    0   N/A  N/A          986061      G   .../7766/usr/lib/firefox/firefox        400MiB |
|    0   N/A  N/A         3288294      C   python3                               26296MiB |
|    1   N/A  N/A              32      G   /Xwayland                             N/A      |
+-----------------------------------------------------------------------------------------+
"""  # noqa: W291

# Written by hand after the layout of driver 470; the lost GPU's cells are from memory, no capture.
OLD = """\
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
|===============================+======================+======================|
|   0  NVIDIA A100-SXM...  On   | 00000000:07:00.0 Off |                    2 |
| N/A   31C    P0    55W / 400W |      0MiB / 40536MiB |      0%   E. Process |
|                               |                      |             Disabled |
+-------------------------------+----------------------+----------------------+
|   1  ERR!                Off  | 00000000:0F:00.0 Off |                 ERR! |
|ERR!  ERR! ERR!    ERR! / ERR! | GPU is lost          |    ERR!         ERR! |
+-------------------------------+----------------------+----------------------+
|  No running processes found                                                 |
"""

words = st.lists(st.text("aN0./_-", min_size=1, max_size=8), min_size=1, max_size=3).map(" ".join)


def readings(most: int) -> st.SearchStrategy[int | str]:
    return st.integers(0, most) | st.sampled_from(["N/A", "ERR!"])


gpus = st.builds(
    GpuRow,
    index=st.integers(0, 999),
    name=words,
    bus_id=st.integers(0, 255).map(lambda bus: f"00000000:{bus:02X}:00.0"),
    temperature_celsius=readings(120),
    power_watts=readings(99_999),
    power_limit_watts=readings(9_999),
    memory_used_mib=readings(9_999_999),
    memory_total_mib=readings(999_999),
    utilization_percent=readings(100),
    ecc_uncorrected=readings(10**6) | st.just("Off"),
    performance_state=st.sampled_from(["P0", "P2", "P12", "N/A", "ERR!"]),
    fan_percent=readings(100),
    persistence=st.sampled_from(["On", "Off"]),
    display=st.sampled_from(["On", "Off"]),
    compute_mode=st.sampled_from(["Default", "E. Process", "Prohibited"]),
    mig=st.sampled_from(["Disabled", "Enabled", "N/A"]),
)
processes = st.builds(
    Process,
    gpu=st.integers(0, 15),
    pid=st.integers(1, 4_194_304),
    name=words,
    memory_mib=st.integers(0, 999_999) | st.just("N/A"),
    kind=st.sampled_from(["C", "G", "C+G"]),
    gpu_instance=st.just("N/A") | st.integers(0, 13),
)
tables = st.builds(
    Table,
    timestamp=st.sampled_from(["", "Sat Nov 29 16:54:56 2026", "Sun Nov  1 06:04:06 2026"]),
    gpus=st.lists(gpus, min_size=1, max_size=4).map(tuple),
    processes=st.none() | st.lists(processes, max_size=4).map(tuple),
    version=st.sampled_from(["580.105.08", "580.95"]),
    cuda_version=st.sampled_from(["13.0", "N/A"]),
)


@given(tables)
@settings(max_examples=50)
def test_what_is_rendered_reads_back(table: Table) -> None:
    assert parse(render(table)) == table


def test_the_sample_table_comes_out_as_it_went_in() -> None:
    table = parse(SAMPLE)
    assert render(table) == SAMPLE
    assert [gpu.line for gpu in table.gpus] == [9, 13] and table.driver_version == "580.95.05"
    assert table.processes is not None and [each.memory_mib for each in table.processes] == [400, 26296, "N/A"]
    idle = Table(table.timestamp, table.gpus, ())
    assert "|  No running processes found                                                             |\n" in render(
        idle
    )
    assert len({len(line) for line in render(idle).splitlines()[1:] if line}) == 1


def test_launchers_colours_and_indents_do_not_matter() -> None:
    table = parse(SAMPLE)
    for mark in ("0: ", "[1,0]<stdout>:", "(simple-workload, pid=4150) ", "   ", "\x1b[1m"):
        assert parse("".join(mark + line + "\r\n" for line in SAMPLE.splitlines())).gpus == table.gpus


def test_an_old_table_with_a_lost_gpu() -> None:
    table = parse(OLD)
    healthy, lost = table.gpus
    assert (healthy.ecc_uncorrected, healthy.compute_mode, healthy.power_limit_watts) == (2, "E. Process", 400)
    assert lost.temperature_celsius == lost.power_watts == lost.memory_used_mib == lost.performance_state == "ERR!"
    assert table.processes == () and table.cuda_version == "11.4"
    newest = OLD.replace("Driver Version", "KMD Version").replace("CUDA Version", "CUDA UMD Version")
    assert parse(newest).driver_version == "470.57.02"


def test_what_it_says_instead_of_a_table() -> None:
    said = "x\nUnable to determine the device handle for GPU0000:5E:00.0: Unknown Error\nNo devices were found\n"
    assert [(each.line, each.text[:18]) for each in failures(said)] == [
        (2, "Unable to determin"),
        (3, "No devices were fo"),
    ]
    assert failures(SAMPLE) == ()


def test_long_process_names_keep_their_end() -> None:
    path = "/snap/firefox/7766/usr/lib/firefox/firefox"
    assert shown_name(path) == ".../7766/usr/lib/firefox/firefox" and shown_name("python") == "python"


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "a|b"}, {"name": "x" * 28}, {"bus_id": "1B:00.0"}, {"temperature_celsius": -1},
        {"power_watts": "much"}, {"utilization_percent": 101}, {"performance_state": "fast"}, {"mig": "maybe"},
        {"persistence": "yes"}, {"compute_mode": "any"},
    ],
)  # fmt: skip
def test_a_row_is_complete_at_birth(wrong: dict[str, Any]) -> None:
    healthy = parse(SAMPLE).gpus[0]
    with pytest.raises(BadInput):
        replace(healthy, **wrong)


@given(st.text() | st.text(alphabet="| /0123456789NAOnWCMiB%.:+-\n", max_size=300))
@settings(max_examples=50)
def test_any_other_text_is_refused_or_read(text: str) -> None:
    for candidate in (text, SAMPLE.replace("345W", text[:20]), SAMPLE.replace("HBM3", text[:20])):
        try:
            parse(candidate)
        except BadInput as error:
            assert "line " in str(error)
