"""Where a command's output goes: the terminal, a pipe or a file."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Protocol

from paceline.shell.events import STDERR, STDOUT, Output
from paceline.shell.files import FileProblem
from paceline.shell.machine import Machine, Stdin

Said = Generator[Output, None, None]


class Sink(Protocol):
    """A place for text."""

    def put(self, text: str) -> Output | None:
        """Take the text, or say what is to be shown."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """What the person sees."""

    stream: int

    def put(self, text: str) -> Output | None:
        """Show it."""
        return Output(text, self.stream)


@dataclass(slots=True)
class Capture:
    """Text kept for a pipe or a $(…)."""

    parts: list[str] = field(default_factory=list)

    def put(self, text: str) -> Output | None:
        """Keep it."""
        self.parts.append(text)
        return None

    @property
    def text(self) -> str:
        """All that was kept."""
        return "".join(self.parts)


@dataclass(frozen=True, slots=True)
class IntoFile:
    """A file that grows as the command prints."""

    machine: Machine
    host: str
    path: str

    def put(self, text: str) -> Output | None:
        """Lengthen the file."""
        self.machine.files.write(self.host, self.path, text, self.machine.now_us, append=True)
        return None


@dataclass(frozen=True, slots=True)
class Streams:
    """Standard input, output and error of a command."""

    stdin: Stdin = field(default_factory=Stdin)
    out: Sink = Terminal(STDOUT)
    err: Sink = Terminal(STDERR)

    def put(self, output: Output) -> Output | None:
        """Send an output where its stream goes."""
        return (self.err if output.stream == STDERR else self.out).put(output.text)

    def say(self, text: str, stream: int = STDOUT) -> Said:
        """Print."""
        shown = self.put(Output(text, stream))
        if shown is not None:
            yield shown

    def complain(self, text: str) -> Said:
        """Print a line on standard error, unless even that has no place."""
        try:
            yield from self.say(f"{text}\n", STDERR)
        except FileProblem:
            return
