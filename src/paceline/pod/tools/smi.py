"""nvidia-smi on a host of the pod: the table, -q with its sections, --query-gpu, topo -m, -L."""

from collections.abc import Mapping, Sequence

from paceline.formats import nvidia_nvlink, nvidia_topo, query_gpu
from paceline.formats import nvidia_smi as table
from paceline.formats import nvidia_smi_query as query
from paceline.formats import nvidia_smi_sections as sections
from paceline.formats.nccl_start import DGX_H100_BUS_IDS
from paceline.pod.gpu_board import (
    IDLE_CLOCK_MHZ,
    LARGEST_CLOCK_MHZ,
    MEMORY_CLOCK_MHZ,
    NVLINK_GB_PER_S,
    NVLINKS,
    POWER_LIMIT_W,
    GpuBoard,
)
from paceline.pod.machine_room import GPUS, MachineRoom
from paceline.pod.nccl_words import FIRST_PID
from paceline.pod.tools.options import chosen, read_options
from paceline.shell import Call, Failed, Output, Steps, Wait
from paceline.shell.tools.moment import Moment
from paceline.units import MIB

NAME = "NVIDIA H100 80GB HBM3"
MEMORY_MIB = 81559
DRIVER, CUDA = "580.105.08", "13.0"
US_TIME = "%a %b %e %T %Y"
_KNOWN = {
    "-q": "q", "--query": "q", "-d": "display", "--display": "display", "-i": "id", "--id": "id", "-L": "list",
    "--list-gpus": "list", "--query-gpu": "query-gpu", "--format": "format", "-l": "loop", "--loop": "loop",
    "-m": "matrix", "-s": "status", "--status": "status",
}  # fmt: skip


def nvidia_smi(room: MachineRoom, call: Call) -> Steps:
    """nvidia-smi [-q [-d SECTIONS]] [--query-gpu=F,... --format=csv] [-i GPUS] [-L] [topo -m] [nvlink -s]: GPUs."""
    options = read_options(call.args, _KNOWN, ("q", "list", "matrix", "status"))
    if options.words not in ((), ("topo",), ("nvlink",)):
        raise Failed(f"{options.words[0]!r} is not part of this nvidia-smi; here there are topo -m and nvlink -s")
    indices = chosen(options.get("id"), GPUS, "GPU")
    if options.words == ("nvlink",):
        if not options.get("status"):
            raise Failed("nvlink knows -s here")
        yield Output(nvidia_nvlink.render(tuple(_links(room, call.host, index) for index in indices)))
        return 0
    if options.words:
        if not options.get("matrix"):
            raise Failed("topo knows -m here")
        yield Output(nvidia_topo.render(nvidia_topo.dgx_h100()))
        return 0
    rounds = 1 if not options.get("loop") else 10**6
    pause_s = options.whole("loop", 1, 1, 3600)
    for turn in range(rounds):
        if turn:
            yield Wait(for_us=pause_s * 10**6)
        yield Output(_text(room, call, options.values, indices, turn))
    return 0


def _text(room: MachineRoom, call: Call, options: Mapping[str, str], indices: Sequence[int], turn: int) -> str:
    if options.get("list"):
        return "".join(f"GPU {index}: {NAME} (UUID: {_uuid(call.host, index)})\n" for index in indices)
    if "query-gpu" in options:
        complaint = query_gpu.complaint(options["query-gpu"])
        if complaint:
            raise Failed(complaint.rstrip("\n"), 2)
        words = options.get("format", "").split(",")
        if words[0] != "csv" or set(words[1:]) - {"noheader", "nounits"}:
            raise Failed('"--format=" switch is missing or wrong: it is csv, with noheader or nounits', 2)
        fields = query_gpu.asked(options["query-gpu"])
        rows = tuple(query_gpu.Row(tuple(_field(room, call, index, name) for name in fields)) for index in indices)
        return query_gpu.render(
            query_gpu.Sheet(fields, rows), "noheader" not in words and not turn, "nounits" not in words
        )
    if "q" in options:
        asked = sections.displays(options.get("display", "")) if options.get("display") else sections.DISPLAYS
        blocks = tuple(sections.block(_readings(room, call.host, index), asked) for index in indices)
        return query.render(query.Log(blocks, Moment.at(call.now_us).shown(US_TIME), DRIVER, CUDA, GPUS))
    gpus = tuple(_row(room, call.host, index) for index in indices)
    processes = tuple(
        table.Process(index, FIRST_PID + index, "/usr/bin/python3", _used_mib(room, call.host, index))
        for index in indices
        if room.job_on(call.host, index) is not None
    )
    return table.render(table.Table(Moment.at(call.now_us).shown(US_TIME), gpus, processes))


def bus_id(index: int) -> str:
    """A GPU's PCI address as nvidia-smi prints it."""
    return f"00000000:{DGX_H100_BUS_IDS[index][:2].upper()}:00.0"


def _uuid(host: str, index: int) -> str:
    number = int(host.rpartition("-")[2]) * 8 + index
    return f"GPU-{number:08x}-7c1e-4d2a-9b3f-{number * 2654435761 % 2**48:012x}"


def _links(room: MachineRoom, host: str, index: int) -> nvidia_nvlink.Gpu:
    up = NVLINKS - _board(room, host, index).links_down
    rates = (*(NVLINK_GB_PER_S,) * up, *(None,) * (NVLINKS - up))
    return nvidia_nvlink.Gpu(index, NAME, _uuid(host, index), rates)


def _used_mib(room: MachineRoom, host: str, index: int) -> int:
    job = room.job_on(host, index)
    return 0 if job is None else round(room.run(job).scenario.job.memory_bill().total_bytes / MIB)


def _board(room: MachineRoom, host: str, index: int) -> GpuBoard:
    return room.boards[host, index]


def _row(room: MachineRoom, host: str, index: int) -> table.GpuRow:
    board = _board(room, host, index)
    return table.GpuRow(
        index=index, name=NAME, bus_id=bus_id(index), temperature_celsius=round(board.temperature_celsius),
        power_watts=round(board.power_w), power_limit_watts=POWER_LIMIT_W, memory_used_mib=_used_mib(room, host, index),
        memory_total_mib=MEMORY_MIB, utilization_percent=board.utilization_percent,
        ecc_uncorrected=board.uncorrected_errors,
    )  # fmt: skip


def _readings(room: MachineRoom, host: str, index: int) -> sections.GpuReadings:
    board = _board(room, host, index)
    used = _used_mib(room, host, index)
    return sections.GpuReadings(
        bus_id=bus_id(index), temperature_celsius=round(board.temperature_celsius),
        memory_temperature_celsius=board.memory_celsius, power_watts=round(board.power_w, 2),
        instant_power_watts=round(board.power_w, 2), sm_clock_mhz=board.clock_mhz, memory_used_mib=used,
        utilization_percent=board.utilization_percent, memory_utilization_percent=board.memory_utilization_percent,
        event_reasons=_reasons(board), counters_us=(0, 0, board.slowdown_us, 0, 0),
    )  # fmt: skip


def _reasons(board: GpuBoard) -> tuple[str, ...]:
    if not board.utilization_percent:
        return ("Idle",)
    return ("SW Thermal Slowdown",) if board.is_slowed else ()


def event_mask(board: GpuBoard) -> int:
    """NVML's bits of why the clock is where it is."""
    mask = 0
    for reason in query.EVENT_REASONS:
        mask |= reason.bit if reason.label in _reasons(board) else 0
    return mask


def _field(room: MachineRoom, call: Call, index: int, name: str) -> query_gpu.Value:
    board = _board(room, call.host, index)
    slowed = "Active" if board.is_slowed else "Not Active"
    known: dict[str, query_gpu.Value] = {
        "index": index, "name": NAME, "uuid": _uuid(call.host, index), "pci.bus_id": bus_id(index),
        "driver_version": DRIVER, "pstate": "P0", "persistence_mode": "Enabled",
        "timestamp": Moment.at(call.now_us).shown("%Y/%m/%d %T.000"),
        "temperature.gpu": round(board.temperature_celsius), "temperature.memory": board.memory_celsius,
        "power.draw": round(board.power_w, 2), "power.limit": float(POWER_LIMIT_W),
        "enforced.power.limit": float(POWER_LIMIT_W),
        "clocks.sm": board.clock_mhz, "clocks.current.sm": board.clock_mhz, "clocks.mem": MEMORY_CLOCK_MHZ,
        "clocks.max.sm": LARGEST_CLOCK_MHZ, "utilization.gpu": board.utilization_percent,
        "utilization.memory": board.memory_utilization_percent, "memory.total": MEMORY_MIB,
        "memory.used": _used_mib(room, call.host, index),
        "memory.free": MEMORY_MIB - _used_mib(room, call.host, index) - 551,
        "ecc.errors.corrected.volatile.total": board.corrected_errors,
        "ecc.errors.uncorrected.volatile.total": board.uncorrected_errors,
        "clocks_event_reasons.active": event_mask(board), "clocks_event_reasons.sw_thermal_slowdown": slowed,
        "clocks_event_reasons.gpu_idle": "Active" if board.clock_mhz == IDLE_CLOCK_MHZ else "Not Active",
        "mig.mode.current": "Disabled", "compute_mode": "Default",
    }  # fmt: skip
    return known.get(name, "[N/A]")
