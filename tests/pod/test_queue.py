"""First come, first served: hosts wanted, excluded and drained, and why a job waits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.pod.batch_job import BatchJob
from paceline.pod.queue import Queue

HOSTS = ("a-1", "a-2", "a-3", "a-4")


def queue(*nodes: int) -> Queue:
    made = Queue(HOSTS)
    for count in nodes:
        made.submit(BatchJob(made.next_number, "job", count))
    return made


@given(st.lists(st.integers(1, 4), max_size=6), st.sets(st.sampled_from(HOSTS), max_size=3))
def test_no_host_has_two_jobs_and_none_overtakes(nodes: list[int], drained: set[str]) -> None:
    made = queue(*nodes)
    for host in drained:
        made.drain(host, "hot")
    made.schedule(0)
    given_away = [host for job in made.jobs for host in job.hosts]
    assert len(given_away) == len(set(given_away)) and not set(given_away) & drained
    started = [bool(job.hosts) for job in made.jobs]
    assert started == sorted(started, reverse=True)
    assert all(len(job.hosts) == job.nodes for job in made.jobs if job.hosts)


def test_the_second_waits_for_the_first() -> None:
    made = queue(3, 2, 1)
    made.schedule(0)
    assert [job.reason for job in made.jobs] == ["", "Resources", "Priority"]
    made.cancel(1, 5)
    made.schedule(6)
    assert made.jobs[1].hosts == ("a-1", "a-2") and made.jobs[1].started_us == 6


def test_wanted_and_excluded_hosts() -> None:
    made = Queue(HOSTS)
    made.submit(BatchJob(1, "job", 2, wanted=("a-4",), excluded=("a-1",)))
    made.schedule(0)
    assert made.jobs[0].hosts == ("a-2", "a-4")


def test_a_drained_host_is_named() -> None:
    made = queue(4)
    for host in HOSTS[1:]:
        made.drain(host, "hot", 7)
    made.schedule(8)
    assert made.jobs[0].reason == "ReqNodeNotAvail, UnavailableNodes:a-[2-4]"
    assert [made.node_state(host) for host in HOSTS] == ["idle", "drain", "drain", "drain"]
    for host in HOSTS[1:]:
        made.resume(host)
    made.schedule(9)
    assert [made.node_state(host) for host in HOSTS] == ["alloc"] * 4


def test_refusals() -> None:
    with pytest.raises(BadInput, match="not available"):
        queue(5)
    with pytest.raises(BadInput, match="node"):
        queue().drain("b-1", "hot")
    with pytest.raises(BadInput, match="job"):
        queue().cancel(3, 0)
