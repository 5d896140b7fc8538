"""The whole chain in a real browser: server, page, worker, Python, engine, and back."""

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from paceline.app.bundle import PACKAGE
from paceline.app.server import CONTENT_SECURITY_POLICY

READY = "html[data-engine=ready]"
FAILED = "html[data-engine=failed]"


class TestPhoneInTheDark:
    @pytest.fixture
    def page_options(self) -> dict[str, Any]:
        return {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}

    def test_the_page_starts_python(self, page: Page, axe: Callable[[Page], list[str]]) -> None:
        page.goto("./")
        page.wait_for_selector(READY)
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert axe(page) == []


def test_the_page_starts_python(page: Page, axe: Callable[[Page], list[str]]) -> None:
    page.goto("./")
    page.wait_for_selector(READY)
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    # Both are what the local server's headers and the bundled files are for.
    assert page.evaluate("crossOriginIsolated")
    assert page.evaluate("document.fonts.load('16px IBM Plex Sans').then((faces) => faces.length)") > 0
    assert axe(page) == []


def test_the_page_states_the_servers_policy(page: Page) -> None:
    page.goto("./")
    own = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert f"{own}; frame-ancestors 'none'" == CONTENT_SECURITY_POLICY


def test_a_failed_start_says_so_and_can_be_tried_again(page: Page) -> None:
    page.route("**/engine.zip", lambda route: route.abort())
    page.goto("./#/ring")
    page.wait_for_selector(FAILED)
    expect(page.get_by_role("status").filter(has_text="The engine could not be loaded.")).to_be_visible()
    page.unroute("**/engine.zip")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector(READY)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Nothing."""


class TestAnyStaticHost:
    """The same files under a sub-path of a server that sets none of our headers."""

    @pytest.fixture
    def page_options(self, tmp_path: Path) -> Iterator[dict[str, Any]]:
        shutil.copytree(PACKAGE / "_web", tmp_path / "courses" / "paceline")
        with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as host:
            thread = Thread(target=host.serve_forever, kwargs={"poll_interval": 0.05})
            thread.start()
            yield {"base_url": f"http://127.0.0.1:{host.server_port}/courses/paceline/"}
            host.shutdown()
            thread.join()

    def test_the_page_starts_python(self, page: Page) -> None:
        page.goto("./")
        page.wait_for_selector(READY)
        assert not page.evaluate("crossOriginIsolated")
