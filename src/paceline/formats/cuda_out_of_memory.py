"""CUDA's out-of-memory error as PyTorch 2.5 and later word it; the wordings since 1.4 are read too."""

import re
from dataclasses import dataclass
from fractions import Fraction

from paceline.errors import BadValue
from paceline.units import GIB, KIB, MIB

ADVICE = (
    "If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid "
    "fragmentation.  See documentation for Memory Management  "
    "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
)
"""What PyTorch 2.2 and later add; newer ones say PYTORCH_ALLOC_CONF, or link another page."""
ERROR = "torch.OutOfMemoryError"
_LARGEST = 1 << 80
_UNITS = {"bytes": 1, "KiB": KIB, "MiB": MIB, "GiB": GIB}


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    """The numbers of the error, in bytes; those read from a text are rounded as it shows them.

    `tried_bytes` is None for "more than 1EB", which names no GPU and no other number. `process_bytes` is what this
    process holds with CUDA's own memory, None where its PID is not seen, as in a container; `others` are (pid, bytes).
    `unallocated_bytes` is what PyTorch keeps reserved beyond `allocated_bytes`; `private_bytes` lies in private pools.
    `advice` is the sentence that ends the text, "" where it is cut off.
    """

    tried_bytes: int | None
    gpu: int = 0
    capacity_bytes: int = 0
    free_bytes: int = 0
    allocated_bytes: int = 0
    unallocated_bytes: int = 0
    process_bytes: int | None = None
    others: tuple[tuple[int, int], ...] = ()
    private_bytes: int | None = None
    allowed_bytes: int | None = None
    advice: str = ""

    def __post_init__(self) -> None:
        sizes = (
            self.tried_bytes, self.gpu, self.capacity_bytes, self.free_bytes, self.allocated_bytes,
            self.unallocated_bytes, self.process_bytes, self.private_bytes, self.allowed_bytes,
        )  # fmt: skip
        if not all(0 <= each < _LARGEST for pair in self.others for each in pair):
            raise BadValue("other processes", "their numbers must not be negative")
        if not all(each is None or 0 <= each < _LARGEST for each in sizes):
            raise BadValue("an out-of-memory error", "its numbers must not be negative")
        if self.tried_bytes is None and (any(sizes) or self.others or self.advice):
            raise BadValue("an allocation of more than 1 EB", "PyTorch says nothing else of it")
        if self.advice and not (self.advice.startswith("If reserved") and self.advice.isprintable()):
            raise BadValue(f"advice {self.advice!r}", "it begins with 'If reserved' and is one line", "Use ADVICE.")
        if self.advice != self.advice.strip():
            raise BadValue(f"advice {self.advice!r}", "it must not begin or end with a blank")

    def as_shown(self) -> "OutOfMemory":
        """The same with each size rounded as its text shows it."""
        return OutOfMemory(
            None if self.tried_bytes is None else _shown(self.tried_bytes),
            self.gpu,
            _shown(self.capacity_bytes),
            _shown(self.free_bytes),
            _shown(self.allocated_bytes),
            _shown(self.unallocated_bytes),
            None if self.process_bytes is None else _shown(self.process_bytes),
            tuple((pid, _shown(size)) for pid, size in self.others),
            None if self.private_bytes is None else _shown(self.private_bytes),
            None if self.allowed_bytes is None else _shown(self.allowed_bytes),
            self.advice,
        )


def render(error: OutOfMemory) -> str:
    """The error with its class, in one line, without a line break."""
    if error.tried_bytes is None:
        return f"{ERROR}: CUDA out of memory. Tried to allocate more than 1EB memory."
    others = "".join(f"Process {pid} has {_size(size)} memory in use. " for pid, size in error.others)
    mine = (
        ""
        if error.process_bytes is None
        else f"Including non-PyTorch memory, this process has {_size(error.process_bytes)} memory in use. "
    )
    allowed = "" if error.allowed_bytes is None else f"{_size(error.allowed_bytes)} allowed; "
    private = (
        ""
        if error.private_bytes is None
        else f"with {_size(error.private_bytes)} allocated in private pools (e.g., CUDA Graphs), "
    )
    text = (
        f"{ERROR}: CUDA out of memory. Tried to allocate {_size(error.tried_bytes)}. GPU {error.gpu} has a total "
        f"capacity of {_size(error.capacity_bytes)} of which {_size(error.free_bytes)} is free. {others}{mine}"
        f"{allowed}Of the allocated memory {_size(error.allocated_bytes)} is allocated by PyTorch, {private}and "
        f"{_size(error.unallocated_bytes)} is reserved by PyTorch but unallocated."
    )
    return f"{text} {error.advice}" if error.advice else text


def _size(value: int) -> str:
    """As c10's format_size prints it."""
    if value >= GIB:
        return f"{value / GIB:.2f} GiB"
    if value >= MIB:
        return f"{value / MIB:.2f} MiB"
    return f"{value / KIB:.2f} KiB" if value > KIB else f"{value} bytes"


def _bytes(number: str, unit: str) -> int:
    return min(round(Fraction(number) * _UNITS[unit]), _LARGEST - 1)


def _shown(value: int) -> int:
    return _bytes(*_size(value).split(" "))


def _amount(name: str) -> str:
    return rf"(?P<{name}>\d{{1,24}}(?:\.\d{{1,4}})?) (?P<{name}_unit>bytes|[KMG]iB)"


_HEAD = "CUDA out of memory. Tried to allocate "
_ENORMOUS = "CUDA out of memory. Tried to allocate more than 1EB memory"
_NEWER = re.compile(
    rf"{re.escape(_HEAD)}{_amount('tried')}\. GPU (?P<gpu>\d{{1,4}}) has a total capac\w+ of {_amount('total')} "
    rf"of which {_amount('free')} is free\. (?P<others>(?:Process \d{{1,10}} has \S+ \S+ memory in use\. )*)"
    rf"(?:Including non-PyTorch memory, this process has {_amount('process')} memory in use\. )?"
    rf"(?:Process \d+ has \S+ \S+ memory in use\. )*(?:{_amount('allowed')} allowed; )?"
    rf"(?:Of the allocated memory {_amount('allocated')} is allocated by PyTorch"
    rf"(?:, with {_amount('private')} allocated in private pools \(e\.g\., CUDA Graphs\))?"
    rf"(?:, and {_amount('rest')} is reserved by PyTorch but unallocated\.)?)?(?: (?P<advice>If reserved .*\S))?",
    re.ASCII,
)
_OLDER = re.compile(
    rf"{re.escape(_HEAD)}{_amount('tried')} \(GPU (?P<gpu>\d{{1,4}}); {_amount('total')} total capacity; "
    rf"{_amount('allocated')} already allocated; {_amount('free')} free; (?:{_amount('allowed')} allowed; )?"
    rf"{_amount('reserved')} (?:reserved in total by PyTorch|cached)\)(?: (?P<advice>If reserved .*\S))?",
    re.ASCII,
)
_SHORT = re.compile(rf"{re.escape(_HEAD)}{_amount('tried')}", re.ASCII)
_PROCESS = re.compile(r"Process (\d{1,10}) has (\d{1,24}(?:\.\d{1,4})?) (bytes|[KMG]iB) memory in use\. ", re.ASCII)


def find(text: str) -> OutOfMemory | None:
    """The first such error in a text of one line, whatever stands around it; None where there is none.

    What a cut text no longer says is 0.
    """
    if _HEAD not in text:
        return None
    if _ENORMOUS in text:
        return OutOfMemory(None)
    found = _NEWER.search(text) or _OLDER.search(text)
    if found is None:
        short = _SHORT.search(text)
        return None if short is None else OutOfMemory(_bytes(short["tried"], short["tried_unit"]))
    parts = found.groupdict()

    def size(name: str) -> int | None:
        number, unit = parts.get(name), parts.get(f"{name}_unit")
        return _bytes(number, unit) if number and unit else None

    allocated = size("allocated") or 0
    reserved = size("reserved")
    advice = parts["advice"] or ""
    return OutOfMemory(
        size("tried") or 0,
        int(found["gpu"]),
        size("total") or 0,
        size("free") or 0,
        allocated,
        (size("rest") or 0) if reserved is None else max(0, reserved - allocated),
        size("process"),
        tuple((int(pid), _bytes(number, unit)) for pid, number, unit in _PROCESS.findall(parts.get("others") or "")),
        size("private"),
        size("allowed"),
        advice if advice.isprintable() else "",
    )
