"""Scripts at work: lists, && and ||, pipelines, if, for, while, background jobs."""

from collections.abc import Callable, Generator
from dataclasses import replace

from paceline.errors import PacelineError
from paceline.shell.arithmetic import ArithmeticProblem
from paceline.shell.budget import TOO_MUCH_CODE, Budget, TooMuch
from paceline.shell.events import Event, Interrupt, Steps
from paceline.shell.expand import Substitute, expand
from paceline.shell.files import FileProblem
from paceline.shell.machine import Stdin
from paceline.shell.parser import parse
from paceline.shell.pipe import Pipe, Wish, is_line_filter, reader_of, wish_of, written
from paceline.shell.shell import Exit, LoopControl, Shell, Unset
from paceline.shell.simple import redirected, run_simple
from paceline.shell.streams import Capture, Streams
from paceline.shell.syntax import Chain, For, If, Node, Pipeline, Refused, Script, Simple, While

INTERRUPTED = 130


def run_text(shell: Shell, text: str, streams: Streams, name: str = "bash") -> Steps:
    """Run a text as a process of its own would."""
    try:
        script = parse(text)
    except Refused as refusal:
        yield from streams.complain(f"{name}: {refusal}")
        return 2
    return (yield from run_process(shell, script, streams))


def run_process(shell: Shell, script: Script, streams: Streams) -> Steps:
    """Run commands to their end or to an exit."""
    try:
        return (yield from run_script(shell, script, streams))
    except Exit as ended:
        return ended.code
    except LoopControl:
        return 0


def run_script(shell: Shell, script: Script, streams: Streams) -> Steps:
    """Run commands one after another; the exit code is the last one's."""
    code = 0
    for chain in script.chains:
        if chain.background:
            yield from _start(shell, chain, streams)
            code = shell.code = 0
        else:
            code = yield from _chain(shell, chain, streams)
    return code


def _start(shell: Shell, chain: Chain, streams: Streams) -> Generator[Event, None, None]:
    child = shell.copy()
    child.serial = shell.jobs.new_shell()
    child.budget = Budget()
    child.loops = 0
    script = Script((replace(chain, background=False),))
    steps = _job(child, script, replace(streams, stdin=Stdin("")))
    job = shell.jobs.start(steps, chain.text, shell.serial, shell.machine.now_us)
    shell.last_pid = job.pid
    if shell.interactive:
        yield from streams.complain(f"[{job.number}] {job.pid}")


def _job(shell: Shell, script: Script, streams: Streams) -> Steps:
    try:
        return (yield from run_process(shell, script, streams))
    except Interrupt:
        return INTERRUPTED
    except TooMuch as stop:
        yield from streams.complain(f"bash: {stop}")
        return TOO_MUCH_CODE


def _chain(shell: Shell, chain: Chain, streams: Streams) -> Steps:
    code = yield from _pipeline(shell, chain.first, streams, bool(chain.rest))
    for index, (operator, pipeline) in enumerate(chain.rest):
        if (operator == "&&") == (code == 0):
            code = yield from _pipeline(shell, pipeline, streams, index < len(chain.rest) - 1)
    return code


def _pipeline(shell: Shell, pipeline: Pipeline, streams: Streams, tested: bool) -> Steps:
    tested = tested or pipeline.negated
    shell.tested += tested
    try:
        code = yield from _piped(shell, pipeline, streams)
    finally:
        shell.tested -= tested
    if pipeline.negated:
        code = int(code == 0)
    shell.code = code
    if code and "errexit" in shell.options and not shell.tested and not tested:
        raise Exit(code)
    return code


def _piped(shell: Shell, pipeline: Pipeline, streams: Streams) -> Steps:
    *early, last = pipeline.commands
    if not early:
        return (yield from _command(shell, last, streams))
    stdin = streams.stdin
    failed = 0
    for place, node in enumerate(early, 1):
        pipe = Pipe()
        writer = _stage(shell, node, replace(streams, stdin=stdin, out=pipe))
        filters, wish = _readers(shell, pipeline.commands[place:], streams)
        if wish is None and filters == pipeline.commands[place:]:
            return (yield from _streamed(shell, writer, pipe, filters, streams, failed))
        code = yield from written(writer, _reading(shell, pipe, filters, wish, streams))
        failed = code or failed
        stdin = Stdin(pipe.text)
    code = yield from _stage(shell, last, replace(streams, stdin=stdin))
    return code or failed if "pipefail" in shell.options else code


def _readers(shell: Shell, nodes: tuple[Node, ...], streams: Streams) -> tuple[tuple[Node, ...], Wish | None]:
    """The stages that read a pipe line by line, and what the one after them wants before it leaves."""
    if "xtrace" in shell.options:
        return (), None
    for index, node in enumerate(nodes):
        call = reader_of(shell, node, _substitute(shell, streams))
        wish = wish_of(shell, call) if call else None
        if call is None or wish is not None or not is_line_filter(node, call):
            return nodes[:index], wish
    return nodes, None


def _reading(
    shell: Shell, pipe: Pipe, filters: tuple[Node, ...], wish: Wish | None, streams: Streams
) -> Callable[[], Generator[Event, None, bool]]:
    def read() -> Generator[Event, None, bool]:
        if wish is None:
            return False
        lines = pipe.lines()
        if lines and filters:
            seen = Capture()
            yield from _filtered(shell, filters, replace(streams, stdin=Stdin(lines), out=seen, err=Capture()))
            lines = seen.text
        return wish.feed(lines)

    return read


def _streamed(
    shell: Shell, writer: Steps, pipe: Pipe, filters: tuple[Node, ...], streams: Streams, failed: int
) -> Steps:
    """A writer whose readers read line by line: what they make of its lines is printed as time passes."""
    codes: list[list[int]] = []

    def read() -> Generator[Event, None, bool]:
        lines = pipe.lines()
        if lines:
            codes.append((yield from _filtered(shell, filters, replace(streams, stdin=Stdin(lines)))))
        return False

    failed = (yield from written(writer, read)) or failed
    left = pipe.left()
    if left or not codes:
        codes.append((yield from _filtered(shell, filters, replace(streams, stdin=Stdin(left)))))
    *inner, code = (min(column) for column in zip(*codes, strict=True))
    for each in inner:
        failed = each or failed
    return code or failed if "pipefail" in shell.options else code


def _filtered(shell: Shell, filters: tuple[Node, ...], streams: Streams) -> Generator[Event, None, list[int]]:
    codes: list[int] = []
    stdin = streams.stdin
    for node in filters[:-1]:
        pipe = Capture()
        codes.append((yield from _stage(shell, node, replace(streams, stdin=stdin, out=pipe))))
        stdin = Stdin(pipe.text)
    codes.append((yield from _stage(shell, filters[-1], replace(streams, stdin=stdin))))
    return codes


def _stage(shell: Shell, node: Node, streams: Streams) -> Steps:
    child = shell.copy()
    try:
        return (yield from _command(child, node, streams))
    except Exit as ended:
        return ended.code
    except LoopControl:
        return 0


def _command(shell: Shell, node: Node, streams: Streams) -> Steps:
    substitute = _substitute(shell, streams)
    if isinstance(node, Simple):
        return (yield from run_simple(shell, node, streams, substitute))
    shell.deeper()
    try:
        inner = yield from redirected(shell, node.redirects, streams, substitute)
        match node:
            case If():
                return (yield from _if(shell, node, inner))
            case For():
                return (yield from _for(shell, node, inner, substitute))
            case While():
                return (yield from _while(shell, node, inner))
    except (FileProblem, ArithmeticProblem, Unset) as problem:
        yield from streams.complain(f"bash: {problem}")
        return 1
    finally:
        shell.level -= 1


def _substitute(shell: Shell, streams: Streams) -> Substitute:
    def substitute(script: Script) -> Generator[Event, None, str]:
        child = shell.copy()
        printed = Capture()
        try:
            shell.substituted = yield from run_process(child, script, replace(streams, out=printed))
        except PacelineError as error:
            if isinstance(error, TooMuch):
                raise
            shell.substituted = 1
        return printed.text.replace("\0", "").rstrip("\n")

    return substitute


def _condition(shell: Shell, script: Script, streams: Streams) -> Steps:
    shell.tested += 1
    try:
        return (yield from run_script(shell, script, streams))
    finally:
        shell.tested -= 1


def _if(shell: Shell, node: If, streams: Streams) -> Steps:
    for condition, body in node.branches:
        if (yield from _condition(shell, condition, streams)) == 0:
            return (yield from run_script(shell, body, streams))
    if node.otherwise is not None:
        return (yield from run_script(shell, node.otherwise, streams))
    shell.code = 0
    return 0


def _for(shell: Shell, node: For, streams: Streams, substitute: Substitute) -> Steps:
    values: list[str] = []
    for word in node.words:
        values.extend((yield from expand(shell, word, substitute)))
    code = shell.code = 0
    for value in values:
        shell.budget.loop()
        shell.set(node.name, value)
        code, goes_on = yield from _round(shell, node.body, streams)
        if not goes_on:
            break
    return code


def _while(shell: Shell, node: While, streams: Streams) -> Steps:
    code = 0
    while (yield from _condition(shell, node.condition, streams)) == 0:
        shell.budget.loop()
        code, goes_on = yield from _round(shell, node.body, streams)
        if not goes_on:
            break
    shell.code = code
    return code


def _round(shell: Shell, body: Script, streams: Streams) -> Generator[Event, None, tuple[int, bool]]:
    shell.loops += 1
    try:
        return (yield from run_script(shell, body, streams)), True
    except LoopControl as control:
        if control.levels > 1 and shell.loops > 1:
            raise LoopControl(control.goes_on, control.levels - 1) from None
        return 0, control.goes_on
    finally:
        shell.loops -= 1
