"""The sections of `nvidia-smi -q -d` for one H100, in the tool's order, from a handful of readings."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite

from paceline.errors import BadValue, UnknownName
from paceline.formats.nvidia_smi_query import EVENT_REASONS, GpuBlock, Node

DISPLAYS = ("PERFORMANCE", "MEMORY", "UTILIZATION", "ECC", "TEMPERATURE", "POWER", "CLOCK")
"""The words of -d known here, in the order their sections are printed, whatever the order asked."""

COUNTERS = ("SW Power Capping", "Sync Boost", "SW Thermal Slowdown", "HW Thermal Slowdown", "HW Power Braking")
UTILIZATIONS = ("GPU", "Memory", "Encoder", "Decoder", "JPEG", "OFA")

# Whence: an H200's -q (driver 550) says T.Limit 59 at 28 C; it slows 2 C and stops 8 C beyond.
LIMIT_CELSIUS = 87
BAR1_MIB = 131072


@dataclass(frozen=True, slots=True)
class EccCounts:
    """Memory errors since the driver loaded, or in the GPU's life."""

    sram_correctable: int = 0
    sram_uncorrectable_parity: int = 0
    sram_uncorrectable_sec_ded: int = 0
    dram_correctable: int = 0
    dram_uncorrectable: int = 0

    def __post_init__(self) -> None:
        _check_whole(**{name: getattr(self, name) for name in self.__slots__})


@dataclass(frozen=True, slots=True)
class GpuReadings:
    """What the sections of one GPU are made from; the defaults are an H100 80GB HBM3 of a DGX at rest.

    `event_reasons` holds -q labels such as "SW Power Cap"; `counters_us` a time for each of COUNTERS.
    """

    bus_id: str
    temperature_celsius: int = 32
    memory_temperature_celsius: int = 42
    power_watts: float = 70.0
    instant_power_watts: float = 70.0
    power_limit_watts: float = 700.0
    default_power_limit_watts: float = 700.0
    sm_clock_mhz: int = 345
    memory_clock_mhz: int = 2619
    max_sm_clock_mhz: int = 1980
    max_memory_clock_mhz: int = 2619
    video_clock_mhz: int = 765
    memory_total_mib: int = 81559
    memory_reserved_mib: int = 551
    memory_used_mib: int = 0
    utilization_percent: int = 0
    memory_utilization_percent: int = 0
    performance_state: str = "P0"
    event_reasons: tuple[str, ...] = ("Idle",)
    counters_us: tuple[int, ...] = (0, 0, 0, 0, 0)
    ecc_volatile: EccCounts = field(default_factory=EccCounts)
    ecc_aggregate: EccCounts = field(default_factory=EccCounts)
    sram_threshold_exceeded: bool = False

    def __post_init__(self) -> None:
        for label in self.event_reasons:
            if label not in {reason.label for reason in EVENT_REASONS}:
                raise UnknownName.among("event reason", label, (reason.label for reason in EVENT_REASONS))
        if len(self.counters_us) != len(COUNTERS):
            raise BadValue(f"{len(self.counters_us)} counters", f"there is one for each of {', '.join(COUNTERS)}")
        _check_whole(**dict(zip(COUNTERS, self.counters_us, strict=True)))
        _check_whole(
            sm_clock_mhz=self.sm_clock_mhz,
            memory_clock_mhz=self.memory_clock_mhz,
            memory_used_mib=self.memory_used_mib,
            memory_free_mib=self.memory_total_mib - self.memory_reserved_mib - self.memory_used_mib,
            utilization_percent=self.utilization_percent,
        )
        for watts in (self.power_watts, self.instant_power_watts, self.power_limit_watts):
            if not isfinite(watts) or watts < 0:
                raise BadValue(f"{watts} W", "a power is a number of watts from 0 up")


def displays(asked: str) -> tuple[str, ...]:
    """The words of a -d argument such as "ECC,POWER", in the tool's order; a word it does not know is refused."""
    words = [word.strip().upper() for word in asked.split(",")]
    for word in words:
        if word not in DISPLAYS:
            raise UnknownName.among("nvidia-smi -d word", word, DISPLAYS)
    return tuple(display for display in DISPLAYS if display in words)


def block(gpu: GpuReadings, asked: Sequence[str] = DISPLAYS) -> GpuBlock:
    """The sections of one GPU that `asked` names, in the tool's order."""
    makers = {
        "PERFORMANCE": _performance,
        "MEMORY": _memory,
        "UTILIZATION": _utilization,
        "ECC": _ecc,
        "TEMPERATURE": _temperature,
        "POWER": _power,
        "CLOCK": _clock,
    }
    nodes = [node for display in displays(",".join(asked)) for node in makers[display](gpu)]
    return GpuBlock(gpu.bus_id, tuple(nodes))


def _performance(gpu: GpuReadings) -> tuple[Node, ...]:
    flags = {each.label: "Active" if each.label in gpu.event_reasons else "Not Active" for each in EVENT_REASONS}
    below = tuple(Node(label, flags.pop(label)) for label in ("HW Thermal Slowdown", "HW Power Brake Slowdown"))
    reasons = [Node(label, flag, below if label == "HW Slowdown" else ()) for label, flag in flags.items()]
    counters = [(name, f"{time_us} us") for name, time_us in zip(COUNTERS, gpu.counters_us, strict=True)]
    return (
        Node("Performance State", gpu.performance_state),
        Node("Clocks Event Reasons", None, tuple(reasons)),
        _section("Clocks Event Reasons Counters", *counters),
        Node("Sparse Operation Mode", "Disabled"),
    )


def _memory(gpu: GpuReadings) -> tuple[Node, ...]:
    total, reserved, used = gpu.memory_total_mib, gpu.memory_reserved_mib, gpu.memory_used_mib
    sizes = (("Total", total), ("Reserved", reserved), ("Used", used), ("Free", total - reserved - used))
    mapped = (("Total", BAR1_MIB), ("Used", 1), ("Free", BAR1_MIB - 1))
    protected = (("Total", 0), ("Used", 0), ("Free", 0))
    return (
        _section("FB Memory Usage", *[(key, f"{size} MiB") for key, size in sizes]),
        _section("BAR1 Memory Usage", *[(key, f"{size} MiB") for key, size in mapped]),
        _section("Conf Compute Protected Memory Usage", *[(key, f"{size} MiB") for key, size in protected]),
    )


def _utilization(gpu: GpuReadings) -> tuple[Node, ...]:
    shares = (gpu.utilization_percent, gpu.memory_utilization_percent, 0, 0, 0, 0)
    kinds = ("GPU", "Memory", "ENC", "DEC")
    return (
        _section("Utilization", *[(key, f"{share} %") for key, share in zip(UTILIZATIONS, shares, strict=True)]),
        *[_no_samples(f"{kind} Utilization Samples") for kind in kinds],
    )


def _ecc(gpu: GpuReadings) -> tuple[Node, ...]:
    exceeded = Node("SRAM Threshold Exceeded", "Yes" if gpu.sram_threshold_exceeded else "No")
    sources = ("SRAM L2", "SRAM SM", "SRAM Microcontroller", "SRAM PCIE", "SRAM Other")
    uncorrected = gpu.ecc_aggregate.sram_uncorrectable_parity + gpu.ecc_aggregate.sram_uncorrectable_sec_ded
    units = [(unit, str(uncorrected if unit == "SRAM SM" else 0)) for unit in sources]
    errors = (
        Node("Volatile", None, _counts(gpu.ecc_volatile)),
        Node("Aggregate", None, (*_counts(gpu.ecc_aggregate), exceeded)),
        _section("Aggregate Uncorrectable SRAM Sources", *units),
        Node("Channel Repair Pending", "No"),
        Node("TPC Repair Pending", "No"),
        Node("Unrepairable Memory", "N/A"),
    )
    return _section("ECC Mode", ("Current", "Enabled"), ("Pending", "Enabled")), Node("ECC Errors", None, errors)


def _counts(counts: EccCounts) -> tuple[Node, ...]:
    return (
        Node("SRAM Correctable", str(counts.sram_correctable)),
        Node("SRAM Uncorrectable Parity", str(counts.sram_uncorrectable_parity)),
        Node("SRAM Uncorrectable SEC-DED", str(counts.sram_uncorrectable_sec_ded)),
        Node("DRAM Correctable", str(counts.dram_correctable)),
        Node("DRAM Uncorrectable", str(counts.dram_uncorrectable)),
    )


def _temperature(gpu: GpuReadings) -> tuple[Node, ...]:
    rows = (
        ("GPU Current Temp", f"{gpu.temperature_celsius} C"),
        ("GPU T.Limit Temp", f"{LIMIT_CELSIUS - gpu.temperature_celsius} C"),
        ("GPU Shutdown T.Limit Temp", "-8 C"),
        ("GPU Slowdown T.Limit Temp", "-2 C"),
        ("GPU Max Operating T.Limit Temp", "0 C"),
        ("GPU Target Temperature", "N/A"),
        ("Memory Current Temp", f"{gpu.memory_temperature_celsius} C"),
        ("Memory Max Operating T.Limit Temp", "0 C"),
    )
    return (_section("Temperature", *rows),)


def _power(gpu: GpuReadings) -> tuple[Node, ...]:
    limits = (
        "Current Power Limit",
        "Requested Power Limit",
        "Default Power Limit",
        "Min Power Limit",
        "Max Power Limit",
    )
    watts = (gpu.power_limit_watts, gpu.power_limit_watts, gpu.default_power_limit_watts, 200.0, 700.0)
    draws = ("Average Power Draw", "Instantaneous Power Draw")
    values = (gpu.power_watts, gpu.instant_power_watts, *watts)
    return (
        _section(
            "GPU Power Readings",
            *[(key, f"{value:.2f} W") for key, value in zip((*draws, *limits), values, strict=True)],
        ),
        _no_samples("Power Samples"),
        _section("GPU Memory Power Readings", *[(key, "N/A") for key in draws]),
        _section("Module Power Readings", *[(key, "N/A") for key in (*draws, *limits)]),
    )


def _clock(gpu: GpuReadings) -> tuple[Node, ...]:
    top, memory = f"{gpu.max_sm_clock_mhz} MHz", f"{gpu.max_memory_clock_mhz} MHz"
    now = f"{gpu.sm_clock_mhz} MHz"
    default = (("Graphics", top), ("Memory", memory))
    return (
        _section(
            "Clocks", ("Graphics", now), ("SM", now), ("Memory", f"{gpu.memory_clock_mhz} MHz"),
            ("Video", f"{gpu.video_clock_mhz} MHz"),
        ),
        _section("Applications Clocks", *default),
        _section("Default Applications Clocks", *default),
        _section("Deferred Clocks", ("Memory", "N/A")),
        _section("Max Clocks", ("Graphics", top), ("SM", top), ("Memory", memory), ("Video", "1545 MHz")),
        _section("Max Customer Boost Clocks", ("Graphics", top)),
        _no_samples("SM Clock Samples"),
        _no_samples("Memory Clock Samples"),
        _section("Clock Policy", ("Auto Boost", "N/A"), ("Auto Boost Default", "N/A")),
    )  # fmt: skip


def _section(title: str, *rows: tuple[str, str]) -> Node:
    return Node(title, None, tuple(Node(key, value) for key, value in rows))


def _no_samples(title: str) -> Node:
    # An A100's -d CLOCK says Not Found five times; for power and utilization of an H100 that is a guess.
    keys = ("Duration", "Number of Samples", "Max", "Min", "Avg")
    return _section(title, *[(key, "Not Found") for key in keys])


def _check_whole(**values: int) -> None:
    for name, value in values.items():
        if not 0 <= value < 10**18:
            raise BadValue(f"{name} of {value}", "it is a count from 0 up")
