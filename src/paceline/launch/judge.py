"""The classic mistakes of a launch script, each a rule: what stands there, how many processes come of it, the mend."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from paceline.errors import BadValue
from paceline.launch.finding import Finding, Harm
from paceline.launch.processes import MOST_PROCESSES, Parts, tasks_of, training, variables_of, workers_of
from paceline.launch.rendezvous import Place, meeting
from paceline.launch.script import KNOWN, Command, Launch, Script
from paceline.launch.shell import assignment, expanded, unquoted

DGX_GPUS = 8
_COUNTS = ("ntasks-per-node", "ntasks")
_NOT_A_NETWORK = ("lo", "docker0")

Found = tuple[str, int, Harm, str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """A script with what it asks for and what it starts."""

    script: Script
    parts: Parts
    nodes: int
    gpus: int
    tasks: int
    used_nodes: int
    workers: int

    @property
    def processes(self) -> int:
        """All that are started."""
        return min(self.tasks * self.workers, MOST_PROCESSES)

    @property
    def options(self) -> dict[str, str]:
        """Torchrun's options, none where there is no torchrun."""
        return dict(self.parts.torchrun or {})


def findings(script: Script, nodes: int | None = None, gpus_per_node: int | None = None) -> tuple[Finding, ...]:
    """What is wrong in a script, by line; on as many nodes and GPUs as it asks for where none are given.

    A script that starts nothing can only have options that nobody reads.
    """
    parts = training(script)
    found = list(_options(script))
    processes = 0
    if parts is not None:
        case = case_of(script, parts, nodes, gpus_per_node)
        processes = case.processes
        for rule in (_tasks, _one_node, _workers, _nodes, _meeting, _binding):
            found += rule(case)
        found += _environment(script)
    return tuple(Finding(*each, processes) for each in sorted(found, key=lambda each: (each[1], each[0])))


def case_of(script: Script, parts: Parts, nodes: int | None, gpus_per_node: int | None) -> Case:
    """The script's own numbers; a count left to an unknown variable is taken as the GPUs of a node."""
    nodes = min(nodes or nodes_asked(script), MOST_PROCESSES)
    gpus = min(gpus_per_node or gpus_asked(script, nodes) or DGX_GPUS, MOST_PROCESSES)
    try:
        tasks, used = tasks_of(script, parts, nodes, gpus)
    except BadValue:
        tasks, used = nodes, nodes
    try:
        workers = workers_of(script, parts, nodes, gpus)
    except BadValue:
        workers = gpus
    return Case(script, parts, nodes, gpus, tasks, used, workers)


def nodes_asked(script: Script) -> int:
    """The nodes that --nodes asks for, or that --ntasks needs; 1 where nothing says more."""
    written = script.option("nodes")
    if written and (match := re.match(r"\d{1,6}", written.value or "", re.ASCII)):
        return max(int(match[0]), 1)
    tasks, per_node = (_number(script, name) for name in ("ntasks", "ntasks-per-node"))
    return max(-(-tasks // per_node), 1) if tasks and per_node else 1


def gpus_asked(script: Script, nodes: int) -> int:
    """The GPUs of a node that --gpus-per-node, --gres or --gpus ask for; 0 where none does."""
    option = script.option("gpus-per-node", "gres")
    if option and (match := re.search(r"(?:^|gpu:?[\w.-]*:|:)(\d{1,6})(?:\(|,|$)", option.value or "", re.ASCII)):
        return int(match[1])
    total = _number(script, "gpus")
    return max(total // nodes, 1) if total else 0


def _number(script: Script, name: str) -> int:
    option = script.option(name)
    match = re.search(r"(\d{1,6})$", (option.value or "") if option else "", re.ASCII)
    return int(match[1]) if match else 0


def _line(case: Case, *names: str) -> int:
    """The line of an option, or of the launch where the script has none."""
    option = case.script.option(*names)
    return option.line if option else case.parts.line


def _options(script: Script) -> Iterator[Found]:
    runs = [step for step in script.steps if not (isinstance(step, Command) and step.is_comment)]
    for option in script.options:
        near = get_close_matches(option.name.lstrip("-"), KNOWN, n=1, cutoff=0.85)
        if option.is_ignored:
            says = (
                f"sbatch reads #SBATCH lines up to the first command, line {runs[0].line}: {option} is not asked for."
            )
            yield "ignored-option", option.line, "breaks", says, f"Move it above line {runs[0].line}."
        elif not option.is_known and near:
            says = f"sbatch knows no {option.name}, and refuses the script."
            yield "unknown-option", option.line, "breaks", says, f"Write --{near[0]}."


def _tasks(case: Case) -> Iterator[Found]:
    per_node = -(-case.tasks // case.used_nodes)
    if case.parts.torchrun is None or case.parts.srun is None:
        return
    if per_node > 1:
        says = (
            f"srun starts {per_node} tasks on each node, and every one of them a torchrun with {case.workers}: "
            f"{per_node * case.workers} processes on {case.gpus} GPUs, {case.processes} in all."
        )
        line = _line(case, "ntasks-per-node", "ntasks")
        yield "tasks-times-workers", line, "breaks", says, "Use --ntasks-per-node=1: torchrun starts the others."
    elif not (
        case.script.option("ntasks-per-node", "ntasks") or {"ntasks-per-node", "ntasks"} & case.parts.srun.keys()
    ):
        says = (
            "Nothing says how many tasks a node gets. Slurm starts one, as torchrun needs, until --ntasks or an "
            f"environment variable says otherwise; then each starts {case.workers} processes."
        )
        mend = "Add #SBATCH --ntasks-per-node=1."
        yield "tasks-not-said", _line(case, "nodes"), "fragile", says, mend


def _one_node(case: Case) -> Iterator[Found]:
    if case.parts.srun is None and case.nodes > 1:
        says = (
            f"A batch script runs on the first node alone: {case.workers} processes start there, "
            f"none on the other {case.nodes - 1}."
        )
        yield "no-srun", case.parts.line, "breaks", says, "Put srun before it: srun starts it on every node."


def _workers(case: Case) -> Iterator[Found]:
    if case.parts.torchrun is None or case.workers == case.gpus:
        return
    more = case.workers > case.gpus
    what = f"{case.workers - case.gpus} find no GPU" if more else f"{case.gpus - case.workers} GPUs stay idle"
    says = f"{case.workers} processes on each node of {case.gpus} GPUs: {what}."
    mend = f"Use --nproc-per-node={case.gpus}, or gpu for as many as there are."
    yield "workers-not-gpus", case.parts.line, "breaks" if more else "slows", says, mend


def _nodes(case: Case) -> Iterator[Found]:
    if case.parts.torchrun is None or "standalone" in case.options:
        return
    written = expanded(case.options.get("nnodes", "1"), variables_of(case.script, case.nodes, case.gpus))
    match = re.fullmatch(r"(\d{1,6})(?::(\d{1,6}))?", written, re.ASCII)
    if match is None:
        return
    low, high = int(match[1]), int(match[2] or match[1])
    if low <= case.nodes <= high:
        return
    if case.nodes < low:
        says = f"torchrun waits for {low} nodes, the job has {case.nodes}: it gives up after its timeout."
    elif high == 1:
        says = f"Each of the {case.nodes} nodes trains for itself: {case.nodes} jobs of {case.workers} processes."
    else:
        says = f"torchrun takes {high} nodes, the job has {case.nodes}: {case.nodes - high} are turned away."
    yield "nnodes-not-nodes", case.parts.line, "breaks", says, "Use --nnodes=$SLURM_JOB_NUM_NODES."


def _meeting(case: Case) -> Iterator[Found]:
    if case.parts.torchrun is None or case.nodes == 1:
        return
    place = Place(case.script, case.parts, case.nodes, case.gpus)
    yield from meeting(place)


def _binding(case: Case) -> Iterator[Found]:
    srun = case.parts.srun
    if srun is None:
        return
    each = srun.get("gpus-per-task", "") or str(_number(case.script, "gpus-per-task") or "")
    if each == "1" and "gpu-bind" not in srun and not case.script.option("gpu-bind"):
        says = "Each task sees one GPU only: no P2P to its neighbours, and LOCAL_RANK above 0 has no device."
        mend = "Use --gpus-per-node, and --gpu-bind=none where tasks are one to a GPU."
        yield "hidden-gpus", _line(case, "gpus-per-task"), "breaks", says, mend
    cpus = case.script.option("cpus-per-task")
    told = "cpus-per-task" in srun or "SRUN_CPUS_PER_TASK" in case.script.variables()
    if cpus and not told:
        says = f"Since Slurm 22.05 srun does not take over --cpus-per-task={cpus.value}: each task gets 1 CPU."
        mend = "Add export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK, or --cpus-per-task to srun."
        yield "cpus-not-passed", cpus.line, "slows", says, mend


def _environment(script: Script) -> Iterator[Found]:
    for name, written, line in _variables(script):
        value = unquoted(written)
        interfaces = [word.strip() for word in value.lstrip("=").split(",")]
        if name == "NCCL_SOCKET_IFNAME" and not value.startswith("^") and set(interfaces) & set(_NOT_A_NETWORK):
            says = f"{value} reaches no other node: NCCL cannot start there."
            yield "no-network", line, "breaks", says, "Name the nodes' own network, or leave it to NCCL."
        if name == "NCCL_IB_DISABLE" and value == "1":
            says = "NCCL leaves InfiniBand alone and sends gradients over TCP sockets."
            yield "no-infiniband", line, "slows", says, "Take it out."
        if name == "NCCL_P2P_DISABLE" and value == "1":
            says = "NCCL leaves NVLink alone and goes through host memory."
            yield "no-nvlink", line, "slows", says, "Take it out."


def _variables(script: Script) -> Iterator[tuple[str, str, int]]:
    for step in script.steps:
        if isinstance(step, Launch):
            for word in step.words:
                if not (pair := assignment(word)):
                    break
                yield *pair, step.line
        elif not isinstance(step, Command):
            yield step.name, step.value, step.line
