"""Reads a person's own batch script: nothing is refused that a shell would run, and every line keeps its number."""

import re

from paceline.errors import BadValue
from paceline.launch.script import FLAGS, KNOWN, SHORT, Command, Launch, Option, Script, Step, Variable, is_launch
from paceline.launch.shell import assignment, commands, unquoted, words

_DIRECTIVE = "#SBATCH"


def parse(text: str) -> Script:
    """The script in `text`; one without a #! line, or with signs no script holds, is refused with its line."""
    text = text.replace("\r\n", "\n")
    first, _, body = text.partition("\n")
    if not first.startswith("#!") or not first[2:].strip() or not first.isprintable():
        # sbatch's own words: tool-formats' oracle, Slurm 22.05.8.
        raise BadValue("line 1", "this does not look like a batch script", "Begin with #!/bin/bash.")
    options: list[Option] = []
    steps: list[Step] = []
    begun = False
    for number, command in commands(body, 2):
        if not all(sign.isprintable() or sign in "\n\t" for sign in command):
            raise BadValue(f"line {number}", "it holds a sign that no script does", "Give plain text.")
        if command.startswith(_DIRECTIVE):
            options += _options(command[len(_DIRECTIVE) :], begun, number)
        elif said := _ended(command).strip("\n"):
            steps += _steps(said, number) if said.strip() else []
            begun = begun or bool(words(command))
    return Script(tuple(options), tuple(steps), first[2:].strip())


def _ended(command: str) -> str:
    """A command without the blank lines it continues into."""
    while command.endswith(("\n", "\\\n")):
        command = command[:-1].removesuffix("\\")
    return command


def _steps(command: str, number: int) -> list[Step]:
    found = words(command)
    exported = found[:1] == ("export",)
    named = [assignment(word) for word in found[exported:]]
    try:
        if named and all(named):
            return [Variable(pair[0], pair[1], exported, number) for pair in named if pair]
        if is_launch(found):
            return [Launch(found, number)]
    except BadValue:
        pass
    try:
        return [Command(command, number)]
    except BadValue:
        # An open quote or a bracket of its own: the shell would complain too.
        return [Command(f"# {command.splitlines()[0].strip()}", number)]


def _options(text: str, ignored: bool, number: int) -> list[Option]:
    options: list[Option] = []
    pending = list(words(text))
    while pending:
        word = pending.pop(0)
        name, given, value = word.partition("=")
        short = re.fullmatch(r"-([A-Za-z])(.*)", word)
        if short and short[1] in SHORT:
            name, value = SHORT[short[1]], short[2].removeprefix("=")
            given = value
        elif name.startswith("--") and name[2:] in KNOWN:
            name = name[2:]
        else:
            name, value = (name, value) if given and name.startswith("--") else (word, "")
            given = value
        if name in KNOWN and name not in FLAGS and not given and pending:
            value = given = pending.pop(0)
        options.append(_option(name, unquoted(value) if given else None, ignored, number, word))
    return options


def _option(name: str, value: str | None, ignored: bool, number: int, word: str) -> Option:
    """An option, or where it is malformed, the word itself behind a ? as an unknown one."""
    try:
        return Option(name, value, ignored, number)
    except BadValue:
        return Option("?" + re.sub(r"[\s=#\"'\\]", "_", word), None, ignored, number)
