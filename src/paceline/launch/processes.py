"""How many processes a script starts: tasks of srun times workers of torchrun, with its variables filled in."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from paceline.errors import BadValue
from paceline.launch.script import SHORT, Launch, Script, is_launch
from paceline.launch.shell import assignment, commands, expanded, unquoted, words

MOST_PROCESSES = 10**6
SRUN_FLAGS = (
    "label", "exclusive", "exact", "unbuffered", "overlap", "quiet", "verbose", "no-kill", "overcommit", "pty",
    "mpi-combine", "contiguous",
)  # fmt: skip
SRUN_SHORT_FLAGS = "luQvOskEX"
TORCHRUN_FLAGS = (
    "standalone", "module", "no-python", "run-path", "virtual-local-rank", "use-env", "m",
)  # fmt: skip
_TORCHRUN_SHORT = {"r": "redirects", "t": "tee", "m": "module"}
_MODULES = ("torch.distributed.run", "torch.distributed.launch")
WHOLE_NODE = ("gpu", "auto")
"""What --nproc-per-node may say for one process on each GPU."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A launch taken apart: options of srun and of torchrun as written, None where the program is not there.

    `is_late` where a quoted bash -c stands between, so that each task expands variables for itself.
    """

    line: int
    srun: Mapping[str, str] | None
    torchrun: Mapping[str, str] | None
    program: tuple[str, ...]
    is_late: bool = False


def parts_of(launch: Launch) -> Parts:
    """The launchers of a command and their options, names with dashes as torchrun 2.13 and srun write them."""
    rest = list(launch.words)
    while rest and assignment(rest[0]):
        rest.pop(0)
    srun: dict[str, str] | None = None
    late = False
    if rest and _name(rest[0]) == "srun":
        srun, rest = _options(rest[1:], SRUN_FLAGS, SHORT, SRUN_SHORT_FLAGS)
    if len(rest) > 2 and _name(rest[0]) in ("bash", "sh") and "c" in rest[1] and rest[1].startswith("-"):
        late = rest[2].startswith("'") or "\\$" in rest[2]
        rest = _inner(rest[2])
    while rest and assignment(rest[0]):
        rest.pop(0)
    torchrun: dict[str, str] | None = None
    if rest and _name(rest[0]) == "torchrun":
        torchrun, rest = _options(rest[1:], TORCHRUN_FLAGS, _TORCHRUN_SHORT, "m")
    elif len(rest) > 2 and re.fullmatch(r"python[\d.]*", _name(rest[0])):
        flags = [
            at for at, word in enumerate(rest) if word == "-m" and rest[at + 1 : at + 2] and rest[at + 1] in _MODULES
        ]
        if flags:
            torchrun, rest = _options(rest[flags[0] + 2 :], TORCHRUN_FLAGS, _TORCHRUN_SHORT, "m")
    return Parts(launch.line, srun, torchrun, tuple(rest), late)


def training(script: Script) -> Parts | None:
    """The launch that trains: the last one with torchrun, else the last with python, else the last."""
    found = [parts_of(step) for step in script.steps if isinstance(step, Launch)]
    for wanted in (
        [parts for parts in found if parts.torchrun is not None],
        [parts for parts in found if parts.program and _name(parts.program[0]).startswith("python")],
        found,
    ):
        if wanted:
            return wanted[-1]
    return None


def processes_started(script: Script, nodes: int, gpus_per_node: int) -> int:
    """The processes of the launch that trains, on `nodes` nodes of `gpus_per_node` GPUs; 0 where there is none.

    A count that the script leaves to a variable nobody knows is refused, with the variable.
    """
    parts = training(script)
    if parts is None:
        return 0
    tasks, _ = tasks_of(script, parts, nodes, gpus_per_node)
    return min(tasks * workers_of(script, parts, nodes, gpus_per_node), MOST_PROCESSES)


def tasks_of(script: Script, parts: Parts, nodes: int, gpus_per_node: int) -> tuple[int, int]:
    """How many tasks srun starts, and on how many nodes: 1 on 1 without srun, for the first node runs the script."""
    _check(nodes, gpus_per_node)
    if parts.srun is None:
        return 1, 1
    known = variables_of(script, nodes, gpus_per_node)
    said = {name: value for name in ("ntasks", "ntasks-per-node") if (value := _said(script, name))}
    used = min(nodes, count(parts.srun.get("nodes", str(nodes)).partition("-")[0], known, "--nodes"))
    # An srun that names its own count of tasks is not bound by the script's.
    per_node = parts.srun.get("ntasks-per-node", "" if "ntasks" in parts.srun else said.get("ntasks-per-node", ""))
    total = parts.srun.get("ntasks", "" if "ntasks-per-node" in parts.srun else said.get("ntasks", ""))
    if total and not (per_node and "ntasks" not in parts.srun and "ntasks" not in said):
        tasks = count(total, known, "--ntasks")
        return tasks, min(used, tasks)
    return (count(per_node, known, "--ntasks-per-node") if per_node else 1) * used, used


def workers_of(script: Script, parts: Parts, nodes: int, gpus_per_node: int) -> int:
    """How many processes each task becomes: torchrun's --nproc-per-node, 1 without torchrun."""
    if parts.torchrun is None:
        return 1
    known = variables_of(script, nodes, gpus_per_node)
    written = parts.torchrun.get("nproc-per-node", "1")
    if expanded(written, known) in WHOLE_NODE:
        return gpus_per_node
    return count(written, known, "--nproc-per-node")


def count(written: str, known: Mapping[str, str], option: str) -> int:
    """The number that a word comes to."""
    value = expanded(written, known)
    if not re.fullmatch(r"\d{1,6}", value, re.ASCII):
        raise BadValue(f"{option} {value[:60]!r}", "no number is known for it", "Write the number.")
    return int(value)


def variables_of(script: Script, nodes: int, gpus_per_node: int) -> dict[str, str]:
    """What a script's variables hold once it runs, as far as that is known before: its own and Slurm's."""
    known = {
        "SLURM_NNODES": str(nodes),
        "SLURM_JOB_NUM_NODES": str(nodes),
        "SLURM_GPUS_ON_NODE": str(gpus_per_node),
        "SLURM_JOB_ID": "1",
        "SLURM_JOBID": "1",
    }
    per_node = _said(script, "ntasks-per-node")
    tasks = _said(script, "ntasks") or (str(int(per_node) * nodes) if per_node.isdecimal() else "")
    gpus = re.search(r"(\d+)$", _said(script, "gpus-per-node"))
    for name, value in (
        ("SLURM_NTASKS_PER_NODE", per_node),
        ("SLURM_NTASKS", tasks),
        ("SLURM_NPROCS", tasks),
        ("SLURM_CPUS_PER_TASK", _said(script, "cpus-per-task")),
        ("SLURM_GPUS_PER_NODE", gpus[1] if gpus else ""),
    ):
        known |= {name: value} if value else {}
    return known | {name: value for name, value in script.variables().items() if "$(" not in value}


def _said(script: Script, name: str) -> str:
    option = script.option(name)
    return (option.value or "") if option else ""


def _check(nodes: int, gpus_per_node: int) -> None:
    if not (1 <= nodes <= MOST_PROCESSES and 1 <= gpus_per_node <= MOST_PROCESSES):
        raise BadValue(f"{nodes} nodes of {gpus_per_node} GPUs", "there is one at least of each")


def _name(word: str) -> str:
    return unquoted(word).rpartition("/")[2]


def _inner(quoted: str) -> list[str]:
    """The words of the launch in a quoted bash -c, the last of its commands that is one."""
    body = unquoted(quoted).replace("\\$", "$")
    for _, command in reversed(list(commands(body))):
        for piece in reversed(re.split(r"&&|;|\n", command)):
            found = [word for word in words(piece) if word != "exec"]
            if is_launch(tuple(found)):
                return found
    return []


def _options(
    rest: list[str], flags: tuple[str, ...], short: Mapping[str, str], short_flags: str
) -> tuple[dict[str, str], list[str]]:
    """Options up to the first word that is none, by long name with dashes; and the words from there."""
    options: dict[str, str] = {}
    pending = list(rest)
    while pending and pending[0].startswith("-") and pending[0] != "-":
        word = pending.pop(0)
        if word.startswith("--"):
            name, given, value = word[2:].partition("=")
            name = name.replace("_", "-")
            if not given and name not in flags and pending:
                value = pending.pop(0)
        else:
            letter, value = word[1:2], word[2:].removeprefix("=")
            name = short.get(letter, letter)
            if not value and letter not in short_flags and pending:
                value = pending.pop(0)
        options[name] = value
        if name == "module" and flags is TORCHRUN_FLAGS:
            break
    return options, pending
