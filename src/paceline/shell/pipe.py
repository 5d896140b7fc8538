"""A pipe between two commands: what came through, which readers end their writer, which read line by line."""

from collections.abc import Callable, Generator
from dataclasses import dataclass

from paceline.errors import PacelineError
from paceline.shell.events import Event, Interrupt, Steps, Wait
from paceline.shell.expand import Substitute, expand
from paceline.shell.machine import Call, Failed, Stdin
from paceline.shell.shell import Shell
from paceline.shell.simple import is_known
from paceline.shell.streams import Capture
from paceline.shell.syntax import Node, Simple, Text, Variable
from paceline.shell.tools.grep import searcher
from paceline.shell.tools.options import lines_of, options

BROKEN_PIPE = 141
"""How a writer ends whose reader has left."""


@dataclass(slots=True)
class Pipe(Capture):
    """What a writer printed; `lines` hands out each whole line once."""

    taken: int = 0
    part: str = ""

    def lines(self) -> str:
        """The whole lines that are new."""
        if self.taken == len(self.parts):
            return ""
        new = self.part + "".join(self.parts[self.taken :])
        self.taken = len(self.parts)
        lines, newline, self.part = new.rpartition("\n")
        return lines + newline

    def left(self) -> str:
        """All that is new, also a line without its end."""
        lines = self.lines()
        part, self.part = self.part, ""
        return lines + part


@dataclass(slots=True)
class Wish:
    """How much a reader still wants before it leaves, and what a text counts."""

    left: int
    worth: Callable[[str], int]

    def feed(self, text: str) -> bool:
        """Whether it has enough with this text."""
        self.left -= self.worth(text)
        return self.left <= 0


def reader_of(shell: Shell, node: Node, substitute: Substitute) -> Call | None:
    """A stage as it will be called, where that can be told before it runs and it reads the pipe."""
    if not isinstance(node, Simple) or node.assignments or any("<" in each.operator for each in node.redirects):
        return None
    for word in node.words:
        if not all(isinstance(part, Text) or (isinstance(part, Variable) and not part.default) for part in word.parts):
            return None
    words: list[str] = []
    try:
        for word in node.words:
            words += _at_once(expand(shell, word, substitute))
    except PacelineError:
        return None
    if not words:
        return None
    return Call(words[0], tuple(words[1:]), Stdin(""), {}, shell.cwd, shell.host, shell.width, shell.machine)


def _at_once(steps: Generator[Event, None, list[str]]) -> list[str]:
    try:
        next(steps)
    except StopIteration as done:
        found: list[str] = done.value
        return found
    return []


def wish_of(shell: Shell, call: Call) -> Wish | None:
    """What a reader wants before it leaves; None where it reads to the end."""
    try:
        if call.name == "head":
            return _head(call)
        if call.name == "grep":
            return _grep(call)
    except PacelineError:
        return Wish(0, len)  # it is refused, and leaves at once
    return None if "/" in call.name or is_known(shell, call.name) else Wish(0, len)


def _head(call: Call) -> Wish | None:
    chosen = options(call, "qv", "nc", digits="n", code=1)
    count = chosen.values.get("c") or chosen.values.get("n", "10")
    if chosen.operands or count.startswith("-"):
        return None
    if not count.isdecimal() or len(count) > 9:
        raise Failed("invalid number")
    return Wish(int(count), len if "c" in chosen.values else lambda text: text.count("\n"))


def _grep(call: Call) -> Wish | None:
    chosen = options(call, "ivncEForlqwhHs", "ABCem")
    operands = chosen.operands
    pattern = chosen.values.get("e") or (operands.pop(0) if operands else "")
    goes_on = "r" in chosen or any(each in chosen.values for each in "AC")
    if operands or goes_on or not ("m" in chosen.values or "q" in chosen or "l" in chosen):
        return None
    search, _ = searcher(chosen, pattern)
    count = chosen.number("m", 1, "grep")

    def worth(text: str) -> int:
        return len([line for line in lines_of(text) if search(line) != ("v" in chosen)])

    return Wish(min(count, 1) if "q" in chosen or "l" in chosen else count, worth)


def is_line_filter(node: Node, call: Call) -> bool:
    """Whether a stage makes of some lines and some more what it makes of both together."""
    if not isinstance(node, Simple) or node.redirects:
        return False
    try:
        match call.name:
            case "cat":
                return not call.args
            case "cut":
                return not options(call, "s", "dfc", code=1).operands
            case "tr":
                return "s" not in options(call, "dsc", code=1)
            case "grep":
                chosen = options(call, "ivncEForlqwhHs", "ABCem")
                words = len(chosen.operands) + ("e" in chosen.values)
                return words == 1 and not set(chosen.flags) & set("ncrlq") and not set(chosen.values) & set("ABCm")
            case "sed":
                one = call.args[0] if len(call.args) == 1 else ""
                return one.startswith("s") and not one[1:2].isalnum() and ";" not in one and "\n" not in one
    except PacelineError:
        return False
    return False


def written(writer: Steps, read: Callable[[], Generator[Event, None, bool]]) -> Steps:
    """A writer's steps; before each wait its readers read, and it ends once they have enough."""
    thrown: Interrupt | None = None
    try:
        while True:
            event = next(writer) if thrown is None else writer.throw(thrown)
            thrown = None
            if isinstance(event, Wait) and (yield from read()):
                return BROKEN_PIPE
            try:
                yield event
            except Interrupt as pressed:
                thrown = pressed
    except StopIteration as done:
        return int(done.value or 0)
    finally:
        writer.close()
