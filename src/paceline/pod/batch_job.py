"""A batch job of the pod: who submitted it, where it runs, what it runs, and how far it has come."""

from dataclasses import dataclass, field

from paceline.pod.outcome import Outcome
from paceline.step import Settings

PENDING, RUNNING, COMPLETED = "PENDING", "RUNNING", "COMPLETED"
FAILED, CANCELLED, TIMEOUT = "FAILED", "CANCELLED", "TIMEOUT"
SHORT = {PENDING: "PD", RUNNING: "R", COMPLETED: "CD", FAILED: "F", CANCELLED: "CA", TIMEOUT: "TO"}
"""States as squeue names them, long and short."""


@dataclass(slots=True)
class BatchJob:
    """One job; of its `hosts`, none while it waits, the first `working` compute with `ranks_per_host` processes each.

    It runs on every host `wanted` and on none `excluded`; after `limit_us` it is ended, unless that is 0.

    `settings` say what is trained; of its steps `done` are finished and `into_us` of the next has passed, of
    `into_of_us` when it was last looked at. `environment` is what its processes were started with.
    """

    number: int
    name: str
    nodes: int
    user: str = "ops"
    settings: Settings = field(default_factory=Settings)
    environment: dict[str, str] = field(default_factory=dict)
    command: str = ""
    wanted: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    working: int = 0
    ranks_per_host: int = 8
    state: str = PENDING
    reason: str = "Resources"
    exit_code: int = 0
    submitted_us: int = 0
    started_us: int = 0
    ended_us: int = 0
    limit_us: int = 0
    done: int = 0
    into_us: int = 0
    into_of_us: int = 1
    output: str = ""
    work_dir: str = "/"
    cpus_per_task: int = 1
    outcome: Outcome = field(default_factory=Outcome)
    printed: list[str] = field(default_factory=list)
    logged: int = 0

    @property
    def is_over(self) -> bool:
        """Whether it has left the queue."""
        return self.state in (COMPLETED, FAILED, CANCELLED, TIMEOUT)

    def run_for(self, microseconds: int, step_us: int) -> int:
        """Let it step for a while at this pace, keeping the share of the step it is in; the steps it finished."""
        into_us = self.into_us * step_us // self.into_of_us
        passed, self.into_us = divmod(into_us + microseconds, step_us)
        self.into_of_us = step_us
        self.done += passed
        return passed
