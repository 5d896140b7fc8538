from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.faults import KINDS, Fault
from paceline.step import Settings, simulate, spans_of

WORLDS = st.sampled_from([1, 2, 4, 8, 16, 32, 64, 128, 256])
BATCHES = st.sampled_from([256, 512, 1024])
SETTINGS = st.builds(
    Settings,
    model=st.sampled_from(["gpt2", "gpt2-xl", "llama-3.2-1b"]),
    gpus=WORLDS,
    global_batch=BATCHES,
    micro_batch=st.integers(1, 8),
    seq_len=st.sampled_from([256, 1024]),
    nccl_algo=st.sampled_from(["Ring", ""]),
    bucket_cap_mib=st.integers(1, 200),
    checkpointing=st.booleans(),
    gpu=st.sampled_from(["h100-sxm", "a100-sxm-80gb"]),
)


@given(SETTINGS)
def test_the_step_lies_between_its_longest_part_and_all_parts(settings: Settings) -> None:
    run = simulate(settings.scenario())
    assert max(run.compute_s, run.comm_s) <= run.step_s * (1 + 1e-12)
    assert run.step_s <= (run.compute_s + run.comm_s + run.compute.optimizer_s) * (1 + 1e-12)
    assert run.exposed_comm_s + run.hidden_comm_s == pytest.approx(run.comm_s)
    assert run.hidden_comm_s >= -1e-12


@given(SETTINGS)
def test_overlap_is_never_slower(settings: Settings) -> None:
    without = simulate(replace(settings, overlap=False).scenario())
    assert simulate(settings.scenario()).step_s <= without.step_s * (1 + 1e-12)


@given(SETTINGS)
def test_the_losses_add_up_to_the_gap(settings: Settings) -> None:
    run = simulate(settings.scenario())
    gap = run.step_s - run.alone_s / settings.gpus
    assert sum(loss.seconds for loss in run.losses) == pytest.approx(gap, abs=1e-9)


@given(SETTINGS, st.sampled_from(sorted(KINDS)), st.integers(0, 7))
def test_a_fault_never_helps_and_its_repair_restores_the_bits(settings: Settings, kind: str, index: int) -> None:
    scenario = replace(settings, gpus=32).scenario()
    fault = Fault(
        kind,
        0 if KINDS[kind].part in ("ib", "gpu_direct") else 2,
        0 if KINDS[kind].part in ("ib", "gpu_direct") else index,
    )
    broken = replace(scenario, cluster=fault.inject(scenario.cluster))
    before = simulate(scenario)
    assert simulate(broken).step_s >= before.step_s
    assert simulate(replace(broken, cluster=fault.repair(broken.cluster))) == before


def test_one_gpu_communicates_nothing_and_is_its_own_measure() -> None:
    run = simulate(replace(Settings(), gpus=1).scenario())
    assert run.comm_s == run.exposed_comm_s == 0
    assert run.efficiency == 1


@given(SETTINGS)
def test_spans_of_a_stream_never_overlap_and_no_bucket_leaves_early(settings: Settings) -> None:
    run = simulate(settings.scenario())
    spans = spans_of(run)
    for stream in ("compute", "comm"):
        lane = [span for span in spans if span.stream == stream]
        assert all(one.end_s <= other.start_s + 1e-12 for one, other in pairwise(lane))
    for bucket, (start, _) in zip(run.buckets, run.overlap.collectives, strict=True):
        assert start >= bucket.ready * run.compute.backward_s * (1 - 1e-12)
    assert spans[-1].end_s == pytest.approx(run.step_s)


def test_the_lesson_cuts_seventy_three_buckets_and_the_last_holds_the_tied_embedding() -> None:
    buckets = simulate(Settings().scenario()).buckets
    assert len(buckets) == 73
    assert buckets[-1].gradient_bytes // 2**20 == 176
    assert "wte" in buckets[-1].last_parameter


def test_everyone_waits_for_the_slow_gpu() -> None:
    run = simulate(replace(Settings(), faults=("slow-gpu@dgx-2:5=0.7",)).scenario())
    slow = 13
    assert run.slow_ranks == ((slow, 0.7),)
    assert run.waits_s(slow) < run.waits_s(0)
    assert run.waits_s(0) == run.waits_s(31)


def test_the_cost_does_not_grow_with_the_servers() -> None:
    run = simulate(replace(Settings(), gpus=16384, global_batch=131072).scenario())
    assert run.scenario.cluster.servers == 2048
