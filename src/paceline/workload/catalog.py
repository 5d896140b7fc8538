"""The catalog of models: shapes by name, each with the page it was read from."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from paceline.errors import BadValue, UnknownName
from paceline.records import Table
from paceline.workload.model import Model


@dataclass(frozen=True, slots=True)
class Entry:
    """A model of the catalog, other names for it, and where its shape was read, when (an ISO date)."""

    model: Model
    aliases: tuple[str, ...]
    source: str
    read_on: str


def read_models(text: str, file: str) -> Mapping[str, Entry]:
    """The entries of a catalog by name; unknown keys and impossible shapes are refused with file and line."""
    table = Table.read(text, file)
    return {name: _entry(name, table.table(name)) for name in table.values}


def _entry(name: str, row: Table) -> Entry:
    shape = ("layers", "width", "heads", "ffn_width", "vocabulary", "context")
    switches = ("tied", "qkv_bias", "attention_output_bias", "mlp_bias", "qk_norm")
    row.only("title", "family", "kv_heads", "head_width", "aliases", "source", "read_on", *shape, *switches)
    numbers = {key: row.get(key, int) for key in shape}
    heads = numbers["heads"]
    aliases = row.get("aliases", list, [])
    if not all(isinstance(alias, str) for alias in aliases):
        raise row.refuse("aliases", "aliases is a list of names")
    if "read_on" not in row.values:
        raise row.refuse("", "the key 'read_on' is missing")
    try:
        model = Model(
            name=name,
            title=row.get("title", str),
            family=row.get("family", str),
            kv_heads=row.get("kv_heads", int, heads),
            head_width=row.get("head_width", int, numbers["width"] // max(heads, 1)),
            **numbers,
            **{key: row.get(key, bool, False) for key in switches},
        )
    except BadValue as error:
        raise row.refuse("", str(error)) from None
    return Entry(model, tuple(aliases), row.get("source", str), str(row.values["read_on"]))


MODELS: Mapping[str, Entry] = read_models(
    (files("paceline.workload") / "catalog.toml").read_text("utf-8"), "workload/catalog.toml"
)
"""The catalog that ships with Paceline."""


def find_model(name: str) -> Model:
    """The model of that name or alias, upper or lower case."""
    wanted = name.lower()
    if wanted in MODELS:
        return MODELS[wanted].model
    for entry in MODELS.values():
        if wanted in entry.aliases:
            return entry.model
    raise UnknownName.among("model", name, MODELS)
