"""Golden timelines: one step of a few jobs, as bars and figures a person can read the difference of."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from paceline.figures import figures
from paceline.step import Settings, simulate, spans_of

SCENARIOS = {
    "one-gpu": replace(Settings(), gpus=1, global_batch=16),
    "one-server": replace(Settings(), gpus=8, global_batch=64),
    "four-servers": Settings(),
    "no-overlap": replace(Settings(), global_batch=32, overlap=False),
    "hot-gpu": replace(Settings(), faults=("slow-gpu@dgx-2:5=0.7",)),
    "bad-cable": replace(Settings(), global_batch=64, faults=("bad-cable@dgx-3:5",)),
}
COLUMNS = 72


@pytest.mark.golden
@pytest.mark.parametrize("name", SCENARIOS)
def test_timeline(name: str, golden: Callable[[str, str], None]) -> None:
    run = simulate(SCENARIOS[name].scenario())
    lines = []
    for span in spans_of(run):
        first, last = (round(time / run.step_s * COLUMNS) for time in (span.start_s, span.end_s))
        bar = " " * first + "#" * max(1, last - first)
        lines.append(f"{span.stream:8}{span.name:12}{span.start_s * 1e3:11.3f}{span.end_s * 1e3:11.3f} ms |{bar}")
    lines += [f"{key:24}{float(each.value):.6g}" for key, each in figures(run).items()]
    golden(f"timeline/{name}.txt", "\n".join(lines) + "\n")
