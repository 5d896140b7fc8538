"""Built-in commands for background jobs: jobs, wait, kill."""

import re
from collections.abc import Sequence

from paceline.shell.events import Steps, Wait
from paceline.shell.jobs import Job
from paceline.shell.machine import Call, Failed
from paceline.shell.shell import Shell
from paceline.shell.simple import run_command
from paceline.shell.streams import Streams

SIGNALS = ("TERM", "KILL", "INT", "HUP", "15", "9", "2", "1")


def jobs(shell: Shell, call: Call, streams: Streams) -> Steps:
    """jobs: the command lines that run in the background. -p their numbers alone."""
    for job in shell.jobs.of(shell.serial):
        yield from streams.say(f"{job.pid}\n" if call.args == ("-p",) else job.line())
        job.told = job.code is not None
    return 0


def wait(shell: Shell, call: Call, streams: Streams) -> Steps:
    """wait [%JOB | PID…]: wait for background jobs to end; for all of them without a name."""
    known = shell.jobs.all
    chosen = [_job(shell, name, known) for name in call.args if name != "-n"]
    if None in chosen:
        yield from streams.complain(f"bash: wait: {' '.join(call.args)}: no such job")
        return 127
    waited = [job for job in chosen if job] if chosen else [job for job in known if job.owner == shell.serial]
    while any(job.code is None for job in waited):
        shell.jobs.advance(shell.machine.now_us)
        running = [job for job in waited if job.code is None]
        if running:
            yield Wait(until_us=max(shell.machine.now_us + 1, min(job.wake_us for job in running)))
    for job in waited:
        job.told = job.told or not shell.interactive or bool(chosen)
    return (waited[-1].code or 0) if chosen else 0


def kill(shell: Shell, call: Call, streams: Streams) -> Steps:
    """kill [-9] %JOB | PID…: end background jobs."""
    args = list(call.args)
    while args and args[0].startswith("-") and len(args) > 1:
        signal = args.pop(0)[1:].upper().removeprefix("SIG")
        if signal == "S":
            signal = args.pop(0).upper().removeprefix("SIG")
        if signal not in SIGNALS:
            raise Failed(f"{signal[:20]}: invalid signal specification; here {' '.join(SIGNALS)} work")
    if not args:
        raise Failed("usage: kill %JOB, or kill PID", 2)
    found = [_job(shell, name, shell.jobs.all) for name in args]
    command = shell.machine.commands.get("kill")
    if None in found and command is not None:
        return (yield from run_command(shell, command, call, streams))
    code = 0
    for name, job in zip(args, found, strict=True):
        if job is None or job.code is not None:
            yield from streams.complain(f"bash: kill: ({name[:40]}) - No such process")
            code = 1
        else:
            shell.jobs.kill(job)
    return code


def _job(shell: Shell, name: str, known: Sequence[Job]) -> Job | None:
    own = [job for job in known if job.owner == shell.serial]
    if name in ("%%", "%+", "%"):
        return own[-1] if own else None
    if re.fullmatch(r"%\d{1,6}", name):
        return next((job for job in reversed(own) if job.number == int(name[1:])), None)
    if re.fullmatch(r"\d{1,9}", name):
        return next((job for job in known if job.pid == int(name)), None)
    return next((job for job in own if job.text.startswith(name[1:])), None) if name.startswith("%") else None
