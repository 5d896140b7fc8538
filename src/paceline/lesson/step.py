"""A step of the lesson as values: what it asks, what it shows, what solves it."""

from collections.abc import Mapping
from dataclasses import dataclass

from paceline.lesson.clause import Clause
from paceline.lesson.prose import Prose
from paceline.pod import World, open_world, replay
from paceline.step import Settings

Action = Mapping[str, object]
TIERS = ("Nudge", "Formula", "Value")


@dataclass(frozen=True, slots=True)
class Goal:
    """What the learner is to reach, as a clause; `missing` says in the meter's words what is short of it."""

    say: str
    clause: Clause
    missing: Prose


@dataclass(frozen=True, slots=True)
class Option:
    """An answer to choose; it is right where all its claims hold in the question's world."""

    say: str
    claims: tuple[Clause, ...]
    because: Prose


@dataclass(frozen=True, slots=True)
class Question:
    """A question asked before the reveal, of the world that `after` leads to; a number's answer is its figure."""

    question: Prose
    after: tuple[Action, ...]
    figure: str = ""
    unit: str = ""
    stops: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint of one tier; of those whose `when` holds, the first of a tier is shown."""

    tier: str
    when: tuple[Clause, ...]
    say: Prose


@dataclass(frozen=True, slots=True)
class Deed:
    """Actions with words: a line of the solution, a thing to try, a button."""

    say: str
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """An exercise in the learner's own Python."""

    name: str
    words: str
    starter: str


@dataclass(frozen=True, slots=True)
class Title:
    """What the list of steps says of one; its id is its address."""

    id: str
    number: int
    part: str
    title: str
    short: str
    takeaway: str
    to_come: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One written step."""

    head: Title
    world: str
    settings: Settings
    views: tuple[str, ...]
    sections: Mapping[str, Prose]
    claims: tuple[Clause, ...]
    questions: tuple[Question, ...]
    goals: tuple[Goal, ...]
    hints: tuple[Hint, ...]
    solution: tuple[Deed, ...]
    knobs: tuple[str, ...]
    further: tuple[str, ...]
    buttons: tuple[Deed, ...]
    tries: tuple[Deed, ...]
    meters: tuple[str, ...]
    watched: str
    start_label: str
    slow: tuple[int, ...]
    speeds: tuple[int, ...]
    speed: int
    beats: int
    code: Code | None

    @property
    def id(self) -> str:
        """Its address."""
        return self.head.id

    def open(self, seed: int = 0) -> World:
        """The step's world as it starts."""
        return open_world(self.world, self.settings, seed)

    def replay(self, seed: int, actions: tuple[Action, ...]) -> World:
        """The step's world after some actions."""
        return replay(self.world, self.settings, seed, actions)

    def hint(self, tier: str, world: World) -> str:
        """What the hint of a tier says in a world."""
        for hint in self.hints:
            if hint.tier == tier and all(clause.judge(world).met for clause in hint.when):
                return hint.say.fill(world)
        return ""
