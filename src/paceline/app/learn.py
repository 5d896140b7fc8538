"""`paceline learn`: serve the lesson on this machine and open it in the browser."""

import os
import sys
import webbrowser
from threading import Thread

import click

from paceline.app.server import LocalServer
from paceline.app.site import Site

# A lesson's progress belongs to its address in the browser, so the address must stay the same between days.
# 8 GPUs a server, 4 servers, 32 GPUs.
PORT = 8432


@click.command()
@click.option("--no-open", is_flag=True, help="Print the address and open no browser.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, help=f"{PORT} unless given; 0 takes a free one.")
def learn(no_open: bool, port: int) -> None:
    """Open the lesson in your browser.

    This is what paceline does without a command.
    """
    with LocalServer(Site.installed(), port) as server:
        click.echo(f"The lesson is at {server.url} (Ctrl-C ends it)")
        sys.stdout.flush()
        if not no_open:
            _open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo()


def _open(url: str) -> None:
    """Open a window, where there is a screen: a browser of the terminal would take over this one."""
    if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        click.echo("There is no screen here to open it on; use the address in a browser of yours.")
        return
    Thread(target=webbrowser.open, args=(url,), daemon=True).start()
