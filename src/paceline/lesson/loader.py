"""Reads a lesson from its folder, strictly: what is wrong is refused with file and line."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from paceline.errors import BadFile, UnknownName
from paceline.figures import FIGURES
from paceline.lesson.head import Head
from paceline.lesson.prose import Known, Prose
from paceline.lesson.step import Step, Title
from paceline.pod import KNOBS, WORLDS
from paceline.records import Table
from paceline.step import Settings

LESSONS = Path(__file__).parent.parent / "lessons"
SECTIONS = ("Do", "Watch", "Why", "Further")
_FENCE = "+++"
_HEAD = (
    "title", "short", "takeaway", "to_come", "scenario", "world", "views", "claims", "knobs", "further", "meters",
    "watched", "start_label", "slow", "speeds", "speed", "beats", "predict", "goal", "hint", "solution",
    "try", "button", "code",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the lesson with the titles of its steps."""

    number: int
    title: str
    minutes: int
    steps: tuple[Title, ...]


@dataclass(frozen=True, slots=True)
class Home:
    """The front page: its headline, the team and its job, and the pod with a fault to take away."""

    headline: str
    team: Prose
    settings: Settings
    pod: Settings


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson: its parts in order, and those steps that are written."""

    title: str
    promise: str
    home: Home
    glossary: tuple[tuple[str, str], ...]
    parts: tuple[Part, ...]
    steps: tuple[Step, ...]

    @property
    def minutes(self) -> int:
        """How long it takes in all."""
        minutes = 0
        for part in self.parts:
            minutes += part.minutes
        return minutes

    @property
    def titles(self) -> tuple[Title, ...]:
        """Every step's title in order."""
        return tuple(title for part in self.parts for title in part.steps)

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
    table.only("title", "promise", "parts")
    glossary = _read(folder / "glossary.toml")
    terms = tuple((term, glossary.get(term, str)) for term in glossary.values)
    names = frozenset(glossary.values)
    parts: list[Part] = []
    steps: list[Step] = []
    number = 0
    for part_number, part in enumerate(table.get("parts", list), start=1):
        place = folder / "steps" / str(part)
        head = _read(place / "part.toml")
        head.only("title", "minutes")
        title = head.get("title", str)
        titles = []
        for path in sorted(place.glob("*.md")):
            number += 1
            found = load_step(path, title, number, folder, names)
            titles.append(found.head if isinstance(found, Step) else found)
            if isinstance(found, Step):
                steps.append(found)
        parts.append(Part(part_number, title, head.get("minutes", int), tuple(titles)))
    home = _home(folder, names)
    return Lesson(table.get("title", str), table.get("promise", str), home, terms, tuple(parts), tuple(steps))


def load_step(path: Path, part: str, number: int, folder: Path, terms: frozenset[str]) -> Step | Title:
    """One step's file: TOML between two lines of +++, then prose in sections; only its title where it is to come."""
    table, body, first_line = _parted(path)
    table.only(*_HEAD)
    title = Title(
        path.stem.partition("-")[2], number, part,
        table.get("title", str), table.get("short", str), table.get("takeaway", str), table.get("to_come", bool, False),
    )  # fmt: skip
    if title.to_come:
        return title
    world = table.get("world", str)
    if world not in WORLDS:
        raise table.refuse("world", f"there is no world {world!r}", f"Known: {', '.join(WORLDS)}.")
    settings = _scenario(folder, table.get("scenario", str))
    figures = (*FIGURES, *WORLDS[world].labels) if world == "job" else tuple(WORLDS[world].labels)
    known = Known(figures, terms, settings)
    head = Head(table, known)
    knobs, meters = head.texts("knobs", ()), head.texts("meters")
    for knob in knobs:
        if knob not in KNOBS or knob not in WORLDS[world].knobs_known:
            raise table.refuse("knobs", f"there is no knob {knob!r} in a world of this kind")
    for meter in (*meters, table.get("watched", str)):
        if meter not in WORLDS[world].labels:
            raise table.refuse("meters", f"there is no meter {meter!r}", f"Known: {', '.join(WORLDS[world].labels)}.")
    return Step(
        head=title,
        world=world,
        settings=settings,
        views=head.texts("views"),
        sections=_sections(body, path.name, first_line, known),
        claims=head.clauses("claims"),
        questions=head.questions(),
        goals=head.goals(),
        hints=head.hints(),
        solution=head.deeds("solution"),
        knobs=knobs,
        further=head.texts("further", ()),
        buttons=head.deeds("button"),
        tries=head.deeds("try"),
        meters=meters,
        watched=table.get("watched", str),
        start_label=table.get("start_label", str, "Start the job"),
        slow=head.numbers("slow", []),
        speeds=head.numbers("speeds", [1]),
        speed=table.get("speed", int, 0),
        beats=table.get("beats", int, 0),
        code=head.code(),
    )


def _sections(body: str, file: str, first_line: int, known: Known) -> dict[str, Prose]:
    """The prose under each heading; what comes before the first is the opening."""
    found: dict[str, Prose] = {}
    name, start = "Opening", 0
    lines = body.split("\n")
    for number, line in enumerate([*lines, "## "]):
        heading = re.fullmatch(r"## ?(.*)", line)
        if heading is None:
            continue
        found[name] = Prose.parse("\n".join(lines[start:number]), file, first_line + start, known)
        name, start = heading[1].strip(), number + 1
        if name and name not in SECTIONS:
            raise BadFile(f"{file}:{first_line + number}", f"there is no section {name!r}", f"Known: {SECTIONS}.")
    return {name: found.get(name, Prose(())) for name in ("Opening", *SECTIONS)}


def _home(folder: Path, terms: frozenset[str]) -> Home:
    table, body, first_line = _parted(folder / "home.md")
    table.only("headline", "scenario", "pod")
    settings = _scenario(folder, table.get("scenario", str))
    prose = Prose.parse(body, "home.md", first_line, Known((*FIGURES, *WORLDS["job"].labels), terms, settings))
    return Home(table.get("headline", str), prose, settings, _scenario(folder, table.get("pod", str)))


def _scenario(folder: Path, name: str) -> Settings:
    return Settings().override(_read(folder / "scenarios" / f"{name}.toml"))


def _parted(path: Path) -> tuple[Table, str, int]:
    lines = _text(path).split("\n")
    if lines[0] != _FENCE or _FENCE not in lines[1:]:
        raise BadFile(f"{path.name}:1", "a step starts with TOML between two lines of +++")
    end = lines.index(_FENCE, 1)
    # The first fence becomes a comment, so that lines keep their numbers.
    return Table.read("\n".join(["#", *lines[1:end]]), path.name), "\n".join(lines[end + 1 :]), end + 2


def _read(path: Path) -> Table:
    return Table.read(_text(path), path.name)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError):
        raise BadFile(path.name, "there is no such file, or it is not UTF-8 text") from None
