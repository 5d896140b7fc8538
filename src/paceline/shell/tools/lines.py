"""Tools that count, order and cut lines: wc, sort, uniq, cut, tr."""

import re

from paceline.shell.events import STDERR, Output, Steps
from paceline.shell.glob import spread
from paceline.shell.machine import Call, Failed
from paceline.shell.tools.options import inputs, joined, lines_of, options
from paceline.shell.tools.pattern import CLASSES


def wc(call: Call) -> Steps:
    """wc [FILE…]: count lines, words and bytes. -l lines, -w words, -c bytes, -m characters."""
    chosen = options(call, "lwcm", code=1)
    columns = [flag for flag in "lwmc" if flag in chosen] or ["l", "w", "c"]
    rows: list[tuple[str, list[int]]] = []
    code = 0
    for name, text, problem in inputs(call, chosen.operands):
        if problem:
            yield Output(f"wc: {problem}\n", STDERR)
            code = 1
            continue
        size = len(text.encode("utf-8", "surrogatepass"))
        counted = {"l": text.count("\n"), "w": len(text.split()), "m": len(text), "c": size}
        rows.append((name if chosen.operands else "", [*(counted[column] for column in columns), size]))
    if len(chosen.operands) > 1:
        totals = [0] * (len(columns) + 1)
        for _, row in rows:
            totals = [total + count for total, count in zip(totals, row, strict=True)]
        rows.append(("total", totals))
    widest = max((row[-1] for _, row in rows), default=0)
    width = len(str(widest)) if chosen.operands else 7
    if len(columns) == 1 and len(rows) == 1:
        width = 1
    for name, row in rows:
        yield Output(" ".join([*(f"{count:>{width}}" for count in row[:-1]), *([name] if name else [])]) + "\n")
    return code


def sort(call: Call) -> Steps:
    """sort [FILE…]: put lines in order. -n by number, -r backwards, -u each once, -f either case, -k FIELD, -t CHAR."""
    chosen = options(call, "nrufbs", "kt")
    lines: list[str] = []
    for _, text, problem in inputs(call, chosen.operands):
        if problem:
            yield Output(f"sort: cannot read: {problem}\n", STDERR)
            return 2
        lines += lines_of(text)
    match = re.fullmatch(r"(\d{1,4})(?:\.\d+)?([nrf]*)(?:,(\d{1,4})([nrf]*))?", chosen.values.get("k", "1"))
    if match is None or match.group(1) == "0":
        raise Failed(f"invalid field: -k {chosen.values['k']}; here -k FIELD and -k FIRST,LAST work", 2)
    keyed = "k" in chosen.values
    first, last = int(match.group(1)), int(match.group(3) or 0)
    letters = (match.group(2) or "") + (match.group(4) or "")
    numeric, backwards = "n" in chosen or "n" in letters, "r" in chosen or "r" in letters
    mark = chosen.values.get("t", "")

    def part(line: str) -> str:
        if not keyed:
            return line
        fields = line.split(mark) if mark else re.findall(r"\s*\S+|\s+$", line)
        return (mark or "").join(fields[first - 1 : last or None])

    def order(line: str) -> tuple[float, str]:
        text = part(line)
        if numeric:
            number = re.match(r"\s*(-?\d{0,300}(?:\.\d{0,300})?)", text)
            shown = number.group(1) if number else ""
            return (float(shown) if re.search(r"\d", shown) else 0.0, "")
        return 0.0, text.upper() if "f" in chosen or "f" in letters else text

    if "u" in chosen:
        once: dict[tuple[float, str], str] = {}
        for line in lines:
            once.setdefault(order(line), line)
        lines = list(once.values())
    else:
        lines.sort(reverse="r" in chosen and "s" not in chosen)
    lines.sort(key=order, reverse=backwards)
    if lines:
        yield Output(joined(lines))
    return 0


def uniq(call: Call) -> Steps:
    """uniq [FILE]: drop a line that equals the one before. -c with counts, -d only repeated, -u only single, -i."""
    chosen = options(call, "cdui", code=1)
    runs: list[tuple[int, str]] = []
    for _, text, problem in inputs(call, chosen.operands[:1]):
        if problem:
            raise Failed(problem)
        for line in lines_of(text):
            same = runs and (line.lower() == runs[-1][1].lower() if "i" in chosen else line == runs[-1][1])
            if same:
                runs[-1] = (runs[-1][0] + 1, runs[-1][1])
            else:
                runs.append((1, line))
    kept = [run for run in runs if not ("d" in chosen and run[0] == 1) and not ("u" in chosen and run[0] > 1)]
    if kept:
        yield Output(joined([f"{count:>7} {line}" if "c" in chosen else line for count, line in kept]))
    return 0


def cut(call: Call) -> Steps:
    """cut -d CHAR -f LIST [FILE…]: print some fields of each line; -c LIST some characters; -s only lines with CHAR."""
    chosen = options(call, "s", "dfc", code=1)
    if ("f" in chosen.values) == ("c" in chosen.values):
        raise Failed("you must specify a list of characters (-c) or fields (-f)")
    ranges = _ranges(chosen.values.get("f") or chosen.values.get("c", ""))
    mark = chosen.values.get("d", "\t")
    if len(mark) != 1:
        raise Failed("the delimiter must be a single character")
    code = 0
    shown: list[str] = []
    for _, text, problem in inputs(call, chosen.operands):
        if problem:
            yield Output(f"cut: {problem}\n", STDERR)
            code = 1
        for line in lines_of(text):
            if "c" in chosen.values:
                shown.append("".join(_picked(list(line), ranges)))
            elif mark in line:
                shown.append(mark.join(_picked(line.split(mark), ranges)))
            elif "s" not in chosen:
                shown.append(line)
    if shown:
        yield Output(joined(shown))
    return code


def _ranges(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d{0,6})(-?)(\d{0,6})", part)
        if match is None or part in ("", "-") or match.group(1) == "0":
            raise Failed(f"invalid list {text[:40]!r}; write it as 1,3 or 2-5 or 4-")
        low, dash, high = match.groups()
        found.append((int(low or 1), int(high or 10**6) if dash else int(low)))
    return found


def _picked(fields: list[str], ranges: list[tuple[int, int]]) -> list[str]:
    return [field for number, field in enumerate(fields, 1) if any(low <= number <= high for low, high in ranges)]


def tr(call: Call) -> Steps:
    """tr SET1 [SET2]: replace characters read from a pipe. -d delete SET1, -s squeeze repeats, -c all but SET1."""
    chosen = options(call, "dsc", code=1)
    sets = [_set(text) for text in chosen.operands]
    if not sets or len(sets) > 2 or (len(sets) == 1 and "d" not in chosen and "s" not in chosen):
        raise Failed("missing operand: tr SET1 SET2, or tr -d SET1")
    text = call.stdin
    first = sets[0]
    chars = frozenset(first)
    if "d" in chosen:
        text = "".join(char for char in text if (char in chars) == ("c" in chosen))
    elif len(sets) == 2:
        if not sets[1]:
            raise Failed("when not truncating set1, string2 must be non-empty")
        if "c" in chosen:
            text = "".join(char if char in chars else sets[1][-1] for char in text)
        else:
            table = {old: sets[1][min(index, len(sets[1]) - 1)] for index, old in enumerate(first)}
            text = "".join(table.get(char, char) for char in text)
    if "s" in chosen:
        squeezed = frozenset(sets[-1])
        negated = "c" in chosen and len(sets) == 1
        text = "".join(
            char for index, char in enumerate(text)
            if not (index and char == text[index - 1] and (char in squeezed) != negated)
        )  # fmt: skip
    if text:
        yield Output(text)
    return 0


def _set(text: str) -> str:
    for name, members in CLASSES.items():
        text = text.replace(f"[:{name}:]", "".join(sorted(members)))
    for written, meant in (("\\n", "\n"), ("\\t", "\t"), ("\\r", "\r"), ("\\\\", "\\"), ("\\0", "\0")):
        text = text.replace(written, meant)
    return spread(text)
