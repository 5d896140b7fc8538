"""What a batch script comes to on its nodes: how many processes compute where, or with which words it ends."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from paceline.errors import BadValue
from paceline.formats import child_failed, torch_error
from paceline.formats.child_failed import ChildFailed, Failure
from paceline.formats.torch_error import Raised, Refusal, TorchError
from paceline.launch import Finding, Launch, Script, Variable, findings
from paceline.launch.judge import DGX_GPUS, case_of, gpus_asked
from paceline.launch.processes import Parts, training, workers_of
from paceline.launch.shell import expanded, named
from paceline.pod.nccl_words import FIRST_PID

RENDEZVOUS_TIMEOUT_S, CONNECT_TIMEOUT_S, LOADING_S = 600, 60, 12
"""How long torchrun 2.13 waits for all nodes, and for the store; importing torch and starting CUDA (typical)."""
EACH_FOR_ITSELF = ("head-address", "no-endpoint")
"""Mistakes that make each node wait for the others at itself."""
_TIMED_OUT = "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError"
_NO_STORE = "torch.distributed.elastic.rendezvous.api.RendezvousConnectionError"
_NO_STORE_TEXT = "The connection to the C10d store has failed. See inner exception for details."
_NO_HOST_TEXT = "must be a dot-separated list of labels, an IPv4 address, or an IPv6 address."


@dataclass(frozen=True, slots=True)
class Outcome:
    """The first `hosts` nodes compute with `ranks_per_host` processes; after `ends_after_us`, if not 0, it says `text`.

    Without hosts it computes nothing until then. `exit_code` is that of the end.
    """

    hosts: int = 0
    ranks_per_host: int = 0
    ends_after_us: int = 0
    text: str = ""
    exit_code: int = 0
    is_every_node: bool = True
    batch_size: int = 0
    """What the script's loader says a rank takes a step, 0 where it does not say."""


Reader = Callable[[str], str | None]
"""Gives a file's text by its name in the script, None where there is none."""


def outcome_of(
    script: Script, nodes: int, environment: Mapping[str, str], read: Reader, tools: Collection[str] = ()
) -> Outcome:
    """What the script comes to on `nodes` nodes; one that this pod cannot run is refused with the reason.

    `environment` is what it is submitted with, `tools` the programs that are no trainings.
    """
    parts = training(script)
    if parts is None:
        raise BadValue("the script", "nothing in it starts a process", "This pod runs scripts that launch a training.")
    rules = {finding.rule: finding for finding in findings(script, nodes, DGX_GPUS)}
    case = case_of(script, parts, nodes, DGX_GPUS)
    gpus = min(DGX_GPUS, gpus_asked(script, nodes) or DGX_GPUS)
    program = [word for word in parts.program if not word.startswith("-")]
    if parts.torchrun is None and program and not re.fullmatch(r"(?:.*/)?python[\d.]*", program[0]):
        if program[0] in tools:
            raise BadValue(f"a script that runs {program[0]}", "scripts of this pod run trainings", "Type it yourself.")
        text = f"slurmstepd: error: execve(): {program[0]}: No such file or directory\n"
        return _ended(text, 1, 2, parts.srun is not None)
    name = next((word for word in program if word.endswith(".py")), "")
    if not name:
        raise BadValue("the script", "its launch names no file to run", "As in torchrun --nproc-per-node=8 train.py.")
    if workers_of(script, parts, nodes, DGX_GPUS) < 1 or case.tasks < 1:
        raise BadValue("the script", "it starts 0 processes", "Start one for each GPU.")
    source = read(name)
    if source is None:
        missing = f"/usr/bin/python3: can't open file '{name}': [Errno 2] No such file or directory\n"
        return _failed(parts, name, missing, LOADING_S, 2)
    if "standalone" in rules:
        raise BadValue("the script", rules["standalone"].says, "This pod runs one training a script.")
    if unmet := _unmet(script, parts, rules, nodes, environment):
        return unmet
    per_host = -(-case.processes // case.used_nodes)
    if case.tasks > case.used_nodes and parts.torchrun is not None and per_host > gpus:
        return _raised(parts, name, Refusal("duplicate GPU", (case.workers, 0, "1b000")), case.workers, 0)
    if per_host > gpus or "hidden-gpus" in rules:
        return _raised(parts, name, Refusal("no such GPU"), gpus, gpus)
    if parts.torchrun is None and (keyless := _without_launcher(script, source)):
        return _failed(parts, name, keyless, LOADING_S, 1)
    batch = re.search(r"batch_size=(\d{1,5})\b", source, re.ASCII)
    return replace(_trains(case.used_nodes, per_host, nodes, parts), batch_size=int(batch[1]) if batch else 0)


def environment_of(script: Script) -> dict[str, str]:
    """What the script itself adds to the environment of its processes."""
    found: dict[str, str] = {}
    for step in script.steps:
        if isinstance(step, Variable) and step.is_exported:
            found[step.name] = step.value.strip("\"'")
        elif isinstance(step, Launch):
            for word in step.words:
                name, equals, value = word.partition("=")
                if not (equals and name.isidentifier()):
                    break
                found[name] = value.strip("\"'")
    return found


def _trains(used: int, per_host: int, nodes: int, parts: Parts) -> Outcome:
    wanted = _nnodes(parts, nodes)
    if parts.torchrun is not None and wanted == 1 < used and "rdzv-endpoint" not in parts.torchrun:
        says = f"each of its {used} torchruns trains by itself, for --nnodes is 1"
        raise BadValue("the script", says, "This pod runs one training a script.")
    if parts.torchrun is None or wanted >= used:
        return Outcome(used, per_host)
    # Those that came too late wait for a next round that does not come; srun then ends them all.
    text = torch_error.render(TorchError(Raised(_TIMED_OUT)))
    return Outcome(wanted, per_host, RENDEZVOUS_TIMEOUT_S * 10**6, text, 1, False)


def _nnodes(parts: Parts, nodes: int) -> int:
    written = (parts.torchrun or {}).get("nnodes", "1")
    high = written.rpartition(":")[2]
    return int(high) if high.isdecimal() and len(high) < 7 else nodes


def _unmet(
    script: Script, parts: Parts, rules: Mapping[str, Finding], nodes: int, environment: Mapping[str, str]
) -> Outcome | None:
    """The end of nodes that never meet; None where they do."""
    low = (parts.torchrun or {}).get("nnodes", "1").partition(":")[0]
    waits_for = int(low) if low.isdecimal() and len(low) < 7 else nodes
    if parts.torchrun is None or waits_for == 1:
        return None
    by_srun = parts.srun is not None
    written = parts.torchrun.get("rdzv-endpoint", "")
    known = {**environment, **script.variables()}
    unset = [name for name in named(written) if not known.get(name) and not name.startswith("SLURM")]
    if unset and "HOSTNAME" not in unset:
        endpoint = expanded(written, dict.fromkeys(unset, ""))
        if endpoint.startswith(":"):
            text = f"The hostname of the rendezvous endpoint '{endpoint}' {_NO_HOST_TEXT}"
            return _ended(torch_error.render(TorchError(Raised("ValueError", text))), LOADING_S, 1, by_srun)
    if "node-rank" in rules:
        return _ended(torch_error.render(TorchError(Raised(_NO_STORE, _NO_STORE_TEXT))), CONNECT_TIMEOUT_S, 1, by_srun)
    at_itself = any(rule in rules and rules[rule].harm == "breaks" for rule in EACH_FOR_ITSELF)
    if at_itself or waits_for > (nodes if by_srun else 1):
        return _ended(torch_error.render(TorchError(Raised(_TIMED_OUT))), RENDEZVOUS_TIMEOUT_S, 1, by_srun)
    return None


def _without_launcher(script: Script, source: str) -> str:
    """The end of a script that reads LOCAL_RANK where nobody sets it; empty where it does not, or somebody may."""
    if any("LOCAL_RANK" in str(step) for step in script.steps):
        return ""
    for number, line in enumerate(source.splitlines(), 1):
        if 'environ["LOCAL_RANK"]' in line:
            return f"Traceback (most recent call last):\n  File \"train.py\", line {number}\nKeyError: 'LOCAL_RANK'\n"
    return ""


def _ended(text: str, after_s: int, exit_code: int, by_srun: bool) -> Outcome:
    return Outcome(0, 0, after_s * 10**6, text, exit_code, by_srun)


def _raised(parts: Parts, name: str, what: Refusal, rank: int, local_rank: int) -> Outcome:
    return _failed(parts, name, torch_error.render(TorchError(what, rank)), LOADING_S, 1, rank, local_rank)


def _failed(
    parts: Parts, name: str, text: str, after_s: int, exit_code: int, rank: int = 0, local_rank: int = 0
) -> Outcome:
    if parts.torchrun is not None:
        text += child_failed.render(
            ChildFailed(name, Failure(0, rank, local_rank, exitcode=exit_code, pid=FIRST_PID + rank))
        )
        exit_code = 1
    return _ended(text, after_s, exit_code, parts.srun is not None)
