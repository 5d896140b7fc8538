"""torchrun: its log lines, the table of failures, and what exit codes mean."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.formats import child_failed
from paceline.formats.child_failed import NO_TRACEBACK, ChildFailed, Failure, decode, signal_traceback
from paceline.formats.torchrun import SENTENCES, Block, Event, Said, Stamp, parse, render

LOGS = Path(__file__).parents[1] / "data" / "logs"
# tool-formats.md 6.6, of a real run of PyTorch 2.13; the blank behind a positive exit code's pid is PyTorch's.
TABLE = f"""torch.distributed.elastic.multiprocessing.errors.ChildFailedError: 
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-11-29_16:44:35
  host      : dgx-2
  rank      : 8 (local_rank: 0)
  exitcode  : -9 (pid: 22560)  (SIGKILL)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 22560
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-29_16:44:33
  host      : dgx-2
  rank      : 9 (local_rank: 1)
  exitcode  : 1 (pid: 21793) 
  error_file: <N/A>
  traceback : {NO_TRACEBACK}
============================================================
"""  # noqa: W291
ROOT = Failure(0, 9, 1, "dgx-2", "2026-11-29_16:44:33", 1, 21793, "<N/A>", NO_TRACEBACK)
OTHER = Failure(1, 8, 0, "dgx-2", "2026-11-29_16:44:35", -9, 22560, "<N/A>", signal_traceback(-9, 22560))
API = "torch/distributed/elastic/multiprocessing/api.py:984"

small = st.integers(0, 10**6)
words = st.from_regex(r"[a-z](?:[a-z0-9./_-]{0,11}[a-z0-9])?", fullmatch=True)
tracebacks = st.sampled_from([NO_TRACEBACK, "Traceback:\n  File 'a.py'\n[1]:\n\n  time      : x", ""])
failures = st.builds(Failure, small, small, small, words, words, st.integers(-15, 255), small, words, tracebacks)
tables = st.builds(ChildFailed, words.map("a{}".format), failures, st.lists(failures, max_size=3).map(tuple))
times = st.integers(0, 86_399_999_999)
stamps = st.builds(Stamp, st.sampled_from("IWE"), st.integers(1, 12), st.integers(1, 31), times, small, st.just(API))


def value_of(newest: str, hole: str) -> st.SearchStrategy[int | str]:
    return small if f"{{{hole}:d}}" in newest else words


@st.composite
def sentences(draw: st.DrawFn) -> Said:
    name = draw(st.sampled_from(sorted(SENTENCES)))
    holes = SENTENCES[name].holes
    return Said(name, tuple(draw(value_of(SENTENCES[name].newest, hole)) for hole in holes))


pairs = st.lists(st.tuples(words.map(lambda word: word.replace("/", "_").replace("-", "_").replace(".", "_")), words),
                 max_size=4).map(tuple)  # fmt: skip
blocks = st.builds(Block, st.just("launch"), pairs) | st.builds(Block, st.just("rendezvous"), pairs, words)
events = st.builds(Event, sentences() | blocks, st.none() | stamps) | st.builds(Event, tables)


def test_the_table_as_pytorch_prints_it() -> None:
    table = ChildFailed("train.py", ROOT, (OTHER,))
    assert child_failed.render(table) == TABLE
    assert [event.what for event in parse(f"Traceback\n    raise ChildFailedError(\n{TABLE}srun: error: ...")] == [
        table
    ]


def test_one_failure_alone() -> None:
    text = child_failed.render(ChildFailed("train.py", OTHER))
    assert "Failures:\n  <NO_OTHER_FAILURES>\n" in text and text.splitlines()[1] == "=" * 54


def test_a_real_table_cut_in_its_root() -> None:
    (event,) = parse((LOGS / "c41-childfailed-summary.log").read_text(encoding="utf-8"))
    assert isinstance(event.what, ChildFailed) and event.what.root is not None
    assert (event.what.root.rank, event.what.root.exitcode, event.line) == (1, None, 5)
    assert [other.exitcode for other in event.what.others] == [1, -9, -15]


def test_a_real_launch() -> None:
    (event,) = parse((LOGS / "d12-sbatch-hostname-split.log").read_text(encoding="utf-8"))
    assert isinstance(event.what, Block) and event.line == 22
    assert event.what.get("rdzv_endpoint") == "10.0.0.1:29503" and event.what.get("log_dir") == ""


def test_lines_with_their_stamp() -> None:
    stamp = Stamp("E", 11, 29, 60_273_000_000, 21790, API)
    failed = Event(Said("worker failed", (1, 1, 21793, "/usr/bin/python3")), stamp)
    line = (
        f"E1129 16:44:33.000000 21790 {API}] failed (exitcode: 1) local_rank: 1 (pid: 21793) of binary: "
        "/usr/bin/python3"
    )
    assert render([failed]) == f"{line}\n"
    assert parse(f"1: {line}\n") == (failed,)
    warned = render([Event(Said("omp threads", (1,)), stamp)]).splitlines()
    assert len(warned) == 4 and warned[0].endswith("] ") and warned[3].endswith(f"] {'*' * 41}")


@settings(max_examples=40)
@given(st.lists(events, min_size=1, max_size=4).map(tuple))
def test_read_again_as_printed(found: tuple[Event, ...]) -> None:
    assert parse(render(found)) == found


@pytest.mark.parametrize(
    ("line", "name", "values"),
    [("[2024-03-18 17:38:50,208] torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode: -7) "
      "local_rank: 0 "
      "(pid: 5) of binary: /opt/python", "worker failed", (-7, 0, 5, "/opt/python")),
     ("WARNING:torch.distributed.elastic.multiprocessing.api:Sending process 17 closing signal SIGTERM", "closing",
      (17, "SIGTERM")),
     ("TimeoutError: The client socket has timed out after 60s while trying to connect to 10.0.0.1:29500.",
      "connect timeout in seconds", (60, "10.0.0.1", 29500)),
     ("[rank0]: torch.distributed.DistNetworkError: The client socket has timed out after 60000ms while "
      "trying to connect "
      "to (10.0.0.1, 29500).", "connect timeout", (60000, "10.0.0.1", 29500)),
     ("RuntimeError: The server socket has failed to listen on any local network address. port: 29500, useIpv6: false, "
      "code: -98, name: EADDRINUSE, message: address already in use", "port in use", (29500, "false")),
     ("torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError", "rendezvous timeout", ())],
)  # fmt: skip
def test_wordings_of_all_versions(line: str, name: str, values: tuple[object, ...]) -> None:
    assert parse(line)[0].what == Said(name, values)  # type: ignore[arg-type]


def test_exit_codes() -> None:
    assert decode(1).startswith("a Python exception")
    assert decode(-9) == decode(137) and "OOM" in decode(-9)
    assert decode(143) == decode(-15) and decode(-7).startswith("SIGBUS")
    assert decode(-4) == "SIGILL" and decode(77) == "" and decode(10**9) == ""


@given(st.text() | st.text().map("train.py FAILED\n-----\nFailures:\n[1]:\n  rank      : {}".format))
def test_never_another_error(text: str) -> None:
    try:
        parse(text)
    except BadInput as error:
        assert error.because


def test_other_text_is_refused() -> None:
    with pytest.raises(BadInput, match="line 1"):
        parse("all well\n")
    with pytest.raises(BadInput):
        Failure(0, 1)
