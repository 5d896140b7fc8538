"""Lanes: one step in miniature, what each stream of rank 0 does, in whole microseconds."""

from typing import Any

from paceline.step import Run, spans_of

_COMPUTE = {"forward": "forward", "backward": "backward", "wait": "wait", "optimizer": "optimizer"}


def lanes_of(run: Run, length_us: int) -> dict[str, Any]:
    """The spans of both streams, stretched to `length_us`; communication is parted where the backward ends.

    The stretch is one everywhere but under an assumed MFU, where only the length is known.
    """
    stretch = length_us / (run.step_s * 10**6)

    def span(kind: str, name: str, start_s: float, end_s: float) -> dict[str, Any]:
        start, end = (round(each * 10**6 * stretch) for each in (start_s, end_s))
        return {"kind": kind, "name": name, "start_us": start, "end_us": end}

    compute, comm = [], []
    backward_end_s = run.backward_end_s(0)
    for each in spans_of(run):
        if each.stream == "compute":
            kind = each.name.split(" ")[0]
            compute.append(span(_COMPUTE[kind], _name(each.name), each.start_s, each.end_s))
            continue
        name = f"all-reduce of {each.name}"
        if each.start_s < backward_end_s:
            comm.append(span("hidden", name, each.start_s, min(each.end_s, backward_end_s)))
        if each.end_s > backward_end_s:
            comm.append(span("exposed", name, max(each.start_s, backward_end_s), each.end_s))
    return {"length_us": length_us, "compute": compute, "comm": comm}


def _name(name: str) -> str:
    kind, _, number = name.partition(" ")
    return f"{kind}, micro-step {int(number) + 1}" if number else {"wait": "waiting"}.get(kind, kind)
