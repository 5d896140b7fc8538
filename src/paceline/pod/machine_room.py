"""The machine room: boards, ports and jobs of five servers, moved second by second; every tool reads this one state."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from paceline.collective import bus_factor
from paceline.errors import BadValue, PacelineError, UnknownName
from paceline.faults import KINDS, Fault
from paceline.formats import srun as said
from paceline.launch.judge import DGX_GPUS
from paceline.pod.batch_job import FAILED, RUNNING, TIMEOUT, BatchJob
from paceline.pod.comparison import run_of
from paceline.pod.gpu_board import NVLINKS, TICK_US, GpuBoard, cooling_for
from paceline.pod.nccl_words import nccl_words, transport_faults
from paceline.pod.out_of_memory import out_of_memory
from paceline.pod.port import Port
from paceline.pod.queue import Queue
from paceline.shell.tools.moment import Moment
from paceline.step import Run, Settings
from paceline.units import show_count, show_milliseconds

HOSTS = ("dgx-1", "dgx-2", "dgx-3", "dgx-4", "dgx-5")
"""Four servers of the lesson's pod, and a spare."""
GPUS = DGX_GPUS
SETTLED_CELSIUS = 0.01
LOG_EVERY = 100
ISO = "%Y-%m-%dT%H:%M:%S"
"""Times as Slurm prints them."""
IDLE_CELSIUS = GpuBoard().temperature_celsius
TESTING = 0.05
"""The share of its time that a GPU computes while it does nothing but reduce (a choice: summing is not free)."""


def is_place(fault: Fault) -> bool:
    """Whether the room has the place where a fault strikes."""
    return 0 <= fault.server < len(HOSTS) and 0 <= fault.index < GPUS


@dataclass(slots=True)
class MachineRoom:
    """Everything that has a state; a fault acts through the part it strikes, a repair undoes exactly that."""

    training: Settings = field(default_factory=Settings)
    """What jobs train: the scenario, without its faults, which strike the room."""
    queue: Queue = field(default_factory=lambda: Queue(HOSTS))
    boards: dict[tuple[str, int], GpuBoard] = field(default_factory=dict)
    ports: dict[tuple[str, int], Port] = field(default_factory=dict)
    leaf_ports: dict[tuple[str, int], Port] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    testing: set[tuple[str, int]] = field(default_factory=set)
    """GPUs that run a collective test."""
    seconds: int = 0

    def __post_init__(self) -> None:
        for host in HOSTS:
            for index in range(GPUS):
                self.boards[host, index] = GpuBoard()
                self.ports[host, index] = Port()
                self.leaf_ports[host, index] = Port()

    @property
    def healthy_training(self) -> Settings:
        """What jobs train, on a cluster of which nothing is said to be wrong."""
        return replace(self.training, faults=())

    def strike(self, fault: Fault) -> None:
        """Inject a fault, at a host of the room."""
        if not is_place(fault):
            raise BadValue(
                f"a fault at server {fault.server + 1}, index {fault.index}",
                "there is no such place",
                f"Servers are 1 to {len(HOSTS)}, indices 0 to {GPUS - 1}.",
            )
        self.faults.append(fault)
        self._act(fault, fault.condition.share)

    def repair(self, fault: Fault) -> None:
        """Undo a fault."""
        if fault not in self.faults:
            raise UnknownName.among("fault", fault.kind, [each.kind for each in self.faults])
        self.faults.remove(fault)
        self._act(fault, 1.0)

    def _act(self, fault: Fault, share: float) -> None:
        place = HOSTS[fault.server], fault.index
        part = KINDS[fault.kind].part
        if part == "gpu":
            self.boards[place].cooling = cooling_for(share) if share < 1 else 1.0
        elif part == "nvlink":
            self.boards[place].links_down = round(NVLINKS * (1 - share))
        elif part == "nic":
            for port in (self.ports[place], self.leaf_ports[place]):
                port.break_to(share)

    def advance(self, seconds: int) -> None:
        """Let whole seconds pass."""
        for _ in range(seconds):
            self.seconds += 1
            self.start_jobs()
            self._tick()
            self.end_jobs()

    def start_jobs(self) -> None:
        """Give waiting jobs their hosts."""
        now_us = self.seconds * TICK_US
        for job in self.queue.schedule(now_us):
            self.start(job)

    def start(self, job: BatchJob) -> None:
        """Start what a job comes to on the hosts it has."""
        job.state = RUNNING
        job.working, job.ranks_per_host = job.outcome.hosts, job.outcome.ranks_per_host
        if job.working and job.environment.get("NCCL_DEBUG", "").upper() in ("INFO", "TRACE"):
            ran = job.hosts[: job.working]
            self.print_to(job, nccl_words(self.ports, ran, job.ranks_per_host, job.environment, self.fabric_faults))

    def end_jobs(self) -> None:
        """End running jobs that fail, and those whose time limit is reached, as slurmstepd says it."""
        now_us = self.seconds * TICK_US
        for job in self.queue.active:
            if job.state != RUNNING:
                continue
            ran_us = now_us - job.started_us
            if job.outcome.ends_after_us and ran_us >= job.outcome.ends_after_us:
                self.print_to(job, job.outcome.text)
                if job.outcome.is_every_node:
                    self.print_to(job, self._ends(job, job.outcome.exit_code))
                self.fail(job)
            elif job.limit_us and ran_us >= job.limit_us:
                job.state, job.ended_us = TIMEOUT, now_us
                self.say_cancelled(job, now_us, "DUE TO TIME LIMIT")

    def _ends(self, job: BatchJob, code: int) -> str:
        return said.render([said.TaskEnd(host, (rank,), code) for rank, host in enumerate(job.hosts)])

    def say_cancelled(self, job: BatchJob, now_us: int, because: str = "") -> None:
        """What slurmstepd says in the log of a job that is ended."""
        host = job.hosts[0] if job.hosts else HOSTS[0]
        self.print_to(job, said.render([said.Cancelled(str(job.number), host, Moment.at(now_us).shown(ISO), because)]))

    def fail(self, job: BatchJob) -> None:
        """End a job that cannot go on."""
        if not job.is_over:
            job.state, job.exit_code = FAILED, job.outcome.exit_code or 1
            job.ended_us = self.seconds * TICK_US

    def print_to(self, job: BatchJob, text: str) -> None:
        """Add to a job's log."""
        job.printed.append(text)

    def _tick(self) -> None:
        busy: set[tuple[str, int]] = set()
        for job in self.queue.active:
            if job.state != RUNNING or not job.working:
                continue
            try:
                run, too_big = _run(self.settings(job))
            except PacelineError as error:
                too_big = str(error)
            if too_big:
                self.print_to(job, f"[rank0]: {too_big}\n{self._ends(job, 1)}")
                self.fail(job)
                continue
            busy.update((host, index) for host in job.hosts[: job.working] for index in range(job.ranks_per_host))
            step_us = max(1, round(run.step_s * 10**6))
            finished = job.run_for(TICK_US, step_us)
            self._log(job, run)
            self._work(job, run, finished)
        for place, board in self.boards.items():
            if place in self.testing:
                board.tick(TESTING)
            elif place not in busy and (
                board.utilization_percent or abs(board.temperature_celsius - IDLE_CELSIUS) > SETTLED_CELSIUS
            ):
                board.tick(0.0)

    def _log(self, job: BatchJob, run: Run) -> None:
        """A line for every hundred steps, as the training script prints them."""
        reached = job.done // LOG_EVERY
        if reached > job.logged:
            job.logged = reached
            rate = run.scenario.job.tokens_per_step / run.step_s
            line = f"step {reached * LOG_EVERY:>7}  {show_milliseconds(run.step_s)}  {show_count(rate)} tokens/s"
            self.print_to(job, f"{line}  exposed {show_milliseconds(run.exposed_comm_s)}\n")

    def _work(self, job: BatchJob, run: Run, finished: int) -> None:
        for number, host in enumerate(job.hosts[: job.working]):
            for index in range(job.ranks_per_host):
                rank = number * job.ranks_per_host + index
                self.boards[host, index].tick(max(TESTING, 1 - run.waits_s(rank) / run.step_s))
        hosts = job.hosts[: job.working]
        self.carry(hosts, job.ranks_per_host, job.environment, run.scenario.job.gradient_bytes * finished, TICK_US)

    def carry(
        self, hosts: Sequence[str], per_host: int, environment: Mapping[str, str], reduced_bytes: int, microseconds: int
    ) -> None:
        """What an all-reduce of so many bytes puts on the servers' ports; sockets go by another network."""
        if len(hosts) < 2 or "socket-fallback" in transport_faults(environment, self.fabric_faults):
            return
        each = round(reduced_bytes * bus_factor(len(hosts) * per_host) / per_host)
        for host in hosts:
            for index in range(per_host):
                by = index if self.ports[host, index].is_up else index ^ 1
                for port in (self.ports[host, by], self.leaf_ports[host, by]):
                    port.carry(each, microseconds)

    def settings(self, job: BatchJob) -> Settings:
        """A job's settings with everything that is wrong on its hosts now, clocks to the per cent."""
        faults = []
        for number, host in enumerate(job.hosts[: job.working]):
            for index in range(job.ranks_per_host):
                percent = round(100 * self.boards[host, index].clock_share)
                if percent < 100:
                    faults.append(f"slow-gpu@{number + 1}:{index}={percent / 100}")
                if self.boards[host, index].links_down:
                    faults.append(f"nvlink-lane-down@{number + 1}:{index}={self.boards[host, index].link_share}")
                if job.working > 1 and self.ports[host, index].share < 1:
                    share = self.ports[host, index].share
                    faults.append(
                        f"bad-cable@{number + 1}:{index}={share}" if share else f"lost-nic@{number + 1}:{index}"
                    )
        if job.working > 1:
            faults += transport_faults(job.environment, self.fabric_faults)
        gpus = job.working * job.ranks_per_host
        found = replace(job.settings, gpus=gpus, servers=job.working, faults=tuple(faults))
        batch = job.outcome.batch_size
        if batch and (found.global_batch, found.micro_batch) == (Settings().global_batch, Settings().micro_batch):
            found = replace(found, global_batch=batch * gpus, micro_batch=batch)
        algorithm = job.environment.get("NCCL_ALGO", "")
        return replace(found, nccl_algo=algorithm) if algorithm else found

    def job_on(self, host: str, index: int) -> BatchJob | None:
        """The running job that has a process on this GPU."""
        job = self.queue.running_on(host)
        if job is None or host not in job.hosts[: job.working] or index >= job.ranks_per_host:
            return None
        return job

    @property
    def fabric_faults(self) -> frozenset[str]:
        """The kinds of faults that strike no single part."""
        return frozenset(fault.kind for fault in self.faults if KINDS[fault.kind].part in ("gpu_direct", "ib"))

    def run(self, job: BatchJob) -> Run:
        """One step of a job as the room is now."""
        return _run(self.settings(job))[0]


@lru_cache(maxsize=512)
def _run(settings: Settings) -> tuple[Run, str]:
    """One step, and PyTorch's words where a rank's memory does not do, empty where it does."""
    run = run_of(settings)
    job = run.scenario.job
    error, _ = out_of_memory(job, job.memory_bill(), run.scenario.cluster.server.gpu.memory_bytes)
    return run, error
