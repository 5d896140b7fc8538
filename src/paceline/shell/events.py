"""What a command yields while it runs: text, a wish to be woken later, a file to edit; and Ctrl-C."""

from collections.abc import Callable, Generator
from dataclasses import dataclass

STDOUT, STDERR = 1, 2


@dataclass(frozen=True, slots=True)
class Output:
    """Text for the terminal; `stream` is 1 for standard output, 2 for standard error."""

    text: str
    stream: int = STDOUT


@dataclass(frozen=True, slots=True)
class Wait:
    """The command sleeps until an instant, or for so long from now; a microsecond at the least."""

    until_us: int | None = None
    for_us: int = 0

    def wake_us(self, now_us: int) -> int:
        """The instant at which to go on, for one who asked now."""
        wanted = self.until_us if self.until_us is not None else now_us + self.for_us
        return max(now_us + 1, wanted)


@dataclass(frozen=True, slots=True)
class Edit:
    """The front end is to open an editor on this file; the command goes on when it is closed."""

    path: str


class Interrupt(Exception):
    """Ctrl-C: thrown into the generator that runs, which ends with exit code 130 unless it says otherwise."""


Event = Output | Wait | Edit
Steps = Generator[Event, None, int]


def relay(steps: Steps, put: Callable[[Output], Output | None]) -> Steps:
    """The same steps with each output given to `put`, which takes it or hands on what is to be shown."""
    thrown: Interrupt | None = None
    try:
        while True:
            event: Event | None = next(steps) if thrown is None else steps.throw(thrown)
            thrown = None
            if isinstance(event, Output):
                event = put(event)
            if event is not None:
                try:
                    yield event
                except Interrupt as pressed:
                    thrown = pressed
    except StopIteration as done:
        return int(done.value or 0)
    finally:
        steps.close()
