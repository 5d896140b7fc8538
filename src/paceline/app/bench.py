"""How long `simulate` takes, as a ratio to fixed pure-Python work in the same run; machines differ, ratios less."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from statistics import median
from time import perf_counter

import click

from paceline.step import Settings, simulate

ROUNDS = 30


def baseline() -> int:
    """Fixed work of the same kind: ten thousand additions and multiplications."""
    total = 0
    for number in range(10_000):
        total += number * 3
    return total


def median_s(work: Callable[[], object]) -> float:
    """The median time of some work over the rounds, after one to warm up."""
    work()
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return median(times)


@click.command()
def bench() -> None:
    """Print the time of one simulated step at 32 and at 16,384 GPUs."""
    unit = median_s(baseline)
    click.echo(f"baseline, ten thousand additions: {unit * 1e3:.3f} ms")
    for gpus, batch in ((32, 256), (16384, 131072)):
        scenario = replace(Settings(), gpus=gpus, global_batch=batch).scenario()
        time = median_s(partial(simulate, scenario))
        click.echo(f"simulate, {gpus} GPUs: {time * 1e3:.3f} ms, {time / unit:.2f} x the baseline")


if __name__ == "__main__":
    bench()
