"""The head of a step's file, read strictly: every list and table of it becomes a value of step.py."""

from typing import Any

from paceline.errors import BadFile, BadInput
from paceline.lesson.clause import Clause
from paceline.lesson.prose import Known, Prose, one_line
from paceline.lesson.step import TIERS, Action, Code, Deed, Goal, Hint, Option, Question
from paceline.records import Table


class Head:
    """A step's TOML with the words it may use; each method reads one key, and a refusal names the file and a line."""

    def __init__(self, table: Table, known: Known) -> None:
        self.table = table
        self.known = known

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """A list of texts."""
        found = self.table.get(key, list, None if default is None else list(default))
        return tuple(self._each(key, found, str))

    def goals(self) -> tuple[Goal, ...]:
        """The [[goal]] tables."""
        return tuple(
            Goal(self._text(each, "say"), self._clause(each["clause"]), self._prose(self._text(each, "missing")))
            for each in self._tables("goal", {"say", "clause", "missing"}, {"clause"})
        )

    def questions(self) -> tuple[Question, ...]:
        """The [[predict]] tables."""
        found = []
        keys = {"question", "after", "figure", "unit", "stops", "option"}
        for each in self._tables("predict", keys, {"question"}):
            options = tuple(
                Option(
                    self._text(option, "say"),
                    self._clauses(option["claims"]),
                    self._prose(self._text(option, "because")),
                )
                for option in each.get("option", [])
            )
            if bool(options) == ("figure" in each):
                raise self.refuse("predict", "a question has either 'figure', 'unit' and 'stops' or options")
            if not options and each["figure"] not in self.known.figures:
                raise self.refuse("figure", f"there is no figure {each['figure']!r}")
            after = self._actions(each.get("after", []))
            stops = tuple(self._each("stops", each.get("stops", []), str))
            found.append(
                Question(
                    self._prose(self._text(each, "question")),
                    after,
                    str(each.get("figure", "")),
                    str(each.get("unit", "")),
                    stops,
                    options,
                )
            )
        return tuple(found)

    def hints(self) -> tuple[Hint, ...]:
        """The [[hint]] tables; the last of each tier must hold everywhere."""
        found = tuple(
            Hint(self._text(each, "tier"), self._clauses(each.get("when", [])), self._prose(self._text(each, "say")))
            for each in self._tables("hint", {"tier", "when", "say"}, {"tier", "say"})
        )
        for tier in TIERS:
            of_tier = [hint for hint in found if hint.tier == tier]
            if not of_tier or of_tier[-1].when:
                raise self.refuse("hint", f"the last hint of tier {tier!r} must be there, and without 'when'")
        return found

    def deeds(self, key: str) -> tuple[Deed, ...]:
        """Tables of 'say' and 'actions': [[solution]], [[try]], [[button]]."""
        return tuple(
            Deed(self._text(each, "say"), self._actions(each["actions"]))
            for each in self._tables(key, {"say", "actions"}, {"say", "actions"})
        )

    def clauses(self, key: str) -> tuple[Clause, ...]:
        """A list of clauses."""
        return self._clauses(self.table.get(key, list, []))

    def numbers(self, key: str, default: list[int]) -> tuple[int, ...]:
        """A list of whole numbers."""
        return tuple(self._each(key, self.table.get(key, list, default), int))

    def code(self) -> Code | None:
        """The [code] table, where there is one."""
        if "code" not in self.table.values:
            return None
        table = self.table.table("code")
        table.only("name", "words", "starter")
        return Code(table.get("name", str), table.get("words", str), table.get("starter", str))

    def refuse(self, key: str, because: str) -> BadFile:
        """The error for a key, placed at its line."""
        return self.table.refuse(key, because)

    def _tables(self, key: str, known: set[str], needed: set[str]) -> list[dict[str, Any]]:
        found = self.table.get(key, list, [])
        for each in found:
            if not isinstance(each, dict) or not needed <= set(each) <= known:
                raise self.refuse(
                    key, f"[[{key}]] has {', '.join(sorted(needed))}; it may have {', '.join(sorted(known))}"
                )
        return list(found)

    def _each(self, key: str, found: list[Any], kind: type) -> list[Any]:
        if not all(isinstance(each, kind) and not isinstance(each, bool) for each in found):
            raise self.refuse(key, f"{key} is a list of {'texts' if kind is str else 'whole numbers'}")
        return found

    def _text(self, table: dict[str, Any], key: str) -> str:
        value = table.get(key, "")
        if not isinstance(value, str):
            raise self.refuse(key, f"{key} must be text, not {value!r}")
        return value

    def _clause(self, text: object) -> Clause:
        try:
            return Clause.parse(str(text))
        except BadFile:
            raise
        except BadInput as error:
            raise BadFile(f"{self.table.file}:{self._line_of(str(text))}", str(error)) from None

    def _clauses(self, found: list[Any]) -> tuple[Clause, ...]:
        return tuple(self._clause(each) for each in found)

    def _actions(self, found: list[Any]) -> tuple[Action, ...]:
        if not isinstance(found, list) or not all(isinstance(each, dict) and "act" in each for each in found):
            raise self.refuse("actions", "actions are a list of tables such as {act = 'start'}")
        return tuple(found)

    def _prose(self, text: str) -> Prose:
        return one_line(text, self.table.file, self._line_of(text), self.known) if text else Prose(())

    def _line_of(self, text: str) -> int:
        lines = self.table.text.split("\n")
        return next((number for number, line in enumerate(lines, start=1) if text in line), 1)
