"""The pod as its terminals see it: hosts with files and tools over one machine room, whose time passes as they wait."""

from collections.abc import Generator, Mapping, Sequence

from paceline.launch import four_nodes, render
from paceline.pod.gpu_board import TICK_US
from paceline.pod.machine_room import HOSTS, MachineRoom
from paceline.pod.script import FOLDER
from paceline.pod.tools import TOOLS, RoomCall
from paceline.shell import Call, Command, Event, FileProblem, FileSystem, Interrupt, Output, Session, Steps, Wait
from paceline.shell.events import STDERR

LOGIN = "dgx-1"
SCRIPTS = ("train.py", "gpt.py")
USER = "ops"
LONGEST_LOG = 100_000
LONGEST_LINE_S = 24 * 3600
"""A line that would wait longer is ended: nobody waits a day at a prompt."""


class LivePod:
    """One simulated pod; every session on it reads and changes the same room."""

    def __init__(self, room: MachineRoom | None = None) -> None:
        self.room = room or MachineRoom()
        self.files = FileSystem(HOSTS)
        self._opened: set[int] = set()
        self._furnish()
        self._behind_us = 0
        self.commands: Mapping[str, Command] = {name: self._bound(tool) for name, tool in TOOLS.items()}

    @property
    def hosts(self) -> Sequence[str]:
        """The hosts that ssh reaches."""
        return HOSTS

    @property
    def now_us(self) -> int:
        """The clock."""
        return self.room.seconds * TICK_US + self._behind_us

    def advance(self, microseconds: int) -> None:
        """Let time pass; the room moves in whole seconds, and two advances are the one of their sum."""
        seconds, self._behind_us = divmod(self._behind_us + microseconds, TICK_US)
        self.room.advance(seconds)
        self._write_logs()

    def session(self, host: str = LOGIN, width: int = 80, can_edit: bool = False) -> Session:
        """A terminal on a host."""
        return Session(self, host, USER, width=width, can_edit=can_edit)

    def run(self, session: Session, line: str) -> Generator[Event, None, None]:
        """Run a line to its end; a wait is yielded once its time has passed. Throw Interrupt for Ctrl-C."""
        steps = session.run(line)
        deadline_us = self.now_us + LONGEST_LINE_S * TICK_US
        thrown: Interrupt | None = None
        while True:
            try:
                event = next(steps) if thrown is None else steps.throw(thrown)
            except StopIteration:
                return
            thrown = None
            try:
                if isinstance(event, Wait):
                    wake_us = event.wake_us(self.now_us)
                    if wake_us > deadline_us:
                        steps.close()
                        self.advance(deadline_us - self.now_us)
                        yield from session.step(self.now_us)
                        yield Output("stopped: a line waits a day at most\n", STDERR)
                        return
                    self.advance(wake_us - self.now_us)
                    yield from session.step(self.now_us)
                yield event
            except Interrupt as pressed:
                thrown = pressed

    def _furnish(self) -> None:
        """The home folder as a colleague left it: the training script, and one that launches it on four servers."""
        home = f"/home/{USER}"
        self.files.make_folder(LOGIN, home, parents=True)
        for name in SCRIPTS:
            self.files.write(LOGIN, f"{home}/{name}", (FOLDER / name).read_text(encoding="utf-8"))
        self.files.write(LOGIN, f"{home}/train.sbatch", render(four_nodes()))

    def _write_logs(self) -> None:
        """Put what jobs print into their files: a log too long begins anew, one that cannot be opened ends its job."""
        for job in self.room.queue.jobs:
            if not job.output:
                continue  # a step of srun prints to its terminal
            is_new = bool(job.hosts) and job.number not in self._opened
            if not (job.printed or is_new):
                continue
            self._opened.add(job.number)
            text = "".join(job.printed)
            job.printed.clear()
            if not (self._wrote(job.output, text, append=True) or self._wrote(job.output, text[-LONGEST_LOG:])):
                self.room.fail(job)

    def _wrote(self, path: str, text: str, append: bool = False) -> bool:
        try:
            self.files.write(LOGIN, path, text, self.now_us, append=append)
        except FileProblem:
            return False
        return True

    def _bound(self, tool: RoomCall) -> Command:
        def command(call: Call) -> Steps:
            code = yield from tool(self.room, call)
            self._write_logs()
            return code

        command.__doc__ = tool.__doc__
        return command
