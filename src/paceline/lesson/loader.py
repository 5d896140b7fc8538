"""Reads a lesson from its folder, strictly: what is wrong is refused with file and line."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from paceline.errors import BadFile, BadInput, UnknownName
from paceline.figures import FIGURES
from paceline.lesson.clause import Clause
from paceline.lesson.prose import Prose
from paceline.records import Table
from paceline.step import Settings

LESSONS = Path(__file__).parent.parent / "lessons"
_FENCE = "+++"


@dataclass(frozen=True, slots=True)
class Goal:
    """What the learner is to reach, in words and as a clause."""

    say: str
    clause: Clause


@dataclass(frozen=True, slots=True)
class Predict:
    """A question asked before the reveal; its answer is a figure."""

    question: str
    figure: str
    unit: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the lesson; its id is its address."""

    id: str
    part: str
    title: str
    short: str
    takeaway: str
    view: str
    settings: Settings
    claims: tuple[Clause, ...]
    goals: tuple[Goal, ...]
    knobs: tuple[str, ...]
    hints: tuple[str, ...]
    predict: Predict
    prose: Prose


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson and its steps in order."""

    title: str
    promise: str
    minutes: int
    glossary: tuple[tuple[str, str], ...]
    steps: tuple[Step, ...]

    def step(self, name: str) -> Step:
        """The step of that id, or a refusal with the nearest."""
        for step in self.steps:
            if step.id == name:
                return step
        raise UnknownName.among("step", name, [step.id for step in self.steps])


@lru_cache(maxsize=4)
def load_lesson(folder: Path = LESSONS / "data-parallel") -> Lesson:
    """The lesson in a folder."""
    table = _read(folder / "lesson.toml")
    table.only("title", "promise", "minutes", "parts")
    glossary = _read(folder / "glossary.toml")
    steps: list[Step] = []
    for part in table.get("parts", list):
        home = folder / "steps" / str(part)
        head = _read(home / "part.toml")
        head.only("title")
        steps += [load_step(path, head.get("title", str), folder) for path in sorted(home.glob("*.md"))]
    return Lesson(
        table.get("title", str),
        table.get("promise", str),
        table.get("minutes", int),
        tuple((term, glossary.get(term, str)) for term in glossary.values),
        tuple(steps),
    )


def load_step(path: Path, part: str, folder: Path) -> Step:
    """One step's file: TOML between two lines of +++, then prose."""
    text = _text(path)
    lines = text.split("\n")
    if lines[0] != _FENCE or _FENCE not in lines[1:]:
        raise BadFile(f"{path.name}:1", "a step starts with TOML between two lines of +++")
    end = lines.index(_FENCE, 1)
    # The first fence becomes a comment, so that lines keep their numbers.
    head = Table.read("\n".join(["#", *lines[1:end]]), path.name)
    head.only("title", "short", "takeaway", "scenario", "view", "claims", "knobs", "hints", "predict", "goal")
    predict = head.table("predict")
    predict.only("question", "figure", "unit")
    if predict.get("figure", str) not in FIGURES:
        raise predict.refuse("figure", f"there is no figure {predict.get('figure', str)!r}")
    try:
        claims = tuple(Clause.parse(claim) for claim in _texts(head, "claims"))
        goals = tuple(Goal(str(goal["say"]), Clause.parse(str(goal["clause"]))) for goal in head.get("goal", list))
    except (KeyError, TypeError):
        raise head.refuse("goal", "a goal has 'clause' and 'say'") from None
    except BadFile:
        raise
    except BadInput as error:
        raise head.refuse("claims", str(error)) from None
    return Step(
        id=path.stem.partition("-")[2],
        part=part,
        title=head.get("title", str),
        short=head.get("short", str),
        takeaway=head.get("takeaway", str),
        view=head.get("view", str),
        settings=Settings().override(_read(folder / "scenarios" / f"{head.get('scenario', str)}.toml")),
        claims=claims,
        goals=goals,
        knobs=_texts(head, "knobs"),
        hints=_texts(head, "hints"),
        predict=Predict(predict.get("question", str), predict.get("figure", str), predict.get("unit", str)),
        prose=Prose.parse("\n".join(lines[end + 1 :]), path.name, end + 2, FIGURES),
    )


def _texts(table: Table, key: str) -> tuple[str, ...]:
    found = table.get(key, list)
    if not all(isinstance(each, str) for each in found):
        raise table.refuse(key, f"{key} is a list of texts")
    return tuple(found)


def _read(path: Path) -> Table:
    return Table.read(_text(path), path.name)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise BadFile(path.name, "there is no such file, or it is not UTF-8 text") from None
