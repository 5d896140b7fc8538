"""The command line: `paceline` opens the lesson, each other word is a command with a module of its name."""

import os
import sys
from importlib import import_module
from typing import Any

import click

from paceline import __version__
from paceline.errors import PacelineError

COMMANDS = ("learn", "plan", "pod")
DEFAULT = "learn"


class Refusal(click.ClickException):
    """A PacelineError on its way out: its text on stderr, exit code 2, never a traceback."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Print it the way every Paceline command does."""
        click.echo(f"paceline: {self.message}", err=True)


class Commands(click.Group):
    """Commands that are imported when they are used, so that one never waits for another's imports."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The click command that a module of this name holds under the same name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"paceline.app.{cmd_name}"), cmd_name)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Without a command, the options are those of the default one."""
        own = {"--help", "--version"}
        if not args or (args[0].startswith("-") and args[0] not in own):
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what it refuses ends as one message."""
        try:
            return super().invoke(ctx)
        except PacelineError as error:
            raise Refusal(str(error)) from error


@click.group(cls=Commands)
@click.version_option(__version__, prog_name="paceline", message="%(prog)s %(version)s")
def cli() -> None:
    """Learn, plan and debug data-parallel training: many GPUs, one model.

    Without a command, paceline opens the lesson in your browser.
    """


def main() -> None:
    """The console script."""
    try:
        try:
            cli(prog_name="paceline")
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader of a pipe left, as `| head` does. Python would complain once more when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
