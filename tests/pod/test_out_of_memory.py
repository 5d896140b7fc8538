"""Out of memory: the error's own numbers add up, and it names the place where a bill passes the wall."""

import re

import pytest

from paceline.pod.out_of_memory import FIRST_STEP, out_of_memory
from paceline.units import GB, GIB, MIB
from paceline.workload import MODELS, Job, find_model

# The pattern by which logs of PyTorch 2.2 and later are recognised.
PRINTED = re.compile(
    r"torch\.OutOfMemoryError: CUDA out of memory\. Tried to allocate ([\d.]+) (\w+)\. GPU 0 has a total capacity of "
    r"([\d.]+) (\w+) of which ([\d.]+) (\w+) is free\. Including non-PyTorch memory, this process has ([\d.]+) (\w+) "
    r"memory in use\."
)
SCALES = {"GiB": GIB, "MiB": MIB, "KiB": 1024, "bytes": 1}


def job(name: str, checkpointing: bool = False, world_size: int = 1) -> Job:
    return Job.of(find_model(name), 256, world_size, 8, seq_len=1024, checkpointing=checkpointing)


@pytest.mark.parametrize("name", ["llama-3.2-3b", "llama-2-7b", "llama-2-13b", "llama-2-70b"])
def test_the_numbers_of_the_error_add_up(name: str) -> None:
    text, _ = out_of_memory(job(name), job(name).memory_bill(), 80 * GB)
    found = PRINTED.match(text)
    assert found is not None
    wanted, capacity, free, used = (
        float(number) * SCALES[unit] for number, unit in zip(found.groups()[::2], found.groups()[1::2], strict=True)
    )
    assert wanted > free
    assert used + free == pytest.approx(capacity, rel=0.001)


def test_where_it_fails() -> None:
    seven = job("llama-2-7b", checkpointing=True)
    assert out_of_memory(seven, seven.memory_bill(), 80 * GB)[1] == "the first optimizer.step()"
    three = job("llama-3.2-3b")
    # The first step still fits: its activations are gone when the optimizer makes its moments. The second does not.
    assert out_of_memory(three, three.memory_bill(), 80 * GB)[1] == "the second loss"
    assert out_of_memory(three, three.memory_bill(), 45 * GB)[1] == "the first forward pass"
    assert out_of_memory(three, three.memory_bill(), 4 * GB)[1] == "model.to(device)"


@pytest.mark.parametrize("name", sorted(MODELS))
def test_it_fails_exactly_where_the_bill_passes_the_wall(name: str) -> None:
    this = Job.of(find_model(name), 8, 8, 1, seq_len=512)
    bill = this.memory_bill()
    assert out_of_memory(this, bill, bill.total_bytes) == ("", "")
    assert out_of_memory(this, bill, bill.total_bytes - 1)[1] != ""
    assert {line.name for line in bill.lines} <= set(FIRST_STEP)
