"""A real browser on the real server: a page that asks nothing of any other origin and reports no error."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from paceline.app.server import LocalServer
from paceline.app.site import Site

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# A container has neither a sandbox nor a GPU; the rest keeps the browser itself from calling home.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Python starts in 3 to 6 s on two cores; a machine under load may take some times that.
START_LIMIT_MS = 30_000
expect.set_options(timeout=START_LIMIT_MS)


@pytest.fixture(scope="session")
def live_server() -> Iterator[LocalServer]:
    """The local server on a free port."""
    with LocalServer(Site.installed(), 0) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, the system's own."""
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)
    assert program, "there is no Chromium here: install it, or set CHROMIUM to the path of one"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def page_options() -> dict[str, Any]:
    """How a test wants its window; a test or module overrides it."""
    return {"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}


@pytest.fixture
def console_errors() -> list[str]:
    """What the page reported as wrong; a test that provokes an error takes it out of here."""
    return []


@pytest.fixture
def page(
    browser: Browser, live_server: LocalServer, page_options: dict[str, Any], console_errors: list[str]
) -> Iterator[Page]:
    """A fresh window. At its end no request has left the origin and nothing was reported as an error."""
    context = browser.new_context(**{"base_url": live_server.url} | page_options)
    page = context.new_page()
    page.set_default_timeout(START_LIMIT_MS)
    asked: list[str] = []

    def keep(said: ConsoleMessage) -> None:
        if said.type in ("error", "warning"):
            console_errors.append(said.text)

    context.on("request", lambda sent: asked.append(sent.url))
    page.on("console", keep)
    page.on("pageerror", lambda error: console_errors.append(str(error)))
    yield page
    origin = page.evaluate("location.origin")
    context.close()
    assert [url for url in asked if not url.startswith(f"{origin}/")] == []
    assert console_errors == []


@pytest.fixture
def still(page: Page) -> Page:
    """A page whose Python never comes: it lives on the recorded replies, and no test waits for a start."""
    page.route("**/pyodide/**", lambda route: None)
    return page


@pytest.fixture
def axe(page_packages: Path) -> Callable[[Page], list[str]]:
    """Looks a page over with axe-core; each finding as its rule and the elements it is about."""
    source = (page_packages / "axe-core" / "axe.min.js").read_text(encoding="utf-8")

    def look_over(page: Page) -> list[str]:
        page.evaluate(source)
        found = page.evaluate("axe.run().then((result) => result.violations)")
        return [f"{each['id']}: {[node['html'] for node in each['nodes']]}" for each in found]

    return look_over
