"""scontrol: nodes, jobs and hostnames as it really showed them, letter by letter, and ours read back."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paceline.errors import BadInput, BadValue
from paceline.formats import scontrol, scontrol_job, scontrol_node

LOGS = Path(__file__).parents[1] / "data" / "logs" / "slurm-22.05"
NODE = scontrol_node.Node("dgx-1", 56, 0, 224, "IDLE", "gpu:h100:8")
JOB = scontrol_job.Job(7, "gpt-ddp", "PENDING", "gpu", 4, 4, 4)
words = st.text("abcxyz0189-_.", min_size=1, max_size=12)
texts = st.lists(words, min_size=1, max_size=4).map(" ".join)
counts = st.integers(0, 10**9)
whens = st.sampled_from(("2026-11-30T08:35:24", "Unknown"))


def log(name: str) -> str:
    return (LOGS / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["node-idle", "node-mixed", "nodes"])
def test_a_real_node_comes_back(name: str) -> None:
    assert scontrol_node.render(scontrol_node.parse(log(name))) == log(name)


@pytest.mark.parametrize("name", ["job-running", "job-pending", "job-timeout"])
def test_a_real_job_comes_back(name: str) -> None:
    assert scontrol_job.render(scontrol_job.parse(log(name))) == log(name)


def test_what_a_real_node_says() -> None:
    nodes = scontrol_node.parse(log("nodes"))
    assert [node.is_out for node in nodes] == [False, False, True, False]
    assert nodes[2].reason == scontrol_node.because("Not responding", "root", "2026-11-30T08:36:37")
    assert nodes[0].cpu_load_hundredths == 660 and nodes[1].line == 19
    assert scontrol_node.parse(log("node-oneline"))[0] == nodes[1]


def test_what_a_real_job_says() -> None:
    waits = scontrol_job.parse(log("job-pending"))[0]
    assert (waits.reason, waits.scheduled, waits.num_nodes, waits.waits) == ("Resources", "dgx-[1-4]", 4, True)
    late = scontrol_job.parse(log("job-timeout"))[0]
    assert (late.state, late.exit_code, late.run_time_s, late.time_limit_s) == ("TIMEOUT", 143, 71, 60)
    assert [job.job_id for job in scontrol_job.parse(log("job-array"))] == [36, 41, 40]


@settings(max_examples=50)
@given(st.data())
def test_any_node_comes_back(data: st.DataObject) -> None:
    node = replace(
        NODE,
        name=data.draw(words),
        cpu_alloc=data.draw(counts),
        cpu_load_hundredths=data.draw(st.none() | counts),
        free_memory_mib=data.draw(st.none() | counts),
        gres_used=data.draw(st.none() | words),
        os=data.draw(st.none() | texts),
        version=data.draw(st.none() | words),
        state=data.draw(st.sampled_from(("IDLE+DRAIN", "DOWN*", "MIXED", "DOWN+NOT_RESPONDING"))),
        reason=data.draw(st.none() | texts | st.just("Xid 79, count=5 [root@2026-11-30T08:36:07]")),
        boot_time=data.draw(whens),
    )
    assert scontrol_node.parse(scontrol_node.render((node, NODE))) == (node, NODE)


@settings(max_examples=50)
@given(st.data())
def test_any_job_comes_back(data: st.DataObject) -> None:
    job = replace(
        JOB,
        name=data.draw(texts),
        state=data.draw(st.sampled_from(("PENDING", "RUNNING", "NODE_FAIL"))),
        num_nodes=data.draw(counts),
        time_limit_s=data.draw(st.none() | st.integers(0, 10**7)),
        command=data.draw(st.just("") | texts),
        nodes=data.draw(st.sampled_from(("", "dgx-[1-4]"))),
        scheduled=data.draw(st.none() | words),
        tres_per_node=data.draw(st.none() | words),
        requeue=data.draw(st.booleans()),
        signal=data.draw(st.integers(0, 64)),
        start_time=data.draw(whens),
        account=data.draw(st.just("") | words),
    )
    assert scontrol_job.parse(scontrol_job.render((job, JOB))) == (job, JOB)


def test_hostnames() -> None:
    text = scontrol.render_hostnames(("dgx-1", "dgx-2"))
    assert text == "dgx-1\ndgx-2\n" and scontrol.parse_hostnames(text) == ("dgx-1", "dgx-2")
    with pytest.raises(BadValue, match="line 2"):
        scontrol.parse_hostnames("dgx-1\ndgx-[2-3]\n")


@settings(max_examples=100)
@given(st.text() | st.text("=0:(/)\n aN", max_size=40).map(lambda tail: f"NodeName=a State{tail}\nJobId=1{tail}"))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    for parse in (scontrol_node.parse, scontrol_job.parse, scontrol.parse_hostnames):
        try:
            parse(text)
        except BadInput as refused:
            assert "line" in str(refused)


@pytest.mark.parametrize(
    "change", [{"state": "LAZY"}, {"arch": ""}, {"reason": "see State=DOWN"}, {"boot_time": "today"}, {"cpu_alloc": -1}]
)
def test_a_node_that_cannot_be_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(BadValue):
        replace(NODE, **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change", [{"state": "LAZY"}, {"name": "a UserId=b"}, {"reason": "two words"}, {"scheduled": ""}]
)
def test_a_job_that_cannot_be_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(BadValue):
        replace(JOB, **change)  # type: ignore[arg-type]
