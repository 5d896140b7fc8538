"""Each step in a real browser: solved by its solution, and by another route with the page's own controls."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from paceline.lesson import load_lesson
from paceline.pod import Drill

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


def put(page: Page, label: str, value: int) -> None:
    page.get_by_label(label).fill(str(value))
    page.get_by_label(label).press("Enter")


def drill_all_reduce_time(page: Page) -> None:
    seed = re.search(r"seed=(\d+)", page.url)
    world = load_lesson().step("drill-all-reduce-time").open(int(seed[1]) if seed else 0)
    assert isinstance(world, Drill)
    units = {"GB": 1e9, "ms": 1e-3, "GB/s": 1e9}
    box = page.get_by_label("Your answer")
    for off in (3.0, 1.0, 1.02, 0.98):
        task = world.task
        expect(page.get_by_text(task.question).first).to_be_visible()
        text = f"{off * task.truth / units[task.unit]:.6f}"
        box.fill("many")
        box.press("Enter")
        expect(page.get_by_text("it is not a number with a unit")).to_be_visible()
        box.fill(text)
        box.press("Enter")
        world.do({"act": "answer", "text": text})
        expect(page.locator("dl").last).to_contain_text(str(len(world.past)))
        expect(page.get_by_text(task.working[0])).to_be_visible()


def overlap(page: Page) -> None:
    put(page, "Global batch, sequences", 512)
    page.get_by_role("slider", name="Buckets", exact=True).press("Home")
    page.get_by_label("Overlap", exact=True).click()
    put(page, "Buckets, MiB each", 40)


def ddp_in_code(page: Page) -> None:
    edit = page.get_by_label("Edit", exact=True)
    for name in ("wrap, then move", "no set_epoch", "no sampler", "no set_device"):
        edit.select_option(label=name)
        page.get_by_role("button", name="Run the script").click()
    expect(page.locator(".view")).to_contain_text("Duplicate GPU detected")
    edit.select_option(label="as written")


def ring_leaves_the_server(page: Page) -> None:
    put(page, "NIC speed, Gb/s", 800)
    put(page, "NICs, per server", 8)
    page.get_by_role("slider", name="Servers", exact=True).press("End")


def thirty_two_gpus(page: Page) -> None:
    touch = page.get_by_role("spinbutton", name="GPUs")
    for _ in range(5):
        touch.press("ArrowUp")
    page.get_by_role("slider", name="NICs", exact=True).press("End")
    page.get_by_role("button", name="Start the job").click()


def global_batch(page: Page) -> None:
    page.get_by_label("Global batch", exact=True).click()
    put(page, "GPUs, in all", 512)


def small_batch(page: Page) -> None:
    slider = page.get_by_role("slider", name="Global batch", exact=True)
    for _ in range(4):
        slider.press("ArrowLeft")
    expect(page.locator("dl .watched dd").first).to_contain_text("1.2")
    slider.press("ArrowLeft")


def why_scaling_stops(page: Page) -> None:
    put(page, "GPUs, in all", 256)
    page.get_by_role("button", name="Last sequence here").click()
    page.get_by_role("button", name="Exposure begins here").click()
    expect(page.locator(".checks li").first).to_have_attribute("data-met", "false")
    page.get_by_role("button", name="128 GPUs").click()
    expect(page.get_by_label("GPUs, in all")).to_have_value("128")
    page.get_by_role("button", name="Exposure begins here").click()


def break_hot_gpu(page: Page) -> None:
    put(page, "Clock of GPU 13, % of its rating", 40)
    page.get_by_role("button", name="Start the job").click()


def break_too_big(page: Page) -> None:
    page.get_by_label("Model", exact=True).select_option(label="Llama 2, 13 B")
    put(page, "GPUs, in all", 64)
    page.get_by_role("button", name="Start the job").click()
    expect(page.locator(".view")).to_contain_text("CUDA out of memory")
    page.get_by_label("Divide over ranks").select_option(label="+ weights: FSDP")
    page.get_by_role("button", name="Forward one step").click()


ROUTES: dict[str, Callable[[Page], None]] = {
    "eight-days": eight_days,
    "copy-the-model": copy_the_model,
    "stay-identical": stay_identical,
    "ring": ring,
    "drill-all-reduce-time": drill_all_reduce_time,
    "overlap": overlap,
    "ddp-in-code": ddp_in_code,
    "ring-leaves-the-server": ring_leaves_the_server,
    "thirty-two-gpus": thirty_two_gpus,
    "global-batch": global_batch,
    "small-batch": small_batch,
    "why-scaling-stops": why_scaling_stops,
    "break-hot-gpu": break_hot_gpu,
    "break-too-big": break_too_big,
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
    page.get_by_role("button", name="Watch").click()
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
