"""The table `nvidia-smi` prints, as driver 580 does; tables of drivers 470 to 610 are read."""

import re
from dataclasses import dataclass, field

from paceline.errors import BadValue
from paceline.formats.line import lines_of, refusal, split

Reading = int | str
"""A number, or the word the tool prints in its place."""

WORDS = ("N/A", "ERR!")
NAME_LENGTH = 27
PROCESS_NAME_LENGTH = 32
TIMESTAMP_WIDTH = 31
LONGEST_LINE = 200
"""A line with launchers' prefixes; the table itself is 91 columns wide."""

_CELLS = (41, 24, 22)
_WIDTH = sum(1 + cell_len for cell_len in _CELLS) - 1
_BORDER = "+" + "+".join("-" * cell for cell in _CELLS) + "+"
_PLAIN = "+" + "-" * _WIDTH + "+"
_HEADER = (
    "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |",
    "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |",
    "|                                         |                        |               MIG M. |",
    "|" + "+".join("=" * cell for cell in _CELLS) + "|",
)
_PROCESSES = (
    "| Processes:                                                                              |",
    "|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |",
    "|        ID   ID                                                               Usage      |",
    "|" + "=" * _WIDTH + "|",
)
_NO_PROCESSES = "  No running processes found"

_BUS_ID = r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f]"
_TIMESTAMP = re.compile(r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}", re.ASCII)
_BANNER = re.compile(r"NVIDIA-SMI\s+(\S+)\s+(?:Driver|KMD) Version:\s*(\S+)\s+CUDA (?:UMD )?Version:\s*(\S+)", re.ASCII)
_FIRST = re.compile(
    r"\|\s*(\d{1,3})\s+([^|]+?)\s+(On|Off|N/A|ERR!|WDDM|TCC|MCDM)\s*"
    rf"\|\s*({_BUS_ID})\s+(On|Off|N/A)\s*\|\s*(\d{{1,12}}|Off|N/A|ERR!)\s*\|",
    re.ASCII,
)
_SECOND = re.compile(
    r"\|\s*(\d{1,3}%|N/A|ERR!)\s+(\d{1,3}C|N/A|ERR!)\s+(P\d{1,2}|N/A|ERR!)\s+(N/A|\S[^|/]*?)\s*/\s*(\S[^|]*?)\s*"
    r"\|\s*([^|]+?)\s*\|\s*(\d{1,3}%|N/A|ERR!)\s+([^|]+?)\s*\|",
    re.ASCII,
)
_VERSION = re.compile(r"[0-9A-Za-z./-]{1,14}")
_MEMORY = re.compile(r"(N/A|[^/]+?)\s*/\s*(.+)")
_THIRD = re.compile(r"\|\s+\|\s+\|\s+(Disabled\*?|Enabled\*?|N/A)\s*\|")
_PROCESS = re.compile(
    r"\|\s+(\d{1,3})\s+(?:(\d{1,3}|N/A)\s+(\d{1,3}|N/A)\s+)?(\d{1,10})\s+(C\+G|M\+C|C|G|M)\s+"
    r"([^|]+?)\s+(\d{1,9}MiB|N/A)\s*\|",
    re.ASCII,
)
_SHOWN = re.compile(r"[!-{}~](?:[ -{}~]*[!-{}~])?")
_FAILURE = re.compile(
    r"Unable to determine the device handle for GPU.*|No devices were found.*|Failed to initialize NVML:.*"
    r"|NVIDIA-SMI has failed because.*"
)


@dataclass(frozen=True, slots=True)
class GpuRow:
    """One GPU of the table; names, modes and states spelled as printed, `line` where it began."""

    index: int
    name: str
    bus_id: str
    temperature_celsius: Reading
    power_watts: Reading
    power_limit_watts: Reading
    memory_used_mib: Reading
    memory_total_mib: Reading
    utilization_percent: Reading
    ecc_uncorrected: Reading = 0
    performance_state: str = "P0"
    fan_percent: Reading = "N/A"
    persistence: str = "On"
    display: str = "Off"
    compute_mode: str = "Default"
    mig: str = "Disabled"
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if not _SHOWN.fullmatch(self.name) or len(self.name) > NAME_LENGTH:
            raise BadValue(repr(self.name), f"the table shows a GPU's name in 1 to {NAME_LENGTH} characters, no |")
        if not re.fullmatch(_BUS_ID, self.bus_id):
            raise BadValue(repr(self.bus_id), "it is not a PCI address", "Write it as 00000000:1B:00.0.")
        _within("a GPU's index", self.index, 999)
        for what, value, most in (
            ("a temperature", self.temperature_celsius, 999),
            ("a power", self.power_watts, 99_999),
            ("a power limit", self.power_limit_watts, 9_999),
            ("used memory", self.memory_used_mib, 9_999_999),
            ("total memory", self.memory_total_mib, 999_999),
            ("a utilization", self.utilization_percent, 100),
            ("a fan's speed", self.fan_percent, 100),
        ):
            _within(what, value, most, WORDS)
        _within("a count of ECC errors", self.ecc_uncorrected, 10**12 - 1, (*WORDS, "Off"))
        if not re.fullmatch(r"P\d{1,2}|N/A|ERR!", self.performance_state, re.ASCII):
            raise BadValue(repr(self.performance_state), "a performance state is P0 to P15, N/A or ERR!")
        if self.persistence not in ("On", "Off", "N/A") or self.display not in ("On", "Off", "N/A"):
            raise BadValue(f"{self.persistence}, {self.display}", "persistence and display are On, Off or N/A")
        if not re.fullmatch(r"Default|E\. Process|E\. Thread|Prohibited|N/A", self.compute_mode):
            raise BadValue(repr(self.compute_mode), "a compute mode is Default, E. Process or Prohibited")
        if not re.fullmatch(r"(?:Disabled|Enabled)\*?|N/A", self.mig):
            raise BadValue(repr(self.mig), "MIG is Disabled, Enabled or N/A")


@dataclass(frozen=True, slots=True)
class Process:
    """One process holding a GPU's memory; `kind` is C (compute), G (graphics) or both, `name` as shown."""

    gpu: int
    pid: int
    name: str
    memory_mib: Reading
    kind: str = "C"
    gpu_instance: Reading = "N/A"
    compute_instance: Reading = "N/A"
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if not _SHOWN.fullmatch(self.name) or len(self.name) > PROCESS_NAME_LENGTH:
            raise BadValue(
                repr(self.name), f"a process is shown in 1 to {PROCESS_NAME_LENGTH} characters, no |", "See shown_name."
            )
        if self.kind not in ("C", "G", "C+G", "M", "M+C"):
            raise BadValue(repr(self.kind), "a process's type is C, G, C+G, M or M+C")
        _within("a GPU's index", self.gpu, 999)
        _within("a process's id", self.pid, 10**10 - 1)
        _within("a process's memory", self.memory_mib, 10**9 - 1, ("N/A",))
        _within("a GPU instance", self.gpu_instance, 999, ("N/A",))
        _within("a compute instance", self.compute_instance, 999, ("N/A",))


@dataclass(frozen=True, slots=True)
class Table:
    """The whole output; `processes` is None and `timestamp` empty where the text does not hold them."""

    timestamp: str
    gpus: tuple[GpuRow, ...]
    processes: tuple[Process, ...] | None
    version: str = "580.105.08"
    driver_version: str = "580.105.08"
    cuda_version: str = "13.0"

    def __post_init__(self) -> None:
        if self.timestamp and not _TIMESTAMP.fullmatch(self.timestamp):
            raise BadValue(repr(self.timestamp), "it is not a time", "Write it as Sat Nov 29 16:54:56 2026.")
        if not self.gpus:
            raise BadValue("a table of no GPUs", "nvidia-smi then says 'No devices were found'")
        for version in (self.version, self.driver_version, self.cuda_version):
            if not _VERSION.fullmatch(version):
                raise BadValue(repr(version), "it is not a version")


@dataclass(frozen=True, slots=True)
class Failure:
    """What nvidia-smi says instead of, or above, its table."""

    text: str
    line: int


def shown_name(path: str) -> str:
    """A process's name as the table has room for it: its end, after three dots."""
    return path if len(path) <= PROCESS_NAME_LENGTH else "..." + path[3 - PROCESS_NAME_LENGTH :]


def render(table: Table) -> str:
    """The output, with its last newline."""
    lines = [f"{table.timestamp:<{TIMESTAMP_WIDTH}}"] if table.timestamp else []
    banner = f" NVIDIA-SMI {table.version:<22} Driver Version: {table.driver_version:<14} CUDA Version: "
    lines += [_PLAIN, f"|{banner}{table.cuda_version:<8} |", _BORDER, *_HEADER]
    for gpu in table.gpus:
        lines += [*_rows(gpu), _BORDER]
    if table.processes is not None:
        lines += ["", _PLAIN, *_PROCESSES]
        lines += [_process(each) for each in table.processes] or [f"|{_NO_PROCESSES:<{_WIDTH}}|"]
        lines.append(_PLAIN)
    return "\n".join(lines) + "\n"


def parse(text: str) -> Table:
    """The table in a text, whatever stands around it; a cut banner reads as N/A."""
    lines = [split(line)[1] for line in lines_of(text)]
    gpus, processes, boxed = [], [], False
    timestamp, versions = "", ("N/A", "N/A", "N/A")
    for number, line in enumerate(lines, start=1):
        if len(line) > LONGEST_LINE:
            continue
        if first := _FIRST.search(line):
            gpus.append(_gpu(first, number, lines[number : number + 2]))
        elif process := _PROCESS.search(line):
            processes.append(_read_process(process, number))
            boxed = True
        elif banner := _BANNER.search(line):
            versions = (banner[1], banner[2], banner[3])
        elif not timestamp and (moment := _TIMESTAMP.fullmatch(line.strip())):
            timestamp = moment[0]
        boxed = boxed or "No running processes found" in line
    if not gpus:
        first_line = lines[0] if lines else ""
        raise refusal(1, first_line, "a row such as '|   0  NVIDIA H100 80GB HBM3          On  |   00000000:1B:00.0'")
    known = [version if _VERSION.fullmatch(version) else "N/A" for version in versions]
    return Table(timestamp, tuple(gpus), tuple(processes) if boxed else None, *known)


def failures(text: str) -> tuple[Failure, ...]:
    """The sentences by which nvidia-smi says that a GPU or the driver does not answer."""
    found = [_FAILURE.search(split(line)[1]) for line in lines_of(text)]
    return tuple([Failure(match[0].strip(), number) for number, match in enumerate(found, start=1) if match])


def _rows(gpu: GpuRow) -> tuple[str, str, str]:
    first = f" {gpu.index:>3}  {gpu.name:<29} {gpu.persistence:>3}  |   {gpu.bus_id:>16} {gpu.display:>3} "
    fan, heat = _with(gpu.fan_percent, "%"), _with(gpu.temperature_celsius, "C")
    limit = _with(gpu.power_limit_watts, "W") if gpu.power_limit_watts != "N/A" else "N/A "
    used, total = _with(gpu.memory_used_mib, "MiB"), _with(gpu.memory_total_mib, "MiB")
    second = f"{fan:>4}  {heat:>4}  {gpu.performance_state:>4}{_with(gpu.power_watts, 'W'):>16} / {limit:>5} "
    load = f" {_with(gpu.utilization_percent, '%'):>7}  {gpu.compute_mode:>11} "
    return (
        f"|{first}| {gpu.ecc_uncorrected:>20} |",
        f"|{second}| {used:>10} / {total:>9} |{load}|",
        f"|{'':41}|{'':24}| {gpu.mig:>20} |",
    )


def _process(each: Process) -> str:
    memory = f"{'N/A':>9}     " if each.memory_mib == "N/A" else f"{each.memory_mib}MiB"
    place = f"{each.gpu:>5}{each.gpu_instance:>6}{each.compute_instance:>5}{each.pid:>16}{each.kind:>7}"
    return f"|{place}   {each.name:<32}{memory:>14} |"


def _gpu(first: re.Match[str], number: int, below: list[str]) -> GpuRow:
    second = _SECOND.search(below[0]) if below else None
    third = _THIRD.search(below[1]) if len(below) > 1 else None
    if second is None:
        raise refusal(
            number + 1, below[0] if below else "", "a row such as '| N/A   35C    P0             72W /  700W |'"
        )
    memory = _MEMORY.fullmatch(second[6])
    mode = second[8] if re.fullmatch(r"Default|E\. Process|E\. Thread|Prohibited", second[8]) else "N/A"
    name = first[2] if _SHOWN.fullmatch(first[2]) else "N/A"
    return GpuRow(
        index=int(first[1]),
        name=name if len(name) <= NAME_LENGTH else name[: NAME_LENGTH - 3] + "...",
        bus_id=first[4],
        temperature_celsius=_read(second[2], "C", 999),
        power_watts=_read(second[4], "W", 99_999),
        power_limit_watts=_read(second[5], "W", 9_999),
        memory_used_mib=_read(memory[1] if memory else second[6], "MiB", 9_999_999),
        memory_total_mib=_read(memory[2] if memory else second[6], "MiB", 999_999),
        utilization_percent=_read(second[7], "%", 100),
        ecc_uncorrected="Off" if first[6] == "Off" else _read(first[6], "", 10**12),
        performance_state=second[3],
        fan_percent=_read(second[1], "%", 100),
        persistence=first[3] if first[3] in ("On", "Off") else "N/A",
        display=first[5],
        compute_mode=mode,
        mig=third[1] if third else "N/A",
        line=number,
    )


def _read_process(found: re.Match[str], number: int) -> Process:
    gpu, gpu_instance, compute_instance, pid, kind, name, memory = found.groups()
    shown = name if _SHOWN.fullmatch(name) else "N/A"
    instances = [_read(each or "N/A", "", 999) for each in (gpu_instance, compute_instance)]
    used = _read(memory, "MiB", 10**9)
    return Process(int(gpu), int(pid), shown_name(shown), used, kind, instances[0], instances[1], number)


def _with(value: Reading, unit: str) -> str:
    return value if isinstance(value, str) else f"{value}{unit}"


def _read(text: str, unit: str, most: int) -> Reading:
    match = re.fullmatch(rf"(\d{{1,12}})(?:\.\d{{1,2}})?{unit}", text.strip(), re.ASCII)
    if match and int(match[1]) <= most:
        return int(match[1])
    return "N/A" if text.strip() in ("N/A", "Not Supported", "") else "ERR!"


def _within(what: str, value: Reading, most: int, words: tuple[str, ...] = ()) -> None:
    fits = value in words if isinstance(value, str) else 0 <= value <= most
    if not fits:
        raise BadValue(f"{what} of {value!r}", f"the table has room for 0 to {most:,}", " or ".join(words))
