"""The house rules that code can break unseen: who imports whom, and what keeps bytes equal."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "paceline"
LONGEST_FILE = 300

_GROUND = {"errors", "units", "records"}
_THINGS = _GROUND | {"hardware", "workload"}
_STEP = _THINGS | {"faults", "collective"}
_FINDINGS = _STEP | {"step"}
_WORLD = _FINDINGS | {"scaling", "figures", "calibrate", "formats", "launch"}
_LESSON = _WORLD | {"replica", "shell", "pod", "views"}
_ENGINE = _LESSON | {"lesson", "doctor"}

# Room -> the rooms it may import; DESIGN.md draws the same arrows.
ARROWS: dict[str, set[str]] = {
    "__init__": set(),
    "errors": set(),
    "units": {"errors"},
    "records": {"errors", "units"},
    "hardware": _GROUND,
    "workload": _GROUND,
    "faults": _THINGS,
    "collective": _THINGS,
    "step": _STEP,
    "scaling": _FINDINGS,
    "figures": _FINDINGS,
    "calibrate": _FINDINGS,
    "formats": _GROUND,
    "launch": _THINGS,
    "replica": _STEP,
    "shell": _GROUND,
    "pod": _WORLD | {"replica", "shell"},
    "views": _WORLD | {"replica", "shell", "pod"},
    "lesson": _LESSON,
    "doctor": _FINDINGS | {"formats"},
    "engine": _ENGINE,
    "lab": _ENGINE,
    "app": _ENGINE | {"engine", "lab"},
}
THIRD_PARTY: dict[str, set[str]] = {"app": {"click", "rich"}, "lab": {"torch", "numpy"}}

# What differs between machines, runs or Pythons has no place where a number or a reply is made.
FORBIDDEN_MODULES = {
    "asyncio", "cmath", "datetime", "locale", "logging", "multiprocessing", "os", "platform", "random",
    "secrets", "socket", "statistics", "subprocess", "threading", "time", "uuid",
}  # fmt: skip
ALLOWED_MATH = {"sqrt", "fsum", "isfinite", "isnan", "inf", "ceil", "floor", "gcd", "lcm", "isqrt"}
FORBIDDEN_CALLS = {"print", "input", "hash", "id", "pow", "open", "eval", "exec"}
# Builtin sum() rounds floats differently from 3.12 on; names with these ends hold whole numbers.
WHOLE = (
    "bytes",
    "count",
    "counts",
    "parameters",
    "elements",
    "tokens",
    "sequences",
    "ranks",
    "gpus",
    "len",
    "_us",
)

# A lesson's own scripts are what a learner reads and runs with PyTorch: data here, like its Markdown.
FILES = sorted(path for path in SOURCE.rglob("*.py") if SOURCE / "lessons" not in path.parents)


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


ENGINE_FILES = [path for path in FILES if room_of(path) not in ("app", "lab")]


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(tree: ast.Module) -> Iterator[str]:
    """Each imported name in full, as far as it may be a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the whole path"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_whole(node: ast.expr) -> bool:
    """Whether an expression says by its names that it is a whole number."""
    match node:
        case ast.Constant(value=int()) | ast.Compare():
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.endswith(WHOLE)
        case ast.Call(func=func):
            return is_whole(func)
        case ast.Subscript(value=value):
            return is_whole(value)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv() | ast.Mod(), right=right):
            return is_whole(left) and is_whole(right)
        case ast.GeneratorExp(elt=elt) | ast.ListComp(elt=elt):
            return is_whole(elt)
        case ast.IfExp(body=body, orelse=orelse):
            return is_whole(body) and is_whole(orelse)
    return False


def is_set(node: ast.expr) -> bool:
    match node:
        case ast.Set() | ast.SetComp() | ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.BinOp(left=left, right=right):
            return is_set(left) or is_set(right)
    return False


def unequal(node: ast.AST) -> str:
    """What makes this node give different bytes on another machine; empty where nothing does."""
    match node:
        case ast.Call(func=ast.Name(id="sum"), args=[added, *_]) if not is_whole(added):
            return "builtin sum() of what may be floats: use math.fsum, or a name that says whole numbers"
        case ast.Call(func=ast.Name(id=name)) if name in FORBIDDEN_CALLS:
            return f"{name}()"
        case ast.Attribute(value=ast.Name(id="math"), attr=name) if name not in ALLOWED_MATH:
            return f"math.{name}"
        case ast.ImportFrom(module="math", names=names) if {each.name for each in names} - ALLOWED_MATH:
            return "a function of math that differs between machines"
        case ast.ImportFrom(module="random", names=[ast.alias(name="Random")]):
            return ""
        case ast.Import(names=names) if {each.name.split(".")[0] for each in names} & FORBIDDEN_MODULES:
            return f"import {names[0].name}"
        case ast.ImportFrom(module=str(module)) if module.split(".")[0] in FORBIDDEN_MODULES:
            return f"from {module} import"
        case ast.BinOp(left=left, op=ast.Pow(), right=right) if not (is_whole(left) and is_whole(right)):
            return "a power of what may be floats: multiply"
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated) if is_set(iterated):
            return "a loop over a set, whose order is nobody's: sort it"
    return ""


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_imports_follow_the_arrows(path: Path) -> None:
    room = room_of(path)
    assert room in ARROWS, f"{room} is a new room: give it its arrows here and in DESIGN.md"
    for name in imports(parsed(path)):
        top, _, rest = name.partition(".")
        if top != "paceline":
            allowed = top in sys.stdlib_module_names or top in THIRD_PARTY.get(room, set())
            assert allowed, f"{room} may not import {top}"
        elif rest and rest != "__version__":
            other = rest.partition(".")[0]
            assert other == room or other in ARROWS[room], f"{room} may not import {other}"


@pytest.mark.parametrize("path", ENGINE_FILES, ids=name_of)
def test_same_input_same_bytes(path: Path) -> None:
    found = [(getattr(node, "lineno", 0), unequal(node)) for node in ast.walk(parsed(path))]
    assert [f"{name_of(path)}:{line}: {what}" for line, what in found if what] == []


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_module_says_what_it_is_and_is_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), "a module begins with one sentence about it"
    assert text.count("\n") <= LONGEST_FILE, f"over {LONGEST_FILE} lines: which two nouns are in it?"


def test_the_arrows_have_no_circle() -> None:
    assert all(room not in ARROWS.get(other, set()) for room, others in ARROWS.items() for other in others)


@pytest.mark.parametrize(
    "code",
    [
        "sum(times)", "sum(t for t in spans)", "math.exp(1)", "from math import log", "x ** 2", "print(1)",
        "import random", "from datetime import date", "import os.path", "for a in {1, 2}: pass",
        "[a for a in set(b)]",
    ],
)  # fmt: skip
def test_the_rule_sees(code: str) -> None:
    assert any(unequal(node) for node in ast.walk(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "sum(bucket.size_bytes for bucket in buckets)", "sum(len(a) for a in b)", "sum(1 for _ in a)",
        "sum(a > b for a in c)", "2**20", "math.fsum(times)", "from random import Random",
        "for a in sorted({1, 2}): pass",
    ],
)  # fmt: skip
def test_the_rule_lets_pass(code: str) -> None:
    assert not any(unequal(node) for node in ast.walk(ast.parse(code)))
