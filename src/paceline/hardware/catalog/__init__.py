"""The catalog: hardware as data, each figure with unit, direction and source, read strictly."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, TypeVar

from paceline.errors import UnknownName
from paceline.hardware.gpu import Gpu
from paceline.hardware.nic import Nic
from paceline.hardware.server import Server
from paceline.records import Table
from paceline.units import parse

T = TypeVar("T")

ALIASES: dict[str, str] = {
    "h100": "h100-sxm",
    "h100-80gb": "h100-sxm",
    "h200": "h200-sxm",
    "a100": "a100-sxm-80gb",
    "a100-80gb": "a100-sxm-80gb",
    "a100-40gb": "a100-sxm-40gb",
}
"""What people type for a GPU, and the catalog's name for it."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a figure was read, and when (an ISO date)."""

    title: str
    url: str
    read_on: str


@dataclass(frozen=True, slots=True)
class Catalog:
    """All known hardware by name."""

    gpus: Mapping[str, Gpu]
    nics: Mapping[str, Nic]
    servers: Mapping[str, Server]
    sources: Mapping[str, Source]

    def gpu(self, name: str) -> Gpu:
        """The GPU of that name or alias."""
        return _find("GPU", self.gpus, ALIASES.get(name.lower(), name.lower()))

    def nic(self, name: str) -> Nic:
        """The network card of that name."""
        return _find("NIC", self.nics, name.lower())

    def server(self, name: str) -> Server:
        """The server of that name."""
        return _find("server", self.servers, name.lower())

    def server_with(self, gpu: str) -> Server:
        """The first server that carries the GPU of that name or alias."""
        wanted = self.gpu(gpu)
        for server in self.servers.values():
            if server.gpu == wanted:
                return server
        raise UnknownName.among("server with GPU", gpu, (server.gpu.name for server in self.servers.values()))


def _find(kind: str, table: Mapping[str, T], name: str) -> T:
    if name not in table:
        raise UnknownName.among(kind, name, (*table, *(ALIASES if kind == "GPU" else ())))
    return table[name]


def read_catalog(texts: Mapping[str, str]) -> Catalog:
    """The catalog from its four texts, by name; unknown keys are refused with file and line."""
    tables = {name: Table.read(text, f"{name}.toml") for name, text in texts.items()}
    sources = {name: _source(tables["sources"].table(name)) for name in tables["sources"].values}
    gpus = {name: _gpu(name, tables["gpus"].table(name), sources) for name in tables["gpus"].values}
    nics = {name: _nic(name, tables["nics"].table(name), sources) for name in tables["nics"].values}
    servers = {
        name: _server(name, tables["servers"].table(name), gpus, nics, sources) for name in tables["servers"].values
    }
    return Catalog(gpus, nics, servers, sources)


def _source(row: Table) -> Source:
    row.only("title", "url", "read_on")
    return Source(row.get("title", str), row.get("url", str), str(row.values.get("read_on", "")))


def _figure(row: Table, key: str, kind: type, sources: Mapping[str, Source]) -> Any:
    cell = row.get(key, dict)
    if sorted(cell) != ["meaning", "source", "value"]:
        raise row.refuse(key, "a figure has exactly value, meaning and source", f"Given: {', '.join(sorted(cell))}.")
    if cell["source"] not in sources:
        raise row.refuse(key, f"there is no source {cell['source']!r} in sources.toml")
    value = cell["value"]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise row.refuse(key, f"its value must be of type {kind.__name__}, not {value!r}")
    return value


def _gpu(name: str, row: Table, sources: Mapping[str, Source]) -> Gpu:
    row.only("title", "peak", "memory", "hbm", "nvlink", "nvlink_links", "compute_capability")
    return Gpu(
        name=name,
        title=row.get("title", str),
        peak_flop_per_s=parse(_figure(row, "peak", str, sources), "TFLOP/s"),
        memory_bytes=int(parse(_figure(row, "memory", str, sources), "GB")),
        hbm_bytes_per_s=parse(_figure(row, "hbm", str, sources), "TB/s"),
        nvlink_unidirectional_bytes_per_s=parse(_figure(row, "nvlink", str, sources), "GB/s"),
        nvlink_links=_figure(row, "nvlink_links", int, sources),
        compute_capability=_figure(row, "compute_capability", int, sources),
    )


def _nic(name: str, row: Table, sources: Mapping[str, Source]) -> Nic:
    row.only("title", "rate")
    return Nic(name, row.get("title", str), parse(_figure(row, "rate", str, sources), "Gb/s"))


def _server(
    name: str, row: Table, gpus: Mapping[str, Gpu], nics: Mapping[str, Nic], sources: Mapping[str, Source]
) -> Server:
    row.only("title", "gpu", "gpus", "nic", "nics", "cpu", "pcie")
    for key, known in (("gpu", gpus), ("nic", nics)):
        if row.get(key, str) not in known:
            raise row.refuse(key, f"there is no {key} {row.get(key, str)!r} in {key}s.toml")
    return Server(
        name=name,
        title=row.get("title", str),
        gpu=gpus[row.get("gpu", str)],
        gpus=_figure(row, "gpus", int, sources),
        nic=nics[row.get("nic", str)],
        nics=_figure(row, "nics", int, sources),
        cpu=_figure(row, "cpu", str, sources),
        pcie_bytes_per_s=parse(_figure(row, "pcie", str, sources), "GB/s"),
    )


def _shipped() -> Catalog:
    folder = files(__name__)
    names = ("sources", "gpus", "nics", "servers")
    return read_catalog({name: (folder / f"{name}.toml").read_text("utf-8") for name in names})


CATALOG = _shipped()
"""The catalog that ships with Paceline."""
