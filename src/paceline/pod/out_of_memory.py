"""Out of memory: which allocation fails, where in a script that is, and what PyTorch prints then."""

from collections.abc import Iterator

from paceline.formats.cuda_out_of_memory import OutOfMemory, render
from paceline.workload import Bill, Job, Line

FIRST_STEP: dict[str, str] = {
    "CUDA context": "the start of the process",
    "weights": "model.to(device)",
    "gathered weights": "model.to(device)",
    "NCCL buffers": "DDP(model)",
    "DDP buckets": "DDP(model)",
    "gradients": "DDP(model)",
    "master weights": "the optimizer's copies",
    "autocast copies": "the first forward pass",
    "layer inputs": "the first forward pass",
    "activations": "the first forward pass",
    "logits and loss": "the first loss",
    "one layer's backward": "the first backward pass",
    "optimizer state": "the first optimizer.step()",
}
"""Lines of a bill in the order a process first allocates them, with the place in its script."""
FREED = ("autocast copies", "layer inputs", "activations", "logits and loss", "one layer's backward")
"""What a backward pass has given back when the optimizer makes its moments, and the next forward pass takes again."""
OUTSIDE_PYTORCH = ("CUDA context", "NCCL buffers")


def out_of_memory(job: Job, bill: Bill, capacity_bytes: int) -> tuple[str, str]:
    """The error of GPU 0 as PyTorch 2.5 and later word it, and the place in the script; both empty where it fits.

    Tensors are allocated one after another; nothing is reserved beyond them, and the capacity is the label's.
    """
    lines = {line.name: line for line in bill.lines}
    again = {name: place.replace("the first", "the second") for name, place in FIRST_STEP.items() if name in FREED}
    used = inside = 0
    for name, place in [*FIRST_STEP.items(), *again.items()]:
        if name == "optimizer state":
            freed = sum(lines[each].bytes for each in FREED if each in lines)
            used, inside = used - freed, inside - freed
        for size in _tensors(job, lines[name]) if name in lines else ():
            if used + size > capacity_bytes:
                error = OutOfMemory(
                    size, 0, capacity_bytes, capacity_bytes - used, allocated_bytes=inside, process_bytes=used
                )
                return render(error), place
            used += size
            inside += 0 if name in OUTSIDE_PYTORCH else size
    return "", ""


def _tensors(job: Job, line: Line) -> Iterator[int]:
    """The sizes of a line's tensors: one a parameter for what follows the weights, one a layer for activations."""
    parts = (
        [parameter.elements for parameter in job.model.named_parameters] if line.bytes >= job.model.parameters else []
    )
    if line.name in ("layer inputs", "activations"):
        parts = [1] * job.model.layers
    elif line.name in OUTSIDE_PYTORCH or not parts:
        parts = [1]
    whole = sum(elements for elements in parts)
    left = line.bytes
    for index, part in enumerate(parts):
        size = left if index == len(parts) - 1 else line.bytes * part // whole
        left -= size
        yield size
