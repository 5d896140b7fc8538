"""Each step in a real browser: solved by its solution, and by another route with the page's own controls."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from paceline.lesson import load_lesson

READY = "html[data-engine=ready]"
SOLVED = "[data-goal=met] svg"
STEPS = [step.id for step in load_lesson().steps]


def enter(page: Page, step: str) -> None:
    page.goto(f"./#/{step}")
    page.wait_for_selector(READY)
    expect(page.locator(SOLVED)).to_have_count(0)


@pytest.mark.parametrize("step", STEPS)
def test_the_solution_written_in_solves_it(page: Page, step: str) -> None:
    enter(page, step)
    page.get_by_role("button", name="Write the solution in").click()
    lines = page.get_by_label("Solution, written in and not run").get_by_role("button")
    expect(page.locator(SOLVED)).to_have_count(0)
    for index in range(lines.count()):
        lines.nth(index).click()
        expect(page.locator(".solution li").nth(index + 1 if index + 1 < lines.count() else index)).to_be_visible()
    expect(page.locator(SOLVED)).to_be_visible()
    expect(page.locator("[data-goal=met]")).to_contain_text("Solved")
    expect(page.locator("[data-goal=met]")).not_to_contain_text("without hints")
    expect(page.locator("a[aria-current=step] [data-mark]")).to_have_attribute("data-mark", "solved")


def eight_days(page: Page) -> None:
    page.get_by_label("Speed").select_option(label="a minute a second")
    page.get_by_role("button", name="Start the job").click()
    expect(page.locator(".checks li").nth(1)).to_have_attribute("data-met", "true")
    page.get_by_role("button", name="Pause").click()


def copy_the_model(page: Page) -> None:
    touch = page.get_by_role("spinbutton", name="GPUs")
    touch.press("ArrowUp")
    touch.press("ArrowUp")
    expect(page.locator("dl .watched dd").first).to_contain_text("1.50")
    touch.press("End")
    page.get_by_role("button", name="Start the job").click()


def stay_identical(page: Page) -> None:
    page.get_by_label("Averaging", exact=True).click()
    for _ in range(2):
        page.get_by_role("button", name="Forward one step").click()
    expect(page.locator(".checks li").first).to_have_attribute("data-met", "true")
    page.get_by_role("button", name="Broadcast weights").click()
    page.get_by_role("button", name="Forward one step").click()
    page.get_by_label("Averaging", exact=True).click()
    page.get_by_label("Speed").select_option(label="20 times as fast")
    page.get_by_role("button", name="Resume").click()
    expect(page.locator(".checks li").nth(1)).to_have_attribute("data-met", "true")
    page.get_by_role("button", name="Broadcast weights").click()


def ring(page: Page) -> None:
    page.get_by_label("GPUs, in the ring").fill("3")
    page.get_by_label("GPUs, in the ring").press("Enter")
    expect(page.get_by_label("Moves in all")).to_have_count(0)
    for _ in range(4):
        page.get_by_role("button", name="Forward one move").click()
    expect(page.locator(".checks li").first).to_have_attribute("data-met", "true")
    page.get_by_label("One link, % of its speed").fill("20")
    page.get_by_label("One link, % of its speed").press("Enter")
    page.get_by_label("GPUs, in the ring").fill("256")
    page.get_by_label("GPUs, in the ring").press("Enter")


ROUTES: dict[str, Callable[[Page], None]] = {
    "eight-days": eight_days,
    "copy-the-model": copy_the_model,
    "stay-identical": stay_identical,
    "ring": ring,
}


@pytest.mark.parametrize("step", STEPS)
def test_another_route_solves_it(page: Page, step: str) -> None:
    enter(page, step)
    ROUTES[step](page)
    expect(page.locator("[data-goal=met]")).to_contain_text("Solved without hints")
    expect(page.locator("a[aria-current=step] [data-mark]")).to_have_attribute("data-mark", "unaided")
    text = page.locator("main").inner_text()
    page.reload()
    page.wait_for_selector(READY)
    expect(page.locator("[data-goal=met]")).to_contain_text("Solved without hints")
    assert page.locator("main h1").inner_text() in text


def test_back_is_the_world_as_it_was(page: Page) -> None:
    enter(page, "ring")
    forward, back = (page.get_by_role("button", name=f"{way} one move") for way in ("Forward", "Back"))
    words = page.locator(".in-words")
    seen = []
    for move in range(3):
        expect(page.locator("dl dd").first).to_have_text(str(move))
        seen.append(words.inner_text())
        forward.click()
    for move in (2, 1, 0):
        back.click()
        expect(page.locator("dl dd").first).to_have_text(str(move))
        assert words.inner_text() == seen[move]


def test_a_job_goes_back_a_step(page: Page) -> None:
    enter(page, "eight-days")
    for steps in (1, 2, 3):
        page.get_by_role("button", name="Forward one step").click()
        expect(page.locator("dl dd").first).to_have_text(str(steps))
    page.get_by_role("button", name="Back one step").click()
    expect(page.locator("dl dd").first).to_have_text("2")
    expect(page.locator("[data-state=paused]")).to_be_visible()


def test_what_does_not_divide_is_refused_in_words(page: Page) -> None:
    enter(page, "copy-the-model")
    page.get_by_role("button", name="Three GPUs: does the batch divide?").click()
    expect(page.locator("[data-say]")).to_contain_text("256 = 3 x 85 + 1")
    expect(page.get_by_label("GPUs, of dgx-1")).to_have_value("1")


def own(reduce_scatter: str, all_gather: str = "rank") -> str:
    heads = ("reduce_scatter", "all_gather")
    return "\n".join(
        f"def {head}(rank, move, n):\n    return {chunk}"
        for head, chunk in zip(heads, (reduce_scatter, all_gather), strict=True)
    )


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (own("(rank - move) % n", "(rank + 1 - move) % n"), "Your ring is right"),
        (own("rank"), "Your ring ends wrong"),
        (own("rank + 1"), "no chunk"),
        ("def reduce_scatter(rank, move, n)\n    return 0", "Line 1: SyntaxError"),
        ("while True:\n    pass", "was stopped"),
    ],
)
def test_a_ring_of_ones_own(page: Page, code: str, says: str) -> None:
    enter(page, "ring")
    page.get_by_text("Go further").click()
    page.locator("textarea").fill(code)
    page.get_by_role("button", name="Run my ring").click()
    expect(page.locator(".said")).to_contain_text(says)
