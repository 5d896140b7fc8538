"""sbatch, squeue and scancel: jobs into the queue and out of it, and the options that srun shares with them."""

import re
from collections.abc import Sequence

from paceline.errors import BadInput
from paceline.formats import hostlist
from paceline.formats import squeue as squeue_format
from paceline.formats import srun as said
from paceline.launch import Script
from paceline.launch.judge import nodes_asked
from paceline.pod.batch_job import PENDING, RUNNING, SHORT, BatchJob
from paceline.pod.machine_room import HOSTS, MachineRoom
from paceline.pod.outcome import environment_of
from paceline.pod.queue import PARTITION
from paceline.pod.tools.launcher import plan, read_script
from paceline.pod.tools.options import read_options
from paceline.shell import Call, Failed, Output, Steps
from paceline.shell.tools.moment import Moment

JOB_OPTIONS = {
    "-N": "nodes", "--nodes": "nodes", "-n": "ntasks", "--ntasks": "ntasks", "--ntasks-per-node": "ntasks-per-node",
    "-w": "nodelist", "--nodelist": "nodelist", "-x": "exclude", "--exclude": "exclude", "-J": "job-name",
    "--job-name": "job-name", "-p": "partition", "--partition": "partition", "--gpus-per-node": "gpus-per-node",
    "--gres": "gres", "-t": "time", "--time": "time", "-o": "output", "--output": "output", "-l": "label",
    "--label": "label", "--exclusive": "exclusive", "--mpi": "mpi", "-c": "cpus-per-task",
    "--cpus-per-task": "cpus-per-task", "--export": "export",
}  # fmt: skip
FLAGS = ("label", "exclusive")
_QUEUE_OPTIONS = {
    "-u": "user", "--user": "user", "--me": "me", "-j": "jobs", "--jobs": "jobs", "-t": "states", "--states": "states",
    "-l": "long", "--long": "long",
}  # fmt: skip
_LIMIT = re.compile(r"(?:(?P<days>\d{1,3})-)?(?P<rest>\d{1,5}(?::\d{1,2}){0,2})", re.ASCII)


def sbatch(room: MachineRoom, call: Call) -> Steps:
    """sbatch [-N NODES -w HOSTS -x HOSTS -t TIME] SCRIPT: put a batch script in the queue."""
    options = read_options(call.args, JOB_OPTIONS, FLAGS, stop=True)
    if not options.words:
        raise Failed("error: no script was given; `sbatch FILE`")
    script = read_script(call.read(options.words[0]))
    _check_options(script)
    nodes = options.whole("nodes", nodes_asked(script), 1)
    check_partition("sbatch", options.get("partition") or _option(script, "partition"))
    if nodes > len(HOSTS):
        raise Failed(words_of(said.refused("sbatch", said.CONFIG_UNAVAILABLE)))
    wanted = _hosts(options.get("nodelist") or _option(script, "nodelist"))
    excluded = _hosts(options.get("exclude") or _option(script, "exclude"))
    nodes = max(nodes, len(wanted))
    check_hosts("sbatch", wanted, excluded, nodes)
    name = options.get("job-name") or _option(script, "job-name") or options.words[0].rpartition("/")[2]
    job = BatchJob(room.queue.next_number, name, nodes, command=call.path(options.words[0]), submitted_us=call.now_us)
    job.environment = {**exported(options.get("export") or _option(script, "export"), call), **environment_of(script)}
    pattern = options.get("output") or _option(script, "output") or "slurm-%j.out"
    job.wanted, job.excluded = wanted, excluded
    job.limit_us = 10**6 * limit_s(options.get("time") or _option(script, "time"))
    job.output = call.path(pattern.replace("%x", name).replace("%j", str(job.number)))
    job.work_dir = call.cwd
    cpus = _option(script, "cpus-per-task")
    job.cpus_per_task = int(cpus) if cpus.isdecimal() and 0 < len(cpus) < 4 else 1
    plan(room, call, job, script)
    room.queue.submit(job)
    room.start_jobs()
    yield Output(said.render([said.Submitted(job.number)]))
    return 0


def _option(script: Script, name: str) -> str:
    found = script.option(name)
    return (found.value or "") if found is not None else ""


def _hosts(text: str) -> tuple[str, ...]:
    try:
        return hostlist.parse(text) if text else ()
    except BadInput:
        raise Failed(words_of(said.refused("sbatch", said.INVALID_NODE))) from None


def limit_s(text: str) -> int:
    """The seconds of a time limit: minutes, minutes:seconds, hours:minutes:seconds, or days-hours and on; 0 is none."""
    match = _LIMIT.fullmatch(text)
    if not text or text.upper() in ("UNLIMITED", "INFINITE"):
        return 0
    if match is None:
        raise Failed(words_of(said.refused("sbatch", said.INVALID_TIME)))
    days, rest = match["days"], [int(part) for part in match["rest"].split(":")]
    if days is not None:
        hours, minutes, seconds = (*rest, 0, 0)[:3]
        return ((int(days) * 24 + hours) * 60 + minutes) * 60 + seconds
    hours, minutes, seconds = {1: (0, *rest, 0), 2: (0, *rest), 3: tuple(rest)}[len(rest)]
    return (hours * 60 + minutes) * 60 + seconds


def _check_options(script: Script) -> None:
    for option in script.options:
        if not option.is_known and not option.is_ignored:
            raise Failed(f"unrecognized option '{option.name}'\nTry \"sbatch --help\" for more information")
    nodes = _option(script, "nodes")
    if nodes and not re.fullmatch(r"\d{1,6}(?:-\d{1,6})?", nodes, re.ASCII):
        raise Failed(f'error: "{nodes}" is not a valid node count\nsbatch: error: invalid node count `{nodes}\'')


def exported(how: str, call: Call) -> dict[str, str]:
    """What --export passes on: everything by default, nothing with NONE, else what it names."""
    words = [word for word in how.split(",") if word] or ["ALL"]
    found = dict(call.env) if "ALL" in words else {}
    for word in words:
        name, equals, value = word.partition("=")
        if equals:
            found[name] = value
        elif name in call.env:
            found[name] = call.env[name]
    return found


def squeue(room: MachineRoom, call: Call) -> Steps:
    """squeue [--me] [-j JOB,...] [-t STATE,...] [-l]: jobs that wait or run; -l long, with time limits."""
    options = read_options(call.args, _QUEUE_OPTIONS, ("me", "long"))
    jobs = [job for job in room.queue.known if not job.is_over]
    if wanted := [word for word in options.get("jobs").split(",") if word]:
        jobs = [job for job in jobs if str(job.number) in wanted]
        if not jobs:
            raise Failed("error: Invalid job id specified")
    if states := [word.upper() for word in options.get("states").split(",") if word]:
        jobs = [job for job in jobs if {job.state, SHORT[job.state], "ALL"} & set(states)]
    if user := options.get("user"):
        jobs = [job for job in jobs if job.user == user]
    # As Slurm sorts: what waits first, by priority, then what runs.
    jobs.sort(key=lambda job: (job.state == RUNNING, job.number))
    date = Moment.at(call.now_us).shown("%a %b %d %H:%M:%S %Y") if options.get("long") else ""
    yield Output(squeue_format.render(squeue_format.Queue(tuple(_listed(job, call.now_us) for job in jobs), date)))
    return 0


def _listed(job: BatchJob, now_us: int) -> squeue_format.Job:
    ran_s = (now_us - job.started_us) // 10**6 if job.state == RUNNING else 0
    hosts = hostlist.render(job.hosts) if job.hosts else ""
    reason, limit_s = job.reason if job.state == PENDING else "", job.limit_us // 10**6 or None
    return squeue_format.Job(
        str(job.number), PARTITION, job.name, job.user, SHORT[job.state], ran_s, job.nodes, hosts, reason, limit_s
    )


def scancel(room: MachineRoom, call: Call) -> Steps:
    """scancel JOB...: end jobs by number."""
    words = read_options(call.args, {}).words
    if not words:
        raise Failed("error: No job identification provided")
    code = 0
    for word in words:
        if not word.isdecimal() or len(word) > 9 or int(word) not in [job.number for job in room.queue.known]:
            yield Output(f"scancel: error: Kill job error on job id {word}: Invalid job id specified\n", 2)
            code = 1
            continue
        job = room.queue.job(int(word))
        if job.is_over:
            continue
        room.queue.cancel(job.number, call.now_us)
        room.say_cancelled(job, call.now_us)
    room.start_jobs()
    return code


def check_hosts(tool: str, wanted: Sequence[str], excluded: Sequence[str], nodes: int) -> None:
    """Refuse hosts there are not, and a choice of them that leaves too few, in the tool's words."""
    if not {*wanted, *excluded} <= set(HOSTS):
        raise Failed(words_of(said.refused(tool, said.INVALID_NODE)))
    if set(wanted) & set(excluded) or len(HOSTS) - len(set(excluded)) < nodes:
        raise Failed(words_of(said.refused(tool, said.CONFIG_UNAVAILABLE)))


def check_partition(tool: str, partition: str) -> None:
    """Refuse a partition there is not, in the tool's words."""
    if partition and partition != PARTITION:
        raise Failed(words_of(said.refused(tool, said.INVALID_PARTITION, partition)))


def words_of(notes: Sequence[said.Note]) -> str:
    """A tool's refusal without its own name, which the shell puts before it."""
    lines = said.render(notes).rstrip("\n").split("\n")
    return "\n".join([lines[0].partition(": ")[2], *lines[1:]])
