"""sed: lines with a pattern replaced, or a few lines picked."""

import re
from dataclasses import dataclass

from paceline.shell.events import STDERR, Output, Steps
from paceline.shell.machine import Call, Failed
from paceline.shell.tools.matcher import Matcher
from paceline.shell.tools.options import inputs, lines_of, options

LONGEST_RESULT = 1_000_000
_ADDRESS = re.compile(r"\s*(\d{1,9}|\$|/(?:[^/\\]|\\.)*/)")


@dataclass(frozen=True, slots=True)
class _Step:
    first: str
    last: str
    negated: bool
    action: str
    matcher: Matcher | None = None
    replacement: str = ""
    flags: str = ""


def sed(call: Call) -> Steps:
    r"""sed 's/OLD/NEW/' [FILE…]: print lines with a pattern replaced; sed -n 5,10p picks lines.

    s/OLD/NEW/ with the flags g, i, p and a number; p and d; addresses such as 5, 2,7, $ and /WORD/; & and \1 in NEW;
    -n prints only what p prints, -E extended patterns, -i changes the file.
    """
    chosen = options(call, "nEri", "e", code=1)
    operands = chosen.operands
    if "e" not in chosen.values and not operands:
        raise Failed("a script is missing: sed 's/OLD/NEW/' FILE")
    script = chosen.values.get("e") or operands.pop(0)
    steps = _steps(script, "E" in chosen or "r" in chosen)
    code = 0
    sources = inputs(call, operands)
    groups = [[source] for source in sources] if "i" in chosen else [sources]
    for group in groups:
        text = ""
        for _, part, problem in group:
            if problem:
                yield Output(f"sed: can't read {problem}\n", STDERR)
                code = 2
            text += part
        if group[0][2]:
            continue
        edited = _edited(text, steps, "n" in chosen)
        if "i" in chosen and operands:
            call.write(group[0][0], edited)
        elif edited:
            yield Output(edited)
    return code


def _steps(script: str, extended: bool) -> list[_Step]:
    steps: list[_Step] = []
    at = 0
    while at < len(script):
        if script[at] in " \t\n;":
            at += 1
            continue
        addresses: list[str] = []
        while len(addresses) < 2 and (match := _ADDRESS.match(script, at)):
            addresses.append(match.group(1))
            at = match.end()
            if len(addresses) == 1 and script[at : at + 1] == ",":
                at += 1
            else:
                break
        while script[at : at + 1] == " ":
            at += 1
        negated = script[at : at + 1] == "!"
        at += negated
        first, last = (addresses or [""])[0], addresses[1] if len(addresses) > 1 else ""
        action = script[at : at + 1]
        at += 1
        if action in ("p", "d"):
            steps.append(_Step(first, last, negated, action))
        elif action == "s":
            old, new, at = _halves(script, at)
            match = re.compile(r"[gpi0-9I]*").match(script, at)
            flags = match.group() if match else ""
            at += len(flags)
            matcher = Matcher(old, extended, "i" in flags.lower())
            steps.append(_Step(first, last, negated, "s", matcher, new, flags))
        else:
            raise Failed(f"{action or 'an address alone'!r} is not part of this sed; it knows s/…/…/, p and d")
        if script[at : at + 1] not in ("", ";", "\n", " "):
            raise Failed(f"unknown option to `{action}': {script[at]!r}")
    return steps


def _halves(script: str, at: int) -> tuple[str, str, int]:
    mark = script[at : at + 1]
    halves = ["", ""]
    at += 1
    for half in (0, 1):
        while at < len(script) and script[at] != mark:
            if script[at] == "\\" and at + 1 < len(script):
                halves[half] += script[at + 1] if script[at + 1] == mark else script[at : at + 2]
                at += 2
            else:
                halves[half] += script[at]
                at += 1
        if at >= len(script):
            raise Failed("unterminated `s' command")
        at += 1
    return halves[0], halves[1], at


def _edited(text: str, steps: list[_Step], quiet: bool) -> str:
    lines = lines_of(text)
    finished = text.endswith("\n") or not text
    open_ranges: dict[int, bool] = {}
    matchers = {
        address: Matcher(address[1:-1].replace("\\/", "/"))
        for step in steps for address in (step.first, step.last) if address.startswith("/")
    }  # fmt: skip
    shown: list[str] = []
    long = 0
    for number, line in enumerate(lines, 1):
        kept = True
        printed: list[str] = []
        for index, step in enumerate(steps):
            here = _applies(step, index, line, number, len(lines), matchers, open_ranges)
            if here == step.negated:
                continue
            if step.action == "d":
                kept = False
                break
            if step.action == "p":
                printed.append(line)
            elif step.matcher is not None:
                line, changed = _replaced(line, step, step.matcher)
                if changed and "p" in step.flags:
                    printed.append(line)
        if kept and not quiet:
            printed.append(line)
        shown += printed
        long += sum(len(each) for each in printed)
        if long > LONGEST_RESULT:
            raise Failed(f"stopped after {LONGEST_RESULT:,} characters")
    return "\n".join(shown) + ("\n" if shown and finished else "")


def _applies(
    step: _Step, index: int, line: str, number: int, count: int, matchers: dict[str, Matcher], ranges: dict[int, bool]
) -> bool:
    def at(address: str) -> bool:
        if address.startswith("/"):
            return matchers[address].search(line)
        return number == (count if address == "$" else int(address))

    if not step.first:
        return True
    if not step.last:
        return at(step.first)
    if ranges.get(index):
        past = step.last.isdecimal() and number >= int(step.last)
        ranges[index] = not (past or at(step.last))
        return not (step.last.isdecimal() and number > int(step.last))
    if not at(step.first):
        return False
    ranges[index] = not (step.last.isdecimal() and number >= int(step.last))
    return True


def _replaced(line: str, step: _Step, matcher: Matcher) -> tuple[str, bool]:
    if not matcher.search(line):
        return line, False
    wanted = int(digits) if (digits := "".join(char for char in step.flags if char.isdecimal())[:4]) else 1
    result, at, count, copied = "", 0, 0, 0
    while at <= len(line) and (span := matcher.find(line, at)) is not None:
        count += 1
        start, end = span
        if count >= wanted:
            result += line[copied:start] + _filled(step.replacement, matcher.groups(line, start, end))
            copied = end
            if "g" not in step.flags or len(result) > LONGEST_RESULT:
                break
        at = end if end > start else end + 1
        if end > start and at <= len(line) and matcher.find(line, at) == (at, at):
            at += 1
    return result + line[copied:], count >= wanted


def _filled(replacement: str, groups: dict[int, str]) -> str:
    def piece(match: re.Match[str]) -> str:
        text = match.group()
        if text == "&":
            return groups[0]
        if text[1].isdecimal():
            return groups.get(int(text[1]), "")
        return {"n": "\n", "t": "\t"}.get(text[1], text[1])

    return re.sub(r"\\.|&", piece, replacement, flags=re.DOTALL)
