"""A session: a person at a prompt, on one host and from there on others, with jobs in the background."""

from collections.abc import Mapping

from paceline.errors import PacelineError
from paceline.shell.budget import TOO_MUCH_CODE, Budget, TooMuch
from paceline.shell.builtins import BUILTINS
from paceline.shell.evaluate import INTERRUPTED, run_script
from paceline.shell.events import STDERR, Event, Interrupt, Output, Steps
from paceline.shell.jobs import Jobs
from paceline.shell.machine import Machine
from paceline.shell.parser import parse
from paceline.shell.shell import Exit, LoopControl, Shell
from paceline.shell.streams import Streams
from paceline.shell.syntax import Refused

LONGEST_HISTORY = 1_000


class Session:
    """What a terminal shows; the front end runs its lines, wakes its jobs and asks for its prompt."""

    def __init__(
        self, machine: Machine, host: str, user: str = "you", env: Mapping[str, str] | None = None, width: int = 80,
        can_edit: bool = False,
    ) -> None:  # fmt: skip
        home = f"/home/{user}"
        if not machine.files.is_folder(host, home):
            machine.files.make_folder(host, home, machine.now_us, parents=True)
        base = {
            "HOME": home, "USER": user, "HOSTNAME": host, "PATH": "/usr/local/bin:/usr/bin:/bin", "PWD": home,
            "SHELL": "/bin/bash", "LANG": "C.UTF-8", "TERM": "xterm-256color",
        }  # fmt: skip
        self.ended = False
        self._jobs = Jobs()
        self._stack: list[Shell] = []
        first = Shell(machine, BUILTINS, host, home, base | dict(env or {}), self._jobs, [], self._stack)
        first.serial = self._jobs.new_shell()
        first.width, first.can_edit, first.interactive = width, can_edit, True
        self._stack.append(first)

    @property
    def shell(self) -> Shell:
        """The shell at whose prompt the person is."""
        return self._stack[-1]

    @property
    def host(self) -> str:
        """The host of the prompt."""
        return self.shell.host

    @property
    def cwd(self) -> str:
        """The folder of the prompt."""
        return self.shell.cwd

    @property
    def env(self) -> Mapping[str, str]:
        """The exported variables."""
        return self.shell.env

    @property
    def history(self) -> list[str]:
        """The lines typed so far."""
        return self.shell.history

    @property
    def code(self) -> int:
        """The exit code of the last line."""
        return self.shell.code

    @property
    def jobs(self) -> Jobs:
        """The background jobs."""
        return self._jobs

    @property
    def prompt(self) -> str:
        """What stands before the next line."""
        shell = self.shell
        place = "~" + shell.cwd[len(shell.home) :] if f"{shell.cwd}/".startswith(f"{shell.home}/") else shell.cwd
        return f"{shell.env.get('USER', '')}@{shell.host}:{place}$ "

    def incomplete(self, text: str) -> bool:
        """Whether a text goes on in the next line: an open quote, an if without fi, a here-document."""
        try:
            parse(text)
        except Refused as refusal:
            return refusal.incomplete
        except RecursionError:
            return False
        return text.endswith("\\\n") or (text.endswith("\\") and not text.endswith("\\\\"))

    def run(self, text: str) -> Steps:
        """Run a line, or several; its exit code is what the generator returns. Throw Interrupt for Ctrl-C."""
        shell = self.shell
        if text.strip():
            shell.history.append(text.rstrip("\n"))
            del shell.history[:-LONGEST_HISTORY]
        shell.budget = Budget()
        steps = self._line(shell, text)
        thrown: Interrupt | None = None
        try:
            while True:
                event: Event = next(steps) if thrown is None else steps.throw(thrown)
                thrown = None
                for each in (*self._jobs.drain(), event):
                    try:
                        yield each
                    except Interrupt as pressed:
                        thrown = pressed
        except StopIteration as done:
            shell.code = int(done.value)
        finally:
            steps.close()
        self._jobs.advance(shell.machine.now_us)
        yield from self._jobs.drain()
        yield from self._jobs.notices(self.shell.serial)
        return shell.code

    def step(self, now_us: int) -> tuple[Output, ...]:
        """Let the jobs whose time has come go on; what they print, and a line for each that ended."""
        self._jobs.advance(now_us)
        return (*self._jobs.drain(), *self._jobs.notices(self.shell.serial))

    def next_wake_us(self) -> int | None:
        """When `step` is next worth calling; None where no job runs."""
        return self._jobs.next_wake_us()

    def _line(self, shell: Shell, text: str) -> Steps:
        level, depth = shell.level, shell.loops
        code = 1
        try:
            script = parse(text)
            code = (yield from run_script(shell, script, Streams())) if script.chains else shell.code
        except Refused as refusal:
            yield Output(f"bash: {refusal}\n", STDERR)
            code = 2
        except Exit as ended:
            code = yield from self._leave(shell, ended.code)
        except Interrupt:
            code = INTERRUPTED
        except LoopControl:
            code = 0
        except TooMuch as stop:
            yield Output(f"bash: {stop}\n", STDERR)
            code = TOO_MUCH_CODE
        except PacelineError as problem:
            yield Output(f"bash: {problem}\n", STDERR)
        except RecursionError:
            yield Output("bash: stopped: nested too deep\n", STDERR)
            code = TOO_MUCH_CODE
        finally:
            shell.level, shell.loops, shell.tested = level, depth, 0
        return code

    def _leave(self, shell: Shell, code: int) -> Steps:
        if len(self._stack) > 1:
            self._stack.remove(shell)
            yield Output(f"Connection to {shell.host} closed.\n", STDERR)
            self.shell.code = code
        else:
            self.ended = True
        return code
