"""From tokens to commands: lists, pipelines, redirections, if, for and while; the rest of bash is refused by name."""

import re
from typing import NoReturn

from paceline.shell.reader import Reader, Token
from paceline.shell.syntax import (
    Chain,
    Document,
    For,
    If,
    Node,
    Pipeline,
    Redirect,
    Script,
    Simple,
    Text,
    Variable,
    While,
    Word,
)

LONGEST_TEXT = 200_000

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_REDIRECTIONS = (">", ">>", "<", "<<", "<<-", "&>", "&>>", ">&", ">|", "<&", "<>", "<<<")
_CLOSERS = ("then", "elif", "else", "fi", "do", "done", "in", "}")
_NOT_HERE = {
    "[[": ("[[ … ]]", "use [ … ]"),
    "{": ("{ …; }, a group,", "write the commands one after another"),
    "case": ("case", "use if … elif … fi"),
    "select": ("select", "use for"),
    "until": ("until", "use while ! …"),
    "function": ("a function", "write a file of commands and run bash FILE"),
    "coproc": ("coproc", "use &"),
    "time": ("time", "the commands print their own times"),
}
_OPERATORS_NOT_HERE = {
    "<<<": ("<<<", "use echo … |"),
    "<>": ("<>", "use < or >"),
    "<&": ("<&", "use <"),
    ">|": (">|", "use >"),
}


def parse(text: str) -> Script:
    """The commands of a text, or a refusal with line and column."""
    reader = Reader(text, _substitute)
    if len(text) > LONGEST_TEXT:
        reader.refuse(f"longer than {LONGEST_TEXT:,} characters", 0)
    if "\0" in text:
        reader.refuse("a null character is no part of a command", text.index("\0"))
    parser = _Parser(reader)
    script = parser.script()
    if parser.next.kind != "end":
        parser.unexpected()
    return script


def _substitute(reader: Reader) -> Script:
    parser = _Parser(reader)
    script = parser.script()
    if parser.next.text != ")" or parser.next.kind != "operator":
        parser.unexpected()
    return script


class _Parser:
    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.next = reader.token()

    def take(self) -> Token:
        """The next token, which is passed."""
        token = self.next
        self.next = self.reader.token()
        return token

    def unexpected(self) -> NoReturn:
        token = self.next
        if token.kind == "end":
            self.reader.refuse("the command ends too early", token.at, incomplete=True)
        shown = "newline" if token.kind == "newline" else token.text
        self.reader.refuse(f"syntax error near unexpected token `{shown}'", token.at)

    def is_word(self, *texts: str) -> bool:
        return self.next.kind == "word" and self.next.word.plain in texts

    def is_operator(self, *texts: str) -> bool:
        return self.next.kind == "operator" and self.next.text in texts

    def skip_newlines(self) -> None:
        while self.next.kind == "newline":
            self.take()

    def expect(self, word: str) -> None:
        if not self.is_word(word):
            self.unexpected()
        self.take()

    def script(self, *stops: str) -> Script:
        chains: list[Chain] = []
        self.skip_newlines()
        while not (self.next.kind == "end" or self.is_word(*stops) or self.is_operator(")")):
            chains.append(self.chain(self.next.at))
            if self.is_operator(";", "&") or self.next.kind == "newline":
                self.take()
            elif not (self.next.kind == "end" or self.is_operator(")")):
                self.unexpected()
            self.skip_newlines()
        return Script(tuple(chains))

    def body(self, *stops: str) -> Script:
        script = self.script(*stops)
        if not script.chains or not self.is_word(*stops):
            self.unexpected()
        return script

    def chain(self, start: int) -> Chain:
        first = self.pipeline()
        rest: list[tuple[str, Pipeline]] = []
        while self.is_operator("&&", "||"):
            operator = self.take().text
            self.skip_newlines()
            rest.append((operator, self.pipeline()))
        background = self.is_operator("&")
        return Chain(first, tuple(rest), background, self.reader.text[start : self.next.at].strip())

    def pipeline(self) -> Pipeline:
        negated = False
        while self.is_word("!"):
            self.take()
            negated = not negated
        commands = [self.command()]
        while self.is_operator("|", "|&"):
            if self.next.text == "|&":
                self.reader.refuse_part("|&", "use 2>&1 |", self.next.at)
            self.take()
            self.skip_newlines()
            commands.append(self.command())
        return Pipeline(tuple(commands), negated)

    def command(self) -> Node:
        token = self.next
        plain = token.word.plain if token.kind == "word" else None
        if plain in _NOT_HERE:
            self.reader.refuse_part(*_NOT_HERE[plain], token.at)
        if plain in ("if", "for", "while"):
            self.reader.deeper(token.at)
            node = self.if_() if plain == "if" else self.for_() if plain == "for" else self.while_()
            self.reader.depth -= 1
            return node
        if plain in _CLOSERS and plain != "in":
            self.unexpected()
        if self.is_operator("("):
            following = self.reader.text[self.reader.at : self.reader.at + 1]
            if following == "(":
                self.reader.refuse_part("(( … ))", "use [ … ] and $(( … ))", token.at)
            self.reader.refuse_part("( … ), a subshell,", "write a file of commands and run bash FILE", token.at)
        return self.simple()

    def if_(self) -> If:
        branches: list[tuple[Script, Script]] = []
        otherwise = None
        while self.is_word("if", "elif"):
            self.take()
            condition = self.body("then")
            self.take()
            branches.append((condition, self.body("elif", "else", "fi")))
        if self.is_word("else"):
            self.take()
            otherwise = self.body("fi")
        self.expect("fi")
        return If(tuple(branches), otherwise, self.redirects())

    def for_(self) -> For:
        self.take()
        if self.is_operator("("):
            self.reader.refuse_part("for (( … ))", "use for x in $(seq 1 8)", self.next.at)
        name = self.next.word.plain if self.next.kind == "word" else None
        if name is None or not _NAME.fullmatch(name):
            self.unexpected()
        self.take()
        words: list[Word] = [Word((Variable("@", True),))]
        self.skip_newlines()
        if self.is_word("in"):
            self.take()
            words = []
            while self.next.kind == "word":
                words.append(self.take().word)
            if not (self.is_operator(";") or self.next.kind == "newline"):
                self.unexpected()
            self.take()
        elif self.is_operator(";"):
            self.take()
        self.skip_newlines()
        self.expect("do")
        body = self.body("done")
        self.expect("done")
        return For(name, tuple(words), body, self.redirects())

    def while_(self) -> While:
        self.take()
        condition = self.body("do")
        self.expect("do")
        body = self.body("done")
        self.expect("done")
        return While(condition, body, self.redirects())

    def simple(self) -> Simple:
        assignments: list[Word] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while True:
            if self.next.kind == "number" or self.is_operator(*_REDIRECTIONS):
                redirects.append(self.redirect())
            elif self.next.kind == "word":
                token = self.take()
                plain = token.word.plain or ""
                if not words and token.word.assigns:
                    assignments.append(token.word)
                    continue
                if not words and re.match(r"[A-Za-z_]\w*(\+=|\[[^]]*\]=)", plain):
                    what = ("+=", 'use NAME="$NAME…"') if "+=" in plain else ("an array", "use one variable for each")
                    self.reader.refuse_part(*what, token.at)
                words.append(token.word)
                if self.is_operator("(") and len(words) == 1 and _NAME.fullmatch(plain):
                    self.reader.refuse_part(*_NOT_HERE["function"], token.at)
            else:
                break
        if not (assignments or words or redirects):
            self.unexpected()
        return Simple(tuple(assignments), tuple(words), tuple(redirects))

    def redirects(self) -> tuple[Redirect, ...]:
        found: list[Redirect] = []
        while self.next.kind == "number" or self.is_operator(*_REDIRECTIONS):
            found.append(self.redirect())
        return tuple(found)

    def redirect(self) -> Redirect:
        number = int(self.take().text) if self.next.kind == "number" else None
        at = self.next.at
        operator = self.take().text
        if operator in _OPERATORS_NOT_HERE:
            self.reader.refuse_part(*_OPERATORS_NOT_HERE[operator], at)
        reads = operator.startswith("<")
        stream = number if number is not None else (0 if reads else 1)
        if stream not in ((0,) if reads else (1, 2)):
            self.reader.refuse_part(f"stream {stream}", "0, 1 and 2 are", at)
        if self.next.kind != "word":
            self.unexpected()
        word = self.next.word
        if operator in ("<<", "<<-"):
            quoted = any(not isinstance(part, Text) or part.quoted for part in word.parts)
            delimiter = "".join(part.text for part in word.parts if isinstance(part, Text))
            document = Document(delimiter, quoted, operator == "<<-")
            self.reader.documents.append(document)
            self.take()
            return Redirect(0, "<<", document)
        if operator == ">&" and word.plain not in ("1", "2"):
            self.reader.refuse_part(f">&{word.plain or '…'}", "&>FILE, >&1 and >&2 are", at)
        self.take()
        return Redirect(stream, operator, word)
