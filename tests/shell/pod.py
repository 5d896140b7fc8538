"""A small pod for the shell's tests, and what a front end does: runs lines, lets time pass, wakes jobs."""

from collections.abc import Mapping

from paceline.shell import Call, Command, FileSystem, Output, Session, Steps, Wait

HOSTS = ("login", "dgx-1", "dgx-2")


def train(call: Call) -> Steps:
    """train STEPS: print a line a second."""
    for step in range(int(call.args[0]) if call.args and call.args[0].isdecimal() else 0):
        yield Wait(for_us=1_000_000)
        yield Output(f"{call.host} step {step}\n")
    return 3


def flood(call: Call) -> Steps:
    """flood: print without end."""
    while True:
        yield Output("x" * 99 + "\n")


class Pod:
    def __init__(self, commands: Mapping[str, Command] | None = None) -> None:
        self.files = FileSystem(HOSTS)
        self.commands: Mapping[str, Command] = commands or {"train": train, "flood": flood}
        self.hosts = HOSTS
        self.now_us = 0


class Terminal:
    """A session on a pod whose time passes as soon as all wait."""

    def __init__(self, pod: Pod | None = None, can_edit: bool = False) -> None:
        self.pod = pod or Pod()
        self.session = Session(self.pod, "login", can_edit=can_edit)
        self.out = ""
        self.err = ""
        self.events = 0

    def take(self, output: Output) -> None:
        if output.stream == 1:
            self.out += output.text
        else:
            self.err += output.text

    def pass_until(self, until_us: int) -> None:
        while (wake := self.session.next_wake_us()) is not None and wake <= until_us:
            self.pod.now_us = max(self.pod.now_us, wake)
            for output in self.session.step(self.pod.now_us):
                self.take(output)
        self.pod.now_us = until_us

    def run(self, text: str, most_events: int = 100_000) -> tuple[str, int]:
        """What a text prints on standard output, and its exit code."""
        self.out, self.err = "", ""
        steps = self.session.run(text)
        while True:
            try:
                event = next(steps)
            except StopIteration as done:
                return self.out, done.value
            self.events += 1
            assert self.events < most_events, "it prints or waits without end"
            if isinstance(event, Output):
                self.take(event)
            elif isinstance(event, Wait):
                self.pass_until(event.wake_us(self.pod.now_us))
