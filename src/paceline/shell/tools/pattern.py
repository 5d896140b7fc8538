"""Regular expressions, basic and extended, made into a program that is matched without ever going back."""

from dataclasses import dataclass

from paceline.shell.glob import spread
from paceline.shell.machine import Failed

LARGEST_PROGRAM = 4_000
DEEPEST_GROUP = 20
MOST_REPEATS = 255

DIGITS = "0123456789"
LOWER = "abcdefghijklmnopqrstuvwxyz"
UPPER = LOWER.upper()
WORD = LOWER + UPPER + DIGITS + "_"
PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
CLASSES = {
    "alpha": LOWER + UPPER, "digit": DIGITS, "alnum": LOWER + UPPER + DIGITS, "upper": UPPER, "lower": LOWER,
    "space": " \t\n\r\f\v", "blank": " \t", "punct": PUNCTUATION, "xdigit": DIGITS + "abcdefABCDEF",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Instruction:
    """One of char, split, jump, save, start, end, edge, begin, finish, match."""

    kind: str
    chars: frozenset[str] = frozenset()
    negated: bool = False
    first: int = 0
    second: int = 0


Program = list[Instruction]


def compiled(pattern: str, extended: bool, ignore_case: bool) -> Program:
    """The program of a pattern; numbers in it are places relative to the instruction."""
    parser = _Pattern(pattern, extended, ignore_case)
    body = parser.alternatives(0)
    if parser.at < len(pattern):
        raise Failed("Unmatched ) or \\)", 2)
    return [Instruction("save", first=0), *body, Instruction("save", first=1), Instruction("match")]


class _Pattern:
    def __init__(self, text: str, extended: bool, ignore_case: bool) -> None:
        self.text = text
        self.extended = extended
        self.ignore_case = ignore_case
        self.at = 0
        self.groups = 0
        self.size = 0

    def sees(self, operator: str) -> bool:
        """Whether an operator that is bare in extended and escaped in basic patterns comes next."""
        wanted = operator if self.extended else f"\\{operator}"
        return self.text.startswith(wanted, self.at)

    def skip(self, operator: str) -> None:
        self.at += len(operator) + (not self.extended)

    def alternatives(self, depth: int) -> Program:
        if depth > DEEPEST_GROUP:
            raise Failed(f"groups nested more than {DEEPEST_GROUP} deep", 2)
        program = self.sequence(depth)
        while self.sees("|"):
            self.skip("|")
            other = self.sequence(depth)
            program = [
                Instruction("split", first=1, second=len(program) + 2), *program,
                Instruction("jump", first=len(other) + 1), *other,
            ]  # fmt: skip
        return program

    def sequence(self, depth: int) -> Program:
        program: Program = []
        first = True
        while self.at < len(self.text) and not self.sees("|") and not (self.sees(")") and depth):
            if self.sees(")") and not self.extended:
                raise Failed("Unmatched ) or \\)", 2)
            atom, repeats = self.atom(depth, first)
            while repeats and (bounds := self.bounds()) is not None:
                atom = self.repeated(atom, *bounds)
            program += atom
            first = False
            if len(program) > LARGEST_PROGRAM:
                raise Failed("the pattern is too large", 2)
        return program

    def bounds(self) -> tuple[int, int | None] | None:
        if self.text.startswith("*", self.at):
            self.at += 1
            return 0, None
        for operator, bounds in (("+", (1, None)), ("?", (0, 1))):
            if self.sees(operator):
                self.skip(operator)
                return bounds
        if not self.sees("{"):
            return None
        close = "}" if self.extended else "\\}"
        start = self.at + (1 if self.extended else 2)
        end = self.text.find(close, start)
        low, comma, high = self.text[start:end].partition(",") if end >= 0 else ("", "", "")
        if not all(part.isdecimal() for part in (low or "0", high or "0")) or not (low or high):
            if self.extended:
                return None
            raise Failed("Invalid content of \\{\\}", 2)
        self.at = end + len(close)
        least = int((low or "0")[:4])
        most = least if not comma else int(high[:4]) if high else None
        if least > MOST_REPEATS or (most or 0) > MOST_REPEATS or (most is not None and most < least):
            raise Failed("Invalid repetition count", 2)
        return least, most

    def repeated(self, atom: Program, least: int, most: int | None) -> Program:
        size = len(atom) + 2
        if size * max(1, least, most or 0) > LARGEST_PROGRAM:
            raise Failed("the pattern is too large", 2)
        program = atom * least
        if most is None:
            loop = [Instruction("split", first=1, second=size), *atom, Instruction("jump", first=1 - size)]
            return program + loop
        for _ in range(most - least):
            program = [*program, Instruction("split", first=1, second=len(atom) + 1), *atom]
        return program

    def atom(self, depth: int, first: bool) -> tuple[Program, bool]:
        text, start = self.text, self.at
        char = text[start]
        if self.sees("("):
            self.skip("(")
            self.groups += 1
            number = self.groups
            body = self.alternatives(depth + 1)
            if not self.sees(")"):
                raise Failed("Unmatched ( or \\(", 2)
            self.skip(")")
            return [Instruction("save", first=2 * number), *body, Instruction("save", first=2 * number + 1)], True
        self.at += 1
        if char == "^" and (self.extended or first):
            return [Instruction("start")], False
        if char == "$" and (self.extended or self.at == len(text) or self.sees(")") or self.sees("|")):
            return [Instruction("end")], False
        if char == ".":
            return [Instruction("char", negated=True)], True
        if char == "[":
            return [self.bracket()], True
        if char == "\\":
            return self.escape()
        return [self.one(char)], not (char == "*" and first)

    def one(self, char: str) -> Instruction:
        chars = {char.lower(), char.upper()} if self.ignore_case else {char}
        return Instruction("char", frozenset(chars))

    def escape(self) -> tuple[Program, bool]:
        if self.at >= len(self.text):
            raise Failed("Trailing backslash", 2)
        char = self.text[self.at]
        self.at += 1
        if char in "123456789":
            raise Failed(f"\\{char} in a pattern is not part of this shell", 2)
        if char in "b<>B":
            return [Instruction("edge", first="b<>B".index(char))], False
        sets = {"w": WORD, "W": WORD, "s": CLASSES["space"], "S": CLASSES["space"], "d": DIGITS, "D": DIGITS}
        if char in sets:
            return [Instruction("char", frozenset(sets[char]), char.isupper())], True
        return [self.one({"n": "\n", "t": "\t"}.get(char, char))], True

    def bracket(self) -> Instruction:
        text = self.text
        negated = text.startswith("^", self.at)
        self.at += negated
        end = self.at + 1
        while end < len(text) and text[end] != "]":
            closed = text.find(":]", end + 2) if text.startswith("[:", end) else -1
            end = closed + 2 if closed >= 0 else end + 1
        if text.startswith("[:", self.at) and (closed := text.find(":]", self.at + 2)) >= 0:
            end = text.find("]", closed + 2)
            end = len(text) if end < 0 else end
        if end >= len(text):
            raise Failed("Unmatched [, [^, [:, [., or [=", 2)
        body = text[self.at : end]
        self.at = end + 1
        chars = ""
        for name, members in CLASSES.items():
            if f"[:{name}:]" in body:
                body = body.replace(f"[:{name}:]", "")
                chars += members
        if "[:" in body and ":]" in body:
            raise Failed("Invalid character class name", 2)
        chars += spread(body)
        if self.ignore_case:
            chars += chars.lower() + chars.upper()
        return Instruction("char", frozenset(chars), negated)
