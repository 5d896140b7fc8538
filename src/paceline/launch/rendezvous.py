"""Where the nodes of a torchrun job meet, and what keeps them from it: address, port, rank."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from paceline.launch.finding import Harm
from paceline.launch.processes import Parts, variables_of
from paceline.launch.script import Script, Variable
from paceline.launch.shell import expanded, named

ITSELF = ("localhost", "127.0.0.1", "0.0.0.0", "::1", "[::1]", "127.0.1.1")
NODE_LISTS = ("SLURM_JOB_NODELIST", "SLURM_NODELIST")
HEAD = 'head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)'
C10D_PORT = 29400
"""What torchrun 2.13's c10d rendezvous takes where the endpoint has no port."""

_MEND = f"Take the first node of the job: {HEAD}, then --rdzv-endpoint=$head:29500."

Found = tuple[str, int, Harm, str, str]


@dataclass(frozen=True, slots=True)
class Place:
    """A launch on several nodes, and how its addresses read."""

    script: Script
    parts: Parts
    nodes: int
    gpus: int

    @property
    def options(self) -> dict[str, str]:
        """Torchrun's options."""
        return dict(self.parts.torchrun or {})

    @property
    def backend(self) -> str:
        """What --rdzv-backend says; static without it."""
        return self.filled(self.options.get("rdzv-backend", "static"))

    @property
    def is_static(self) -> bool:
        """Whether each node must be told its rank."""
        return self.backend not in ("c10d", "etcd", "etcd-v2")

    def filled(self, written: str) -> str:
        """A word with what is known of its variables."""
        return expanded(written, variables_of(self.script, self.nodes, self.gpus))

    def set_at(self, name: str) -> Variable | None:
        """Where the script sets a variable."""
        steps = [step for step in self.script.steps if isinstance(step, Variable) and step.name == name]
        return steps[-1] if steps else None


def meeting(place: Place) -> Iterator[Found]:
    """What is wrong with the place where the nodes meet."""
    options, line = place.options, place.parts.line
    if "standalone" in options:
        says = f"--standalone makes each of the {place.nodes} nodes a job of its own."
        yield "standalone", line, "breaks", says, f"Leave it out. {_MEND}"
        return
    written = options.get("rdzv-endpoint") or options.get("master-addr", "")
    if not written:
        says = "No endpoint is given: every node looks for the others at 127.0.0.1, which is itself."
        yield "no-endpoint", line, "breaks", says, _MEND
    else:
        yield from _address(place, written)
        if options.get("rdzv-endpoint"):
            yield from _port(place, written)
    yield from _rank(place)


def _address(place: Place, written: str) -> Iterator[Found]:
    address = place.filled(written)
    host = re.sub(r":(?:\d+|\$\{?\w+\}?)$", "", address, flags=re.ASCII)
    rule, line = "head-address", place.parts.line
    sources = [step for name in named(written) if (step := place.set_at(name))]
    at = sources[0].line if sources else line
    if host in ITSELF:
        yield rule, at, "breaks", f"{host} is each node itself: {place.nodes} nodes wait for one another.", _MEND
        return
    for name in named(host):
        step = place.set_at(name)
        if name in NODE_LISTS:
            says = f"${name} is the whole list, as in dgx-[1-{place.nodes}], and no name of a node."
            yield rule, at, "breaks", says, _MEND
        elif name == "SLURM_SUBMIT_HOST":
            says = "The job was submitted there, and no process of it runs there."
            yield rule, at, "breaks", says, _MEND
        elif name == "HOSTNAME" and place.parts.is_late:
            says = "Each node expands $HOSTNAME to its own name, so that nobody meets."
            yield rule, at, "breaks", says, _MEND
        elif step and re.search(r"hostname\s+(?:-\w*[iI]\w*|--(?:all-)?ip-address)", step.value):
            if not re.search(r"\|\s*(?:awk|cut|head|grep)", step.value):
                says = "hostname may print several addresses, or 127.0.1.1: no other node finds it there."
                yield rule, step.line, "fragile", says, f"Use the node's name: {HEAD}."
        elif step and "scontrol" in step.value and "tail" in step.value and place.is_static:
            says = "That is the job's last node; rank 0, which serves the others, is on the first."
            yield rule, step.line, "breaks", says, _MEND
        elif not step and not name.startswith("SLURM") and name != "HOSTNAME":
            says = f"Nothing in the script sets ${name}: it is what the submitting shell has, or empty."
            yield rule, line, "fragile", says, _MEND


def _port(place: Place, written: str) -> Iterator[Found]:
    if re.search(r":(?:\d+|\$.*)$", place.filled(written), re.ASCII):
        return
    mend = "Add a port, as in $head:29500."
    if place.is_static:
        yield "no-port", place.parts.line, "breaks", "torchrun stops: port is missing in endpoint.", mend
    else:
        says = f"c10d takes port {C10D_PORT}, and so does every other job on that node that names none."
        yield "no-port", place.parts.line, "fragile", says, mend


def _rank(place: Place) -> Iterator[Found]:
    if not place.is_static:
        return
    line = place.parts.line
    written = place.options.get("node-rank", "")
    if not written:
        says = f"Without --rdzv-backend=c10d each node must be told its rank: all {place.nodes} think they are 0."
        yield "node-rank", line, "breaks", says, "Use --rdzv-backend=c10d, which gives them out."
    elif set(named(written)) & {"SLURM_PROCID", "SLURM_NODEID"} and not place.parts.is_late:
        says = f"The batch script expands {written} before srun does: all {place.nodes} nodes are rank 0."
        yield "node-rank", line, "breaks", says, "Use --rdzv-backend=c10d, or quote the launch: srun bash -c '...'."
