"""The plan as one screen: the answer first, then the step, the memory, where scaling stops, what to change."""

from contextlib import suppress
from dataclasses import replace

from rich.console import Console
from rich.table import Table

from paceline.errors import BadInput
from paceline.figures import figure
from paceline.scaling import EXPOSED_SHARE, Scaling
from paceline.step import Run, Scenario, simulate
from paceline.units import show_bytes, show_count, show_gigabytes, show_milliseconds, show_percent, show_percent_tenth
from paceline.workload import largest_micro_batch

WORTH_SAYING = 0.02
"""A change is worth a line when it shortens the training by one part in fifty."""


def show(run: Run, scaling: Scaling, with_sweep: bool) -> None:
    """Print the plan of a run."""
    console = Console(highlight=False)
    text = {name: figure(run, name).text for name in ANSWER}
    job, cluster = run.scenario.job, run.scenario.cluster
    price = f", {text['cost_dollars']}" if run.scenario.price_per_gpu_hour else ""
    gpus = "1 GPU" if job.world_size == 1 else f"{text['world_size']} GPUs"
    console.print(f"[bold]{text['time_to_train_s']} on {gpus}{price}, {text['efficiency']} efficient.[/] {limit(run)}")
    console.print(
        f"{job.model.title}, {text['parameters']} parameters, {text['token_budget']} tokens on "
        f"{cluster.servers} x {cluster.server.title}; "
        f"NCCL_ALGO={run.scenario.nccl_algo or 'unset'}, {job.precision}"
        f"{', activation checkpointing' if job.checkpointing else ''}."
    )
    console.print(
        f"Batch {text['global_batch']} = micro-batch {text['micro_batch']} x accumulation "
        f"{text['accumulation_steps']} x {gpus}; sequences of {text['seq_len']} tokens."
    )
    console.print(f"{text['tokens_per_s']} tokens/s, MFU {text['mfu']} (6 FLOP per parameter and token).\n")
    console.print(step_table(run))
    if job.world_size > 1:
        console.print(
            f"All-reduce of {text['gradient_bytes']} in {text['buckets']} buckets: {text['comm_s']}, of which "
            f"{text['hidden_comm_s']} hidden (textbook law, one shot at link speed: {text['law_comm_s']})."
        )
    if not run.is_validated:
        console.print("Outside the range checked against published all-reduce tables: take it as an extrapolation.")
    console.print()
    console.print(memory_table(run))
    console.print()
    for line in (*stops(scaling), *changes(run)):
        console.print(line)
    if with_sweep:
        console.print()
        console.print(sweep_table(scaling))


ANSWER = (
    "time_to_train_s", "cost_dollars", "world_size", "efficiency", "parameters", "token_budget", "global_batch",
    "micro_batch", "accumulation_steps", "seq_len", "tokens_per_s", "mfu", "gradient_bytes", "buckets", "comm_s",
    "hidden_comm_s", "law_comm_s",
)  # fmt: skip


def limit(run: Run) -> str:
    """What limits the job, in a sentence."""
    loss = run.largest_loss
    if loss.seconds <= 0:
        return "Compute-bound."
    share = show_percent(loss.seconds / run.step_s)
    bound = "Compute-bound" if run.compute_s > run.step_s / 2 else "Not compute-bound"
    return f"{bound}; the largest loss is {WORDS[loss.name]}, {share} of the step."


WORDS = {
    "optimizer": "the optimizer",
    "exposed": "exposed communication",
    "contention": "contention",
    "small kernels": "small kernels",
    "straggler": "the slowest GPU",
}


def step_table(run: Run) -> Table:
    """The step, part by part."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column, right in (("The step", False), ("time", True), ("share", True)):
        table.add_column(column, justify="right" if right else "left")
    parts = (
        ("compute (forward, backward)", run.compute_s),
        ("contention with collectives", run.overlap.contention_s),
        ("waiting for the slowest GPU", run.straggler_s),
        ("exposed communication", run.exposed_comm_s),
        ("optimizer", run.compute.optimizer_s),
    )
    for name, seconds in parts:
        if seconds:
            table.add_row(name, show_milliseconds(seconds), show_percent_tenth(seconds / run.step_s))
    table.add_row("[bold]one step[/]", show_milliseconds(run.step_s), show_percent_tenth(1.0))
    return table


def memory_table(run: Run) -> Table:
    """The memory bill against the GPU."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("Memory of each GPU")
    table.add_column("GB", justify="right")
    table.add_column("")
    bill = run.scenario.job.memory_bill()
    for line in bill.lines:
        if line.bytes:
            table.add_row(line.name, show_bytes(line.bytes), line.how)
    gpu = run.scenario.cluster.server.gpu
    table.add_row("[bold]all[/]", show_gigabytes(bill.total_bytes), f"of {show_gigabytes(gpu.memory_bytes)}")
    return table


def stops(scaling: Scaling) -> tuple[str, ...]:
    """Where scaling stops, and why."""
    last = scaling.runs[-1]
    fastest = min(scaling.runs, key=lambda run: run.step_s)
    lines = [f"No more than {show_count(scaling.cap)} GPUs: each needs a sequence of the global batch."]
    if fastest is not last:
        most = show_count(fastest.scenario.job.world_size)
        lines.append(
            f"{most} GPUs are the fastest: beyond, {WORDS[last.largest_loss.name]} grows faster than work shrinks."
        )
    if scaling.last_good is not None:
        beyond = [run for run in scaling.runs if run.scenario.job.world_size > scaling.last_good]
        blame = f", then {WORDS[beyond[0].largest_loss.name]} takes most" if beyond else ""
        lines.append(f"Above 90% efficiency up to {show_count(scaling.last_good)} GPUs{blame}.")
    if scaling.exposed_from is not None:
        share = show_percent(EXPOSED_SHARE)
        lines.append(f"From {show_count(scaling.exposed_from)} GPUs the all-reduce exposes over {share} of the step.")
    else:
        lines.append(f"The all-reduce stays hidden up to {show_count(last.scenario.job.world_size)} GPUs.")
    return tuple(lines)


def changes(run: Run) -> tuple[str, ...]:
    """What would help, each tried on the engine; only what does is said."""
    before = figure(run, "time_to_train_s")
    found: list[tuple[float, str]] = []
    for name, scenario in _candidates(run.scenario):
        if scenario.job.memory_bill().total_bytes > scenario.cluster.server.gpu.memory_bytes:
            continue
        after = simulate(scenario)
        time = figure(after, "time_to_train_s")
        if time.value < before.value * (1 - WORTH_SAYING):
            efficiency = figure(after, "efficiency").text
            found.append((float(time.value), f"To change: {name} gives {time.text}, {efficiency} efficient."))
    return tuple(line for _, line in sorted(found)[:3])


def _candidates(scenario: Scenario) -> list[tuple[str, Scenario]]:
    job, cluster = scenario.job, scenario.cluster
    found: list[tuple[str, Scenario]] = []
    with suppress(BadInput):
        found.append((f"{show_count(2 * job.world_size)} GPUs", scenario.on(2 * job.world_size)))
    if cluster.conditions:
        found.append(("repairing every fault", scenario.healthy))
    if scenario.nccl_algo:
        found.append(("unsetting NCCL_ALGO", replace(scenario, nccl_algo="")))
    if not job.overlap:
        found.append(("overlapping the all-reduce", replace(scenario, job=replace(job, overlap=True))))
    if cluster.servers > 1 and cluster.server.nics < cluster.server.gpus:
        server = cluster.server.with_nics(cluster.server.gpus)
        found.append((f"{server.nics} NICs a server", replace(scenario, cluster=replace(cluster, server=server))))
    if job.checkpointing:
        plain = replace(job, checkpointing=False)
        cap = largest_micro_batch(plain, cluster.server.gpu.memory_bytes)
        if cap:
            cap = min(cap, scenario.micro_batch_cap)
            without = plain.on(job.world_size, cap)
            name = f"keeping activations, micro-batch {without.micro_batch},"
            found.append((name, replace(scenario, job=without, micro_batch_cap=cap)))
    return found


def sweep_table(scaling: Scaling) -> Table:
    """The same training by number of GPUs."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    names = ("world_size", "step_s", "tokens_per_s", "efficiency", "exposed_comm_s", "memory_bytes", "time_to_train_s")
    for title in ("GPUs", "step", "tokens/s", "efficiency", "exposed", "memory", "training"):
        table.add_column(title, justify="right")
    for run in scaling.runs:
        table.add_row(*(figure(run, name).text for name in names))
    return table
