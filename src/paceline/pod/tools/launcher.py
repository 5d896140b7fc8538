"""torchrun and python at a prompt, or under srun: the training they start, whose log is printed as it grows."""

import shlex
from collections.abc import Sequence

from paceline.errors import BadInput
from paceline.launch import parse
from paceline.pod.batch_job import CANCELLED, COMPLETED, BatchJob
from paceline.pod.gpu_board import TICK_US
from paceline.pod.machine_room import MachineRoom
from paceline.pod.outcome import outcome_of
from paceline.shell import Call, Failed, FileProblem, Output, Steps, Wait

LAUNCHERS = ("torchrun", "python", "python3")
POLL_US = 1_000_000


def torchrun(room: MachineRoom, call: Call) -> Steps:
    """torchrun [--standalone --nnodes=N --nproc-per-node=N] SCRIPT: start a script on this host, a process a GPU."""
    return (yield from _by_hand(room, call))


def python(room: MachineRoom, call: Call) -> Steps:
    """python SCRIPT: run a script as one process; of scripts there are those that train."""
    return (yield from _by_hand(room, call))


def _by_hand(room: MachineRoom, call: Call) -> Steps:
    busy = room.queue.running_on(call.host)
    if busy is not None and busy.number:
        raise Failed(f"{call.host}'s GPUs are busy with job {busy.number}; this pod shows one training on a GPU")
    if busy is not None:
        raise Failed(f"{call.host}'s GPUs are busy; this pod shows one training on a GPU")
    job = BatchJob(0, call.name, 1, wanted=(call.host,), environment=dict(call.env), started_us=call.now_us)
    job.hosts = (call.host,)
    words = (call.name, *call.args)
    plan(room, call, job, f"#!/bin/bash\n#SBATCH --nodes=1\n{shlex.join(words)}\n")
    room.queue.submit(job)
    room.start(job)
    return (yield from follow(room, call, job))


def under_srun(room: MachineRoom, call: Call, job: BatchJob, words: Sequence[str], tasks: int) -> Steps:
    """The same on all hosts of a job, `tasks` times on each."""
    head = f"#!/bin/bash\n#SBATCH --nodes={len(job.hosts)}\n#SBATCH --ntasks-per-node={tasks}\n"
    job.environment = dict(call.env)
    plan(room, call, job, f"{head}srun {shlex.join(words)}\n")
    room.start(job)
    return (yield from follow(room, call, job))


def plan(room: MachineRoom, call: Call, job: BatchJob, text: str) -> None:
    """Give a job what its script comes to, or refuse it."""

    def read(name: str) -> str | None:
        try:
            return call.files.read(call.host, call.path(name))
        except FileProblem:
            return None

    job.settings = room.healthy_training
    try:
        job.outcome = outcome_of(parse(text), job.nodes, job.environment, read, call.machine.commands)
    except BadInput as error:
        raise Failed(f"error: {error}") from None


def follow(room: MachineRoom, call: Call, job: BatchJob) -> Steps:
    """Print a job's log as it grows; Ctrl-C ends the job."""
    try:
        while True:
            if job.printed:
                text = "".join(job.printed)
                job.printed.clear()
                yield Output(text)
            if job.is_over:
                return job.exit_code or int(job.state != COMPLETED)
            yield Wait(for_us=POLL_US - call.now_us % TICK_US)
    finally:
        if not job.is_over:
            job.state, job.ended_us = CANCELLED, call.now_us
        if not job.number:
            room.queue.jobs.remove(job)
