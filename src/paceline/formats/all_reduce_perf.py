"""What nccl-tests' all_reduce_perf prints (as of 2.18.3), and the same read back, older versions too.

Rows, heads and the two result lines keep their words since 2019, so a table is read from within any log:
with NCCL's lines between, a launcher's rank before each line, or only an excerpt of it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from paceline.errors import BadValue
from paceline.formats.nccl_tests import RUN_COUNTS, Device, Result, Row, Run, Timing, shown

PROGRAM = "all_reduce_perf"
HEADS = (
    "#\n"
    f"#{'':62}out-of-place                       in-place          \n"
    "#       size         count      type   redop    root"
    "     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong \n"
    "#        (B)    (elements)                        "
    "       (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)         \n"
)


def render(result: Result) -> str:
    """Everything a run prints, from its first line to its last."""
    return render_head(result) + HEADS + "".join(map(render_row, result.rows)) + render_foot(result)


def render_head(result: Result) -> str:
    """What is printed before NCCL starts: version, options, devices."""
    lines = []
    if result.version:
        codes = f"nccl-headers={result.nccl_headers} nccl-library={result.nccl_library}"
        lines.append(f"# nccl-tests version {result.version} {codes}")
    lines.append(f"# Collective test starting: {PROGRAM}")
    if run := result.run:
        lines.append(
            f"# nThread {run.n_thread} nGpus {run.n_gpus} minBytes {run.min_bytes} maxBytes {run.max_bytes}"
            f" step: {run.step}({run.step_kind}) warmup iters: {run.warmup_iters} iters: {run.iters}"
            f" agg iters: {run.agg_iters} validation: {run.validation} graph: {run.graph} unalign: {run.unalign}"
        )
    lines += ["#", "# Using devices"]
    lines += [
        f"#  Rank {each.rank:2d} Group {each.group:2d} Pid {each.pid:6d} on {each.host:>10}"
        f" device {each.device:2d} [{each.pci}] {each.name}"
        for each in result.devices
    ]
    return "".join(f"{line}\n" for line in lines)


def render_row(row: Row) -> str:
    """One row, as it is printed when its size is done."""
    what = f"{row.size_bytes:12d}  {row.count:12d}  {row.type:>8}  {row.redop:>6}  {-1:6d}"
    return f"{what}{_half(row.out_of_place)}{_half(row.in_place)}\n"


def render_foot(result: Result) -> str:
    """What is printed when the sweep is done."""
    lines = []
    if result.out_of_bounds is not None:
        lines.append(f"# Out of bounds values : {result.out_of_bounds} {'FAILED' if result.out_of_bounds else 'OK'}")
    if result.avg_busbw_gb_per_s is not None:
        lines.append(f"# Avg bus bandwidth    : {result.avg_busbw_gb_per_s:g} {result.avg_verdict}")
    if result.concluded:
        lines += ["#", f"# Collective test concluded: {PROGRAM}", "#", ""]
    return "".join(f"{line}\n" for line in lines)


def _half(timing: Timing) -> str:
    numbers = "".join(f"  {shown(value, width)}" for _, value, width in timing.numbers())
    return numbers + ("     N/A" if timing.wrong is None else f"  {timing.wrong:6g}")


def parse(text: str) -> Result:
    """The one run in `text`; where several are, `parse_all` reads them."""
    found = parse_all(text)
    if len(found) > 1:
        raise BadValue(f"line {found[1].line}", f"a second run of {PROGRAM} begins", "Give the output of one run.")
    return found[0]


def parse_all(text: str) -> tuple[Result, ...]:
    """Every run in `text`, in order of its first line; never none.

    Output of each launcher's rank is read for itself, so that N runs of a build without MPI give N results.
    """
    from_rank: dict[str, list[dict[str, Any]]] = {}
    for piece in _pieces(text):
        runs = from_rank.setdefault(piece.rank, [])
        if not runs or piece.stage < runs[-1]["stage"] or piece.stage == runs[-1]["stage"] in ONCE:
            runs.append({"line": piece.line, "rows": (), "devices": (), "program": PROGRAM})
        run = runs[-1]
        run["stage"] = piece.stage
        for name, value in piece.values.items():
            if name == "row":
                run["rows"] += (_row(value, piece.line),) if run["program"] == PROGRAM else ()
            else:
                run[name] = run[name] + value if name == "devices" else value
    found = sorted((run for runs in from_rank.values() for run in runs), key=lambda run: run["line"])
    ours = [run for run in found if run["program"] == PROGRAM]
    if not ours:
        given = f"line {found[0]['line']}: {found[0]['program']}" if found else "line 1"
        because = f"this is another program than {PROGRAM}" if found else f"no line of {PROGRAM} follows"
        raise BadValue(given, because, "Expected rows, or '# nThread ...' or '# Avg bus bandwidth ...'.")
    return tuple([Result(**{name: run[name] for name in run if name not in ("stage", "program")}) for run in ours])


@dataclass(frozen=True, slots=True)
class _Piece:
    """One line of the tool: which rank's launcher prefix, where in the order of a run, and what it says."""

    rank: str
    line: int
    stage: int
    values: dict[str, Any]


ONCE = (0, 1, 2, 5, 7, 8, 9)
"""Stages of a run that come once: a second one begins another run."""

MOST_PREFIXES = 4

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_LAUNCHER = re.compile(
    r"\s*(?:(\d{1,6}):\s|\[rank(\d{1,6})\]:\s?|\[default(\d{1,6})\]:|\[\d{1,6},(\d{1,6})\]<std(?:out|err)>:\s?"
    r"|\[(\d{1,6})\] (?=[# ])|\d{4}-\d\d-\d\dT[\d:.,]{8,20}(?:Z|[+-]\d\d:?\d\d)? )",
    re.ASCII,
)
_NUMBER = r"(\d{1,15}(?:\.\d{1,9})?(?:e[+-]?\d{1,3})?)"
_HALF = rf"\s+{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}\s+({_NUMBER[1:-1]}|N/A)"
_ITERATIONS = rf"(?:(?:\s+{_NUMBER[1:-1]}){{4}})?"
_ROW = re.compile(
    rf"\s*(\d{{1,15}})\s+(\d{{1,15}})\s+([a-z]\w{{0,15}})\s+([a-z]{{1,12}})(?:\s+(-?\d{{1,6}}))?"
    rf"{_HALF}{_ITERATIONS}{_HALF}(?:\s.*)?",
    re.ASCII,
)
_RUN = re.compile(
    r"# nThread (\d{1,9}) nGpus (\d{1,9}) minBytes (\d{1,15}) maxBytes (\d{1,15}) step: (\d{1,15})\((factor|bytes)\)"
    r" warmup iters: (\d{1,9}) iters: (\d{1,9})(?: agg iters: (\d{1,9}))? validation: (\d{1,9})"
    r"(?: graph: (\d{1,9}))?(?: unalign: (\d{1,9}))?",
    re.ASCII,
)
_DEVICE = re.compile(
    r"#\s+Rank\s+(\d{1,9})(?: Group\s+(\d{1,9}))? Pid\s+(\d{1,9}) on\s+(\S+) device\s+(\d{1,9})"
    r" \[([0-9a-fx:]+)\] (\S.*?)\s*",
    re.ASCII,
)
_VERSION = re.compile(r"# nccl-tests version ([0-9.]{1,20}) nccl-headers=(\d{1,9}) nccl-library=(\d{1,9})", re.ASCII)
_PROGRAM = re.compile(r"# Collective test (starting|concluded): (?:\S*/)?([\w.-]+)", re.ASCII)
_BOUNDS = re.compile(r"# Out of bounds values\s*: (\d{1,15}) (?:OK|FAILED)", re.ASCII)
_AVERAGE = re.compile(rf"# Avg bus bandwidth\s*: {_NUMBER}(?: (OK|FAILED))?", re.ASCII)


def _pieces(text: str) -> Iterator[_Piece]:
    maximum_error = False
    for line, raw in enumerate(_ANSI.sub("", text).splitlines(), start=1):
        said, rank = raw, ""
        for _ in range(MOST_PREFIXES):
            if match := _LAUNCHER.match(said):
                rank = next((group for group in match.groups() if group), rank)
                said = said[match.end() :]
        said = said.rstrip()
        if said.startswith("#"):
            if "busbw" in said and "size" in said:
                maximum_error = said.endswith("error")
                yield _Piece(rank, line, 5, {})
            elif found := _comment(said, line):
                yield _Piece(rank, line, *found)
        elif match := _ROW.fullmatch(said):
            yield _Piece(rank, line, 6, {"row": (match, maximum_error)})


def _comment(said: str, line: int) -> tuple[int, dict[str, Any]] | None:
    try:
        if match := _VERSION.match(said):
            version, headers, library = match.groups()
            return 0, {"version": version, "nccl_headers": int(headers), "nccl_library": int(library)}
        if match := _PROGRAM.match(said):
            said_once = {"program": match[2]}
            return (9, {**said_once, "concluded": True}) if match[1] == "concluded" else (1, said_once)
        if match := _RUN.match(said):
            given = dict(zip(Run.__dataclass_fields__, match.groups(), strict=True))
            counts = {name: int(given[name]) for name in RUN_COUNTS if given[name]}
            return 2, {"run": Run(**counts, step_kind=match[6])}
        if match := _DEVICE.fullmatch(said):
            rank, group, pid, host, device, pci, name = match.groups()
            return 4, {"devices": (Device(int(rank), int(group or 0), int(pid), host, int(device), pci, name),)}
        if match := _BOUNDS.match(said):
            return 7, {"out_of_bounds": int(match[1])}
        if match := _AVERAGE.match(said):
            mean = Result(avg_busbw_gb_per_s=float(f"{float(match[1]):g}")).avg_busbw_gb_per_s
            return 8, {"avg_busbw_gb_per_s": mean, "avg_verdict": match[2] or ""}
    except BadValue as refused:
        raise BadValue(f"line {line}: {refused.given}", refused.because, refused.instead) from None
    return None


def _row(found: tuple[re.Match[str], bool], line: int) -> Row:
    match, maximum_error = found
    size, count, type_, redop, root, *halves = match.groups()
    try:
        if root not in (None, "-1"):
            raise BadValue(f"a row with root {root}", "an all-reduce has none: this is another collective's")
        halves_of = [_timing(halves[at : at + 4], maximum_error) for at in (0, 4)]
        return Row(int(size), int(count), type_, redop, halves_of[0], halves_of[1], line)
    except BadValue as refused:
        raise BadValue(f"line {line}: {refused.given}", refused.because, f"Expected a row of {PROGRAM}.") from None


def _timing(printed: list[str], maximum_error: bool) -> Timing:
    time_us, algbw, busbw, last = printed
    wrong = None if maximum_error or last == "N/A" or float(last) % 1 else int(float(last))
    return Timing(float(time_us), float(algbw), float(busbw), wrong)
