from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.collective import Fabric, bus_factor, price_all_reduce
from paceline.errors import BadInput, UnknownName
from paceline.hardware import CATALOG, Cluster, Condition, Part
from paceline.units import GB, GIB, MIB

H100, A100 = CATALOG.server("dgx-h100"), CATALOG.server("dgx-a100")
LARGE = 2**50
SERVERS = st.sampled_from([H100, A100, CATALOG.server("hgx-h200"), H100.with_nics(1), H100.with_nics(2)])
ALGORITHMS = st.sampled_from([None, "Ring", "Tree", "^Ring", "tree,RING"])
SIZES = st.one_of(st.integers(0, 2**36), st.integers(0, 36).map(lambda power: 2**power))
PLACES: tuple[Part, ...] = ("nic", "nvlink", "gpu_direct", "ib", "gpu")


@st.composite
def clusters(draw: st.DrawFn) -> Cluster:
    return Cluster(draw(SERVERS), draw(st.sampled_from([1, 2, 3, 4, 16, 2048])), draw(st.sampled_from([8, 8, 4, 2, 1])))


@st.composite
def conditions(draw: st.DrawFn, cluster: Cluster) -> Condition:
    part = draw(st.sampled_from(PLACES))
    share = draw(st.sampled_from([0.0, 0.001, 0.1, 0.25, 0.5, 17 / 18, 1.0]))
    if part in ("gpu_direct", "ib"):
        return Condition(part, 0, 0, share)
    places = cluster.nics_in_use if part == "nic" else cluster.gpus_per_server
    server = draw(st.integers(0, cluster.servers - 1))
    return Condition(part, server, draw(st.integers(0, places - 1)), share or (part == "gpu") * 0.5)


def busbw_gb_per_s(cluster: Cluster, algorithm: str | None = None) -> float:
    return price_all_reduce(Fabric.of(cluster), LARGE, algorithm).busbw_bytes_per_s / GB


@given(clusters(), ALGORITHMS, SIZES, SIZES)
def test_more_bytes_are_never_faster(cluster: Cluster, algorithm: str | None, one: int, other: int) -> None:
    fabric = Fabric.of(cluster)
    if algorithm == "^Ring" and cluster.world_size == 1:
        algorithm = None
    less, more = sorted((one, other))
    assert price_all_reduce(fabric, less, algorithm).time_s <= price_all_reduce(fabric, more, algorithm).time_s


@pytest.mark.parametrize("world_size", [8, 16, 32, 1024])
@pytest.mark.parametrize("algorithm", [None, "Ring", "Tree", "^Ring,Tree"])
def test_time_rises_along_a_dense_line_of_sizes(world_size: int, algorithm: str | None) -> None:
    fabric = Fabric.of(Cluster.of(H100, world_size))
    sizes = sorted({near + step for power in range(35) for near in (2**power,) for step in (-1, 0, 1, near // 3)})
    times = [price_all_reduce(fabric, size, algorithm).time_s for size in sizes]
    assert times == sorted(times)


@given(clusters(), ALGORITHMS, SIZES, st.data())
def test_a_fault_never_helps_and_its_repair_restores_the_bits(
    cluster: Cluster, algorithm: str | None, size_bytes: int, data: st.DataObject
) -> None:
    for _ in range(data.draw(st.integers(0, 3))):
        cluster = cluster.with_condition(data.draw(conditions(cluster)))
    before = price_all_reduce(Fabric.of(cluster), size_bytes, algorithm)
    condition = data.draw(conditions(cluster))
    broken = cluster.with_condition(condition)
    assert price_all_reduce(Fabric.of(broken), size_bytes, algorithm).time_s >= before.time_s
    assert price_all_reduce(Fabric.of(broken.without_condition(condition)), size_bytes, algorithm) == before


@given(clusters(), SIZES)
def test_busbw_is_algbw_times_its_factor(cluster: Cluster, size_bytes: int) -> None:
    price = price_all_reduce(Fabric.of(cluster), size_bytes)
    assert price.busbw_bytes_per_s == price.algbw_bytes_per_s * bus_factor(cluster.world_size)


def test_one_gpu_communicates_nothing() -> None:
    price = price_all_reduce(Fabric.of(Cluster.of(H100, 1)), GIB)
    assert (price.time_s, price.limited_by) == (0.0, "nothing")


@pytest.mark.parametrize(
    ("cluster", "algorithm", "expected"),
    [
        (Cluster.of(H100, 8), "Ring", 360),
        (Cluster.of(H100, 8), None, 476),
        (Cluster.of(H100, 32), "Ring", 384),
        (Cluster.of(H100, 16_384), "Ring", 384),
        (Cluster.of(H100, 16), None, 462),
        (Cluster.of(H100, 32), "NVLSTree", 364),
        (Cluster.of(A100, 8), None, 235),
        (Cluster.of(A100, 16), "Ring", 192),
        (Cluster.of(H100.with_nics(1), 32), "Ring", 48),
        (Cluster.of(H100.with_nics(4), 32), "Ring", 192),
        (Cluster.of(H100.with_nics(8, CATALOG.nic("edr-100")), 32), "Ring", 96),
        (Cluster.of(H100.with_nics(8, CATALOG.nic("hdr-200")), 32), "Ring", 192),
        (Cluster.of(H100.with_nics(8, CATALOG.nic("xdr-800")), 32), "Ring", 384),
        (Cluster.of(H100.with_nics(16, CATALOG.nic("hdr-200")), 32), "Ring", 384),
        (Cluster.of(H100, 4, servers=4), "Ring", 48),
    ],
)
def test_large_buffers_run_at_the_known_rate(cluster: Cluster, algorithm: str | None, expected: float) -> None:
    assert busbw_gb_per_s(cluster, algorithm) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    ("condition", "share", "name"),
    [
        (Condition("nic", 2, 3, 0.5), 0.5, "nic"),
        (Condition("nic", 2, 3, 0.25), 0.25, "nic"),
        (Condition("nic", 2, 3, 0.0), 0.5, "nic"),
        (Condition("gpu_direct", 0, 0, 0.0), 33.3 / 93, "host memory"),
        (Condition("ib", 0, 0, 0.0), 6.2 / 384, "sockets"),
    ],
)
def test_the_slowest_rail_paces_the_ring_and_is_named(condition: Condition, share: float, name: str) -> None:
    cluster = Cluster.of(H100, 32).with_condition(condition)
    price = price_all_reduce(Fabric.of(cluster), LARGE, "Ring")
    assert price.busbw_bytes_per_s / GB == pytest.approx(384 * share, rel=0.01)
    assert price.limited_by == name
    assert price.place == (("nic", 2, 3) if condition.part == "nic" else None)
    assert not price.validated


def test_a_lane_down_slows_its_server_and_is_named() -> None:
    cluster = Cluster.of(H100, 8).with_condition(Condition("nvlink", 0, 5, 17 / 18))
    price = price_all_reduce(Fabric.of(cluster), LARGE)
    assert price.busbw_bytes_per_s / GB == pytest.approx(476 * 17 / 18, rel=0.01)
    assert (price.limited_by, price.place) == ("nvlink", ("nvlink", 0, 5))


def test_two_lost_nics_are_worse_than_one_only_where_a_third_channel_must_move_in() -> None:
    cluster = Cluster.of(H100, 32)
    rates = []
    for lost in range(8):
        rates.append(busbw_gb_per_s(cluster, "Ring"))
        cluster = cluster.with_condition(Condition("nic", 1, lost, 0.0))
    assert [round(rate) for rate in rates] == [384, 192, 192, 192, 192, 128, 96, 48]
    assert busbw_gb_per_s(cluster, "Ring") == pytest.approx(6.2, rel=0.01)


def test_small_buffers_ride_on_latency_and_larger_ones_switch() -> None:
    fabric = Fabric.of(Cluster.of(H100, 8))
    assert price_all_reduce(fabric, MIB).protocol == "LL"
    assert price_all_reduce(fabric, 2 * MIB).algorithm == "nvls"
    forced = price_all_reduce(fabric, 2 * MIB, "ring", "simple")
    assert (forced.algorithm, forced.protocol, forced.validated) == ("ring", "Simple", False)


@pytest.mark.parametrize(
    ("server", "world_size", "algorithm"),
    [
        (H100, 8, "NVLSTree"),
        (H100, 16, "NVLS"),
        (A100, 8, "NVLS"),
        (H100, 32, "^ring,tree,nvlstree"),
        (H100, 8, "PAT"),
    ],
)
def test_what_nccl_cannot_do_there_is_refused(server: object, world_size: int, algorithm: str) -> None:
    assert server in (H100, A100)
    fabric = Fabric.of(Cluster.of(H100 if server == H100 else A100, world_size))
    with pytest.raises(BadInput, match="choose among"):
        price_all_reduce(fabric, MIB, algorithm)


def test_an_unknown_word_is_refused_with_the_nearest() -> None:
    fabric = Fabric.of(Cluster.of(H100, 8))
    with pytest.raises(UnknownName, match="Did you mean ring"):
        price_all_reduce(fabric, MIB, "Rings")
    with pytest.raises(UnknownName):
        price_all_reduce(fabric, MIB, protocol="LL64")
    for size_bytes in (-1, 2**61):
        with pytest.raises(BadInput):
            price_all_reduce(fabric, size_bytes)


@pytest.mark.parametrize(
    ("cluster", "size_bytes", "algorithm", "validated"),
    [
        (Cluster.of(H100, 32), 25 * MIB, "Ring", True),
        (Cluster.of(H100, 32), 25 * MIB, None, True),
        (Cluster.of(H100, 32), 25 * MIB, "Tree", False),
        (Cluster.of(H100, 32), 17 * GIB, None, False),
        (Cluster.of(H100, 16_384), MIB, None, False),
        (Cluster.of(A100, 64), MIB, None, False),
        (Cluster.of(H100, 4), MIB, None, False),
        (Cluster.of(H100.with_nics(1), 32), MIB, None, False),
    ],
)
def test_what_no_table_covers_says_so(
    cluster: Cluster, size_bytes: int, algorithm: str | None, validated: bool
) -> None:
    assert price_all_reduce(Fabric.of(cluster), size_bytes, algorithm).validated is validated


def test_gpus_without_nvlink_in_one_server_are_refused() -> None:
    bare = replace(H100.gpu, nvlink_links=0)
    with pytest.raises(BadInput, match="NVSwitch"):
        Fabric.of(Cluster.of(replace(H100, gpu=bare), 8))
