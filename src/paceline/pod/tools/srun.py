"""srun: a command on free nodes, all_reduce_perf over all of them, any other program once a task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from paceline.errors import PacelineError
from paceline.formats import hostlist
from paceline.formats import srun as said
from paceline.pod.batch_job import COMPLETED, PENDING, BatchJob
from paceline.pod.gpu_board import TICK_US
from paceline.pod.machine_room import GPUS, MachineRoom
from paceline.pod.tools.collective_test import measure
from paceline.pod.tools.launcher import LAUNCHERS, under_srun
from paceline.pod.tools.options import Options, read_options
from paceline.pod.tools.slurm_job import FLAGS, JOB_OPTIONS, check_hosts, check_partition, exported, limit_s
from paceline.shell import Call, Failed, File, Output, Session, Steps, Wait
from paceline.shell.events import STDERR, STDOUT
from paceline.shell.machine import Stdin
from paceline.shell.simple import dispatch, is_known
from paceline.shell.streams import Streams

NO_FILE = "No such file or directory"
SHELL_ONLY = frozenset(
    (".", ":", "break", "cd", "continue", "edit", "exit", "export", "help", "history", "jobs", "logout", "set",
     "source", "type", "unset", "wait")
)  # fmt: skip
"""Words of the shell that are no programs."""


def srun(room: MachineRoom, call: Call) -> Steps:
    """srun [-N NODES -n TASKS -w HOSTS -l] COMMAND: run a command on free nodes, once a task; -l labels its lines."""
    options = read_options(call.args, JOB_OPTIONS, FLAGS, stop=True)
    if not options.words:
        raise Failed("fatal: No command given to execute.")
    check_partition("srun", options.get("partition"))
    if options.get("output"):
        raise Failed("-o: here srun prints to its terminal; write > FILE")
    program = options.words[0].rpartition("/")[2]
    nodes, tasks = _shape(options)
    job = _job(room, call, options, program, nodes)
    room.queue.submit(job)
    room.start_jobs()
    try:
        if job.state == PENDING:
            yield Output(said.render(said.waiting("srun", job.number)), STDERR)
            while job.state == PENDING:
                yield Wait(for_us=TICK_US)
            if job.is_over:
                yield Output(f"srun: Force Terminated job {job.number}\n", STDERR)
                return 1
            yield Output(said.render(said.waiting("srun", job.number, True)[-1:]), STDERR)
        environment = exported(options.get("export"), call)
        inner = replace(call, env={**environment, "SLURM_JOB_ID": str(job.number)})
        if program in LAUNCHERS:
            return (yield from under_srun(room, inner, job, options.words, tasks))
        if program == "all_reduce_perf":
            return (yield from _while_it_has_its_nodes(call, job, _test(room, inner, options, job.hosts, tasks)))
        return (yield from _while_it_has_its_nodes(call, job, _each(inner, options, job.hosts, tasks)))
    finally:
        if not job.is_over:
            job.state, job.ended_us = COMPLETED, call.now_us
        room.start_jobs()


def _job(room: MachineRoom, call: Call, options: Options, program: str, nodes: int) -> BatchJob:
    """The job that srun asks for."""
    wanted = hostlist.parse(options.get("nodelist")) if options.get("nodelist") else ()
    excluded = hostlist.parse(options.get("exclude")) if options.get("exclude") else ()
    check_hosts("srun", wanted, excluded, nodes)
    name = options.get("job-name") or program
    job = BatchJob(room.queue.next_number, name, nodes, wanted=wanted, excluded=excluded, submitted_us=call.now_us)
    job.work_dir, job.command = call.cwd, program
    job.limit_us = 10**6 * limit_s(options.get("time"))
    return job


def _while_it_has_its_nodes(call: Call, job: BatchJob, steps: Steps) -> Steps:
    """A step until its job is cancelled or out of time, which is looked at every second."""
    try:
        while True:
            try:
                event = next(steps)
            except StopIteration as done:
                return int(done.value or 0)
            if not isinstance(event, Wait):
                yield event
                continue
            wake_us = event.wake_us(call.now_us)
            while call.now_us < wake_us and not job.is_over:
                yield Wait(until_us=min(wake_us, call.now_us + TICK_US))
            if job.is_over:
                yield Output(said.render([said.aborted()]) + "".join(job.printed), STDERR)
                job.printed.clear()
                return 1
    finally:
        steps.close()


def _shape(options: Options) -> tuple[int, int]:
    """Nodes, and tasks on each."""
    listed = len(hostlist.parse(options.get("nodelist"))) if options.get("nodelist") else 0
    nodes = options.whole("nodes", max(1, listed), 1)
    per_node = options.whole("ntasks-per-node", 0, 1, 64) if options.get("ntasks-per-node") else 0
    total = options.whole("ntasks", 0, 1, 512) if options.get("ntasks") else 0
    if total and not options.get("nodes") and not listed:
        nodes = -(-total // (per_node or GPUS))
    if total and not per_node and total % nodes:
        raise Failed(f"-n {total} on {nodes} nodes: here as many tasks run on each node")
    return nodes, per_node or max(1, total // nodes if total else 1)


def _test(room: MachineRoom, call: Call, options: Options, hosts: Sequence[str], tasks: int) -> Steps:
    args = options.words[1:]
    try:
        each = _gpus_of(args)
        if tasks * each > GPUS:
            raise Failed(f"{tasks} tasks a node with {each} GPUs each want {tasks * each} of {GPUS} GPUs")
        return (yield from measure(room, call, hosts, tasks * each, each, args))
    except PacelineError as problem:
        code = problem.code if isinstance(problem, Failed) else 1
        yield Output(f"all_reduce_perf: {problem}\n", STDERR)
        yield Output(_ends([(host, code) for host in hosts for _ in range(tasks)]), STDERR)
        return code


def _gpus_of(args: Sequence[str]) -> int:
    for index, word in enumerate(args):
        if word in ("-g", "--ngpus") and index + 1 < len(args) and args[index + 1].isdigit():
            return max(1, int(args[index + 1][:3]))
    return 1


def _each(call: Call, options: Options, hosts: Sequence[str], per_host: int) -> Steps:
    """Run the command once a task, all at the same time; what they print meanwhile comes in the order of tasks."""
    count = len(hosts) * per_host
    typed = call.stdin if call.piped else None
    tasks = []
    for number in range(count):
        place = {"NTASKS": count, "NNODES": len(hosts), "PROCID": number, "NODEID": number // per_host}
        place["LOCALID"] = number % per_host
        host = hosts[number // per_host]
        env = {**call.env, "HOSTNAME": host} | {f"SLURM_{name}": str(value) for name, value in place.items()}
        tasks.append(_Task(number, host, _steps(call, options.words, host, env, typed)))
    label = count if options.get("label") else 0
    try:
        while True:
            for task in tasks:
                task.go_on(call.now_us)
                for stream in (STDOUT, STDERR):
                    if shown := task.take(stream, label):
                        yield Output(shown, stream)
            wakes = [task.wake_us for task in tasks if task.code is None]
            if not wakes:
                break
            yield Wait(until_us=min(wakes))
    finally:
        for task in tasks:
            task.steps.close()
    ended = [(task.host, task.code or 0) for task in tasks]
    if any(code for _, code in ended):
        yield Output(_ends(ended), STDERR)
    return max(code for _, code in ended)


def _ends(ended: Sequence[tuple[str, int]]) -> str:
    """A line for the tasks of each host that ended with the same code other than 0."""
    together: dict[tuple[str, int], list[int]] = {}
    for number, (host, code) in enumerate(ended):
        if code:
            together.setdefault((host, code), []).append(number)
    return said.render([said.TaskEnd(host, tuple(tasks), code) for (host, code), tasks in together.items()])


def _steps(call: Call, words: Sequence[str], host: str, env: Mapping[str, str], typed: str | None) -> Steps:
    """One task: a program of its own on its host, in the folder of the caller where that host has it."""
    shell = Session(call.machine, host, call.env.get("USER", "you"), env=env, width=call.width).shell
    shell.interactive = False
    if call.files.is_folder(host, call.cwd):
        shell.cwd = call.cwd
    name, *args = words
    base = name.rpartition("/")[2]
    if "/" not in name or name in (f"/bin/{base}", f"/usr/bin/{base}"):
        why, code = ("", 0) if is_known(shell, base) and base not in SHELL_ONLY else (NO_FILE, 2)
    else:
        found = call.files.find(host, shell.path(name))
        why, code = (NO_FILE, 2) if found is None else ("", 0)
        if found is not None and not (isinstance(found, File) and found.executable):
            why, code = "Permission denied", 13
    if code:
        yield Output(f"slurmstepd: error: execve(): {name}: {why}\n", STDERR)
        return code
    return (yield from dispatch(shell, name, tuple(args), Streams(Stdin(typed), _Through())))


class _Through:
    """Standard output that is no terminal: what comes is handed on."""

    def put(self, text: str) -> Output | None:
        """Hand it on."""
        return Output(text)


@dataclass(slots=True)
class _Task:
    """A task that runs; `code` is its exit code, None until it has ended."""

    number: int
    host: str
    steps: Steps
    wake_us: int = 0
    code: int | None = None
    printed: dict[int, str] = field(default_factory=lambda: {STDOUT: "", STDERR: ""})

    def go_on(self, now_us: int) -> None:
        """Run until it waits or ends."""
        while self.code is None and self.wake_us <= now_us:
            try:
                event = next(self.steps)
            except StopIteration as done:
                self.code = int(done.value or 0)
                return
            if isinstance(event, Output):
                self.printed[event.stream] += event.text
            elif isinstance(event, Wait):
                self.wake_us = event.wake_us(now_us)

    def take(self, stream: int, tasks: int) -> str:
        """What it printed since the last time; as whole lines with its number where `tasks` are to be labelled."""
        text = self.printed[stream]
        if not tasks:
            self.printed[stream] = ""
            return text
        lines, newline, rest = text.rpartition("\n")
        self.printed[stream] = rest if self.code is None else ""
        whole = (lines + newline) if self.code is None else text
        return said.label([(self.number, line) for line in whole.splitlines()], tasks)
