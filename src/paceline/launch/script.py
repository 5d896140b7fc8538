"""A batch script as a value: its #SBATCH options, then its steps in order; written out as a person would."""

import re
from dataclasses import dataclass, field

from paceline.errors import BadValue
from paceline.launch.shell import assignment, commands, is_open, words

SHORT = {
    "J": "job-name", "p": "partition", "N": "nodes", "n": "ntasks", "c": "cpus-per-task", "t": "time", "o": "output",
    "e": "error", "w": "nodelist", "x": "exclude", "G": "gpus", "A": "account", "q": "qos", "a": "array",
    "d": "dependency", "D": "chdir", "C": "constraint", "F": "nodefile", "L": "licenses", "m": "distribution",
}  # fmt: skip
FLAGS = ("exclusive", "requeue", "no-requeue", "hold", "contiguous", "overcommit", "oversubscribe", "wait", "parsable")
"""Options that need no value; --exclusive may have one."""
KNOWN = (
    *SHORT.values(), *FLAGS, "ntasks-per-node", "gpus-per-node", "gres", "gpus-per-task", "mem", "mem-per-gpu",
    "mem-per-cpu", "open-mode", "signal", "mail-type", "mail-user", "export", "reservation", "comment", "gpu-bind",
    "cpus-per-gpu", "ntasks-per-gpu", "threads-per-core", "hint", "switches", "begin", "nice", "input", "tmp",
)  # fmt: skip
LAUNCHERS = ("srun", "torchrun", "mpirun", "mpiexec", "accelerate", "deepspeed")
BREAK_AT = 88
"""A longer launch is written over several lines."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a #SBATCH line, by its long name; what Slurm does not know keeps its dashes.

    `is_ignored` where it stands after the first command, where sbatch no longer reads.
    """

    name: str
    value: str | None = None
    is_ignored: bool = False
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[^\s=#\"'\\]+", self.name) or not self.name.isprintable():
            raise BadValue(f"an option {self.name!r}", "it is one word without = and quotes")
        short = re.match(r"-([A-Za-z])", self.name)
        if (not self.is_known and self.name.lstrip("-") in KNOWN) or (short and short[1] in SHORT):
            raise BadValue(f"an option {self.name!r}", "a known option is named without dashes")
        if self.value is not None and (not self.value.isprintable() or '"' in self.value or "\\" in self.value):
            raise BadValue(f"--{self.name} {self.value!r}", "a value is printable, without double quotes")
        if not self.is_known and self.value is not None and (not self.name.startswith("--") or self.value == ""):
            raise BadValue(f"{self.name} {self.value!r}", "an unknown option keeps what follows it as a further one")
        if self.name in FLAGS and self.name != "exclusive" and self.value is not None:
            raise BadValue(f"--{self.name}={self.value}", "it takes no value")
        if self.is_known and self.value is None and self.name not in FLAGS:
            raise BadValue(f"--{self.name}", "it needs a value")

    @property
    def is_known(self) -> bool:
        """Whether Slurm has an option of this name, as far as Paceline knows."""
        return self.name in KNOWN

    def __str__(self) -> str:
        name = f"--{self.name}" if self.is_known else self.name
        if self.value is None:
            return name
        plain = self.value and not re.search(r"[\s#']", self.value)
        return f"{name}={self.value}" if plain else f'{name}="{self.value}"'


@dataclass(frozen=True, slots=True)
class Variable:
    """NAME=value, the value as the shell reads it; exported or for the script alone."""

    name: str
    value: str
    is_exported: bool = True
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if words(self._text) != (self._text,) or assignment(self._text) != (self.name, self.value):
            raise BadValue(f"the variable {self.name}={self.value}", "its value is not one shell word", "Quote it.")
        _whole(str(self))

    @property
    def _text(self) -> str:
        return f"{self.name}={self.value}"

    def __str__(self) -> str:
        return f"{'export ' if self.is_exported else ''}{self._text}"


@dataclass(frozen=True, slots=True)
class Launch:
    """A command that starts processes: srun, torchrun, python, or variables before one of them."""

    words: tuple[str, ...]
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if not is_launch(self.words) or words(" ".join(self.words)) != self.words:
            raise BadValue(f"the launch {' '.join(self.words)!r}", f"it begins with python or {', '.join(LAUNCHERS)}")
        _whole(str(self))

    def __str__(self) -> str:
        text = " ".join(self.words)
        if len(text) <= BREAK_AT:
            return text
        lines: list[list[str]] = [[]]
        second = [at for at, word in enumerate(self.words) if word in LAUNCHERS[1:]]
        for at, word in enumerate(self.words):
            before = self.words[at - 1] if at else ""
            if at > min(second, default=0) and (word.startswith("--") or (before.startswith("--") and "=" in before)):
                lines.append([])
            lines[-1].append(word)
        return " \\\n    ".join(" ".join(line) for line in lines)


@dataclass(frozen=True, slots=True)
class Command:
    """Any other command, or a comment, as written; it may run over several lines."""

    text: str
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        _whole(self.text)
        found = words(self.text)
        if not self.text.strip() or self.text.startswith(("#SBATCH", "#!")) or is_launch(found):
            raise BadValue(f"the command {self.text!r}", "it is none, or belongs to another part of the script")
        if found and all(assignment(word) for word in found[found[0] == "export" :]) and found != ("export",):
            raise BadValue(f"the command {self.text!r}", "variables have a step of their own", "Use Variable.")

    @property
    def is_comment(self) -> bool:
        """Whether it does nothing."""
        return not words(self.text)

    def __str__(self) -> str:
        return self.text


Step = Variable | Launch | Command


@dataclass(frozen=True, slots=True)
class Script:
    """A batch script: what runs it, its options, its steps."""

    options: tuple[Option, ...] = ()
    steps: tuple[Step, ...] = ()
    interpreter: str = "/bin/bash"

    def __post_init__(self) -> None:
        if not self.interpreter.isprintable() or self.interpreter != self.interpreter.strip() or not self.interpreter:
            raise BadValue(f"a script for {self.interpreter!r}", "its first line names a program, as in #!/bin/bash")
        ignored = [option.is_ignored for option in self.options]
        runs = any(not (isinstance(step, Command) and step.is_comment) for step in self.steps)
        if ignored != sorted(ignored) or (any(ignored) and not runs):
            raise BadValue("ignored options", "they stand after a command, so after all others")

    def option(self, *names: str) -> Option | None:
        """The last option of one of these names that sbatch reads."""
        read = [each for each in self.options if each.name in names and not each.is_ignored]
        return read[-1] if read else None

    def variables(self) -> dict[str, str]:
        """The script's own variables, as written, the last value of each."""
        return {step.name: step.value for step in self.steps if isinstance(step, Variable)}


def is_launch(found: tuple[str, ...]) -> bool:
    """Whether a command's words start processes of a job."""
    rest = [word for word in found if not assignment(word)]
    if not rest or found[0] == "export":
        return False
    program = rest[0].rpartition("/")[2]
    return program in LAUNCHERS or bool(re.fullmatch(r"python[\d.]*", program))


def render(script: Script) -> str:
    """The script as a file: options, a blank line, steps; launches over several lines where they are long."""
    read = [f"#SBATCH {option}" for option in script.options if not option.is_ignored]
    ignored = [f"#SBATCH {option}" for option in script.options if option.is_ignored]
    lines = [f"#!{script.interpreter}", *read, *([""] if script.steps else []), *map(str, script.steps), *ignored]
    return "".join(f"{line}\n" for line in lines)


def _whole(text: str) -> None:
    """Refuse what would not come back as one command."""
    ends = text.startswith("\n") or text.endswith("\n")
    if (
        ends
        or is_open(text)
        or len(list(commands(text))) != 1
        or not all(sign.isprintable() or sign in "\n\t" for sign in text)
    ):
        raise BadValue(f"the command {text!r}", "a quote or bracket is left open, or it is several commands")
