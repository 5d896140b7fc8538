"""From characters to tokens: quoting, dollars, operators and here-documents, with line and column."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from paceline.shell.budget import NESTING
from paceline.shell.syntax import (
    NO_WORD,
    Arithmetic,
    Document,
    Part,
    Refused,
    Script,
    Substitution,
    Text,
    Variable,
    Word,
)

OPERATORS = (
    "&>>", "<<-", "<<<", "&&", "||", ";;", "|&", "&>", ">>", "<<", ">&", "<&", "<>", ">|",
    ";", "&", "|", "<", ">", "(", ")",
)  # fmt: skip
_BREAKS = " \t\n;&|<>()"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PARAMETER = re.compile(r"[0-9]{1,9}|[?@*!$](?=[}:])|#(?=})")
_SPECIAL = "?#@*!$0123456789"
_BRACES = re.compile(r"\{[^{}\s]*(?:,|\w\.\.-?\w)[^{}\s]*\}")
_OPERATIONS = (
    (r"\[", "an array"), (r"#", "${#…}, a length,"), (r"[:]?=", "${…:=…}"), (r"[:]?\+", "${…:+…}"),
    (r"[:]?\?", "${…:?…}"), (r"%%?", "${…%…}"), (r"##?", "${…#…}"), (r"//?", "${…/…}"), (r":", "${…:…}, a part,"),
    (r"[\^,]", "${…^…}, a change of case,"), (r"!", "${!…}"), (r"-", "${…-…}"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """A word, an operator, a stream's number before a redirection, a line's end, or the end."""

    kind: str
    text: str
    at: int
    word: Word = NO_WORD


class Reader:
    """A place in a text; `substitute` reads the commands of a $(…) up to its closing bracket."""

    def __init__(self, text: str, substitute: Callable[["Reader"], Script], depth: int = 0) -> None:
        self.text = text
        self.at = 0
        self.depth = depth
        self.documents: list[Document] = []
        self._substitute = substitute
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]

    def refuse(self, why: str, at: int | None = None, incomplete: bool = False) -> NoReturn:
        """Refuse with the place of a character, this one unless said."""
        at = self.at if at is None else at
        low, high = 0, len(self._lines)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._lines[middle] <= at else (low, middle)
        raise Refused(why, low + 1, at - self._lines[low] + 1, incomplete)

    def refuse_part(self, what: str, instead: str = "", at: int | None = None) -> NoReturn:
        """Refuse what bash has and this shell has not."""
        self.refuse(f"{what} is not part of this shell" + (f"; {instead}" if instead else ""), at)

    def deeper(self, at: int | None = None) -> None:
        """Count one more level of nesting."""
        self.depth += 1
        if self.depth > NESTING:
            self.refuse(f"nested more than {NESTING} deep", at)

    def token(self) -> Token:
        """The next token."""
        text = self.text
        while self.at < len(text):
            if text[self.at] in " \t":
                self.at += 1
            elif text.startswith("\\\n", self.at):
                self.at += 2
            elif text[self.at] == "#":
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            else:
                break
        start = self.at
        if start >= len(text):
            if self.documents:
                self.refuse(f"the here-document has no line {self.documents[0].delimiter!r}", incomplete=True)
            return Token("end", "", start)
        if text[start] == "\n":
            self.at += 1
            self._read_documents()
            return Token("newline", "\n", start)
        if text.startswith(("<(", ">("), start):
            self.refuse_part(f"{text[start]}(…), process substitution,", "write a file first")
        for operator in OPERATORS:
            if text.startswith(operator, start):
                self.at += len(operator)
                return Token("operator", operator, start)
        return self._word(start)

    def _word(self, start: int) -> Token:
        parts: list[Part] = []
        held = ""
        while self.at < len(self.text) and (char := self.text[self.at]) not in _BREAKS:
            if char not in "'\"\\$`":
                held += char
                self.at += 1
                continue
            if held:
                parts.append(Text(held))
                held = ""
            parts.extend(self._special(char, False))
        if held:
            parts.append(Text(held))
        word = Word(tuple(parts))
        shown = self.text[start : self.at]
        following = self.text[self.at : self.at + 1]
        if following == "(" and shown.endswith("="):
            self.refuse_part("an array", "use one variable for each value", start)
        if shown.isdigit() and following in ("<", ">") and len(shown) < 9:
            return Token("number", shown, start)
        bare = "".join(part.text if isinstance(part, Text) and not part.quoted else "x" for part in parts)
        if _BRACES.search(bare):
            self.refuse_part("{…,…}, brace expansion,", "write the words out, or use $(seq …)", start)
        return Token("word", shown, start, word)

    def _special(self, char: str, quoted: bool) -> list[Part]:
        start = self.at
        self.at += 1
        if char == "'":
            end = self.text.find("'", self.at)
            if end < 0:
                self.refuse("the ' is not closed", start, incomplete=True)
            body = self.text[self.at : end]
            self.at = end + 1
            return [Text(body, True)]
        if char == '"':
            return self.until('"', True) or [Text("", True)]
        if char == "\\":
            following = self.text[self.at : self.at + 1]
            self.at += 1
            return [] if following == "\n" else [Text(following or "\\", True)]
        if char == "`":
            self.refuse_part("`…`", "use $(…)", start)
        return [self._dollar(quoted, start)]

    def until(self, stop: str, quoted: bool, document: bool = False) -> list[Part]:
        """The parts up to a closing character, or to the end where that is empty."""
        parts: list[Part] = []
        held = ""
        start = self.at - 1
        escapes = "$`\\" if document else '$`"\\'
        special = "$`" if quoted and (document or stop == '"') else ('$`"' if quoted else "$`\"'\\")
        while True:
            if self.at >= len(self.text):
                if stop:
                    self.refuse(f"no closing {stop} follows", max(0, start), incomplete=True)
                break
            char = self.text[self.at]
            if char == stop:
                self.at += 1
                break
            if char == "\\" and quoted:
                following = self.text[self.at + 1 : self.at + 2]
                if following == "\n":
                    held += ""
                elif following and following in escapes:
                    held += following
                else:
                    held += char + following
                self.at += 2
            elif char in special:
                parts.append(Text(held, quoted))
                held = ""
                parts.extend(self._special(char, quoted))
            else:
                held += char
                self.at += 1
        parts.append(Text(held, quoted))
        return [part for part in parts if not isinstance(part, Text) or part.text]

    def _dollar(self, quoted: bool, start: int) -> Part:
        text = self.text
        if text.startswith("((", self.at):
            return self._arithmetic(quoted, start)
        if text.startswith("(", self.at):
            self.at += 1
            self.deeper(start)
            script = self._substitute(self)
            self.depth -= 1
            return Substitution(script, quoted)
        if text.startswith("{", self.at):
            return self._braced(quoted, start)
        if not quoted and text[self.at : self.at + 1] in ("'", '"'):
            self.refuse_part("$'…'", "use printf", start)
        if match := _NAME.match(text, self.at):
            self.at = match.end()
            return Variable(match.group(), quoted)
        char = text[self.at : self.at + 1]
        if char and char in _SPECIAL:
            self.at += 1
            return Variable(char, quoted)
        return Text("$", quoted)

    def _braced(self, quoted: bool, start: int) -> Part:
        self.at += 1
        if match := _NAME.match(self.text, self.at) or _PARAMETER.match(self.text, self.at):
            self.at = match.end()
        if match and self.text.startswith("}", self.at):
            self.at += 1
            return Variable(match.group(), quoted)
        if match and self.text.startswith(":-", self.at):
            self.at += 2
            self.deeper(start)
            default = Word(tuple(self.until("}", quoted)))
            self.depth -= 1
            return Variable(match.group(), quoted, default)
        if self.at >= len(self.text):
            self.refuse("no closing } follows", start, incomplete=True)
        following = self.text[self.at : self.at + 2]
        named = next((name for operation, name in _OPERATIONS if re.match(operation, following)), "${…} of this form")
        return self.refuse_part(named, "${NAME} and ${NAME:-default} are", start)

    def _arithmetic(self, quoted: bool, start: int) -> Part:
        self.at += 2
        self.deeper(start)
        parts: list[Part] = []
        level = 0
        while not (level == 0 and self.text.startswith("))", self.at)):
            if self.at >= len(self.text):
                self.refuse("no closing )) follows", start, incomplete=True)
            char = self.text[self.at]
            if char in "$`":
                parts.extend(self._special(char, True))
                continue
            level += (char == "(") - (char == ")")
            if level < 0:
                self.refuse("no closing )) follows", start)
            parts.append(Text(char, True))
            self.at += 1
        self.at += 2
        self.depth -= 1
        return Arithmetic(Word(tuple(parts)), quoted)

    def _read_documents(self) -> None:
        documents, self.documents = self.documents, []
        for document in documents:
            lines: list[str] = []
            while True:
                if self.at >= len(self.text):
                    self.refuse(f"the here-document has no line {document.delimiter!r}", incomplete=True)
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                self.at = end + 1
                if document.tabs:
                    line = line.lstrip("\t")
                if line == document.delimiter:
                    break
                lines.append(line + "\n")
            self.at = min(self.at, len(self.text))
            body = "".join(lines)
            if document.quoted:
                document.body = Word((Text(body, True),))
            else:
                document.body = Word(tuple(Reader(body, self._substitute, self.depth).until("", True, document=True)))
