"""Errors of a PyTorch job in a log, of 1.4 to 2.13: which came first, on which rank, and what the newest would say."""

import re
from dataclasses import dataclass, field

from paceline.errors import BadValue
from paceline.formats import cuda_out_of_memory, nccl_watchdog
from paceline.formats.cuda_out_of_memory import OutOfMemory
from paceline.formats.line import lines_of, one_line, refusal, split
from paceline.formats.nccl_watchdog import Message
from paceline.formats.sentence import Sentence, Value

SENTENCES: dict[str, Sentence] = {
    "unused parameters": Sentence(
        "RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one.",
        "a parameter got no gradient: set find_unused_parameters=True, or leave it out of the model",
        ("Expected to have finished reduction in the prior iteration before starting a new one",),
    ),
    "ready twice": Sentence(
        "RuntimeError: Expected to mark a variable ready only once.",
        "a parameter is used twice in one backward pass: static_graph=True, or checkpoint with use_reentrant=False",
        ("Expected to mark a variable ready only once",),
    ),
    "other shapes": Sentence(
        "RuntimeError: [{rank:d}]: params[{parameter:d}] in this process with sizes [{sizes:s}] appears not to match "
        "sizes of the same param in process 0.",
        "the models of two ranks differ",
    ),
    "other parameters": Sentence(
        "RuntimeError: DDP expects same model across all ranks, but Rank {rank:d} has {parameters:d} params, while "
        "rank {other:d} has inconsistent {others:d} params.",
        "the models of two ranks differ",
    ),
    "changed in place": Sentence(
        "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation",
        "a buffer was broadcast, or the model ran forward twice, before backward",
        ("one of the variables needed for gradient computation has been modified by an inplace operation",),
    ),
    "no process group": Sentence(
        "ValueError: Default process group has not been initialized, please make sure to call init_process_group.",
        "a collective, or DDP, before init_process_group",
        ("Default process group has not been initialized",),
    ),
    "no launcher": Sentence(
        "ValueError: Error initializing torch.distributed using env:// rendezvous: environment variable {name:w} "
        "expected, but not set",
        "the script was started without torchrun or srun",
        ("environment variable {name:w} expected, but not set",),
    ),
    "no such GPU": Sentence(
        "torch.AcceleratorError: CUDA error: invalid device ordinal",
        "LOCAL_RANK is not below the number of GPUs that the process sees",
        ("CUDA error: invalid device ordinal",),
    ),
    "bad memory": Sentence(
        "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered",
        "the GPU's memory is damaged: see Xid 48, 94 and 95 in dmesg",
        ("CUDA error: uncorrectable ECC error encountered",),
    ),
    "duplicate GPU": Sentence(
        "Duplicate GPU detected : rank {rank:d} and rank {other:d} both on CUDA device {device:w}",
        "two ranks use one GPU: call torch.cuda.set_device(LOCAL_RANK) first",
        ("Duplicate GPU detected",),
    ),
    "collectives differ": Sentence(
        "RuntimeError: Detected mismatch between collectives on ranks. Rank {rank:d} is running collective: "
        "{mine:s}, but Rank {other:d} is running collective: {theirs:s}.",
        "the ranks' programs went different ways",
        ("Detected mismatch between collectives on ranks. Rank {rank:d} is running",),
    ),
    "nccl": Sentence(
        "torch.distributed.DistBackendError: NCCL error in: {place:w}, {what:s} (run with NCCL_DEBUG=INFO for "
        "details), NCCL version {version:w}",
        "a call of NCCL failed; the lines below say ncclSystemError or the like, and the last error",
        ("NCCL error in: {place:w}, {what:s}, NCCL version {version:w}",),
    ),
    "gloo timeout": Sentence(
        "Timed out waiting {timeout_ms:d}ms for send operation to complete",
        "a peer is late or dead",
        ("Timed out waiting {timeout_ms:d}ms for recv operation to complete",),
    ),
    "gloo closed": Sentence(
        "Connection closed by peer [{host:w}]:{port:d}", "a peer died", ("Connection closed by peer",)
    ),
}
"""PyTorch's own errors that a job of many ranks meets, with cause and cure; tool-formats.md 6.7 and 6.8."""
_CONSEQUENCES = {
    "gloo timeout", "gloo closed", "corrupted", "ending", "terminate", "told by rank", "told by store",
    "first to signal", "dumping", "no stack trace", "heartbeat",
}  # fmt: skip
_TIMEOUTS = {"timeout", "progress", "async error", "watchdog stuck", "nccl"}


@dataclass(frozen=True, slots=True)
class Refusal:
    """One of `SENTENCES` by its name, with its values."""

    name: str
    values: tuple[Value, ...] = ()

    def __post_init__(self) -> None:
        if self.name not in SENTENCES:
            raise BadValue(f"error {self.name!r}", "there is none of that name")
        SENTENCES[self.name].check(self.values)
        if _fields(render_what(self)) != (Refusal, (self.name, self.values)):
            raise BadValue(f"error {self.name!r}", "read again, it would be another error")


@dataclass(frozen=True, slots=True)
class Raised:
    """Any other Python exception, as the last line of its traceback: the class, as torch.cuda.SomeError, and text."""

    type: str
    text: str = ""

    def __post_init__(self) -> None:
        one_line("exception", render_what(self))
        other = cuda_out_of_memory.find(render_what(self)) or nccl_watchdog.find(render_what(self))
        if other is not None or _fields(render_what(self)) != (Raised, (self.type, self.text)):
            raise BadValue(f"exception {self.type!r}", "read again, it would be another error")


@dataclass(frozen=True, slots=True)
class TorchError:
    """One error: what it is, and the rank that its prefix names; `line` is the number of its line, 0 where not read."""

    what: OutOfMemory | Message | Refusal | Raised
    rank: int | None = None
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.what, Message) and self.rank != self.what.rank:
            raise BadValue(f"rank {self.rank}", f"the watchdog's line names rank {self.what.rank}")
        if self.rank is not None and not 0 <= self.rank < 10**9:
            raise BadValue(f"rank {self.rank}", "ranks count from 0")

    @property
    def weight(self) -> int:
        """How far it is from being a cause: 0 an error of its own, 1 a wait that ended, 2 word of others' end."""
        name = getattr(self.what, "name", "")
        return 2 if name in _CONSEQUENCES else 1 if name in _TIMEOUTS else 0


def render(error: TorchError) -> str:
    """The error in the newest wording, with its rank's prefix where it has one, as one line."""
    prefix = "" if error.rank is None or isinstance(error.what, Message) else f"[rank{error.rank}]: "
    return f"{prefix}{render_what(error.what)}\n"


def render_what(what: OutOfMemory | Message | Refusal | Raised) -> str:
    """The error's text without a rank's prefix or a line break."""
    match what:
        case OutOfMemory():
            return cuda_out_of_memory.render(what)
        case Message():
            return nccl_watchdog.render(what)
        case Refusal():
            return SENTENCES[what.name].write(what.values)
        case Raised():
            return f"{what.type}: {what.text}" if what.text else what.type


_WRAPPED_LINES = 8
_RAISED = re.compile(r"((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit))(?:: ?(.*))?", re.ASCII)
# The launcher's summary of errors that are told above it.
_SUMMARY = ("ChildFailedError", "SignalException")


def _fields(text: str) -> tuple[type, tuple[object, ...]] | None:
    """The kind of error in one line without prefixes, and what the value of that kind is made of."""
    for name, sentence in SENTENCES.items():
        values = sentence.read(text)
        if values is not None:
            return Refusal, (name, values)
    raised = _RAISED.fullmatch(text)
    if raised is None or raised[1].endswith(_SUMMARY):
        return None
    return Raised, (raised[1], (raised[2] or "").strip())


def _what(line: str) -> OutOfMemory | Message | Refusal | Raised | None:
    said = split(line)[1]
    found = cuda_out_of_memory.find(said) or nccl_watchdog.read(line)
    if found is not None:
        return found
    fields = _fields(said)
    try:
        return None if fields is None else fields[0](*fields[1])
    except BadValue:
        return None


def errors(text: str) -> tuple[TorchError, ...]:
    """Every error in a log, in its order, consequences among them; empty where there is none."""
    lines = lines_of(text)
    found = []
    for number, raw in enumerate(lines, start=1):
        rank, what = split(raw)[0], _what(raw)
        if isinstance(what, OutOfMemory) and what.tried_bytes is not None and not what.capacity_bytes:
            # A pasted text may be wrapped at a page's width.
            joined = " ".join(split(line)[1].strip() for line in lines[number - 1 : number - 1 + _WRAPPED_LINES])
            what = cuda_out_of_memory.find(joined) or what
        if what is not None:
            found.append(TorchError(what, what.rank if isinstance(what, Message) else rank, number))
    return tuple(found)


def parse(text: str) -> TorchError:
    """The error that the others follow from: the first that no other rank's end can have caused.

    A wait that timed out counts only where nothing failed of itself, and word of another's end only after that.
    """
    found = errors(text)
    if not found:
        lines = lines_of(text)
        raise refusal(1, lines[0] if lines else "", "a log with an error of PyTorch, or of Python, in it")
    return min(found, key=lambda error: (error.weight, error.line))


def first_by_rank(text: str) -> dict[int | None, TorchError]:
    """The root error of each rank that a prefix names, by rank; None holds those of lines without one."""
    ranks: dict[int | None, TorchError] = {}
    for error in errors(text):
        best = ranks.get(error.rank)
        if best is None or error.weight < best.weight:
            ranks[error.rank] = error
    return ranks
