"""The whole-number sums of $(( … )): + - * / %, comparisons, brackets and names."""

import re
from collections.abc import Callable
from typing import NoReturn

from paceline.errors import PacelineError
from paceline.shell.budget import NESTING

_TOKEN = re.compile(r"\s*(?:(\d\w*)|([A-Za-z_]\w*)|(\*\*|\+\+|--|<<|>>|[-+*/%<>=!]=|[-+*/%()<>!=&|^~?:,]))", re.ASCII)
_LEVELS: dict[str, int] = {
    "==": 1, "!=": 1, "<": 2, "<=": 2, ">": 2, ">=": 2, "+": 3, "-": 3, "*": 4, "/": 4, "%": 4,
}  # fmt: skip
_WIDTH = 2**64


class ArithmeticProblem(PacelineError):
    """A sum that cannot be worked out."""


def arithmetic(text: str, value_of: Callable[[str], str]) -> int:
    """What a sum comes to, with names looked up."""
    return _Sum(text, value_of).result()


class _Sum:
    def __init__(self, text: str, value_of: Callable[[str], str]) -> None:
        self.text = text
        self.value_of = value_of
        self.tokens: list[str] = []
        self.at = 0
        self.depth = 0
        at = 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                raise ArithmeticProblem(f"{text.strip()}: syntax error in expression near {text[at:].strip()!r}")
            self.tokens.append(match.group().strip())
            at = match.end()

    def result(self) -> int:
        if not self.tokens:
            return 0
        value = self.level(1)
        if self.at < len(self.tokens):
            self.refuse()
        return value

    def refuse(self) -> NoReturn:
        near = self.tokens[self.at] if self.at < len(self.tokens) else "its end"
        known = "+ - * / % and comparisons are part of this shell"
        raise ArithmeticProblem(f"{self.text.strip()}: syntax error in expression near {near}; {known}")

    def level(self, lowest: int) -> int:
        left = self.factor()
        while self.at < len(self.tokens) and _LEVELS.get(self.tokens[self.at], 0) >= lowest:
            operator = self.tokens[self.at]
            self.at += 1
            left = _wrapped(self.apply(operator, left, self.level(_LEVELS[operator] + 1)))
        return left

    def factor(self) -> int:
        sign = ""
        while self.at < len(self.tokens) and self.tokens[self.at] in ("-", "+", "!"):
            sign += self.tokens[self.at]
            self.at += 1
        token = self.tokens[self.at] if self.at < len(self.tokens) else ""
        if token == "(":
            self.depth += 1
            if self.depth > NESTING:
                raise ArithmeticProblem(f"brackets nested more than {NESTING} deep")
            self.at += 1
            value = self.level(1)
            if self.at >= len(self.tokens) or self.tokens[self.at] != ")":
                self.refuse()
            self.depth -= 1
        elif token[:1].isalnum() or token[:1] == "_":
            value = self.number(token)
        else:
            self.refuse()
        self.at += 1
        for char in reversed(sign):
            value = {"-": -value, "+": value, "!": int(not value)}[char]
        return _wrapped(value)

    def number(self, token: str) -> int:
        if not token[0].isdigit():
            token = self.value_of(token).strip()
            if re.fullmatch(r"-?[A-Za-z_]\w*|", token, re.ASCII):
                return 0
        match = re.fullmatch(r"([-+]?)(0[xX][0-9a-fA-F]+|[0-9]+)", token)
        if match is None or len(token) > 40:
            raise ArithmeticProblem(f"{token[:40]}: syntax error: it is not a whole number")
        sign, digits = match.groups()
        base = 16 if digits[:2] in ("0x", "0X") else 8 if len(digits) > 1 and digits[0] == "0" else 10
        if base == 8 and not set(digits) <= set("01234567"):
            raise ArithmeticProblem(f"{token}: value too great for base (error token is {token!r})")
        return -int(digits, base) if sign == "-" else int(digits, base)

    def apply(self, operator: str, left: int, right: int) -> int:
        if operator in ("/", "%"):
            if right == 0:
                raise ArithmeticProblem(f"{self.text.strip()}: division by 0")
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if operator == "/" else left - right * quotient
        return int(
            {
                "+": left + right, "-": left - right, "*": left * right, "==": left == right, "!=": left != right,
                "<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right,
            }[operator]
        )  # fmt: skip


def _wrapped(value: int) -> int:
    return (value + _WIDTH // 2) % _WIDTH - _WIDTH // 2
