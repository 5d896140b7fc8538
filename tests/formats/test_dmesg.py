"""dmesg: Xid, SXid and the OOM killer among the kernel's lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.formats.dmesg import UNKNOWN, XIDS, Entry, Killed, Other, SXid, Xid, parse, render
from paceline.units import KIB

# Lines of public reports: a forum's, an AWS guide's, a Kubernetes issue's and the kernel's own format.
FALLEN = "[ 4254.197860] NVRM: Xid (PCI:0000:5d:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
FAULT = "[  100.000001] NVRM: Xid (PCI:0000:3b:00): 31, pid=4321, name=python3, Ch 0000001c, intr 0\n"
SWITCH = "[1235733.431527] nvidia-nvswitch3: SXid (PCI:0000:4e:00.0): 12028, Non-fatal, Link 32 egress PRIV error\n"
KILLED = (
    "[ 5000.250000] Out of memory: Killed process 22560 (python3) total-vm:412345678kB, anon-rss:98765432kB, "
    "file-rss:1024kB, shmem-rss:0kB, UID:1000 pgtables:200000kB oom_score_adj:0\n"
)

texts = st.from_regex(r"[A-Za-z][A-Za-z0-9 ,().=-]{0,30}[a-z.]", fullmatch=True)
sizes = st.integers(0, 10**9).map(lambda size: size * KIB)
numbers = st.integers(1, 200)
pids = st.none() | st.integers(0, 10**7)
pcis = st.from_regex(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}", fullmatch=True)


def valid(*parts: object) -> Xid | None:
    try:
        return Xid(*parts)  # type: ignore[arg-type]
    except BadInput:
        return None


xids = st.builds(valid, pcis, numbers, texts, pids, st.sampled_from(["", "python3", UNKNOWN])).filter(bool)
killed = st.builds(
    Killed, st.integers(1, 10**7), st.sampled_from(["python3", "pt_main_thread", "a (b)"]), sizes, sizes, sizes, sizes,
    st.integers(0, 10**5), sizes, st.integers(-1000, 1000), st.booleans(),
)  # fmt: skip
whats = xids | killed | st.builds(SXid, st.just("nvidia-nvswitch0"), pcis, numbers, texts) | st.builds(Other, texts)
stamps = ["[Mon May 25 12:34:56 2026]", "Mar 21 20:18:56 dgx-1 kernel:"]
entries = st.builds(Entry, st.integers(0, 10**13), whats) | st.builds(Entry, st.none(), whats, st.sampled_from(stamps))


@pytest.mark.parametrize("line", [FALLEN, FAULT, SWITCH, KILLED])
def test_lines_as_the_kernel_prints_them(line: str) -> None:
    assert render(parse(line)) == line
    assert not isinstance(parse(line)[0].what, Other)


def test_what_they_say() -> None:
    fallen, fault, switch, dead = parse(FALLEN + FAULT + SWITCH + KILLED)
    assert fallen.what == Xid("0000:5d:00", 79, "GPU has fallen off the bus.", None, UNKNOWN)
    assert (fallen.at_us, fallen.line, dead.line) == (4254197860, 1, 4)
    assert fault.what == Xid("0000:3b:00", 31, "Ch 0000001c, intr 0", 4321, "python3")
    assert isinstance(switch.what, SXid) and switch.what.device == "nvidia-nvswitch3"
    assert isinstance(dead.what, Killed) and dead.what.anon_rss_bytes == 98765432 * KIB and not dead.what.cgroup


@given(st.lists(entries, max_size=4).map(tuple))
def test_read_again_as_printed(found: tuple[Entry, ...]) -> None:
    assert parse(render(found)) == found


@pytest.mark.parametrize(
    ("line", "number", "pid"),
    [("NVRM: Xid (PCI:0000:1b:00): 79, pid=0, GPU has fallen off the bus.", 79, 0),
     ("[Mon May 25 12:35:01 2026] NVRM: Xid (PCI:0000:1b:00): 13, Graphics SM Warp Exception", 13, None),
     ("Oct  2 10:41:07 srv kernel: [   65.315783] NVRM: Xid (PCI:0000:3d:00): 48, DBE", 48, None),
     ("NVRM: Xid (PCI:0000:03:00): 31, pid='1234', name='python3', fault", 31, 1234)],
)  # fmt: skip
def test_other_drivers_and_stamps(line: str, number: int, pid: int | None) -> None:
    (entry,) = parse(f"0: {line}\n")
    assert isinstance(entry.what, Xid) and (entry.what.number, entry.what.pid) == (number, pid)


def test_an_older_kernel_names_no_user() -> None:
    (entry,) = parse("[    1.000000] Killed process 7 (python), UID 1000, total-vm:3kB, anon-rss:2kB, file-rss:0kB\n")
    assert isinstance(entry.what, Killed) and entry.what.uid is None


def test_the_reference_is_complete() -> None:
    assert {13, 31, 43, 45, 48, 63, 64, 74, 79, 92, 94, 95, 119, 154} <= set(XIDS)
    assert all(meaning and action for meaning, action in XIDS.values())


@given(st.text() | st.text().map("[    1.000000] NVRM: Xid (PCI:0000:1b:00): {}".format))
def test_never_another_error(text: str) -> None:
    try:
        parse(text)
    except BadInput as error:
        assert error.because


def test_other_text_is_refused() -> None:
    assert parse("\n") == ()
    with pytest.raises(BadInput, match="line 1"):
        parse("hello")
