"""The cost model beside published all_reduce_perf tables of NVSwitch servers on InfiniBand or RoCE.

Taken: every visible table of H100, H200 or A100 SXM whose source calls it healthy, tuned runs and forced
rings included. Left out: EFA fabrics, another transport (P01, P03, P05); tables called below expectation,
noisy, illustrative or of uncertain origin (T04, T06, T10, T15, P15, T34); hardware outside the catalog (B200,
L40S, PCIe cards). Rows below 64 bytes are the warm-up of their run. A row is an outlier, and left out, where
a larger size of the same table took less than half its time: noise of that run, whatever the model says.
"""

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import median

import pytest

from paceline.collective import Fabric, price_all_reduce
from paceline.hardware import CATALOG, Cluster
from paceline.units import GIB, MIB

WARM_UP_BYTES = 64
OUTLIER = 2
TABLES = ["T01", "P04", "T12", "T13", "T02", "T05", "P08", "T08", "T03", "T07", "T28", "P09", "T25", "T26"]
FORCED = {"Ring": "Ring", "Ring LL128 32 channels": "Ring", "auto": None}
BANDS = {"small": (0, MIB, 0.20), "middle": (MIB, 256 * MIB, 0.15), "large": (256 * MIB, 2**60, 0.05)}


@dataclass(frozen=True)
class Row:
    table: str
    size_bytes: int
    error: float


@lru_cache(maxsize=1)
def rows() -> tuple[Row, ...]:
    path = Path(__file__).parents[1] / "data" / "nccl_tests.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        given = list(csv.DictReader(lines))
    found = []
    for table in TABLES:
        mine = [row for row in given if row["table_id"] == table]
        fabric = fabric_of(mine[0])
        for row in mine:
            size_bytes, time_us = int(row["size_bytes"]), float(row["time_us"])
            later = [float(other["time_us"]) for other in mine if int(other["size_bytes"]) > size_bytes]
            if size_bytes < WARM_UP_BYTES or any(OUTLIER * time < time_us for time in later):
                continue
            price = price_all_reduce(fabric, size_bytes, FORCED[row["algo"]])
            assert price.validated == (size_bytes <= 16 * GIB)
            found.append(Row(table, size_bytes, price.time_s * 1e6 / time_us - 1))
    return tuple(found)


def fabric_of(row: dict[str, str]) -> Fabric:
    if row["gpu"] == "A100-SXM4-40GB":
        server = CATALOG.server("dgx-a100-40gb").with_nics(16, CATALOG.nic("edr-100"))
    else:
        server = CATALOG.server_with(row["gpu"].lower().replace("sxm4", "sxm").replace("h100-sxm-80gb", "h100"))
    return Fabric.of(Cluster.of(server, int(row["ranks"]), int(row["nodes"])))


@pytest.mark.parametrize("band", BANDS)
def test_the_median_error_over_all_rows(band: str) -> None:
    low, high, allowed = BANDS[band]
    errors = [abs(row.error) for row in rows() if low <= row.size_bytes < high]
    assert len(errors) > 60
    assert median(errors) <= allowed


@pytest.mark.parametrize("band", BANDS)
def test_the_median_over_tables_so_that_long_ones_do_not_rule(band: str) -> None:
    low, high, allowed = BANDS[band]
    by_table = []
    for table in TABLES:
        errors = [abs(row.error) for row in rows() if row.table == table and low <= row.size_bytes < high]
        by_table += [median(errors)] if errors else []
    assert median(by_table) <= allowed


# Each table's own median, small, middle and large, in per cent as first reached and rounded up; "-": no rows.
# T12 drives eight GPUs from one process, which launches them one by one (T13 is the same machine with eight
# processes); T07's own middle sizes lie above the untuned runs of its cluster (T04).
REACHED = [
    "T01 12 2 2", "P04 15 3 5", "T12 52 17 2", "T13 24 11 2", "T02 9 8 3", "T05 - 6 2", "P08 9 7 2",
    "T08 - 18 4", "T03 12 9 5", "T07 - 30 3", "T28 - - 5", "P09 - - 2", "T25 - - 6", "T26 - - 6",
]  # fmt: skip


@pytest.mark.parametrize("line", REACHED, ids=lambda line: line.split()[0])
def test_no_table_gets_worse(line: str) -> None:
    table, *reached = line.split()
    for (low, high, _), percent in zip(BANDS.values(), reached, strict=True):
        errors = [abs(row.error) for row in rows() if row.table == table and low <= row.size_bytes < high]
        if percent == "-":
            assert not errors
        else:
            assert median(errors) <= int(percent) / 100
