"""The table of failed workers that torchrun of PyTorch 2.13 ends with, and what their exit codes mean."""

import re
from dataclasses import dataclass

from paceline.errors import BadValue
from paceline.formats.line import one_line, split

NO_TRACEBACK = "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
NOT_AVAILABLE = "<N/A>"
SIGNALS: dict[int, str] = {
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
    9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
}  # fmt: skip
"""Linux signal numbers, signal(7)."""
EXITS: dict[int, str] = {
    0: "no error",
    1: "a Python exception: its traceback says which",
    2: "wrong usage, as argparse ends",
    120: "stdout was closed before Python could flush it",
    -6: "SIGABRT: the NCCL watchdog, a C++ exception or an assertion",
    -7: "SIGBUS: often a full /dev/shm",
    -8: "SIGFPE: an arithmetic fault in native code",
    -9: "SIGKILL: the host's OOM killer, a cgroup's limit or scancel; see dmesg",
    -11: "SIGSEGV: a fault in native code",
    -15: "SIGTERM: preempted, out of time, or ended by the launcher since another worker failed",
}
"""Exit code -> what it says of the process; tool-formats.md 6.6."""
_SHELL_SIGNAL = 128
_WIDEST = 60
_ERROR = "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: "


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed worker; None or "" where the text is cut before it says.

    `time` is local, as 2026-11-29_16:44:33; a negative `exitcode` is a signal; `error_file` and a long
    `traceback` come with @record.
    """

    index: int
    rank: int | None = None
    local_rank: int | None = None
    host: str = ""
    time: str = ""
    exitcode: int | None = None
    pid: int | None = None
    error_file: str = ""
    traceback: str = ""

    def __post_init__(self) -> None:
        for name in ("host", "time", "error_file"):
            one_line(name, getattr(self, name))
        for pair in ((self.rank, self.local_rank), (self.exitcode, self.pid)):
            if (pair[0] is None) != (pair[1] is None):
                raise BadValue(f"failure {self.index}", "a rank goes with a local rank, an exit code with a pid")
        if not all(-(10**9) < (each or 0) < 10**9 for each in (self.index, self.rank, self.local_rank, self.pid)):
            raise BadValue(f"failure {self.index}", "its numbers are too large")
        if self.index < 0 or read_failure(self.lines())[0] != self._values():
            raise BadValue(f"failure {self.index}", "read again, its lines would say something else")

    def _values(self) -> dict[str, int | str]:
        return {name: value for name in self.__slots__ if (value := getattr(self, name)) is not None and value != ""}

    def lines(self) -> list[str]:
        """The entry as the table holds it."""
        code = self.exitcode or 0
        signal = f" ({SIGNALS.get(-code, 'N/A')})" if code < 0 else ""
        traceback = self.traceback.replace("\n", "\n  ").split("\n")
        return [
            f"[{self.index}]:",
            *([f"  time      : {self.time}"] if self.time else []),
            *([f"  host      : {self.host}"] if self.host else []),
            *([f"  rank      : {self.rank} (local_rank: {self.local_rank})"] if self.rank is not None else []),
            *([f"  exitcode  : {code} (pid: {self.pid}) {signal}"] if self.exitcode is not None else []),
            *([f"  error_file: {self.error_file}"] if self.error_file else []),
            *([f"  traceback : {traceback[0]}", *traceback[1:]] if self.traceback else []),
        ]


@dataclass(frozen=True, slots=True)
class ChildFailed:
    """One server's table: the script, the failure seen first, and the others; "" or None where the text is cut."""

    script: str
    root: Failure | None
    others: tuple[Failure, ...] = ()

    def __post_init__(self) -> None:
        one_line("script", self.script)
        if self.script != self.script.strip() or (self.script and set(self.script) <= set("=- ")):
            raise BadValue(f"script {self.script!r}", "it must be a script's or module's name")
        if self.root is None and not self.others:
            raise BadValue("a table of failures", "at least one worker failed")


def decode(exitcode: int) -> str:
    """What an exit code says of a worker; 137 from a shell is -9, of SIGKILL; "" where nothing is known of it."""
    signal = _SHELL_SIGNAL - exitcode
    if exitcode not in EXITS and -signal in SIGNALS:
        return decode(signal)
    return EXITS.get(exitcode) or SIGNALS.get(-exitcode, "")


def signal_traceback(exitcode: int, pid: int) -> str:
    """The traceback of a worker that a signal ended, as torchrun words it."""
    return f"Signal {-exitcode} ({SIGNALS.get(-exitcode, '<N/A>')}) received by PID {pid}"


def render(table: ChildFailed) -> str:
    """The end of torchrun's traceback: the error's name and the table."""
    failures = [*([] if table.root is None else [table.root]), *table.others]
    title = f"{table.script} FAILED"
    longest = max(len(line) for failure in failures for line in failure.lines())
    width = min(max(longest, len(title)), _WIDEST)
    out = [_ERROR, "=" * width, title, "-" * width] if table.script else []
    out += ["Failures:", *(line for failure in table.others for line in failure.lines())]
    out += [] if table.others else ["  <NO_OTHER_FAILURES>"]
    out.append("-" * width)
    if table.root is not None:
        out += ["Root Cause (first observed failure):", *table.root.lines(), "=" * width]
    return "".join(f"{line}\n" for line in out)


_TITLE = re.compile(r"(\S.*?) FAILED\s*")
_FAILURES = re.compile(r"Failures:\s*")
_ROOT = re.compile(r"Root Cause \(first observed failure\):\s*")
_RULE = re.compile(r"-{5,}\s*|={5,}\s*")
_INDEX = re.compile(r"\[(\d{1,9})\]:\s*", re.ASCII)
_KEY = re.compile(r" *(time|host|rank|exitcode|error_file|traceback) *: ?(.*)")
_RANKS = re.compile(r"(\d{1,9}) \(local_rank: (\d{1,9})\)\s*", re.ASCII)
_EXIT = re.compile(r"(-?\d{1,9}) \(pid: (\d{1,9})\).*", re.ASCII)


def starts(lines: list[str], at: int) -> bool:
    """Whether a table, or what is left of one, begins at line `at`."""
    line = lines[at]
    if _TITLE.fullmatch(line):
        return at + 1 < len(lines) and bool(_RULE.fullmatch(lines[at + 1]))
    return bool(_FAILURES.fullmatch(line) or _ROOT.fullmatch(line))


def read(lines: list[str], at: int) -> tuple[ChildFailed | None, int]:
    """The table that begins at line `at`, None where no entry of it is whole, and the line after it."""
    title = _TITLE.fullmatch(lines[at])
    script = title[1] if title and split(title[1]) == (None, title[1]) and title[1].isprintable() else ""
    root: Failure | None = None
    others: list[Failure] = []
    in_root = False
    at += 1 if title else 0
    while at < len(lines):
        line = lines[at]
        if _INDEX.fullmatch(line):
            values, used = read_failure(lines[at:])
            at += used
            try:
                failure = Failure(**values)  # type: ignore[arg-type]
            except BadValue:
                continue
            if in_root:
                root = failure
                break
            others.append(failure)
            continue
        if in_root and not _ROOT.fullmatch(line) and line.strip():
            break
        in_root = in_root or bool(_ROOT.fullmatch(line))
        if at > 0 and _TITLE.fullmatch(line) and starts(lines, at):
            break
        at += 1
    if at < len(lines) and root is not None and _RULE.fullmatch(lines[at]):
        at += 1
    return (ChildFailed(script, root, tuple(others)) if root or others else None), at


def read_failure(lines: list[str]) -> tuple[dict[str, int | str], int]:
    """The values of the entry at the head of `lines`, and how many lines it takes."""
    head = _INDEX.fullmatch(lines[0])
    values: dict[str, int | str] = {"index": int(head[1])} if head else {}
    used = 1
    for line in lines[1:]:
        key = None if "traceback" in values else _KEY.fullmatch(line)
        if "traceback" in values and line.startswith("  "):
            values["traceback"] = f"{values['traceback']}\n{line[2:]}"
        elif key is None or not line.isprintable():
            break
        elif pair := (_RANKS if key[1] == "rank" else _EXIT).fullmatch(key[2]):
            names = ("rank", "local_rank") if key[1] == "rank" else ("exitcode", "pid")
            if key[1] in names:
                values |= zip(names, map(int, pair.groups()), strict=True)
        if key is not None and key[1] not in ("rank", "exitcode"):
            values[key[1]] = key[2] if key[1] == "traceback" else key[2].rstrip()
        used += 1
    return {name: value for name, value in values.items() if value != ""}, used
