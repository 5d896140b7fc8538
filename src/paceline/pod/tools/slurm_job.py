"""sbatch, squeue and scancel: jobs into the queue and out of it, and the options that srun shares with them."""

import re
from collections.abc import Sequence

from paceline.errors import BadInput
from paceline.formats import hostlist
from paceline.formats import squeue as squeue_format
from paceline.formats import srun as said
from paceline.launch import Script, parse
from paceline.launch.judge import nodes_asked
from paceline.pod.batch_job import PENDING, RUNNING, SHORT, BatchJob
from paceline.pod.machine_room import HOSTS, ISO, MachineRoom
from paceline.pod.outcome import environment_of, outcome_of
from paceline.pod.queue import PARTITION
from paceline.pod.tools.options import read_options
from paceline.shell import Call, Failed, FileProblem, Output, Steps
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
_LIMIT = re.compile(r"(?:(?P<days>\d{1,3})-)?(?P<rest>\d{1,5}(?::\d{1,2}){0,2})", re.ASCII)


def sbatch(room: MachineRoom, call: Call) -> Steps:
    """sbatch [-N NODES -w HOSTS -x HOSTS -t TIME] SCRIPT: put a batch script in the queue."""
    options = read_options(call.args, JOB_OPTIONS, FLAGS, stop=True)
    if not options.words:
        raise Failed("error: no script was given; `sbatch FILE`")
    text = call.read(options.words[0])
    try:
        script = parse(text)
    except BadInput as error:
        raise Failed(f"error: {error}") from None
    _check_options(script)
    nodes = options.whole("nodes", nodes_asked(script), 1)
    check_partition("sbatch", options.get("partition") or _option(script, "partition"))
    if nodes > len(HOSTS):
        raise Failed(words_of(said.refused("sbatch", said.CONFIG_UNAVAILABLE)))
    wanted = _hosts(options.get("nodelist") or _option(script, "nodelist"))
    excluded = _hosts(options.get("exclude") or _option(script, "exclude"))
    nodes = max(nodes, len(wanted))
    if set(wanted) & set(excluded) or len(set(HOSTS) - set(excluded)) < nodes:
        raise Failed(words_of(said.refused("sbatch", said.CONFIG_UNAVAILABLE)))
    name = options.get("job-name") or _option(script, "job-name") or options.words[0].rpartition("/")[2]
    job = BatchJob(room.queue.next_number, name, nodes, command=call.path(options.words[0]), submitted_us=call.now_us)
    job.environment = {**_exported(options.get("export") or _option(script, "export"), call), **environment_of(script)}
    pattern = options.get("output") or _option(script, "output") or "slurm-%j.out"
    job.settings = room.healthy_training
    job.wanted, job.excluded = wanted, excluded
    job.limit_us = 10**6 * _limit_s(options.get("time") or _option(script, "time"))
    job.output = call.path(pattern.replace("%x", name).replace("%j", str(job.number)))
    job.work_dir = call.cwd
    cpus = _option(script, "cpus-per-task")
    job.cpus_per_task = int(cpus) if cpus.isdecimal() and 0 < len(cpus) < 4 else 1
    try:
        job.outcome = outcome_of(script, nodes, job.environment, lambda name: _text(call, name))
    except BadInput as error:
        raise Failed(f"error: {error}") from None
    room.queue.submit(job)
    room.start_jobs()
    yield Output(said.render([said.Submitted(job.number)]))
    return 0


def _option(script: Script, name: str) -> str:
    found = script.option(name)
    return (found.value or "") if found is not None else ""


def _hosts(text: str) -> tuple[str, ...]:
    try:
        hosts = hostlist.parse(text) if text else ()
    except BadInput:
        hosts = ("",)
    if not set(hosts) <= set(HOSTS):
        raise Failed(words_of(said.refused("sbatch", said.INVALID_NODE)))
    return hosts


def _limit_s(text: str) -> int:
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


def _exported(how: str, call: Call) -> dict[str, str]:
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


def _text(call: Call, name: str) -> str | None:
    try:
        return call.files.read(call.host, call.path(name))
    except FileProblem:
        return None


def squeue(room: MachineRoom, call: Call) -> Steps:
    """squeue [--me]: jobs that wait or run."""
    read_options(call.args, {"-u": "user", "--user": "user", "--me": "me"}, ("me",))
    jobs = tuple(
        squeue_format.Job(
            str(job.number), PARTITION, job.name, job.user, SHORT[job.state],
            (call.now_us - job.started_us) // 10**6 if job.state == RUNNING else 0, job.nodes,
            hostlist.render(job.hosts) if job.hosts else "", job.reason if job.state == PENDING else "",
        )
        for job in reversed(room.queue.known)
        if not job.is_over
    )  # fmt: skip
    yield Output(squeue_format.render(squeue_format.Queue(jobs)))
    return 0


def scancel(room: MachineRoom, call: Call) -> Steps:
    """scancel JOB...: end jobs by number."""
    for word in read_options(call.args, {}).words:
        if not word.isdigit() or int(word) not in [job.number for job in room.queue.known]:
            raise Failed(f"error: Kill job error on job id {word}: Invalid job id specified")
        job = room.queue.cancel(int(word), call.now_us)
        at = Moment.at(call.now_us).shown(ISO)
        room.print_to(job, said.render([said.Cancelled(word, job.hosts[0] if job.hosts else "dgx-1", at)]))
    room.start_jobs()
    return 0
    yield  # a command is a generator, also one that prints nothing


def check_partition(tool: str, partition: str) -> None:
    """Refuse a partition there is not, in the tool's words."""
    if partition and partition != PARTITION:
        raise Failed(words_of(said.refused(tool, said.INVALID_PARTITION, partition)))


def words_of(notes: Sequence[said.Note]) -> str:
    """A tool's refusal without its own name, which the shell puts before it."""
    lines = said.render(notes).rstrip("\n").split("\n")
    return "\n".join([lines[0].partition(": ")[2], *lines[1:]])
