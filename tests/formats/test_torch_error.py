"""Errors of PyTorch in logs: out of memory, the watchdog, DDP's own; and which of many came first."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.formats import cuda_out_of_memory, nccl_watchdog
from paceline.formats.cuda_out_of_memory import ADVICE, OutOfMemory, find
from paceline.formats.nccl_watchdog import Message
from paceline.formats.sentence import Sentence, Value
from paceline.formats.torch_error import SENTENCES, Raised, Refusal, TorchError, errors, first_by_rank, parse, render
from paceline.pod.out_of_memory import out_of_memory
from paceline.units import GB, GIB, MIB
from paceline.workload import Job, find_model

LOGS = Path(__file__).parents[1] / "data" / "logs"
TIMEOUT = (
    "[rank368]:[E808 04:21:41.160918398 ProcessGroupNCCL.cpp:655] [Rank 368] Watchdog caught collective "
    "operation timeout: "
    "WorkNCCL(SeqNum=5, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600001 "
    "milliseconds before "
    "timing out.\n"
)
PROGRESS = (
    "[rank368]:[E808 04:21:41.161005534 ProcessGroupNCCL.cpp:2299] [PG ID 0 PG GUID 0(default_pg) Rank 368]  failure "
    "detected by watchdog at work sequence id: 5 PG status: last enqueued work: 5, last completed work: 4\n"
)

small = st.integers(0, 10**9 - 1)
words = st.from_regex(r"[a-z](?:[a-z0-9._-]{0,11}[a-z0-9])?", fullmatch=True)
memory_sizes = st.integers(0, 2**40)
maybe = st.none() | memory_sizes
memories = st.builds(
    OutOfMemory, memory_sizes, st.integers(0, 7), memory_sizes, memory_sizes, memory_sizes, memory_sizes, maybe,
    st.lists(st.tuples(small, memory_sizes), max_size=3).map(tuple), maybe, maybe, st.sampled_from(["", ADVICE]),
)  # fmt: skip


def values(draw: st.DrawFn, sentence: Sentence) -> tuple[Value, ...]:
    def of(hole: str) -> st.SearchStrategy[Value]:
        return small if f"{{{hole}:d}}" in sentence.newest else words

    return tuple(draw(of(hole)) for hole in sentence.holes)


@st.composite
def refusals(draw: st.DrawFn) -> Refusal:
    name = draw(st.sampled_from(sorted(SENTENCES)))
    return Refusal(name, values(draw, SENTENCES[name]))


@st.composite
def messages(draw: st.DrawFn) -> Message:
    name = draw(st.sampled_from(sorted(nccl_watchdog.SENTENCES)))
    rank = draw(st.none() | small)
    group = "" if rank is None else draw(st.sampled_from(["", "ID 0 PG GUID 0(default_pg)", "1"]))
    clock = draw(st.sampled_from(["", "0626 06:24:44.903881913", "1218 20:27:21.426415540"]))
    inner = None if rank is None else draw(st.none() | small.filter(lambda each: each != rank))
    return Message(
        name,
        values(draw, nccl_watchdog.SENTENCES[name]),
        rank,
        group,
        clock,
        "ProcessGroupNCCL.cpp:616" if clock else "",
        inner,
    )


@pytest.mark.parametrize("line", [TIMEOUT, PROGRESS])
def test_the_newest_watchdog_is_printed_as_it_was(line: str) -> None:
    assert render(errors(line)[0]) == line


@given(messages())
def test_the_watchdog_is_read_again_as_printed(message: Message) -> None:
    assert nccl_watchdog.read(nccl_watchdog.render(message)) == message
    assert parse(render(TorchError(message, message.rank))).what == message


@given(refusals() | words.map(lambda text: Raised("torch.cuda.SomeError", text)), st.none() | small)
def test_errors_are_read_again_as_printed(what: Refusal | Raised, rank: int | None) -> None:
    assert parse(render(TorchError(what, rank))) == TorchError(what, rank)


@given(memories)
def test_memory_is_read_again_as_rounded(memory: OutOfMemory) -> None:
    assert find(cuda_out_of_memory.render(memory)) == memory.as_shown()


@pytest.mark.parametrize("capacity_gb", [1, 3, 4, 45])
def test_the_pod_says_the_same_words(capacity_gb: int) -> None:
    job = Job.of(find_model("llama-3.2-3b"), 256, 1, 8, seq_len=1024)
    text, _ = out_of_memory(job, job.memory_bill(), capacity_gb * GB)
    memory = find(text)
    assert memory is not None and cuda_out_of_memory.render(memory) == text


@pytest.mark.parametrize(
    ("text", "memory"),
    [("RuntimeError: CUDA out of memory. Tried to allocate 376.00 MiB (GPU 0; 3.95 GiB total capacity; 1.72 "
      "GiB already "
      "allocated; 354.88 MiB free; 2.46 GiB reserved in total by PyTorch) If reserved memory is >> allocated "
      "memory try "
      "setting max_split_size_mb to avoid fragmentation.",
      (376 * MIB, 3.95, 354.88 * MIB, 1.72, 2.46 - 1.72, None)),
     ("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.09 GiB. GPU 0 has a total capacty "
      "of 23.69 GiB "
      "of which 541.00 MiB is free. Process 2006998 has 256.00 MiB memory in use. Including non-PyTorch memory, this "
      "process has 22.89 GiB memory in use. Of the allocated memory 21.48 GiB is allocated by PyTorch, and 1.11 GiB is "
      "reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting max_split_size_mb",
      (2.09 * GIB, 23.69, 541 * MIB, 21.48, 1.11, 22.89)),
     ("[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 14.00 MiB. GPU 0 has a total "
      "capacity of 22.30 "
      "GiB of which 4.69 MiB is free. Process 860120 has 22.29 GiB memory in use. Of the allocated memory 21.92 GiB is "
      "allocated by PyTorch, with 22.00 MiB allocated in private pools (e.g., CUDA Graphs), and 16.47 MiB is "
      "reserved by "
      "PyTorch but unallocated.", (14 * MIB, 22.30, 4.69 * MIB, 21.92, 16.47 / 1024, None))],
)  # fmt: skip
def test_memory_in_the_words_of_every_version(text: str, memory: tuple[float, ...]) -> None:
    found = parse(text).what
    assert isinstance(found, OutOfMemory)
    tried, capacity, free, allocated, unallocated, process = memory
    assert found.tried_bytes == pytest.approx(tried, abs=1) and found.free_bytes == pytest.approx(free, abs=1)
    assert found.capacity_bytes == pytest.approx(capacity * GIB, abs=1)
    assert found.allocated_bytes == pytest.approx(allocated * GIB, abs=1)
    assert found.unallocated_bytes == pytest.approx(unallocated * GIB, abs=2)
    assert found.process_bytes == (None if process is None else pytest.approx(process * GIB, abs=1))
    wrapped = text.replace(" GPU 0 has", "\nGPU 0 has").replace(" of which", "\nof which")
    wrapped_found = parse(wrapped).what
    assert isinstance(wrapped_found, OutOfMemory) and wrapped_found.free_bytes == found.free_bytes


def test_absurd_memory() -> None:
    huge = find(
        "CUDA out of memory. Tried to allocate 17179869184.00 GiB (GPU 0; 3.95 GiB total capacity; 0 bytes already"
    )
    assert huge == OutOfMemory(17179869184 * GIB)
    assert find("CUDA out of memory. Tried to allocate more than 1EB memory.") == OutOfMemory(None)


def test_real_logs() -> None:
    def read(name: str) -> str:
        return (LOGS / f"{name}.log").read_text(encoding="utf-8")

    first = parse(read("c03-watchdog-same-seqnum-allranks"))
    assert isinstance(first.what, Message) and (first.rank, first.line, first.what.get("seq")) == (1, 2, 808)
    found = [error.what for error in errors(read("c03-watchdog-same-seqnum-allranks"))]
    assert [each.name for each in found if isinstance(each, Message)][:2] == ["timeout", "progress"]
    assert isinstance(found[1], Message) and found[1].values == (808, 811, 807)
    assert sorted(map(str, first_by_rank(read("c43-perlmutter-3-of-4-ranks")))) == ["1", "2", "3", "None"]
    memory = parse(read("e12-many-procs-on-gpu0")).what
    assert (
        isinstance(memory, OutOfMemory) and len(memory.others) == 15 and memory.unallocated_bytes == round(677.26 * MIB)
    )


def test_the_cause_goes_before_what_followed() -> None:
    failed = "[rank3]: RuntimeError: DataLoader worker (pid 7) is killed by signal: Bus error.\n"
    closed = "RuntimeError: [pair.cc:534] Connection closed by peer [10.0.0.2]:5000\n"
    error = parse(f"step 1\n{closed}{TIMEOUT}{failed}")
    assert (error.rank, error.line, error.weight) == (3, 4, 0)
    assert parse(closed + TIMEOUT).line == 2
    assert parse(closed).what == Refusal("gloo closed", ("10.0.0.2", 5000))


@pytest.mark.parametrize(
    ("line", "what"),
    [("RuntimeError: [1]: params[2] in this process with sizes [32, 64] appears not to match sizes of the "
      "same param in "
      "process 0.", Refusal("other shapes", (1, 2, "32, 64"))),
     ("RuntimeError: DDP expects same model across all ranks, but Rank 1 has 10 params, while rank 0 has "
      "inconsistent 12 "
      "params.", Refusal("other parameters", (1, 10, 0, 12))),
     ("ValueError: Error initializing torch.distributed using env:// rendezvous: environment variable RANK "
      "expected, but "
      "not set", Refusal("no launcher", ("RANK",))),
     ("RuntimeError: Expected to mark a variable ready only once. This error", Refusal("ready twice")),
     ("RuntimeError: CUDA error: invalid device ordinal", Refusal("no such GPU"))],
)  # fmt: skip
def test_what_ddp_refuses(line: str, what: Refusal) -> None:
    assert parse(f"[rank1]: {line}\n") == TorchError(what, 1)


@pytest.mark.parametrize(
    ("line", "name", "rank"),
    [("[E ProcessGroupNCCL.cpp:737] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(OpType=ALLREDUCE, "
      "TensorShape=[1], Timeout(ms)=1800000) ran for 1800116 milliseconds before timing out.", "timeout", 1),
     ("[rank5]:[E ProcessGroupNCCL.cpp:523] [PG 1 Rank 0] Heartbeat monitor timed out!", "heartbeat", 5),
     ("Observed flight recorder dump signal from another rank via TCPStore.", "told by store", None)],
)  # fmt: skip
def test_older_watchdogs(line: str, name: str, rank: int | None) -> None:
    found = parse(line).what
    assert isinstance(found, Message) and (found.name, found.rank) == (name, rank)


@given(st.text() | st.text().map("[rank0]: CUDA out of memory. Tried to allocate {}".format))
def test_never_another_error(text: str) -> None:
    try:
        parse(text)
    except BadInput as error:
        assert error.because


def test_a_log_without_errors_is_refused() -> None:
    with pytest.raises(BadInput, match="line 1"):
        parse('Thread 1439102 (idle): "MainThread"\n    wait (threading.py:306)\n')
