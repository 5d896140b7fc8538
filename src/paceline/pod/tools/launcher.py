"""torchrun and python at a prompt, or under srun: the training they start, whose log is printed as it grows."""

import shlex
from collections.abc import Sequence

from paceline.errors import BadInput
from paceline.launch import Script, parse
from paceline.pod.batch_job import CANCELLED, COMPLETED, BatchJob
from paceline.pod.gpu_board import TICK_US
from paceline.pod.machine_room import MachineRoom
from paceline.pod.outcome import outcome_of
from paceline.shell import Call, Failed, FileProblem, Output, Steps, Wait

LAUNCHERS = ("torchrun", "python", "python3")


def torchrun(room: MachineRoom, call: Call) -> Steps:
    """torchrun [--standalone --nnodes=N --nproc-per-node=N] SCRIPT: start a script on this host, a process a GPU."""
    return (yield from _by_hand(room, call))


def python(room: MachineRoom, call: Call) -> Steps:
    """python SCRIPT: run a script as one process; of scripts there are those that train."""
    return (yield from _by_hand(room, call))


def _by_hand(room: MachineRoom, call: Call) -> Steps:
    busy = room.queue.running_on(call.host)
    if busy is not None:
        by = f" with job {busy.number}" if busy.number else ""
        raise Failed(f"{call.host}'s GPUs are busy{by}; this pod shows one training on a GPU")
    job = BatchJob(0, call.name, 1, wanted=(call.host,), environment=dict(call.env), started_us=call.now_us)
    job.hosts = (call.host,)
    words = (call.name, *call.args)
    plan(room, call, job, read_script(f"#!/bin/bash\n#SBATCH --nodes=1\n{shlex.join(words)}\n"))
    room.queue.submit(job)
    room.start(job)
    return (yield from follow(room, call, job))


def under_srun(room: MachineRoom, call: Call, job: BatchJob, words: Sequence[str], tasks: int) -> Steps:
    """The same on all hosts of a job, `tasks` times on each."""
    head = f"#!/bin/bash\n#SBATCH --nodes={len(job.hosts)}\n#SBATCH --ntasks-per-node={tasks}\n"
    job.environment = dict(call.env)
    plan(room, call, job, read_script(f"{head}srun {shlex.join(words)}\n"))
    room.start(job)
    return (yield from follow(room, call, job))


def read_script(text: str) -> Script:
    """A batch script, or its refusal in the caller's name."""
    try:
        return parse(text)
    except BadInput as error:
        raise Failed(f"error: {error}") from None


def plan(room: MachineRoom, call: Call, job: BatchJob, script: Script) -> None:
    """Give a job what its script comes to, or refuse it."""

    def read(name: str) -> str | None:
        try:
            return call.files.read(call.host, call.path(name))
        except FileProblem:
            return None

    job.settings = room.healthy_training
    try:
        job.outcome = outcome_of(script, job.nodes, job.environment, read, call.machine.commands)
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
            yield Wait(for_us=TICK_US - call.now_us % TICK_US)
    finally:
        if not job.is_over:
            job.state, job.ended_us = CANCELLED, call.now_us
        if not job.number:
            room.queue.jobs.remove(job)
