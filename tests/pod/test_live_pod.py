"""The lesson's stories told at the prompt: each is found with the tools and mended, and tools agree with the room."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pod.terminal import Terminal

from paceline.faults import KINDS, Fault
from paceline.formats import (
    all_reduce_perf,
    dcgmi,
    hostlist,
    ibqueryerrors,
    ibstat,
    nvidia_nvlink,
    query_gpu,
    sinfo,
)
from paceline.formats import squeue as squeue_format
from paceline.pod.comparison import run_of
from paceline.pod.machine_room import GPUS, HOSTS
from paceline.shell import Output
from paceline.step import Settings
from paceline.units import show_milliseconds

TEST = "srun -N 4 --ntasks-per-node=8 all_reduce_perf -b 1G -e 1G"
FIELDS = ("index", "temperature.gpu", "clocks.sm")
GPUS_ASKED = f"nvidia-smi --query-gpu={','.join(FIELDS)} --format=csv,noheader,nounits"


def busbw(text: str) -> float:
    """The mean bus bandwidth that a test reports."""
    found = all_reduce_perf.parse(text).avg_busbw_gb_per_s
    assert found is not None
    return found


def some_fault(kind: str, seed: int) -> Fault:
    draw = Random(f"{kind}/{seed}")
    return Fault(kind, draw.randrange(4), draw.randrange(GPUS))


@pytest.mark.parametrize("seed", range(3))
def test_a_bad_cable_is_found_replaced_and_proved(seed: int) -> None:
    fault = some_fault("bad-cable", seed)
    at = Terminal(fault)
    healthy = Terminal()(TEST)
    assert busbw(at(TEST)) < 0.6 * busbw(healthy)
    report = ibqueryerrors.parse(at("ibqueryerrors"))
    names = [node.name for node in report.nodes]
    assert names == [f"leaf-{fault.index}", f"{HOSTS[fault.server]} mlx5_{fault.index}"]
    host, device = names[1].split()
    rate = ibstat.parse(at(f"ssh {host} ibstat {device}"))[0].ports[0].rate_gbit_per_s
    assert rate < 400
    assert "done" in at(f"remote-hands replace-cable {host} {device}")
    assert at(TEST) == healthy


@pytest.mark.parametrize("seed", range(2))
def test_a_straggler_is_found_drained_and_replaced_by_the_spare(seed: int) -> None:
    fault = some_fault("slow-gpu", seed)
    at = Terminal(fault)
    healthy = show_milliseconds(run_of(Settings()).step_s)
    at("sbatch train.sbatch; sleep 900")
    assert at.pace(1) != healthy
    clocks = {}
    for host in HOSTS[:4]:
        for row in query_gpu.parse(at(f"ssh {host} {GPUS_ASKED}"), FIELDS).rows:
            index, _, clock = row.values
            clocks[host, index] = clock
    slowest = min(clocks, key=lambda place: clocks[place])
    assert slowest == (HOSTS[fault.server], fault.index)
    at(f"scontrol update nodename={slowest[0]} state=drain reason=hot; scancel 1; sbatch train.sbatch; sleep 300")
    assert at.pace(2) == healthy
    (job,) = squeue_format.parse(at("squeue")).jobs
    assert set(hostlist.parse(job.node_list)) == {*HOSTS} - {slowest[0]}
    at(f"remote-hands replace-fan {slowest[0]} {slowest[1]}; scontrol update nodename={slowest[0]} state=resume")
    assert at.pod.room.faults == []
    assert {row.state for row in sinfo.parse(at("sinfo"))} == {"alloc", "idle"}


def test_a_script_that_starts_one_process_a_server_is_found_and_mended() -> None:
    at = Terminal()
    at("sed -i s/--nproc-per-node=8/--nproc-per-node=1/ train.sbatch; sbatch train.sbatch; sleep 600")
    assert at.pod.room.run(at.pod.room.queue.jobs[0]).scenario.job.world_size == 4
    rows = query_gpu.parse(at(f"ssh dgx-2 {GPUS_ASKED}"), FIELDS).rows
    assert [row.values[2] for row in rows] == [1980, *[345] * 7]
    at("scancel 1; sed -i s/--nproc-per-node=1/--nproc-per-node=8/ train.sbatch; sbatch train.sbatch; sleep 600")
    assert at.pace(2) == show_milliseconds(run_of(Settings()).step_s)


def test_sockets_are_read_in_nccl_s_log() -> None:
    at = Terminal()
    fast = at(TEST)
    at("export NCCL_DEBUG=INFO NCCL_IB_DISABLE=1")
    slow = at(TEST)
    assert "NET/Socket" in slow and "NET/IB" not in slow
    assert busbw(slow) < busbw(fast) / 5
    at("unset NCCL_IB_DISABLE")
    assert "GDRDMA" in at(TEST)
    at("unset NCCL_DEBUG")
    assert at(TEST) == fast


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(sorted(KINDS)), st.integers(0, 2**16), st.integers(1, 400))
def test_tools_agree_with_each_other_and_with_the_room(kind: str, seed: int, seconds: int) -> None:
    fault = some_fault(kind, seed)
    at = Terminal(fault)
    at(f"sbatch train.sbatch; sleep {seconds}")
    host = HOSTS[fault.server]
    smi = query_gpu.parse(at(f"ssh {host} {GPUS_ASKED}"), FIELDS).rows
    boards = [at.pod.room.boards[host, index] for index in range(GPUS)]
    assert [row.values for row in smi] == [
        (index, round(board.temperature_celsius), board.clock_mhz) for index, board in enumerate(boards)
    ]
    links = nvidia_nvlink.parse(at(f"ssh {host} nvidia-smi nvlink -s"))
    assert [len(gpu.inactive) for gpu in links] == [board.links_down for board in boards]
    samples = dcgmi.parse(at(f"ssh {host} dcgmi dmon -e 100,150 -c 1")).samples[0]
    now = [at.pod.room.boards[host, index] for index in range(GPUS)]
    assert [row.values for row in samples] == [(board.clock_mhz, round(board.temperature_celsius)) for board in now]
    found = {node.name for node in ibqueryerrors.parse(at("ibqueryerrors")).nodes}
    is_bad = KINDS[kind].part == "nic"
    assert (f"{host} mlx5_{fault.index}" in found) == is_bad and len(found) == 2 * is_bad


WORDS = (
    "sinfo", "squeue", "sbatch", "scancel", "scontrol", "srun", "nvidia-smi", "dcgmi", "dmon", "ibstat", "perfquery",
    "ibqueryerrors", "remote-hands", "replace-fan", "replace-cable", "all_reduce_perf", "train.sbatch", "show", "node",
    "job", "update", "nodename=dgx-1", "nodename=dgx-[1-", "state=drain", "reason=x", "dgx-1", "dgx-9", "mlx5_3", "0",
    "1", "99999999999999", "-1", "-N", "-n", "-w", "-x", "-b", "-e", "-f", "-c", "-i", "-q", "-d", "-L", "-l", "-g",
    "--query-gpu=index,foo", "--query-gpu=index", "--format=csv", "topo", "-m", "nvlink", "-s", "ssh", "hostnames",
    "8G", "1G", "0", "", "'", "|", ";", "é", "\x00", "--ntasks-per-node=8", "-t", "1-", "-o", "/x/y", "%j", "head",
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join), min_size=1, max_size=3))
def test_no_words_break_the_pod(lines: list[str]) -> None:
    at = Terminal(Fault("bad-cable", 1, 3))
    for line in lines:
        printed = 0
        for event in at.pod.run(at.session, line):
            printed += len(event.text) if isinstance(event, Output) else 0
            if at.pod.now_us > 2 * 3600 * 10**6:
                break  # a monitor that runs until Ctrl-C
        assert printed < 2_000_000
    at("sleep 120")


def test_a_minute_twice_is_two_minutes() -> None:
    once, twice = Terminal(), Terminal()
    once("sbatch train.sbatch")
    twice("sbatch train.sbatch")
    once.pod.advance(90_500_000)
    twice.pod.advance(30_250_001)
    twice.pod.advance(60_249_999)
    assert once("nvidia-smi; squeue; cat gpt-ddp-1.out") == twice("nvidia-smi; squeue; cat gpt-ddp-1.out")


def test_a_lost_port_is_missing_in_nccl_s_list() -> None:
    at = Terminal(Fault("lost-nic", 1, 3))
    log = at(f"NCCL_DEBUG=INFO {TEST} | grep 'NET/IB : Using'")
    of_host = {line.split(":")[0]: line for line in log.splitlines()}
    assert "mlx5_3" in of_host["dgx-1"] and "mlx5_3" not in of_host["dgx-2"]


def test_a_line_that_waits_for_more_than_a_day_is_ended_after_one() -> None:
    at = Terminal()
    assert "a day" in at("sleep 90000")
    assert at.pod.now_us == 24 * 3600 * 10**6
