"""How fast the page is, from a real browser: `make bench-page`. Machines differ, so it prints and asserts nothing."""

import gzip
import shutil
from statistics import median
from threading import Thread
from typing import Any

import click
from playwright.sync_api import Browser, Page, sync_playwright

from paceline.app.server import LocalServer
from paceline.app.site import Site

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

ROUNDS = 5
LATER = ("/pyodide/", "/engine.zip", "worker-")
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"

# Presses Forward as soon as it is there; gives the time from first paint to the answer in the meters.
FIRST_ANSWER = """() => new Promise((resolve) => {
  const button = () => document.querySelector('[aria-label="Forward one move"]:not(:disabled)');
  const meter = () => document.querySelector('dl dd')?.textContent;
  let pressed = false;
  const look = () => {
    if (!pressed && button()) { button().click(); pressed = true; }
    if (pressed && meter() === '1') return resolve(performance.now());
    requestAnimationFrame(look);
  };
  look();
})"""

# Puts a control to one value after another; gives for each the time until a frame with the answer was shown.
CONTROL_TO_FRAME = """([selector, values, shown]) => new Promise((resolve) => {
  const box = document.querySelector(selector);
  const times = [];
  const next = () => {
    if (times.length === values.length) return resolve(times);
    const before = document.querySelector(shown).textContent;
    const start = performance.now();
    box.value = values[times.length];
    box.dispatchEvent(new Event('change', { bubbles: true }));
    const look = () => {
      if (document.querySelector(shown).textContent !== before) {
        times.push(performance.now() - start);
        return next();
      }
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  };
  next();
})"""

FRAMES = """() => new Promise((resolve) => {
  const gaps = [];
  let last = performance.now();
  const pass = (now) => {
    gaps.push(now - last);
    last = now;
    if (gaps.length < 181) requestAnimationFrame(pass); else resolve(gaps.slice(1));
  };
  requestAnimationFrame(pass);
})"""


def fresh(browser: Browser, url: str, step: str) -> Page:
    """A page in a window that has nothing cached."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.goto(f"{url}#/{step}")
    return page


def quantile(times: list[float], share: float) -> float:
    """The time that `share` of all stay under."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def initial_kb(browser: Browser, url: str) -> float:
    """What the page loads before Python, each file gzipped, in kB."""
    page = browser.new_context().new_page()
    sizes: dict[str, int] = {}

    def weigh(response: Any) -> None:
        if not any(part in response.url for part in LATER):
            sizes[response.url] = len(gzip.compress(response.body(), 9))

    page.on("response", weigh)
    page.route("**/pyodide/**", lambda route: None)
    page.goto(f"{url}#/ring")
    page.wait_for_selector("[data-ready=true]")
    page.wait_for_timeout(500)
    page.context.close()
    return sum(sizes.values()) / 1000


@click.command()
def bench() -> None:
    """Print the page's figures against its budgets."""
    program = next(filter(None, map(shutil.which, CHROMIUM)))
    with LocalServer(Site.installed(), 0) as server, sync_playwright() as playwright:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        click.echo(f"initial load without Pyodide, gzipped: {initial_kb(browser, server.url):.0f} kB (budget 300)")
        paints, answers, starts = [], [], []
        for _ in range(ROUNDS):
            page = fresh(browser, server.url, "ring")
            answered = page.evaluate(FIRST_ANSWER)
            paint = page.evaluate(FIRST_PAINT)
            page.wait_for_selector("html[data-engine=ready]", timeout=60_000)
            starts.append(page.evaluate("performance.now()"))
            paints.append(paint)
            answers.append(answered - paint)
            page.context.close()
        click.echo(f"first paint: {median(paints):.0f} ms, worst {max(paints):.0f} (budget 1000)")
        click.echo(f"first control answers after it: {median(answers):.0f} ms, worst {max(answers):.0f} (budget 1000)")
        click.echo(f"Python is up after: {median(starts):.0f} ms")
        page = fresh(browser, server.url, "ring")
        page.wait_for_selector("html[data-engine=ready]", timeout=60_000)
        for name, low in (("at 32 GPUs", 32), ("at 7 and 8 GPUs, drawn", 7)):
            values = [str(low + index % 2) for index in range(60)]
            page.evaluate(CONTROL_TO_FRAME, ['[aria-label="GPUs, in the ring"]', ["5", *values[:4]], "dl .watched dd"])
            times = page.evaluate(CONTROL_TO_FRAME, ['[aria-label="GPUs, in the ring"]', values, "dl .watched dd"])
            click.echo(f"control to frame {name}: {median(times):.0f} ms, p95 {quantile(times, 0.95):.0f} (budget 100)")
        page.goto(f"{server.url}#/copy-the-model")
        page.get_by_label("GPUs, of dgx-1").fill("8")
        page.get_by_label("GPUs, of dgx-1").press("Enter")
        page.get_by_role("button", name="Start the job").click()
        gaps = page.evaluate(FRAMES)
        click.echo(
            f"frames while 8 GPUs train: {1000 / median(gaps):.0f} a second, p95 gap {quantile(gaps, 0.95):.0f} ms"
        )
        browser.close()
        server.shutdown()


if __name__ == "__main__":
    bench()
