"""Spans: a run as bars on streams, for timelines, traces and golden files."""

from dataclasses import dataclass

from paceline.step.run import Run


@dataclass(frozen=True, slots=True)
class Span:
    """One bar: a rank's stream is busy with `name` from `start_s` to `end_s`."""

    rank: int
    stream: str
    name: str
    start_s: float
    end_s: float


def spans_of(run: Run, rank: int = 0) -> tuple[Span, ...]:
    """All bars of one rank in order of start, compute before communication."""
    speed = run.speed_of(rank)
    forward_s, backward_s = run.compute.forward_s / speed, run.compute.backward_s / speed
    spans: list[Span] = []
    now = 0.0
    for micro_step in range(run.compute.micro_steps):
        spans.append(Span(rank, "compute", f"forward {micro_step}", now, now + forward_s))
        now += forward_s
        end = run.backward_end_s(rank) if micro_step == run.compute.micro_steps - 1 else now + backward_s
        spans.append(Span(rank, "compute", f"backward {micro_step}", now, end))
        now = end
    begin = run.before_last_backward_s
    for index, (start, end) in enumerate(run.overlap.collectives):
        spans.append(Span(rank, "comm", f"bucket {index}", begin + start, begin + end))
    done = begin + run.overlap.comm_end_s
    if done > now:
        spans.append(Span(rank, "compute", "wait", now, done))
    spans.append(Span(rank, "compute", "optimizer", done, done + run.compute.optimizer_s))
    order = {"compute": 0, "comm": 1}
    return tuple(sorted(spans, key=lambda span: (span.start_s, order[span.stream], span.end_s)))
