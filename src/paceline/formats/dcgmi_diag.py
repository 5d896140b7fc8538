"""The box of `dcgmi diag -r ...`, as DCGM 3 and 4 print it: tests under sections, long messages broken hard."""

import re
from dataclasses import dataclass, field

from paceline.errors import BadValue
from paceline.formats.line import lines_of, refusal, split

LEFT, RIGHT = 27, 48
CHUNK = 45
"""Characters of a message in one row; the rest goes on, without a blank added, in rows with an empty left cell."""
LONGEST_LINE = 200

_ABOVE = "Successfully ran diagnostic for group."
_BORDER = f"+{'-' * LEFT}+{'-' * RIGHT}+"
_DOUBLE = f"+{'=' * LEFT}+{'=' * RIGHT}+"
_SECTION = re.compile(r"[|+]-----  (\S[^|+]*?)  -+\+")
# Pages that quote the box often cut its right edge.
_ROW = re.compile(r"\| ([^|]{25,26})\| ([^|]{1,47})(?:\||$)")
_TEXT = re.compile(r"[!-{}~](?:[ -{}~]*[!-{}~])?")


@dataclass(frozen=True, slots=True)
class Entry:
    """One row's name, such as "PCIe" or "Warning", and what stands beside it, message by message."""

    section: str
    name: str
    messages: tuple[str, ...]
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if self.section and (not re.fullmatch(r"[A-Za-z](?:[A-Za-z ]{0,14}[A-Za-z])?", self.section)):
            raise BadValue(repr(self.section), "a section is a word or two, or empty in an excerpt")
        if not _TEXT.fullmatch(self.name) or len(self.name) > LEFT - 2 or self.name == "Diagnostic":
            raise BadValue(repr(self.name), f"a test's name has 1 to {LEFT - 2} characters")
        if not self.messages or not all(_TEXT.fullmatch(message) for message in self.messages):
            raise BadValue(repr(self.messages), "there is at least one message, each on one line")
        if any(len(message) % CHUNK == 0 for message in self.messages[:-1]):
            raise BadValue(repr(self.messages), f"a message of a multiple of {CHUNK} characters runs into the next")
        if any(chunk.endswith(" ") for message in self.messages for chunk in _chunks(message)):
            raise BadValue(repr(self.messages), f"a blank at the end of {CHUNK} characters is lost in the box")

    @property
    def failed(self) -> bool:
        """Whether a GPU failed this test, or the row is an error."""
        return self.name.startswith("Error") or any(message.startswith("Fail") for message in self.messages)

    @property
    def gpus(self) -> tuple[int, ...]:
        """The GPUs named where a test failed or warns, by index, each once."""
        said = [text for text in self.messages if self.name in ("Error", "Warning") or text.startswith("Fail")]
        found = [match for text in said for match in re.finditer(r"GPUs?:? ?(\d{1,3}(?:, \d{1,3})*)", text, re.ASCII)]
        return tuple(dict.fromkeys(int(gpu) for match in found for gpu in match[1].split(", ")))


@dataclass(frozen=True, slots=True)
class Report:
    """The whole box."""

    entries: tuple[Entry, ...]

    def __post_init__(self) -> None:
        if not self.entries:
            raise BadValue("a report without a row", "dcgmi diag tells of at least one test")
        sections = [entry.section for entry in self.entries]
        if "" in sections[sections.count("") :]:
            raise BadValue(", ".join(sections), "rows without a section come before any section")


def render(report: Report) -> str:
    """The output, with its last newline."""
    lines = [_ABOVE, _BORDER, _row("Diagnostic", "Result"), _DOUBLE]
    section = ""
    for entry in report.entries:
        if entry.section != section:
            section = entry.section
            edge = "|" if section in ("Metadata", "Deployment") else "+"
            title = f"-----  {section}  "
            lines.append(f"{edge}{title:-<{LEFT}}+{'-' * RIGHT}{edge}")
        chunks = [part for message in entry.messages for part in _chunks(message)]
        lines += [_row(entry.name if place == 0 else "", chunk) for place, chunk in enumerate(chunks)]
    return "\n".join([*lines, _BORDER]) + "\n"


def parse(text: str) -> Report:
    """The rows in a text, or in an excerpt of one."""
    lines = [split(line)[1] for line in lines_of(text)]
    section, started = "", False
    found: list[tuple[str, str, list[str], int]] = []
    for number, line in enumerate(lines, start=1):
        if title := _SECTION.search(line[:LONGEST_LINE]):
            section = title[1] if re.fullmatch(r"[A-Za-z](?:[A-Za-z ]{0,14}[A-Za-z])?", title[1]) else section
            started = False
        elif row := _ROW.search(line[:LONGEST_LINE]):
            name, chunk = row[1].strip(), row[2].rstrip()
            if name == "Diagnostic":
                continue
            if name:
                found.append((section, name, [chunk], number))
                started = True
            elif started and chunk:
                messages = found[-1][2]
                goes_on = len(messages[-1]) % CHUNK == 0
                messages[-1:] = [messages[-1] + chunk] if goes_on else [messages[-1], chunk]
        else:
            started = False
    entries = []
    for where, name, messages, number in found:
        said = tuple(message.strip() for message in messages)
        if _TEXT.fullmatch(name) and len(name) <= LEFT - 2 and all(map(_TEXT.fullmatch, said)):
            try:
                entries.append(Entry(where, name, said, number))
            except BadValue:
                raise refusal(number, lines[number - 1], f"messages broken after {CHUNK} characters") from None
    if not entries:
        raise refusal(1, lines[0] if lines else "", "a row of dcgmi diag's box, '| GPU Memory                | Pass'")
    return Report(tuple(entries))


def _chunks(message: str) -> list[str]:
    return [message[start : start + CHUNK] for start in range(0, len(message), CHUNK)]


def _row(left: str, right: str) -> str:
    return f"| {left:<{LEFT - 2}} | {right:<{RIGHT - 2}} |"
