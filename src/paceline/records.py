"""Strict TOML: a frozen dataclass from a table, or a refusal that names the file and the line."""

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from paceline.errors import BadFile

type_names: dict[type, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a TOML file, with its place kept for error messages."""

    file: str
    text: str
    path: tuple[str, ...]
    values: dict[str, Any]

    @classmethod
    def read(cls, text: str, file: str) -> "Table":
        """The whole file as a table; malformed TOML is refused with its line."""
        try:
            return cls(file, text, (), tomllib.loads(text))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            where = str(error).rpartition("(at line ")[2].partition(",")[0]
            place = f"{file}:{where}" if where.isdecimal() else file
            raise BadFile(place, "this is not valid TOML", "Check quotes, brackets and '='.") from None

    def table(self, key: str) -> "Table":
        """The sub-table `key`; it must be one."""
        value = self.values.get(key)
        if not isinstance(value, dict):
            raise self.refuse(key, f"there must be a table [{'.'.join((*self.path, key))}]")
        return Table(self.file, self.text, (*self.path, key), value)

    def only(self, *known: str) -> None:
        """Refuse every key that is not among `known`."""
        for key in self.values:
            if key not in known:
                near = get_close_matches(key, known, n=1)
                hint = f"Did you mean {near[0]!r}?" if near else f"Known keys: {', '.join(sorted(known))}."
                raise self.refuse(key, f"there is no key {key!r} here", hint)

    def get(self, key: str, kind: type, default: Any = None) -> Any:
        """The value of `key`, which must be of `kind`; `default` when absent, or a refusal if that is None."""
        if key not in self.values:
            if default is None:
                raise self.refuse("", f"the key {key!r} is missing")
            return default
        value = self.values[key]
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
            raise self.refuse(key, f"{key} must be {type_names.get(kind, kind.__name__)}, not {value!r}")
        return value

    def refuse(self, key: str, because: str, instead: str = "") -> BadFile:
        """The error for `key` of this table, placed at its line."""
        return BadFile(f"{self.file}:{self.line_of(key)}", because, instead)

    def line_of(self, key: str) -> int:
        """The line of `key` in this table (of the table's header if the key is absent), from 1."""
        header = 0
        inside = not self.path
        for number, raw in enumerate(self.text.splitlines(), start=1):
            line = raw.strip()
            if line.startswith("["):
                name = line.strip("[]").replace('"', "").replace(" ", "")
                inside = name == ".".join(self.path)
                if name == ".".join((*self.path, key)):
                    return number
                header = number if inside else header
            elif (key and inside and line.partition("=")[0].strip().strip('"') == key) or (
                self.path and line.partition("=")[0].strip() == self.path[-1] and f"{key}" in line and key
            ):
                return number
        return max(header, 1)
