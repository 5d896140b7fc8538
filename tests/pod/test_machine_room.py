"""The room is one state: time adds up, a fault costs what the engine says, a repair gives back the same bits."""

from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.faults import KINDS, Fault
from paceline.pod.batch_job import TIMEOUT, BatchJob
from paceline.pod.comparison import run_of
from paceline.pod.machine_room import HOSTS, MachineRoom
from paceline.pod.outcome import Outcome
from paceline.step import Settings
from paceline.units import show_milliseconds

FAULTS = st.builds(Fault, st.sampled_from(sorted(KINDS)), st.integers(0, 3), st.integers(0, 7))


def room_with_job(*faults: Fault, limit_s: int = 0) -> tuple[MachineRoom, BatchJob]:
    room = MachineRoom()
    for fault in faults:
        room.strike(fault)
    job = BatchJob(1, "gpt", 4, outcome=Outcome(4, 8), output="/home/ops/gpt.out", limit_us=limit_s * 10**6)
    room.queue.submit(job)
    room.start_jobs()
    return room, job


@settings(max_examples=25, deadline=None)
@given(FAULTS, st.integers(0, 200), st.integers(0, 200))
def test_two_advances_are_the_one_of_their_sum(fault: Fault, first: int, second: int) -> None:
    room, _ = room_with_job(fault)
    other = deepcopy(room)
    room.advance(first)
    room.advance(second)
    other.advance(first + second)
    assert room == other


@settings(max_examples=30, deadline=None)
@given(FAULTS)
def test_a_repair_gives_back_the_same_bits(fault: Fault) -> None:
    room, job = room_with_job(fault)
    room.advance(300)
    room.repair(fault)
    room.advance(300)
    assert room.run(job) == run_of(Settings()) and not room.faults


@settings(max_examples=30, deadline=None)
@given(FAULTS.filter(lambda fault: fault.kind != "slow-gpu"))
def test_a_fault_costs_what_the_engine_says(fault: Fault) -> None:
    room, job = room_with_job(fault)
    place = f"@{fault.server + 1}:{fault.index}"
    name = fault.kind if KINDS[fault.kind].part in ("gpu_direct", "ib") else fault.kind + place
    assert room.run(job).step_s == run_of(Settings(faults=(name,))).step_s


def test_a_hot_gpu_slows_the_job_once_it_is_hot() -> None:
    room, job = room_with_job(Fault("slow-gpu", 2, 5))
    healthy_s = run_of(Settings()).step_s
    assert room.run(job).step_s == healthy_s
    room.advance(600)
    assert room.boards["dgx-3", 5].is_slowed
    assert room.run(job).step_s == pytest.approx(healthy_s / 0.7, rel=0.1)
    assert sum(board.is_slowed for board in room.boards.values()) == 1


def test_the_log_says_the_pace_of_the_room() -> None:
    room, job = room_with_job()
    room.advance(100)
    run = room.run(job)
    assert job.done == int(100 / run.step_s) and len(job.printed) == job.done // 100
    assert f" {show_milliseconds(run.step_s)} " in job.printed[-1]


def test_the_time_limit_ends_a_job() -> None:
    room, job = room_with_job(limit_s=60)
    room.advance(59)
    assert not job.is_over
    room.advance(2)
    assert job.state == TIMEOUT and job.ended_us == 60 * 10**6
    assert "DUE TO TIME LIMIT" in job.printed[-1]
    room.advance(300)
    assert not any(board.utilization_percent for board in room.boards.values())


def test_counters_follow_the_traffic() -> None:
    lost, sockets = room_with_job(Fault("lost-nic", 1, 3))[0], room_with_job(Fault("socket-fallback"))[0]
    lost.advance(60)
    sockets.advance(60)
    sent = {place: port.sent_bytes for place, port in lost.ports.items()}
    assert sent["dgx-2", 3] == 0 and sent["dgx-2", 2] == 2 * sent["dgx-2", 4] == 2 * sent["dgx-1", 3] > 0
    assert all(sent[place] == port.sent_bytes for place, port in lost.leaf_ports.items())
    assert not any(port.sent_bytes for port in sockets.ports.values())


@pytest.mark.parametrize("fault", [Fault("slow-gpu", 5, 0), Fault("bad-cable", 0, 8), Fault("lost-nic", -1, 0)])
def test_a_place_there_is_not(fault: Fault) -> None:
    with pytest.raises(BadInput, match="no such place"):
        MachineRoom().strike(fault)


def test_only_what_is_broken_is_repaired() -> None:
    with pytest.raises(BadInput, match="slow-gpu"):
        MachineRoom().repair(Fault("slow-gpu"))
    assert MachineRoom() == MachineRoom() and len(HOSTS) == 5
