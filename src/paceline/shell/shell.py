"""One running shell: where it is, its variables, what it was called with, what it shares with others."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from paceline.errors import PacelineError
from paceline.shell.budget import NESTING, Budget, TooMuch
from paceline.shell.events import Steps
from paceline.shell.files import absolute
from paceline.shell.jobs import Jobs
from paceline.shell.machine import Call, Machine
from paceline.shell.streams import Streams

SHELL_PID = 4000
OPTIONS = {"e": "errexit", "u": "nounset", "x": "xtrace"}


class Exit(Exception):
    """The shell ends."""

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(code)


class LoopControl(Exception):
    """break and continue, with how many loops out they mean."""

    def __init__(self, goes_on: bool, levels: int) -> None:
        self.goes_on = goes_on
        self.levels = levels
        super().__init__(levels)


class Unset(PacelineError):
    """A variable that has no value, where `set -u` asks for one."""


@dataclass(slots=True)
class Shell:
    """A shell process; `env` are its exported variables, `own` the others."""

    machine: Machine
    builtins: "Mapping[str, Builtin]"
    host: str
    cwd: str
    env: dict[str, str]
    jobs: Jobs
    history: list[str]
    stack: "list[Shell]"
    own: dict[str, str] = field(default_factory=dict)
    name: str = "bash"
    args: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    budget: Budget = field(default_factory=Budget)
    width: int = 80
    can_edit: bool = False
    interactive: bool = False
    code: int = 0
    last_pid: int = 0
    level: int = 0
    loops: int = 0
    tested: int = 0
    serial: int = 0
    substituted: int = 0

    @property
    def home(self) -> str:
        """The user's folder."""
        return self.env.get("HOME", "/")

    def get(self, name: str) -> str | None:
        """A variable or a special parameter; None where it is not set."""
        if name.isdigit():
            place = int(name)
            if place == 0:
                return self.name
            return self.args[place - 1] if place <= len(self.args) else None
        special = {
            "?": str(self.code),
            "#": str(len(self.args)),
            "$": str(SHELL_PID + self.serial),
            "!": str(self.last_pid or ""),
            "@": " ".join(self.args),
            "*": " ".join(self.args),
        }
        if name in special:
            return special[name]
        found = self.own.get(name)
        return self.env.get(name) if found is None else found

    def value(self, name: str) -> str:
        """The same as text, empty where it is not set; refused under `set -u`."""
        found = self.get(name)
        if found is None and "nounset" in self.options:
            raise Unset(f"{name}: unbound variable")
        return found or ""

    def set(self, name: str, value: str) -> None:
        """Set a variable, exported if it was."""
        (self.env if name in self.env else self.own)[name] = value

    def export(self, name: str, value: str | None = None) -> None:
        """Hand a variable on to commands."""
        kept = self.own.pop(name, None)
        if value is not None or kept is not None:
            self.env[name] = value if value is not None else kept or ""

    def unset(self, name: str) -> None:
        """Forget a variable."""
        self.own.pop(name, None)
        self.env.pop(name, None)

    def path(self, name: str) -> str:
        """A file name as a full path."""
        return absolute(self.cwd, name)

    def deeper(self) -> None:
        """Count one more level of nesting."""
        self.level += 1
        if self.level > NESTING:
            raise TooMuch(f"stopped: nested more than {NESTING} deep")

    def copy(self) -> "Shell":
        """A subshell, whose changes are its own."""
        child = replace(self, env=dict(self.env), own=dict(self.own), interactive=False)
        child.deeper()
        return child

    def process(self, env: Mapping[str, str], name: str = "bash", args: tuple[str, ...] = ()) -> "Shell":
        """A shell of its own, which gets the exported variables alone."""
        child = replace(
            self, env=dict(env), own={}, interactive=False, name=name, args=args, options=frozenset(), code=0,
            loops=0, tested=0, serial=self.jobs.new_shell(), last_pid=0,
        )  # fmt: skip
        child.deeper()
        return child


Builtin = Callable[[Shell, Call, Streams], Steps]
