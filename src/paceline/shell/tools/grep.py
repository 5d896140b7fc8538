"""grep: the lines in which a pattern occurs."""

from collections.abc import Callable

from paceline.shell.events import STDERR, Output, Steps
from paceline.shell.machine import Call, Failed
from paceline.shell.tools.matcher import Matcher
from paceline.shell.tools.options import Options, inputs, lines_of, options

Find = Callable[[str, int], tuple[int, int] | None]


def grep(call: Call) -> Steps:
    """grep PATTERN [FILE…]: print the lines in which a pattern occurs.

    -i either case, -v lines without it, -n line numbers, -c count, -o the matches alone, -l names of files, -q nothing,
    -r whole folders, -E extended patterns, -F plain text, -w whole words, -h no names, -A -B -C lines around.
    """
    chosen = options(call, "ivncEForlqwhHs", "ABCem", many="e")
    operands = chosen.operands
    pattern = chosen.values.get("e") or (operands.pop(0) if operands else "")
    if not pattern and "e" not in chosen.values and not call.args:
        raise Failed("a pattern is missing: grep PATTERN FILE", 2)
    search, find = searcher(chosen, pattern)
    code = 1
    troubled = False
    sources = _tree(call, operands or ["."]) if "r" in chosen else inputs(call, operands)
    named = ("r" in chosen or len(operands) > 1 or "H" in chosen) and "h" not in chosen
    for name, text, problem in sources:
        if problem:
            troubled = True
            if "s" not in chosen:
                yield Output(f"grep: {problem}\n", STDERR)
            continue
        lines = lines_of(text)
        hits = [index for index, line in enumerate(lines) if search(line) != ("v" in chosen)]
        hits = hits[: chosen.number("m", len(lines), "grep")]
        if not hits and "c" not in chosen:
            continue
        code = 0 if hits else code
        if "q" in chosen:
            return 0
        head = f"{'(standard input)' if name == '-' else name}:" if named else ""
        if "l" in chosen:
            shown = f"{'(standard input)' if name == '-' else name}\n" if hits else ""
        elif "c" in chosen:
            shown = f"{head}{len(hits)}\n"
        elif "o" in chosen:
            shown = "" if "v" in chosen else _matches(lines, hits, head, "n" in chosen, find)
        else:
            shown = _around(lines, hits, head, chosen)
        if shown:
            yield Output(shown)
    return 2 if troubled and code else code


def searcher(chosen: Options, pattern: str) -> tuple[Callable[[str], bool], Find]:
    """Whether a line holds the pattern, or one of several on lines of their own, and where the first one stands."""
    several = [_searcher(chosen, each) for each in pattern.split("\n")]
    if len(several) == 1:
        return several[0]

    def find(line: str, start: int = 0) -> tuple[int, int] | None:
        spans = [span for _, each in several if (span := each(line, start)) is not None]
        return min(spans, key=lambda span: (span[0], -span[1]), default=None)

    return lambda line: any(search(line) for search, _ in several), find


def _searcher(chosen: Options, pattern: str) -> tuple[Callable[[str], bool], Find]:
    if "F" in chosen:
        pattern = "".join(f"[{char}]" if char not in "^\\" else f"\\{char}" for char in pattern)
    matcher = Matcher(pattern, "E" in chosen or "F" in chosen, "i" in chosen)
    if "w" in chosen:

        def whole(line: str, start: int = 0) -> tuple[int, int] | None:
            while (span := matcher.find(line, start)) is not None:
                left, right = line[span[0] - 1 : span[0]] if span[0] else "", line[span[1] : span[1] + 1]
                if not any(char.isalnum() or char == "_" for char in (left, right) if char):
                    return span
                start = span[0] + 1
            return None

        return lambda line: whole(line) is not None, whole
    return matcher.search, matcher.find


def _tree(call: Call, names: list[str]) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    for name in names:
        full = call.path(name)
        if call.files.find(call.host, full) is None:
            found.append((name, "", f"{name}: No such file or directory"))
        for path, file in call.files.walk(call.host, full):
            rest = path[len(full) :].strip("/")
            shown = (f"{name.rstrip('/')}/{rest}" if rest else name) if name != "." or "." in call.args else rest
            found.append((shown, file.text, ""))
    return found


def _matches(lines: list[str], hits: list[int], head: str, numbered: bool, find: Find) -> str:
    shown: list[str] = []
    for index in hits:
        at = 0
        while (span := find(lines[index], at)) is not None:
            at = max(span[1], span[0] + 1)
            if span[1] > span[0]:
                shown.append(f"{head}{f'{index + 1}:' if numbered else ''}{lines[index][span[0] : span[1]]}\n")
    return "".join(shown)


def _around(lines: list[str], hits: list[int], head: str, chosen: Options) -> str:
    around = chosen.number("C", 0, "grep")
    after, before = chosen.number("A", around, "grep"), chosen.number("B", around, "grep")
    shown: list[str] = []
    last = -1
    wanted = frozenset(hits)
    for hit in hits:
        first = max(0, hit - before, last + 1)
        if (after or before) and last >= 0 and first > last + 1:
            shown.append("--\n")
        until = min(len(lines) - 1, hit + after)
        for index in range(first, until + 1):
            mark = ":" if index in wanted else "-"
            number = f"{index + 1}{mark}" if "n" in chosen else ""
            shown.append(f"{head[:-1]}{mark if head else ''}{number}{lines[index]}\n")
        last = max(last, until)
    return "".join(shown)
