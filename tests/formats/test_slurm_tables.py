"""squeue, sinfo and sacct: what Slurm really printed comes back letter by letter, and so does what we make."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paceline.errors import BadInput, BadValue
from paceline.formats import hostlist, sacct, sinfo, squeue

LOGS = Path(__file__).parents[1] / "data" / "logs" / "slurm-22.05"

words = st.text("abcxyz0189-_.", min_size=1, max_size=20)
names = st.lists(words, min_size=1, max_size=3).map(" ".join)
times = st.integers(0, 360 * 86_400)
limits = st.integers(0, 900 * 1440).map(lambda minutes: 60 * minutes)
nodes = st.lists(st.integers(1, 40), min_size=1, max_size=8, unique=True).map(
    lambda numbers: hostlist.render(f"dgx-{number}" for number in sorted(numbers))
)
reasons = st.sampled_from((*squeue.REASONS, "ReqNodeNotAvail, UnavailableNodes:dgx-1"))


@st.composite
def jobs(draw: st.DrawFn) -> squeue.Job:
    where = draw(st.one_of(nodes.map(lambda each: (each, "")), reasons.map(lambda each: ("", each)), st.just(("", ""))))
    return squeue.Job(
        str(draw(st.integers(1, 10**8))),
        draw(words),
        draw(names),
        draw(words),
        draw(st.sampled_from(sorted(squeue.STATES))),
        draw(times),
        draw(st.integers(0, 9999)),
        *where,
        time_limit_s=draw(st.none() | times),
    )


queues = st.builds(
    squeue.Queue, st.lists(jobs(), max_size=4).map(tuple), st.sampled_from(("", "Mon Nov 30 08:35:12 2026"))
)
rows = st.builds(
    sinfo.Row,
    words,
    st.integers(0, 999),
    st.sampled_from(("idle", "alloc", "mix", "drain", "down*", "drng", "plnd", "idle~")),
    nodes,
    st.none() | limits,
    st.booleans(),
    st.sampled_from(("up", "down")),
)
accounts = st.builds(
    sacct.Row,
    st.builds(
        lambda job, step: f"{job}{step}", st.integers(1, 10**7), st.sampled_from(("", ".batch", ".extern", ".0"))
    ),
    names,
    st.just("") | words,
    st.just("") | words,
    st.integers(0, 9999),
    st.sampled_from((*sacct.STATES, "CANCELLED by 1000")),
    st.integers(0, 255),
    st.integers(0, 64),
)


def log(name: str) -> str:
    return (LOGS / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["squeue", "squeue-pending", "squeue-long", "squeue-array"])
def test_a_real_queue_comes_back(name: str) -> None:
    assert squeue.render(squeue.parse(log(name))) == log(name)


def test_what_a_real_queue_says() -> None:
    waiting = squeue.parse(log("squeue-pending")).jobs
    assert [job.reason for job in waiting[:4]] == [
        "Resources",
        "PartitionNodeLimit",
        "PartitionConfig",
        "PartitionTimeLimit",
    ]
    running = next(job for job in waiting if job.state == "R")
    assert (running.node_list, running.time_s, running.line) == ("dgx-[1-4]", 40, 9)
    ended = squeue.parse(log("squeue-all")).jobs
    assert {job.state for job in ended} == {"CA", "CD", "F", "NF", "TO"} and len(ended) == 34
    limits = [job.time_limit_s for job in squeue.parse(log("squeue-long")).jobs]
    assert limits[0] == 8 * 3600 and limits[3] == 30 * 86_400


@settings(max_examples=50)
@given(queues)
def test_a_queue_comes_back_as_far_as_it_is_printed(queue: squeue.Queue) -> None:
    printed = squeue.printed(queue)
    assert squeue.parse(squeue.render(queue)) == printed
    assert squeue.render(printed) == squeue.render(queue)


@pytest.mark.parametrize("name", ["sinfo", "sinfo-wide"])
def test_a_real_sinfo_comes_back(name: str) -> None:
    assert sinfo.render(sinfo.parse(log(name))) == log(name)


def test_the_other_tables_of_sinfo_come_back() -> None:
    assert sinfo.render_nodes(sinfo.parse_nodes(log("sinfo-nodes"))) == log("sinfo-nodes")
    assert sinfo.render_summary(sinfo.parse_summary(log("sinfo-summary"))) == log("sinfo-summary")
    assert sinfo.render_reasons(sinfo.parse_reasons(log("sinfo-reasons"))) == log("sinfo-reasons")
    assert sinfo.parse_reasons(log("sinfo-reasons"))[0].reason == "NVLink 3 down, Xid 7"
    assert [row.partition for row in sinfo.parse(log("sinfo-wide"))] == ["gpu", "gpu", "short", "interactive-long"]


@settings(max_examples=50)
@given(st.lists(rows, max_size=4).map(tuple))
def test_partitions_come_back(partitions: tuple[sinfo.Row, ...]) -> None:
    assert sinfo.parse(sinfo.render(partitions)) == partitions
    by_node = tuple(sinfo.NodeRow(row.node_list, row.partition, row.state, row.is_default) for row in partitions)
    assert sinfo.parse_nodes(sinfo.render_nodes(by_node)) == by_node
    summed = tuple(sinfo.Summary(row.partition, row.nodes, 1, 2, row.node_list, row.time_limit_s) for row in partitions)
    assert sinfo.parse_summary(sinfo.render_summary(summed)) == summed


@settings(max_examples=50)
@given(names, words, nodes)
def test_a_reason_comes_back_cut(reason: str, user: str, hosts: str) -> None:
    given_ = sinfo.Reason(reason, user, "2026-11-30T08:36:07", hosts)
    assert sinfo.parse_reasons(sinfo.render_reasons([given_])) == (sinfo.printed_reason(given_),)


def test_nodes_by_state_make_rows_in_slurms_order() -> None:
    states = {"dgx-1": "idle", "dgx-2": "mix", "dgx-3": "drain", "dgx-10": "idle", "dgx-4": "down*"}
    rows = sinfo.rows_of("gpu", states)
    assert [(row.state, row.node_list) for row in rows] == [
        ("down*", "dgx-4"),
        ("drain", "dgx-3"),
        ("mix", "dgx-2"),
        ("idle", "dgx-[1,10]"),
    ]


def test_a_real_sacct_comes_back() -> None:
    rows = sacct.parse(log("sacct"))
    assert sacct.render(rows) == log("sacct")
    assert (rows[1].job_id, rows[1].partition, rows[1].exit_code) == ("56220974.ba+", "", 9)


@settings(max_examples=50)
@given(st.lists(accounts, max_size=4).map(tuple))
def test_accounts_come_back(accounts: tuple[sacct.Row, ...]) -> None:
    assert sacct.parse(sacct.render(accounts)) == tuple(map(sacct.printed, accounts))
    assert sacct.parse(sacct.render_parsable(accounts)) == accounts


HEADS = (squeue.render(squeue.Queue()), sinfo.render(()), sinfo.render_nodes(()), sacct.render(()), "")


@settings(max_examples=50)
@given(st.sampled_from(HEADS), st.text() | st.text("0123456789 -:|.abRPDT()*\n", max_size=120))
def test_any_text_is_read_or_refused_in_words(head: str, text: str) -> None:
    for parse in (squeue.parse, sinfo.parse, sinfo.parse_nodes, sinfo.parse_summary, sinfo.parse_reasons, sacct.parse):
        try:
            parse(head + text)
        except BadInput as refused:
            assert "line" in str(refused)


@pytest.mark.parametrize(
    "make",
    [
        lambda: squeue.Job("1", "gpu", "a  b", "me", "R", 0, 1),
        lambda: squeue.Job("1", "gpu", "a", "me", "X", 0, 1),
        lambda: squeue.Job("1", "gpu", "a", "me", "PD", 0, 1, "dgx-1", "Resources"),
        lambda: squeue.Queue((), "today"),
        lambda: sinfo.Row("gpu*", 1, "idle", "dgx-1"),
        lambda: sinfo.Row("gpu", 1, "lazy", "dgx-1"),
        lambda: sacct.Row("1", "a|b"),
        lambda: sacct.Row("1", "a", state="DONE"),
    ],
)
def test_what_cannot_be_printed_is_refused(make: object) -> None:
    with pytest.raises(BadValue):
        make()  # type: ignore[operator]
