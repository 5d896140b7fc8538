"""What a shell runs on, and what it hands to a command."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from paceline.errors import PacelineError
from paceline.shell.events import Steps
from paceline.shell.files import FileProblem, FileSystem, absolute


class Failed(PacelineError):
    """A command's own refusal: the shell prints the command's name and this, and takes `code` as its exit code."""

    def __init__(self, text: str, code: int = 1) -> None:
        self.code = code
        super().__init__(text)


@dataclass(slots=True)
class Stdin:
    """What a command may read, once; None is the keyboard, which nothing here reads."""

    text: str | None = None

    def take(self) -> str:
        """All that is left."""
        text, self.text = self.text or "", "" if self.text is not None else None
        return text


@dataclass(frozen=True, slots=True)
class Call:
    """A command as it was called; `args` are without its name."""

    name: str
    args: tuple[str, ...]
    source: Stdin
    env: Mapping[str, str]
    cwd: str
    host: str
    width: int
    machine: "Machine"
    to_terminal: bool = False
    """Whether its output goes to the terminal, neither to a file nor to a pipe."""

    @property
    def piped(self) -> bool:
        """Whether there is standard input."""
        return self.source.text is not None

    @property
    def stdin(self) -> str:
        """The standard input, whole; empty when it was read before."""
        return self.source.take()

    @property
    def files(self) -> FileSystem:
        """The machine's files."""
        return self.machine.files

    @property
    def now_us(self) -> int:
        """The machine's clock."""
        return self.machine.now_us

    def path(self, name: str) -> str:
        """A file name as a full path."""
        return absolute(self.cwd, name)

    def read(self, name: str) -> str:
        """A file's text; of `-`, the standard input; or Failed with the system's words."""
        if name == "-":
            return self.stdin
        try:
            return self.files.read(self.host, self.path(name))
        except FileProblem as problem:
            raise Failed(f"{name}: {problem}") from None

    def write(self, name: str, text: str, append: bool = False) -> None:
        """Make a file, or lengthen it; or Failed with the system's words."""
        try:
            self.files.write(self.host, self.path(name), text, self.now_us, append)
        except FileProblem as problem:
            raise Failed(f"{name}: {problem}") from None


Command = Callable[[Call], Steps]


class Machine(Protocol):
    """The world as its shells see it; the same for every session on it."""

    @property
    def files(self) -> FileSystem:
        """The files of all hosts."""

    @property
    def commands(self) -> Mapping[str, Command]:
        """What can be run beside the shell's built-in commands; a text tool of the same name steps aside."""

    @property
    def hosts(self) -> Sequence[str]:
        """The hosts that ssh reaches."""

    @property
    def now_us(self) -> int:
        """The clock."""
