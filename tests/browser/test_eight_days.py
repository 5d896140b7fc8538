"""The first step in a real browser: started, watched, paused, solved, and still there after a reload."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

READY = "html[data-engine=ready]"


def test_the_job_runs_and_the_goal_is_kept(page: Page) -> None:
    page.goto("./#/eight-days")
    expect(page.locator("[data-meter=time_left_s]")).to_have_text("7.88 days")
    page.wait_for_selector(READY)
    page.get_by_role("button", name="Start the job").press("Enter")
    expect(page.locator(".goals li").nth(1)).to_contain_text("✓")
    page.get_by_role("button", name="Pause").press("Enter")
    expect(page.locator("[data-goal=met]")).to_be_visible()
    expect(page.locator("[data-state=paused]")).to_be_visible()
    steps = page.locator("[data-meter=steps]").inner_text()
    page.reload()
    page.wait_for_selector(READY)  # a state of the learner's own is not among the recorded replies
    expect(page.locator("[data-meter=steps]")).to_have_text(steps)
    expect(page.locator("[data-goal=met]")).to_be_visible()


def test_a_prediction_and_a_knob(page: Page) -> None:
    page.goto("./#/eight-days")
    page.wait_for_selector(READY)
    page.get_by_label("days").fill("2")
    page.get_by_role("button", name="Commit").click()
    expect(page.locator(".verdict")).to_contain_text("3.9 times less")
    page.get_by_label("MFU, %").fill("100")
    page.get_by_label("MFU, %").press("Tab")
    expect(page.locator("[data-figure=live_time]")).to_have_text("3.28 days")


@pytest.mark.parametrize("width", [390, 1024, 1440])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_finding_of_axe_and_no_sideways_scroll(
    page: Page, axe: Callable[[Page], list[str]], width: int, theme: str
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto("./#/eight-days")
    page.wait_for_selector(READY)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert axe(page) == []
