"""Options of a tool as people type them: `-d X`, `-dX`, `--name X`, `--name=X`; an unknown one is refused by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paceline.shell import Failed


@dataclass(frozen=True, slots=True)
class Options:
    """The options given, by their long names, and the words that are none."""

    values: Mapping[str, str]
    words: tuple[str, ...]

    def get(self, name: str, default: str = "") -> str:
        """An option's value."""
        return self.values.get(name, default)

    def whole(self, name: str, default: int, lowest: int = 0, highest: int = 10**9) -> int:
        """An option's whole number."""
        text = self.values.get(name, "")
        if not text:
            return default
        if not text.isascii() or not text.isdigit() or len(text) > 12 or not lowest <= int(text) <= highest:
            raise Failed(f"--{name} {text!r} must be a whole number from {lowest} to {highest}")
        return int(text)


def read_options(
    args: Sequence[str], known: Mapping[str, str], flags: Sequence[str] = (), stop: bool = False
) -> Options:
    """The options among `args`; `known` leads from each spelling ("-d") to its name, `flags` take no value.

    With `stop` the first word that is no option ends them: what follows is a command of its own.
    """
    values: dict[str, str] = {}
    words: list[str] = []
    left = list(args)
    while left:
        word = left.pop(0)
        if word == "--" or not word.startswith("-") or word == "-":
            words.append(word) if word != "--" else None
            if stop or word == "--":
                words += left
                break
            continue
        spelled, equals, value = word.partition("=")
        name = known.get(spelled)
        if name is None and not word.startswith("--") and len(word) > 2:
            name, equals, value = known.get(word[:2]), "=", word[2:]
        if name is None:
            raise Failed(f"unrecognized option {spelled!r}; here there are {', '.join(sorted(known))}", 1)
        if name in flags:
            values[name] = "yes"
        elif equals:
            values[name] = value
        elif left:
            values[name] = left.pop(0)
        else:
            raise Failed(f"option {spelled!r} needs a value")
    return Options(values, tuple(words))


def chosen(text: str, count: int, what: str) -> tuple[int, ...]:
    """Indices of "0,3,5" or "0-3"; all of them where the text is empty."""
    if not text:
        return tuple(range(count))
    found: list[int] = []
    for part in text.split(","):
        low, _, high = part.partition("-")
        if not low.isdigit() or (high and not high.isdigit()) or len(part) > 9:
            raise Failed(f"{part!r} is no {what}")
        found += range(int(low), int(high or low) + 1) if int(high or low) < count else [count]
    if any(each >= count for each in found):
        raise Failed(f"No devices were found: {what}s here are 0 to {count - 1}", 6)
    return tuple(dict.fromkeys(found))
