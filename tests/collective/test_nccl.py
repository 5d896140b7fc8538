import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.collective import Fabric, MeasuredTable, bus_factor, price_all_reduce
from paceline.errors import BadInput
from paceline.faults import Fault
from paceline.hardware import CATALOG, Cluster
from paceline.units import GB, GIB

H100 = CATALOG.server("dgx-h100")
WORLDS = st.sampled_from([2, 4, 8, 16, 32, 64, 512, 16384])
SIZES = st.integers(1, 2**34)
ALGORITHMS = st.sampled_from([None, "Ring", "Tree", "ring,tree"])
FAULTS = st.sampled_from(
    [
        "bad-cable@2:3=0.5",
        "bad-cable@1:0=0.1",
        "lost-nic@2:7",
        "nvlink-lane-down@1:4",
        "no-gpu-direct",
        "socket-fallback",
    ]
)


@given(WORLDS, SIZES, SIZES, ALGORITHMS)
def test_more_bytes_are_never_faster(world_size: int, one: int, other: int, algorithm: str | None) -> None:
    fabric = Fabric.of(Cluster.of(H100, world_size))
    low, high = sorted((one, other))
    assert price_all_reduce(fabric, low, algorithm).time_s <= price_all_reduce(fabric, high, algorithm).time_s


@given(st.sampled_from([16, 32, 256]), SIZES, ALGORITHMS, FAULTS)
def test_a_fault_never_helps_and_its_repair_restores_the_bits(
    world_size: int, size: int, algorithm: str | None, text: str
) -> None:
    healthy = Cluster.of(H100, world_size)
    fault = Fault.parse(text)
    broken = fault.inject(healthy)
    before = price_all_reduce(Fabric.of(healthy), size, algorithm)
    assert price_all_reduce(Fabric.of(broken), size, algorithm).time_s >= before.time_s
    assert price_all_reduce(Fabric.of(fault.repair(broken)), size, algorithm) == before


@given(WORLDS, SIZES)
def test_busbw_is_algbw_times_the_factor(world_size: int, size: int) -> None:
    price = price_all_reduce(Fabric.of(Cluster.of(H100, world_size)), size)
    assert price.busbw_bytes_per_s == price.algbw_bytes_per_s * bus_factor(world_size)


def test_one_gpu_communicates_nothing() -> None:
    assert price_all_reduce(Fabric.of(Cluster.of(H100, 1)), GIB).time_s == 0


@pytest.mark.parametrize(("world_size", "algorithm", "busbw"), [(8, "Ring", 360), (32, "Ring", 384), (8, None, 476)])
def test_large_sizes_reach_the_known_bus_bandwidth(world_size: int, algorithm: str | None, busbw: float) -> None:
    price = price_all_reduce(Fabric.of(Cluster.of(H100, world_size)), 16 * GIB, algorithm)
    assert price.busbw_bytes_per_s / GB == pytest.approx(busbw, rel=0.01)


@pytest.mark.parametrize(("nics", "gb_per_s"), [(1, 48), (4, 192), (8, 384)])
def test_the_nics_together_limit_the_ring(nics: int, gb_per_s: float) -> None:
    price = price_all_reduce(Fabric.of(Cluster.of(H100.with_nics(nics), 32)), 16 * GIB, "Ring")
    assert price.busbw_bytes_per_s / GB == pytest.approx(gb_per_s, rel=0.02)
    assert price.limited_by == "nic"


def test_one_slow_rail_paces_all_and_is_named() -> None:
    cluster = Fault.parse("bad-cable@3:5=0.5").inject(Cluster.of(H100, 32))
    price = price_all_reduce(Fabric.of(cluster), 16 * GIB, "Ring")
    assert price.busbw_bytes_per_s / GB == pytest.approx(192, rel=0.02)
    assert price.place == (2, 5)


@pytest.mark.parametrize("algorithm", ["collnet", "NVLSTree", "^ring,tree,nvls,nvlstree"])
def test_an_algorithm_that_cannot_run_is_refused(algorithm: str) -> None:
    with pytest.raises(BadInput):
        price_all_reduce(Fabric.of(Cluster.of(H100, 8)), GIB, algorithm)


def test_a_measured_table_is_linear_between_its_points_and_marks_what_lies_outside() -> None:
    table = MeasuredTable(((1000, 1e-3), (2000, 2e-3), (4000, 3e-3)))
    assert table.price(3000, 8).time_s == pytest.approx(2.5e-3)
    assert table.price(3000, 8).validated
    assert not table.price(8000, 8).validated
    with pytest.raises(BadInput):
        MeasuredTable(((1000, 1e-3),))
