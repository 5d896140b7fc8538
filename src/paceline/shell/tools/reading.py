"""Tools that show files: cat, head, tail, less, tee."""

from paceline.shell.events import STDERR, Output, Steps, Wait
from paceline.shell.files import File
from paceline.shell.machine import Call, Failed
from paceline.shell.tools.options import inputs, lines_of, options

LOOKS_EVERY_US = 1_000_000


def cat(call: Call) -> Steps:
    """cat [FILE…]: print files one after another. -n with line numbers."""
    chosen = options(call, "n", code=1)
    code, number = 0, 0
    for _, text, problem in inputs(call, chosen.operands):
        if problem:
            yield Output(f"cat: {problem}\n", STDERR)
            code = 1
        elif "n" in chosen:
            lines = lines_of(text)
            numbered = [f"{number + index:>6}\t{line}" for index, line in enumerate(lines, 1)]
            number += len(lines)
            yield Output("\n".join(numbered) + ("\n" if text.endswith("\n") else ""))
        elif text:
            yield Output(text)
    return code


def less(call: Call) -> Steps:
    """less [FILE…]: read a file; here it is printed whole, and you scroll."""
    options(call, "NRSFX", code=1)
    return (yield from cat(call))


def head(call: Call) -> Steps:
    """head [FILE…]: print the first ten lines. -n NUMBER of lines, -c NUMBER of characters, -q no names."""
    chosen = options(call, "qv", "nc", digits="n", code=1)
    code = 0
    first = True
    for name, text, problem in inputs(call, chosen.operands):
        if problem:
            yield Output(f"head: cannot open '{name}' for reading: {problem.rpartition(': ')[2]}\n", STDERR)
            code = 1
            continue
        lines = text.split("\n")
        count = _count(chosen.values.get("n", "10").removeprefix("-"))
        if chosen.values.get("n", "").startswith("-"):
            count = max(0, len(lines_of(text)) - count)
        shown = "\n".join(lines[:count]) + ("\n" if 0 < count < len(lines) else "")
        if "c" in chosen.values:
            shown = text[: _count(chosen.values["c"])]
        shown = _titled(name, first, "q" not in chosen and len(chosen.operands) > 1) + shown
        first = False
        if shown:
            yield Output(shown)
    return code


def tail(call: Call) -> Steps:
    """tail [FILE…]: print the last ten lines. -n NUMBER (+5: from line 5 on), -c NUMBER, -f go on as the file grows."""
    chosen = options(call, "fFq", "nc", digits="n", code=1)
    code = 0
    first = True
    for name, text, problem in inputs(call, chosen.operands):
        if problem:
            yield Output(f"tail: cannot open '{name}' for reading: {problem.rpartition(': ')[2]}\n", STDERR)
            code = 1
            continue
        wanted = chosen.values.get("n", "10")
        count = _count(wanted.lstrip("+-"))
        lines = text.split("\n")
        ended = lines.pop() if lines[-1] == "" else None
        kept = lines[max(0, count - 1) :] if wanted.startswith("+") else lines[len(lines) - min(count, len(lines)) :]
        shown = "\n".join(kept) + ("\n" if kept and ended is not None else "")
        if "c" in chosen.values:
            shown = text[max(0, len(text) - _count(chosen.values["c"])) :]
        shown = _titled(name, first, "q" not in chosen and len(chosen.operands) > 1) + shown
        first = False
        if shown:
            yield Output(shown)
    if ("f" in chosen or "F" in chosen) and chosen.operands:
        yield from _follow(call, chosen.operands)
    return code


def _follow(call: Call, names: list[str]) -> Steps:
    paths = [call.path(name) for name in names]
    seen = {path: _size(call, path) for path in paths}
    while True:
        yield Wait(for_us=LOOKS_EVERY_US)
        for name, path in zip(names, paths, strict=True):
            found = call.files.find(call.host, path)
            if not isinstance(found, File):
                continue
            if found.size < seen[path]:
                yield Output(f"tail: {name}: file truncated\n", STDERR)
                seen[path] = 0
            if found.size > seen[path]:
                new = found.text[seen[path] :]
                seen[path] = found.size
                yield Output(new)


def _size(call: Call, path: str) -> int:
    found = call.files.find(call.host, path)
    return found.size if isinstance(found, File) else 0


def _titled(name: str, first: bool, wanted: bool) -> str:
    shown = "standard input" if name == "-" else name
    return f"{'' if first else chr(10)}==> {shown} <==\n" if wanted else ""


def _count(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise Failed(f"invalid number: '{text[:40]}'")
    return int(text)


def tee(call: Call) -> Steps:
    """tee [FILE…]: print what comes through a pipe and keep it in files. -a lengthen them."""
    chosen = options(call, "a", code=1)
    text = call.stdin
    code = 0
    for name in chosen.operands:
        try:
            call.write(name, text, append="a" in chosen)
        except Failed as failure:
            yield Output(f"tee: {failure}\n", STDERR)
            code = 1
    if text:
        yield Output(text)
    return code
