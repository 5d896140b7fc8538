"""The page on its recorded replies, without Python: looks, roles, keyboard, predictions, and what is told at once."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from paceline.lesson import load_lesson

LESSON = load_lesson()
STEPS = [step.id for step in LESSON.steps]
PLACES = ["", "glossary", *STEPS]
ARRIVED = "[data-ready=true]"


def enter(page: Page, place: str) -> None:
    page.goto(f"./#/{place}")
    page.wait_for_selector(ARRIVED if place in STEPS else "main h1")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("width", [390, 1024, 1440])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_finding_of_axe_and_no_sideways_scroll(
    still: Page, axe: Callable[[Page], list[str]], place: str, width: int, theme: str
) -> None:
    still.set_viewport_size({"width": width, "height": 900})
    still.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    enter(still, place)
    expect(still.locator("html")).to_have_attribute("data-theme", theme)
    assert still.evaluate("document.documentElement.scrollWidth") <= width
    assert axe(still) == []


@pytest.mark.parametrize("step", STEPS)
def test_nothing_hides_behind_an_edge(still: Page, step: str) -> None:
    for width, height in ((1440, 900), (1024, 768), (390, 844)):
        still.set_viewport_size({"width": width, "height": height})
        enter(still, step)
        cut = still.evaluate(
            """() => [...document.querySelectorAll('.stage button, .stage input, .foot a')]
              .filter((each) => each.checkVisibility())
              .map((each) => [each.getBoundingClientRect(), each.outerHTML])
              .filter(([box]) => box.right > innerWidth + 1 || box.bottom > innerHeight + 1 || box.left < -1)
              .map(([, html]) => html)"""
        )
        assert cut == [], f"{width} x {height}"


def test_the_front_page_has_every_step(still: Page) -> None:
    enter(still, "")
    for title in LESSON.titles:
        expect(still.get_by_text(title.takeaway)).to_be_visible()
    assert still.locator(".parts a").count() == len(STEPS)
    expect(still.locator(".team")).to_contain_text("44,048")
    still.get_by_role("button", name="Cool it").click()
    expect(still.get_by_text("All 32 GPUs compute. A step takes 203 ms.")).to_be_visible()
    still.get_by_role("link", name="Start: Eight days on one GPU").click()
    expect(still.get_by_role("heading", name="Eight days on one GPU", level=1)).to_be_visible()


def test_the_roles_of_a_step(still: Page) -> None:
    enter(still, "ring")
    expect(still.get_by_role("navigation", name="Lesson steps")).to_be_visible()
    assert still.get_by_role("main").count() == 1
    for name in ("Predict", "Do", "Watch Sent in the end", "Why"):
        expect(still.get_by_role("heading", name=name, level=2)).to_be_visible()
    expect(still.get_by_role("tab", name="Ring")).to_have_attribute("aria-selected", "true")
    still.get_by_role("tab", name="Ring").press("ArrowRight")
    expect(still.get_by_role("tab", name="Pod")).to_be_focused()
    expect(
        still.get_by_role("img", name="ring goes from each of 8 GPUs").or_(still.locator(".view svg"))
    ).to_have_count(still.locator(".view svg").count())
    still.get_by_role("button", name="As text").click()
    expect(still.get_by_role("table", name="Links of the ring")).to_be_visible()


def test_the_first_moves_need_no_python(still: Page) -> None:
    enter(still, "ring")
    for move in range(1, 15):
        still.get_by_role("button", name="Forward one move").click()
        expect(still.locator("dl dd").first).to_have_text(str(move))
    expect(still.locator(".checks li").first).to_have_attribute("data-met", "true")
    enter(still, "copy-the-model")
    still.get_by_label("GPUs, of dgx-1").fill("8")
    still.get_by_label("GPUs, of dgx-1").press("Enter")
    expect(still.locator("dl .watched dd").first).to_contain_text("760")
    expect(still.locator("dl .watched .was")).to_have_text("was 5.95 s")
    enter(still, "eight-days")
    still.get_by_role("button", name="Start the job").click()
    expect(still.locator(".checks li").nth(1)).to_have_attribute("data-met", "true")


@pytest.mark.parametrize("step", STEPS)
def test_predictions_on_the_scale_need_no_python(still: Page, step: str) -> None:
    enter(still, step)
    for index, question in enumerate(LESSON.step(step).questions):
        block = still.locator(f"[data-question='{index}']")
        if question.options:
            block.get_by_role("radio").first.check()
        else:
            block.get_by_role("slider").press("ArrowRight")
        block.get_by_role("button", name="Commit").click()
        expect(block.get_by_role("button", name="Predict again")).to_be_visible()
        expect(block.locator(".words")).not_to_be_empty()
    still.reload()
    still.wait_for_selector(ARRIVED)
    expect(still.get_by_role("button", name="Predict again")).to_have_count(len(LESSON.step(step).questions))


def test_a_skipped_prediction_stays_skipped(still: Page) -> None:
    enter(still, "eight-days")
    still.get_by_role("button", name="Skip", exact=True).click()
    expect(still.locator("[data-node=skipped]")).to_be_visible()
    still.reload()
    still.wait_for_selector(ARRIVED)
    expect(still.locator("[data-node=skipped]")).to_be_visible()


def test_hints_open_and_are_remembered(still: Page) -> None:
    enter(still, "ring")
    for tier in ("Nudge", "Formula", "Value"):
        still.get_by_role("button", name=tier).click()
        expect(still.locator("#hint")).not_to_be_empty()
    assert still.evaluate("JSON.parse(localStorage['paceline.progress.v2']).steps.ring.hints") == 3


def test_a_walk_with_the_keyboard_alone(still: Page) -> None:
    enter(still, "eight-days")
    still.keyboard.press("Tab")
    expect(still.get_by_role("link", name="Skip to the text")).to_be_focused()
    still.keyboard.press("Enter")
    reached: set[str] = set()
    for _ in range(60):
        still.keyboard.press("Tab")
        name = still.evaluate(
            "document.activeElement.innerText || document.activeElement.getAttribute('aria-label') || ''"
        )
        reached.add(name.strip())
        if name.strip() == "Start the job":
            break
    assert {"Commit", "Skip", "Nudge", "Write the solution in", "As text", "Start the job"} <= reached
    still.keyboard.press("Enter")
    expect(still.locator(".checks li").nth(1)).to_have_attribute("data-met", "true")
    still.keyboard.press("]")
    expect(still.get_by_role("heading", name="Copy the model, split the batch", level=1)).to_be_focused()
    still.keyboard.press("[")
    expect(still.get_by_role("heading", name="Eight days on one GPU", level=1)).to_be_focused()


def test_a_term_is_explained(still: Page) -> None:
    enter(still, "eight-days")
    still.get_by_role("button", name="MFU").first.focus()
    expect(still.get_by_role("tooltip").filter(has_text="Model FLOP utilization")).to_be_visible()
    still.keyboard.press("Escape")
    expect(still.get_by_role("tooltip").filter(has_text="Model FLOP utilization")).to_be_hidden()


class TestPhone:
    @pytest.fixture
    def page_options(self) -> dict[str, object]:
        return {"viewport": {"width": 390, "height": 844}, "has_touch": True, "reduced_motion": "reduce"}

    def test_the_steps_and_the_grip(self, still: Page) -> None:
        enter(still, "ring")
        still.get_by_role("button", name="Steps").click()
        still.get_by_role("dialog").get_by_role("link", name="Copy model, split batch").click()
        expect(still.get_by_role("heading", name="Copy the model, split the batch", level=1)).to_be_visible()
        expect(still.get_by_role("dialog")).to_be_hidden()
        for height in ("full", "strip", "picture"):
            still.locator(".grip").click()
            expect(still.locator(f".stage[data-height={height}]")).to_be_visible()

    def test_targets_are_large_enough(self, still: Page) -> None:
        enter(still, "ring")
        small = still.evaluate(
            """() => [...document.querySelectorAll(
                '.stage button:not(.grip), .foot a, .thread button, .thread input:not([type=radio])')]
              .filter((each) => each.checkVisibility())
              .filter((each) => each.getBoundingClientRect().height < 43.5)
              .map((each) => each.outerHTML)"""
        )
        assert small == []


def test_print_is_ink_on_paper(still: Page) -> None:
    enter(still, "ring")
    still.emulate_media(media="print")
    for part in (".top", ".rail", ".transport", ".foot"):
        expect(still.locator(part).first).to_be_hidden()
    expect(still.get_by_role("heading", name="Why")).to_be_visible()
