import pytest

from paceline.errors import BadFile, UnknownName
from paceline.hardware import CATALOG, Cluster
from paceline.hardware.catalog import read_catalog


def texts(**changes: str) -> dict[str, str]:
    from importlib.resources import files

    folder = files("paceline.hardware.catalog")
    found = {name: (folder / f"{name}.toml").read_text("utf-8") for name in ("sources", "gpus", "nics", "servers")}
    return {**found, **changes}


def test_figures_are_in_base_units() -> None:
    h100 = CATALOG.gpu("h100")
    assert h100.peak_flop_per_s == 989.4e12
    assert h100.memory_bytes == 80 * 10**9
    assert CATALOG.nic("ndr-400").unidirectional_bytes_per_s == 50e9
    assert CATALOG.server_with("a100").gpu.hbm_bytes_per_s == 2.039e12


def test_every_source_has_an_address_and_a_date() -> None:
    assert all(source.url.startswith("https://") and len(source.read_on) == 10 for source in CATALOG.sources.values())


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [('title = "H100', 'titel = "H100', "gpus.toml:6"), ('source = "h100" }', 'source = "h1oo" }', "h1oo"),
     ('"80 GB"', '"80 GB/s"', "does not measure")],
)  # fmt: skip
def test_a_mistake_is_refused_with_its_place(old: str, new: str, says: str) -> None:
    with pytest.raises(Exception, match=says):
        read_catalog(texts(gpus=texts()["gpus"].replace(old, new, 1)))


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="h100"):
        CATALOG.gpu("h10")
    with pytest.raises(BadFile):
        read_catalog(texts(nics="x ="))


def test_ranks_go_server_by_server() -> None:
    cluster = Cluster.of(CATALOG.server("dgx-h100"), 32)
    assert (cluster.servers, cluster.gpus_per_server, cluster.rank_of(1, 5)) == (4, 8, 13)
