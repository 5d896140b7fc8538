"""dcgmi dmon on a host of the pod: chosen fields of its GPUs, sample after sample."""

from paceline.errors import UnknownName
from paceline.formats import dcgmi as format_
from paceline.pod.gpu_board import MEMORY_CLOCK_MHZ
from paceline.pod.machine_room import GPUS, MachineRoom
from paceline.pod.tools.options import chosen, read_options
from paceline.pod.tools.smi import event_mask
from paceline.shell import Call, Failed, Output, Steps, Wait

_KNOWN = {
    "-e": "field-id", "--field-id": "field-id", "-d": "delay", "--delay": "delay", "-c": "count", "--count": "count",
    "-i": "gpu-id", "--gpu-id": "gpu-id", "-l": "list", "--list": "list",
}  # fmt: skip
DEFAULT_FIELDS = "100,150,155,203"
DEFAULT_DELAY_MS = 1000
SPINNING_SM_ACTIVE, COMPUTING_SM_ACTIVE, COMPUTING_TENSOR_ACTIVE = 0.15, 0.92, 0.55
"""DCGM's SM and tensor activity: NCCL's few blocks while a GPU waits, dense training while it computes (typical)."""


def dcgmi(room: MachineRoom, call: Call) -> Steps:
    """dcgmi dmon [-e FIELDS -i GPUS -d MS -c COUNT]: sample fields of this host's GPUs; dmon -l lists them."""
    if not call.args or call.args[0] != "dmon":
        raise Failed(f"{call.args[0] if call.args else 'no subsystem'!r}: of dcgmi's subsystems only dmon is here")
    options = read_options(call.args[1:], _KNOWN, ("list",))
    if options.get("list"):
        yield Output("".join(f"{field.id:<6}{field.short}\n" for field in format_.FIELDS))
        return 0
    fields = _fields(options.get("field-id", DEFAULT_FIELDS))
    indices = chosen(options.get("gpu-id"), GPUS, "GPU")
    count = options.whole("count", 10**6, 1)
    delay_us = options.whole("delay", DEFAULT_DELAY_MS, 100) * 1000
    shown = ""
    samples: list[tuple[format_.Row, ...]] = []
    for _ in range(count):
        yield Wait(for_us=delay_us)
        samples.append(tuple(_row(room, call.host, index, fields) for index in indices))
        # Heads return after every few samples: what is new of the whole is what is printed.
        if len(samples) > format_.HEADER_EVERY:
            del samples[: format_.HEADER_EVERY]
            shown = format_.render(format_.Monitor(fields, tuple(samples[:-1]))) if len(samples) > 1 else ""
        text = format_.render(format_.Monitor(fields, tuple(samples)))
        yield Output(text[len(shown) :])
        shown = text
    return 0


def _fields(ids: str) -> tuple[str, ...]:
    try:
        return format_.asked(ids)
    except UnknownName as error:
        known = [field.id for field in format_.FIELDS]
        what = f"{error.given[:60]} is not here; `dcgmi dmon -l` lists the {len(known)} there are"
        raise Failed(f"{what}, {min(known)} to {max(known)}") from None


def _row(room: MachineRoom, host: str, index: int, fields: tuple[str, ...]) -> format_.Row:
    board = room.boards[host, index]
    busy = board.computing
    active = busy * COMPUTING_SM_ACTIVE + (1 - busy) * SPINNING_SM_ACTIVE if board.utilization_percent else 0.0
    known: dict[str, format_.Value] = {
        "SMCLK": board.clock_mhz, "MMCLK": MEMORY_CLOCK_MHZ, "TMPTR": round(board.temperature_celsius),
        "MMTMP": board.memory_celsius, "POWER": round(board.power_w, 3),
        "GPUTL": board.utilization_percent,
        "DVCCTR": event_mask(board), "TVIOL": board.slowdown_us * 1000, "PVIOL": 0, "XIDER": 0,
        "SMACT": round(active, 3), "GRACT": 1.0 if board.utilization_percent else 0.0,
        "TENSO": round(busy * COMPUTING_TENSOR_ACTIVE if board.utilization_percent else 0.0, 3),
        "ESVTL": board.corrected_errors, "EDVTL": board.uncorrected_errors,
    }  # fmt: skip
    return format_.Row(f"GPU {index}", tuple(known.get(name) for name in fields))
