"""A simulated start of NCCL: the rings and trees of a real one, and the transports of each fault."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paceline.errors import BadValue
from paceline.formats.nccl_log import parse, render
from paceline.formats.nccl_start import Start, start_up

LOGS = Path(__file__).parents[1] / "data" / "logs"


def start(servers: int, gpus: int = 8, ports: int = 8, **options: Any) -> Start:
    hosts = tuple(f"dgx-{number + 1}" for number in range(servers))
    addresses = tuple(f"10.0.0.{number + 1}" for number in range(servers))
    pids = tuple(4000 + rank for rank in range(servers * gpus))
    hcas = tuple(f"mlx5_{number}" for number in range(ports))
    return Start(hosts, addresses, gpus, pids, hcas, **options)


STARTS = st.builds(
    start,
    st.integers(1, 5),
    st.just(8),
    st.sampled_from([1, 2, 4, 8]),
    network=st.sampled_from(["IB", "Socket"]),
    gdrdma=st.booleans(),
    nvls=st.booleans(),
    environment=st.sampled_from([(), (("NCCL_IB_DISABLE", "1"), ("NCCL_SOCKET_IFNAME", "eth0"))]),
)


@settings(max_examples=20)
@given(STARTS)
def test_what_is_rendered_is_read_back_and_says_what_was_given(given_start: Start) -> None:
    log = start_up(given_start)
    assert parse(render(log)) == log
    between = len(given_start.hosts) > 1
    assert log.networks == (given_start.network,) and log.uses_ib is (given_start.network == "IB")
    if between:
        assert log.uses_gdrdma is (given_start.network == "IB" and given_start.gdrdma)
    assert log.environment == dict(given_start.environment)
    assert log.started == log.completed == tuple(range(given_start.world_size))
    assert log.hosts == given_start.hosts and log.versions == (given_start.version,)
    assert len(log.of("ring")) == len(log.transports) == given_start.channels
    assert "other" not in {each.kind for each in log.of("channel", "ring", "tree", "network", "plugin")}


@given(STARTS)
def test_a_ring_visits_every_rank_once_and_every_tree_is_one(given_start: Start) -> None:
    ranks = range(given_start.world_size)
    for channel in range(given_start.channels):
        assert sorted(given_start.ring(channel)) == list(ranks)
        above = {rank: given_start.tree(channel, rank)[1] for rank in ranks}
        below = {rank: [each for each in given_start.tree(channel, rank)[0] if each >= 0] for rank in ranks}
        assert sum(parent == -1 for parent in above.values()) == 1
        assert all(above[child] == rank for rank in ranks for child in below[rank])
        assert sum(map(len, below.values())) == given_start.world_size - 1


def test_rings_and_trees_are_those_of_a_real_start() -> None:
    ours = {(each.kind, each.text) for each in start_up(start(2)).records}
    real = parse((LOGS / "nccl-two-servers.log").read_text()).of("ring", "tree")
    assert len(real) == 6 and all((each.kind, each.text) in ours for each in real)


def test_a_server_fault_shows_in_every_line_it_should() -> None:
    healthy, bare, socket = (
        render(start_up(start(4, **options))) for options in ({}, {"gdrdma": False}, {"network": "Socket"})
    )
    assert "via NET/IB/7/GDRDMA\n" in healthy and "use ring PXN 0 GDR 1" in healthy
    assert "GDRDMA" not in bare and "via NET/IB/7\n" in bare and "use ring PXN 0 GDR 0" in bare
    assert "via NET/Socket/0" in socket and "NET/IB : No device found." in socket and "Using network Socket" in socket
    assert set(re.findall(r"\d+ coll channels", healthy + socket)) == {"16 coll channels", "2 coll channels"}


def test_what_one_rank_sends_the_next_receives() -> None:
    channels = start_up(start(3)).channels
    sends = [(each.channel, each.rank, each.to_rank) for each in channels if each.direction == "send"]
    received = [(each.channel, each.rank, each.to_rank) for each in channels if each.direction == "receive"]
    assert sorted(sends) == sorted(received) and any("(0)/GDRDMA" in each.path for each in channels)


def test_one_gpu_has_no_neighbour() -> None:
    log = start_up(start(1, gpus=1, ports=1))
    assert log.channels == () and log.uses_gdrdma is None


def test_the_phases_follow_each_other() -> None:
    kinds = [each.kind for each in start_up(start(2)).records]
    order = ["version", "network", "init start", "tree", "init complete", "channel", "connected"]
    assert all(kinds.index(first) < kinds.index(then) for first, then in pairwise(order))


@pytest.mark.parametrize(
    ("servers", "options"), [(0, {}), (1, {"ports": 3}), (1, {"network": "OFI"}), (1, {"gpus": 9, "ports": 9})]
)
def test_what_cannot_be_is_refused(servers: int, options: dict[str, Any]) -> None:
    with pytest.raises(BadValue):
        start(servers, **options)
