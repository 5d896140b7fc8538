"""`paceline pod`: the simulated pod in a terminal, to type at, or fed with commands on standard input."""

import json
import shutil
import sys
import time
from pathlib import Path
from random import Random

import click

from paceline.errors import BadValue
from paceline.faults import KINDS, Fault
from paceline.pod.live_pod import LOGIN, LivePod
from paceline.pod.machine_room import GPUS, HOSTS, MachineRoom, is_place
from paceline.records import Table
from paceline.shell import Edit, FileProblem, Interrupt, Output, Session, Wait, complete
from paceline.step import Settings

LONGEST_PAUSE_S = 0.4
"""At a keyboard a simulated wait is felt, and no longer than this."""
WIDE = ("gpu_direct", "ib")
PLACES = f"hosts are {HOSTS[0]} to {HOSTS[-1]}, indices 0 to {GPUS - 1}"


@click.command()
@click.option("--scenario", "scenario_file", metavar="FILE", help="A TOML file: what jobs train, and faults.")
@click.option("--fault", "faults", metavar="NAME[@PLACE]", multiple=True, help="What is wrong: bad-cable@dgx-3:5.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, help="Where a fault without a place strikes.")
@click.option("--list-faults", is_flag=True, help="The faults there are.")
@click.option("--json", "as_json", is_flag=True, help="With --list-faults, for programs.")
def pod(scenario_file: str | None, faults: tuple[str, ...], seed: int, list_faults: bool, as_json: bool) -> None:
    """Type at a simulated pod: five DGX H100s with Slurm, InfiniBand and a training job.

    It prints what the real tools print. Commands on standard input are run one after another, and
    time passes only as they wait. At a keyboard it also passes while you think, and waits are cut short.
    """
    if list_faults:
        _list(as_json)
        return
    settings = Settings()
    if scenario_file is not None:
        settings = settings.override(Table.read(_text(scenario_file), scenario_file))
    room = MachineRoom(training=settings)
    for number, text in enumerate((*settings.faults, *faults)):
        room.strike(_placed(text, seed + number))
    world = LivePod(room)
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 80
    session = world.session(width=width, can_edit=sys.stdin.isatty())
    if sys.stdin.isatty():
        _talk(world, session)
    else:
        _read(world, session)
    sys.exit(session.code)


def _list(as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({name: {"part": kind.part, "meaning": kind.meaning} for name, kind in KINDS.items()}))
        return
    for name, kind in KINDS.items():
        click.echo(f"{name:18}{kind.meaning}")
    click.echo(f"\nPlaces are HOST:INDEX; {PLACES}.")
    click.echo("A fault without one strikes where --seed says.")


def _text(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadValue(f"the scenario {name!r}", "there is no such file") from None
    except IsADirectoryError:
        raise BadValue(f"the scenario {name!r}", "it is a folder", "Name a TOML file.") from None
    except (OSError, UnicodeDecodeError):
        raise BadValue(f"the scenario {name!r}", "it cannot be read as UTF-8 text") from None


def _placed(text: str, seed: int) -> Fault:
    """A fault at its place; one without is put among the first four servers by the seed."""
    fault = Fault.parse(text)
    _, at, place = text.partition("@")
    if at:
        server, _, index = place.partition("=")[0].partition(":")
        if not server.strip() or not index.strip():
            raise BadValue(f"fault {text!r}", "its place is HOST:INDEX", f"Write it as in {fault.kind}@dgx-2:5.")
        if not is_place(fault):
            raise BadValue(f"fault {text!r}", f"there is no such place; {PLACES}")
    if at or KINDS[fault.kind].part in WIDE:
        return fault
    draw = Random(f"{fault.kind}/{seed}")
    return Fault(fault.kind, draw.randrange(4), draw.randrange(GPUS), fault.share)


def _run(world: LivePod, session: Session, line: str, is_felt: bool) -> None:
    events = world.run(session, line)
    pressed: Interrupt | None = None
    while True:
        try:
            event = next(events) if pressed is None else events.throw(pressed)
        except StopIteration:
            return
        pressed = None
        try:
            if isinstance(event, Output):
                click.echo(event.text, nl=False, err=event.stream == 2)
            elif isinstance(event, Edit):
                _edit(world, session, event.path)
            elif isinstance(event, Wait) and is_felt:
                sys.stdout.flush()
                time.sleep(min(LONGEST_PAUSE_S, event.for_us / 10**6 if event.for_us else LONGEST_PAUSE_S))
        except KeyboardInterrupt:
            click.echo()
            pressed = Interrupt()


def _edit(world: LivePod, session: Session, path: str) -> None:
    try:
        before = world.files.read(session.host, path)
    except FileProblem:
        before = ""  # an editor makes a file there is not
    after = click.edit(before, extension=Path(path).suffix or ".txt")
    if after is not None:
        world.files.write(session.host, path, after, world.now_us)


def _read(world: LivePod, session: Session) -> None:
    """Commands from standard input, prompts and all, so that a transcript reads like one."""
    text = ""
    for line in sys.stdin:
        text += line.removesuffix("\n").removesuffix("\r") + "\n" if line.endswith("\n") else line.removesuffix("\r")
        if session.incomplete(text):
            continue
        _answer(world, session, text)
        text = ""
        if session.ended:
            return
    if text.strip():
        _answer(world, session, text)


def _answer(world: LivePod, session: Session, text: str) -> None:
    click.echo(f"{session.prompt}{text.rstrip()}")
    _run(world, session, text, False)


def _talk(world: LivePod, session: Session) -> None:
    """A person at a keyboard; what they think about takes the pod's time too."""
    _with_completion(session)
    click.echo(f"A simulated pod; {LOGIN} of {len(HOSTS)} hosts. `help` lists what there is, `exit` leaves.")
    while not session.ended:
        began = time.monotonic()
        try:
            text = input(session.prompt)
            while session.incomplete(text):
                text += "\n" + input("> ")
        except EOFError:
            text = "exit"  # of this shell: one that ssh opened gives back the one before
            click.echo(text)
        except KeyboardInterrupt:
            click.echo()
            continue
        world.advance(int((time.monotonic() - began) * 10**6))
        _run(world, session, text, True)


def _with_completion(session: Session) -> None:
    try:
        import readline
    except ImportError:
        return  # a platform without it: typing works, keys do less

    def offer(_: str, number: int) -> str | None:
        line, cursor = readline.get_line_buffer(), readline.get_endidx()
        found = complete(session, line, cursor)
        return found[number] if number < len(found) else None

    readline.set_completer_delims(" \t\n|;&<>()")
    readline.set_completer(offer)
    readline.parse_and_bind("tab: complete")
