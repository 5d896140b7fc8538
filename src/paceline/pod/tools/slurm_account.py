"""sacct: every job that Slurm remembers, with how it ended."""

from paceline.formats import sacct as sacct_format
from paceline.pod.batch_job import CANCELLED, BatchJob
from paceline.pod.machine_room import MachineRoom
from paceline.pod.queue import PARTITION
from paceline.pod.tools.options import read_options
from paceline.pod.tools.slurm_node import CPUS
from paceline.shell import Call, Failed, Output, Steps

USER_ID = 1000
_KNOWN = {"-j": "jobs", "--jobs": "jobs", "-P": "parsable", "--parsable2": "parsable", "-X": "allocations",
          "--allocations": "allocations"}  # fmt: skip


def sacct(room: MachineRoom, call: Call) -> Steps:
    """sacct [-j JOB,...] [-P]: jobs of today with their states and exit codes; -P puts | between columns."""
    options = read_options(call.args, _KNOWN, ("parsable", "allocations"))
    wanted = [word for word in options.get("jobs").split(",") if word]
    if bad := [word for word in wanted if not word.isdecimal()]:
        raise Failed(f"fatal: Bad job/step specified: {bad[0]}")
    jobs = [job for job in room.queue.known if not wanted or str(job.number) in wanted]
    rows = [_row(job) for job in jobs]
    yield Output(sacct_format.render_parsable(rows) if options.get("parsable") else sacct_format.render(rows))
    return 0


def _row(job: BatchJob) -> sacct_format.Row:
    state = f"{job.state} by {USER_ID}" if job.state == CANCELLED else job.state
    cpus = CPUS * len(job.hosts)
    return sacct_format.Row(str(job.number), job.name, PARTITION, "", cpus, state, job.exit_code)
