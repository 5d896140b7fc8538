"""The queue: which hosts a job gets, first come first served, and which are kept from jobs."""

from dataclasses import dataclass, field

from paceline.errors import BadValue, UnknownName
from paceline.formats import hostlist
from paceline.pod.batch_job import CANCELLED, PENDING, RUNNING, BatchJob

PARTITION = "gpu"
LONGEST_QUEUE = 1000


@dataclass(slots=True)
class Queue:
    """Jobs by number, oldest first, and why and when each drained host was drained."""

    hosts: tuple[str, ...]
    jobs: list[BatchJob] = field(default_factory=list)
    drained: dict[str, str] = field(default_factory=dict)
    drained_us: dict[str, int] = field(default_factory=dict)

    def submit(self, job: BatchJob) -> BatchJob:
        """Put a job at the end; more nodes than there are is refused as Slurm refuses it.

        A job with the number 0 was started by hand: it has its host, and Slurm does not know of it.
        """
        if not 1 <= job.nodes <= len(self.hosts):
            raise BadValue(
                f"a job of {job.nodes} nodes", "Requested node configuration is not available", "Ask for fewer."
            )
        if len(self.jobs) >= LONGEST_QUEUE:
            forgotten = next((each for each in self.jobs if each.is_over), None)
            if forgotten is None:
                raise BadValue("one more job", f"the queue holds {LONGEST_QUEUE}")
            self.jobs.remove(forgotten)
        self.jobs.append(job)
        return job

    def job(self, number: int) -> BatchJob:
        """The job of that number."""
        for job in self.jobs:
            if job.number == number:
                return job
        raise UnknownName.among("job", str(number), [str(job.number) for job in self.jobs])

    @property
    def next_number(self) -> int:
        """The number of the next job."""
        return max((job.number for job in self.jobs), default=0) + 1

    @property
    def active(self) -> tuple[BatchJob, ...]:
        """Jobs that wait or run."""
        return tuple(job for job in self.jobs if not job.is_over)

    def running_on(self, host: str) -> BatchJob | None:
        """The job that has a host."""
        return next((job for job in self.active if host in job.hosts), None)

    @property
    def known(self) -> tuple[BatchJob, ...]:
        """The jobs that Slurm knows of."""
        return tuple(job for job in self.jobs if job.number)

    def node_state(self, host: str) -> str:
        """A host's state in sinfo's compact words."""
        job = self.running_on(host)
        busy = job is not None and job.number > 0
        if host in self.drained:
            return "drng" if busy else "drain"
        return "alloc" if busy else "idle"

    def schedule(self, now_us: int) -> tuple[BatchJob, ...]:
        """Start what fits, in order: one that does not fit keeps those behind it waiting; the jobs that started."""
        started = []
        is_blocked = False
        for job in self.active:
            if job.state != PENDING:
                continue
            if is_blocked:
                job.reason = "Priority"
                continue
            usable = [host for host in self.may_run(job) if host not in self.drained]
            free = [host for host in usable if self.running_on(host) is None]
            if len(free) < job.nodes or not set(job.wanted) <= set(free):
                waits_for_others = len(usable) >= job.nodes and set(job.wanted) <= set(usable)
                unavailable = (
                    ", UnavailableNodes:" + hostlist.render(tuple(sorted(self.drained))) if self.drained else ""
                )
                job.reason = "Resources" if waits_for_others else f"ReqNodeNotAvail{unavailable}"
                is_blocked = True
                continue
            others = [host for host in free if host not in job.wanted]
            chosen = {*job.wanted, *others[: max(0, job.nodes - len(job.wanted))]}
            job.hosts = tuple(host for host in self.hosts if host in chosen)
            job.state, job.reason, job.started_us = RUNNING, "", now_us
            started.append(job)
        return tuple(started)

    def may_run(self, job: BatchJob) -> tuple[str, ...]:
        """The hosts a job does not exclude."""
        return tuple(host for host in self.hosts if host not in job.excluded)

    def cancel(self, number: int, now_us: int) -> BatchJob:
        """Take a job out of the queue."""
        job = self.job(number)
        if not job.is_over:
            job.state, job.ended_us = CANCELLED, now_us
        return job

    def drain(self, host: str, reason: str, now_us: int = 0) -> None:
        """Keep a host from new jobs; one that runs there goes on."""
        self._check(host)
        self.drained[host] = reason
        self.drained_us[host] = now_us

    def resume(self, host: str) -> None:
        """Give a host back."""
        self._check(host)
        self.drained.pop(host, None)

    def _check(self, host: str) -> None:
        if host not in self.hosts:
            raise UnknownName.among("node", host, self.hosts)
