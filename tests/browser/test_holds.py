"""What must not lose anything: reload, back, two tabs, bad progress, a private window, a dead worker, a slow start."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

READY = "html[data-engine=ready]"
ARRIVED = "[data-ready=true]"


def enter(page: Page, hash_: str, wait: str = ARRIVED) -> None:
    page.goto("about:blank")
    page.goto(f"./#/{hash_}")
    page.wait_for_selector(wait)


def test_reload_and_link_are_the_same_state(page: Page) -> None:
    enter(page, "eight-days", READY)
    page.get_by_label("MFU, %").fill("80")
    page.get_by_label("MFU, %").press("Enter")
    page.get_by_role("button", name="Forward one step").click()
    expect(page.locator("dl dd").first).to_have_text("1")
    meters = page.locator("dl").first.inner_text()
    address = page.url
    page.reload()
    page.wait_for_selector(READY)
    expect(page.locator("dl dd").first).to_have_text("1")
    assert page.locator("dl").first.inner_text() == meters
    page.evaluate("localStorage.clear()")
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector(READY)
    expect(page.locator("dl dd").first).to_have_text("1")
    assert page.locator("dl").first.inner_text() == meters


def test_a_link_leaves_ones_own_state(still: Page) -> None:
    enter(still, "ring")
    still.get_by_role("button", name="Forward one move").click()
    expect(still.locator("dl dd").first).to_have_text("1")
    enter(still, "ring?log=m4")
    expect(still.locator("dl dd").first).to_have_text("4")
    still.get_by_role("button", name="Back to mine").click()
    expect(still.locator("dl dd").first).to_have_text("1")


def test_the_back_button_goes_from_step_to_step(still: Page) -> None:
    enter(still, "ring")
    for move in (1, 2):
        still.get_by_role("button", name="Forward one move").click()
        expect(still.locator("dl dd").first).to_have_text(str(move))
    still.get_by_role("link", name="Copy model, split batch").click()
    expect(still.get_by_role("heading", name="Copy the model", level=1)).to_be_visible()
    still.go_back()
    expect(still.get_by_role("heading", name="The ring all-reduce", level=1)).to_be_visible()
    expect(still.locator("dl dd").first).to_have_text("2")


def test_two_tabs(still: Page) -> None:
    enter(still, "ring")
    other = still.context.new_page()
    other.route("**/pyodide/**", lambda route: None)
    other.goto("./#/eight-days")
    other.wait_for_selector(ARRIVED)
    other.get_by_role("button", name="Skip", exact=True).click()
    mark = still.locator("a[href='#/eight-days'] [data-mark]").first
    expect(mark).to_have_attribute("data-mark", "seen")
    # What one process stores reaches the other a moment later.
    still.wait_for_function("localStorage['paceline.progress.v2'].includes('skip')")
    still.get_by_role("button", name="Forward one move").click()
    expect(still.locator("dl dd").first).to_have_text("1")
    kept = still.evaluate("JSON.parse(localStorage['paceline.progress.v2']).steps")
    assert kept["eight-days"]["guesses"] == ["skip"] and kept["ring"]["log"] == "m1"
    other.close()


@pytest.mark.parametrize("text", ["{", '{"version":9}', "[1]"])
def test_progress_that_cannot_be_read_is_set_aside(still: Page, text: str) -> None:
    still.add_init_script(f"""
        if (location.origin !== 'null' && !sessionStorage.been) {{
            localStorage.setItem('paceline.progress.v2', {json.dumps(text)});
            sessionStorage.been = 1;
        }}""")
    enter(still, "ring")
    expect(still.locator("[data-saved]")).to_contain_text("could not be read")
    still.locator(".menu summary").click()
    with still.expect_download() as download:
        still.get_by_role("button", name="Export what could not be read").click()
    assert Path(download.value.path()).read_text(encoding="utf-8") == text


def test_progress_of_the_first_version(still: Page) -> None:
    old = json.dumps({"ring": {"solved": True, "guess": "", "log": ""}})
    still.add_init_script(
        f"location.origin === 'null' || localStorage.setItem('paceline.progress.v1', {json.dumps(old)})"
    )
    enter(still, "ring")
    expect(still.locator("[data-goal=met]")).to_contain_text("Solved")


def test_export_and_import(still: Page) -> None:
    enter(still, "ring")
    still.get_by_role("button", name="Skip", exact=True).first.click()
    still.locator(".menu summary").click()
    with still.expect_download() as download:
        still.get_by_role("button", name="Export progress").click()
    path = download.value.path()
    still.get_by_role("button", name="Start afresh").click()
    still.get_by_role("button", name="Yes, forget it").click()
    assert still.evaluate("JSON.parse(localStorage['paceline.progress.v2']).steps") == {}
    still.get_by_label("Progress file").set_input_files(path)
    expect(still.get_by_text("was added")).to_be_visible()
    assert still.evaluate("JSON.parse(localStorage['paceline.progress.v2']).steps.ring.guesses") == ["skip", ""]


def test_a_browser_that_keeps_nothing(still: Page) -> None:
    still.add_init_script(
        "const get = () => { throw new DOMException('denied', 'SecurityError'); };"
        "Object.defineProperty(window, 'localStorage', { get });"
    )
    enter(still, "ring")
    still.get_by_role("button", name="Forward one move").click()
    expect(still.locator("dl dd").first).to_have_text("1")
    expect(still.locator("[data-saved]")).to_contain_text("Not saved")


def test_a_worker_that_dies_is_replaced(page: Page, console_errors: list[str]) -> None:
    enter(page, "copy-the-model", READY)
    page.get_by_role("button", name="Forward one step").click()
    expect(page.locator("[data-state=paused]")).to_be_visible()
    page.workers[0].evaluate("setTimeout(() => { throw new Error('the worker is gone') })")
    page.wait_for_selector("html:not([data-engine=ready])")
    page.get_by_label("GPUs, of dgx-1").fill("4")
    page.get_by_label("GPUs, of dgx-1").press("Enter")
    expect(page.locator("dl .watched dd").first).to_contain_text("1.50")
    assert "start,t5951" in page.url
    console_errors.clear()


def test_a_slow_start_says_what_it_waits_for(page: Page) -> None:
    held = []
    page.route("**/engine.zip", lambda route: held.append(route))
    enter(page, "ring")
    expect(page.get_by_role("progressbar", name="Python is starting")).to_be_visible()
    page.get_by_label("GPUs, in the ring").fill("77")
    page.get_by_label("GPUs, in the ring").press("Enter")
    expect(page.locator("[data-say]")).to_contain_text("Python is starting")
    for _ in range(100):
        if held:
            break
        page.wait_for_timeout(100)
    for route in held:
        route.continue_()
    expect(page.get_by_label("GPUs, in the ring")).to_have_value("77")
    expect(page.locator("dl .watched dd").first).to_have_text("1.974")


@pytest.mark.parametrize(
    "log", ["m99", "%3Cimg%20src=x%20onerror=alert(1)%3E", "fly", "set", "ranks=1", "%E0%A4%A", "t1,", "__proto__=1"]
)
def test_a_mangled_link_starts_afresh(page: Page, log: str) -> None:
    enter(page, f"ring?log={log}", READY)
    expect(page.locator("dl dd").first).to_have_text("0")
    if log not in ("t1,",):
        expect(page.locator("[data-say]")).to_contain_text("starts afresh")
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("place", ["nothing", "cheat-sheet", "playground"])
def test_a_step_that_is_not_there(still: Page, place: str) -> None:
    enter(still, place, "main h1")
    expect(still.get_by_role("link", name=re.compile("All steps"))).to_be_visible()


def test_a_drill_keeps_its_numbers_until_new_ones_are_asked_for(still: Page) -> None:
    enter(still, "drill-all-reduce-time")
    first = still.locator(".in-words").inner_text()
    address = still.url
    still.get_by_role("button", name="New numbers").click()
    expect(still.locator(".in-words")).not_to_have_text(first)
    second = still.locator(".in-words").inner_text()
    still.reload()
    still.wait_for_selector(ARRIVED)
    enter(still, address.partition("#/")[2])
    expect(still.locator(".in-words")).to_have_text(first)
    assert second != first


def test_knobs_turned_in_a_hurry_all_count(page: Page) -> None:
    enter(page, "ring-leaves-the-server", READY)
    page.evaluate(
        """() => {
          const turns = { 'NIC speed, Gb/s': '200', 'NICs, per server': '4', 'Servers, of eight GPUs': '3' };
          for (const [label, value] of Object.entries(turns)) {
            const box = document.querySelector(`[aria-label="${label}"]`);
            box.value = value;
            box.dispatchEvent(new Event('change', { bubbles: true }));
          }
          document.querySelector('.transport .main').click();
        }"""
    )
    expect(page.locator("[data-state=running]")).to_be_visible()
    assert "nic_gbit=200,nics=4,servers=3,start" in page.url


def test_a_guess_is_never_html(page: Page) -> None:
    enter(page, "eight-days", READY)
    page.get_by_label("Your prediction").fill("<b>8</b>")
    page.get_by_role("button", name="Commit").click()
    expect(page.locator(".predict .words")).to_contain_text("<b>8</b>")
    page.get_by_label("Your prediction").fill("\uff18")
    page.get_by_role("button", name="Commit").click()
    expect(page.locator(".predict .words")).to_have_text("within a tenth")
