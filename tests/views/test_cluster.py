"""The cluster: one ring through every GPU once, home again, by NICs that are there."""

from typing import Any

import pytest

from paceline.pod import TrainingJob, replay
from paceline.step import Settings
from paceline.views.cluster import cluster


def job(**settings: Any) -> TrainingJob:
    world = replay("job", Settings(**settings), 0, [])
    assert isinstance(world, TrainingJob)
    return world


@pytest.mark.parametrize("servers", [1, 2, 3, 4])
@pytest.mark.parametrize("nics", [1, 2, 4, 8])
def test_the_ring_goes_through_every_gpu_and_home(servers: int, nics: int) -> None:
    view = cluster(job(gpus=8 * servers, nics=nics, global_batch=192))
    following = {hop["sender"]: hop["receiver"] for hop in view["hops"]}
    at, seen = 0, []
    for _ in range(8 * servers):
        seen.append(at)
        at = following[at]
    assert at == 0 and sorted(seen) == list(range(8 * servers))
    crossing = [hop for hop in view["hops"] if hop["out"] >= 0]
    assert len(crossing) == (servers if servers > 1 else 0)
    assert all(max(hop["out"], hop["into"]) < nics for hop in crossing)
    assert [tier["limits"] for tier in view["tiers"]].count(True) == 1


def test_what_is_not_drawn_is_said() -> None:
    assert cluster(job(gpus=64))["more"] == "and 4 more servers like these"
    assert len(cluster(job(gpus=64))["servers"]) == 4


def test_a_hot_gpu_has_its_ring_and_words() -> None:
    view = cluster(job(faults=("slow-gpu@dgx-2:5=0.7",)))
    faulty = [tile for server in view["servers"] for tile in server["tiles"] if tile["fault"]]
    assert [(tile["rank"], tile["note"]) for tile in faulty] == [(13, "70% clock")]
    assert "GPU 13 runs at 70% of its clock" in view["words"]


def test_a_bad_cable_is_on_its_nic() -> None:
    view = cluster(job(faults=("bad-cable@dgx-3:5=0.25",)))
    faulty = [
        (server["name"], nic["index"], nic["text"])
        for server in view["servers"]
        for nic in server["nics"]
        if nic["fault"]
    ]
    assert faulty == [("dgx-3", 5, "12.0 GB/s of 48.0 GB/s")]
