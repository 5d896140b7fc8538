"""all_reduce_perf on the pod: each size priced by NCCL's model on the hosts as they are now, a row at a time."""

from collections.abc import Mapping, Sequence

from paceline.collective import Fabric, price_all_reduce
from paceline.formats import all_reduce_perf as format_
from paceline.formats.nccl_start import DGX_H100_BUS_IDS
from paceline.formats.nccl_tests import Device, Result, Row, Run, Timing
from paceline.pod.batch_job import BatchJob
from paceline.pod.machine_room import GPUS, MachineRoom
from paceline.pod.nccl_words import FIRST_PID, nccl_words
from paceline.pod.tools.options import read_options
from paceline.pod.tools.smi import NAME
from paceline.shell import Call, Failed, Output, Steps, Wait
from paceline.step import Settings
from paceline.units import GB, GIB, KIB, MIB

VERSION, NCCL_LIBRARY = "2.18.3", 22809
WARMUP, ITERATIONS = 1, 20
START_UP_S = 6
"""What loading, rendezvous and NCCL's own start take before the first row (typical on DGX H100)."""
BYTES_PER_FLOAT = 4
LARGEST_BYTES = 16 * GIB
MOST_ROWS = 64
_KNOWN = {
    "-b": "minbytes", "--minbytes": "minbytes", "-e": "maxbytes", "--maxbytes": "maxbytes", "-f": "stepfactor",
    "--stepfactor": "stepfactor", "-i": "stepbytes", "--stepbytes": "stepbytes", "-g": "ngpus", "--ngpus": "ngpus",
    "-t": "nthreads", "--nthreads": "nthreads", "-n": "iters", "--iters": "iters", "-w": "warmup_iters",
    "--warmup_iters": "warmup_iters", "-c": "check", "--check": "check",
}  # fmt: skip


def all_reduce_perf(room: MachineRoom, call: Call) -> Steps:
    """all_reduce_perf [-b SIZE -e SIZE -f FACTOR -g GPUS]: time all-reduces on this host; srun starts it on more."""
    gpus = read_options(call.args, _KNOWN).whole("ngpus", 1, 1, GPUS)
    return (yield from measure(room, call, (call.host,), gpus, gpus, call.args))


def size_of(text: str, default: int) -> int:
    """Bytes of "8", "32M" or "4G", binary as nccl-tests counts."""
    if not text:
        return default
    scale = {"K": KIB, "M": MIB, "G": GIB}.get(text[-1:].upper(), 0)
    digits = text[:-1] if scale else text
    if not digits.isdigit() or len(digits) > 12:
        raise Failed(f"invalid size specified: {text!r}")
    return int(digits) * (scale or 1)


def measure(
    room: MachineRoom, call: Call, hosts: Sequence[str], per_host: int, gpus_per_process: int, args: Sequence[str]
) -> Steps:
    """All ranks on some hosts, `per_host` GPUs each; rows appear as fast as they would be measured."""
    options = read_options(args, _KNOWN)
    low = size_of(options.get("minbytes"), 32 * MIB)
    high = size_of(options.get("maxbytes"), 32 * MIB)
    if not 1 <= low <= high <= LARGEST_BYTES:
        raise Failed(f"sizes go from {low} to {high}: they lie between 1 and 16G, the smaller one first")
    factor = options.whole("stepfactor", 0, 2, 1024) if options.get("stepfactor") else 0
    step = size_of(options.get("stepbytes"), MIB)
    if not factor and (step < 1 or (high - low) // step >= MOST_ROWS):
        raise Failed(f"steps of {step} bytes from {low} to {high} are too many: at most {MOST_ROWS}; -f 2 doubles them")
    sizes = _sizes(low, high, factor, step)
    iterations, warmup = options.whole("iters", ITERATIONS, 1, 10**6), options.whole("warmup_iters", WARMUP, 0, 10**6)
    for host in hosts:
        job = room.queue.running_on(host)
        if room.testing & {(host, index) for index in range(GPUS)} or (
            job is not None and str(job.number) != call.env.get("SLURM_JOB_ID")
        ):
            yield Output(f"{host}: the GPUs are busy with a job; the numbers below would not be its links'\n", 2)
            return 1
    ranks = len(hosts) * per_host
    devices = tuple(_device(rank, hosts, per_host) for rank in range(ranks))
    if options.whole("nthreads", 1, 1) != 1:
        raise Failed("-t: here a process has one thread; ask srun for more tasks")
    checks = options.whole("check", 1, 0, 10**6) > 0
    step_kind = "factor" if factor else "bytes"
    run = Run(1, gpus_per_process, low, high, factor or step, step_kind, warmup, iterations, validation=int(checks))
    result = Result(version=VERSION, nccl_headers=NCCL_LIBRARY, nccl_library=NCCL_LIBRARY, run=run, devices=devices)
    if call.env.get("NCCL_DEBUG", "").upper() == "INFO":
        yield Output(nccl_words(room.ports, hosts, per_host, call.env, room.fabric_faults))
    yield Wait(for_us=START_UP_S * 10**6)
    yield Output(format_.render_head(result) + format_.HEADS)
    rows = []
    places = {(host, index) for host in hosts for index in range(per_host)}
    room.testing |= places
    try:
        for size in sizes:
            time_s = _price_s(room, call.env, hosts, per_host, size)
            rounds = (iterations + warmup) * 2
            took_us = max(1, round(time_s * 10**6 * rounds))
            yield Wait(for_us=took_us)
            room.carry(hosts, per_host, call.env, size * rounds, took_us)
            row = _row(size, time_s, ranks, checks)
            rows.append(row)
            yield Output(format_.render_row(row))
    finally:
        room.testing -= places
    total = 0.0
    for row in rows:
        total += row.out_of_place.busbw_gb_per_s + row.in_place.busbw_gb_per_s
    average = float(f"{total / (2 * len(rows)):.6g}")
    yield Output(format_.render_foot(Result(out_of_bounds=0, avg_busbw_gb_per_s=average, concluded=True)))
    return 0


def _sizes(low: int, high: int, factor: int, step: int) -> list[int]:
    found: list[int] = []
    size = low
    while size <= high and len(found) < MOST_ROWS:
        found.append(max(BYTES_PER_FLOAT, size // BYTES_PER_FLOAT * BYTES_PER_FLOAT))
        size = size * factor if factor else size + max(1, step)
    return found


def _device(rank: int, hosts: Sequence[str], per_host: int) -> Device:
    host, local = hosts[rank // per_host], rank % per_host
    pci = f"0000:{DGX_H100_BUS_IDS[local][:2]}:00"
    return Device(rank, 0, FIRST_PID + rank, host, local, pci, NAME)


def job_of(room: MachineRoom, environment: Mapping[str, str], hosts: Sequence[str], per_host: int) -> Settings:
    """The hosts as a scenario, with what is wrong on them now."""
    ranks = len(hosts) * per_host
    job = BatchJob(0, "test", len(hosts), environment=dict(environment), hosts=tuple(hosts), working=len(hosts))
    job.ranks_per_host = per_host
    job.settings = Settings(global_batch=ranks, micro_batch=1, nccl_algo=environment.get("NCCL_ALGO", ""))
    return room.settings(job)


def _price_s(
    room: MachineRoom, environment: Mapping[str, str], hosts: Sequence[str], per_host: int, size: int
) -> float:
    if len(hosts) * per_host == 1:
        return size / (2 * 10**12)
    settings = job_of(room, environment, hosts, per_host)
    fabric = Fabric.of(settings.scenario().cluster)
    price = price_all_reduce(fabric, size, settings.nccl_algo or None, environment.get("NCCL_PROTO") or None)
    return price.time_s


def _row(size: int, time_s: float, ranks: int, checks: bool) -> Row:
    algbw = size / time_s / GB
    busbw = algbw * 2 * (ranks - 1) / ranks
    timing = Timing.measured(time_s * 10**6, algbw, busbw, 0 if checks else None)
    return Row(size, size // BYTES_PER_FLOAT, "float", "sum", timing, timing)
