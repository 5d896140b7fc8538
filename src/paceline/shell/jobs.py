"""Background jobs: command lines that go on while others are typed, each woken at its time."""

from dataclasses import dataclass, field

from paceline.shell.budget import TooMuch
from paceline.shell.events import STDERR, Interrupt, Output, Steps, Wait

FIRST_PID = 4001
MOST_JOBS = 64
EVENTS_AT_ONCE = 20_000
TERMINATED = 143


@dataclass(slots=True)
class Job:
    """A background command line; `code` is its exit code, None while it runs."""

    number: int
    pid: int
    text: str
    owner: int
    steps: Steps
    wake_us: int
    code: int | None = None
    told: bool = False
    running: bool = False

    @property
    def state(self) -> str:
        """As `jobs` says it."""
        if self.code is None:
            return "Running"
        return {0: "Done", TERMINATED: "Terminated"}.get(self.code, f"Exit {self.code}")

    def line(self) -> str:
        """Its line in `jobs`."""
        tail = " &" if self.code is None else ""
        return f"[{self.number}]  {self.state:<24}{self.text}{tail}\n"


@dataclass(slots=True)
class Jobs:
    """All jobs of a session, also those that its scripts began; what they print waits in `pending`."""

    all: list[Job] = field(default_factory=list)
    pending: list[Output] = field(default_factory=list)
    shells: int = 0
    pids: int = 0
    advancing: bool = False

    def new_shell(self) -> int:
        """A number for a shell, by which its jobs are told from others'."""
        self.shells += 1
        return self.shells

    def of(self, owner: int) -> list[Job]:
        """The jobs that a shell began and has not been told the end of."""
        return [job for job in self.all if job.owner == owner and not job.told]

    def running(self) -> list[Job]:
        """The jobs that go on."""
        return [job for job in self.all if job.code is None]

    def start(self, steps: Steps, text: str, owner: int, now_us: int) -> Job:
        """Begin a job, which first acts when jobs next advance: before the next command, or at the line's end."""
        if len(self.running()) >= MOST_JOBS:
            raise TooMuch(f"stopped: more than {MOST_JOBS} jobs run; wait for some, or kill them")
        self.all = [job for job in self.all if not job.told]
        self.pids += 1
        number = max((job.number for job in self.all if job.owner == owner), default=0) + 1
        job = Job(number, FIRST_PID + self.pids - 1, text, owner, steps, now_us)
        self.all.append(job)
        return job

    def next_wake_us(self) -> int | None:
        """When the next job wants to go on."""
        return min((job.wake_us for job in self.running() if not job.running), default=None)

    def advance(self, now_us: int) -> None:
        """Let every job whose time has come go on until it waits; a job that does so itself is not heard."""
        if self.advancing:
            return
        self.advancing = True
        try:
            while due := [job for job in self.running() if job.wake_us <= now_us and not job.running]:
                job = min(due, key=lambda job: (job.wake_us, job.pid))
                job.running = True
                try:
                    self._go(job, now_us)
                finally:
                    job.running = False
        finally:
            self.advancing = False

    def kill(self, job: Job) -> None:
        """End a job, which may still print a last word."""
        if job.running or job.code is not None:
            return
        job.running = True
        try:
            event = job.steps.throw(Interrupt())
            for _ in range(EVENTS_AT_ONCE):
                if isinstance(event, Output):
                    self.pending.append(event)
                event = next(job.steps)
        except (StopIteration, Interrupt):
            pass
        finally:
            job.running = False
            job.steps.close()
            job.code = TERMINATED

    def drain(self) -> list[Output]:
        """What jobs printed since the last time."""
        printed, self.pending = self.pending, []
        return printed

    def notices(self, owner: int) -> list[Output]:
        """A line for each job of a shell that has ended, once."""
        ended = [job for job in self.of(owner) if job.code is not None]
        for job in ended:
            job.told = True
        return [Output(job.line(), STDERR) for job in ended]

    def _go(self, job: Job, now_us: int) -> None:
        for _ in range(EVENTS_AT_ONCE):
            try:
                event = next(job.steps)
            except StopIteration as done:
                job.code = int(done.value or 0)
                return
            if isinstance(event, Output):
                self.pending.append(event)
            elif isinstance(event, Wait):
                job.wake_us = event.wake_us(now_us)
                return
        job.wake_us = now_us + 1
