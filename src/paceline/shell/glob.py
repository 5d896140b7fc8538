"""File names from patterns: `*`, `?` and `[…]`, in time that grows only with the pattern times the name."""

from paceline.shell.files import FileSystem, Folder, absolute

SPECIAL = "*?["
MOST_NAMES = 10_000

_ANY = None
Piece = tuple[bool, str] | None
"""Characters it takes (or, where the first is true, does not take); None is any number of any."""


def escaped(text: str) -> str:
    """The pattern that matches this text alone."""
    return "".join(f"\\{char}" if char in "*?[]\\" else char for char in text)


def plain(pattern: str) -> str:
    """A pattern's text where nothing matches it: the pattern as it was written."""
    text, at = "", 0
    while at < len(pattern):
        at += pattern[at] == "\\" and at + 1 < len(pattern)
        text += pattern[at]
        at += 1
    return text


def matches(pattern: str, name: str) -> bool:
    """Whether a name is one that the pattern describes."""
    pieces = _pieces(pattern)
    at = here = 0
    star, resume = -1, 0
    while here < len(name):
        if at < len(pieces) and pieces[at] is _ANY:
            star, resume = at, here
            at += 1
        elif at < len(pieces) and _takes(pieces[at], name[here]):
            at += 1
            here += 1
        elif star >= 0:
            at, resume = star + 1, resume + 1
            here = resume
        else:
            return False
    return all(piece is _ANY for piece in pieces[at:])


def _takes(piece: Piece, char: str) -> bool:
    return piece is not None and (char in piece[1]) != piece[0]


def _pieces(pattern: str) -> list[Piece]:
    pieces: list[Piece] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "*":
            pieces.append(_ANY)
        elif char == "?":
            pieces.append((True, ""))
        elif char == "\\" and at < len(pattern):
            pieces.append((False, pattern[at]))
            at += 1
        elif char == "[" and (end := _set_end(pattern, at)) > 0:
            negated = pattern[at] in "!^"
            pieces.append((negated, spread(pattern[at + negated : end])))
            at = end + 1
        else:
            pieces.append((False, char))
    return pieces


def _set_end(pattern: str, at: int) -> int:
    first = at + (pattern[at : at + 1] in ("!", "^"))
    return pattern.find("]", first + 1)


def spread(text: str) -> str:
    """A set's characters with ranges such as a-z written out."""
    found, at = "", 0
    while at < len(text):
        if text[at + 1 : at + 2] == "-" and at + 2 < len(text) and ord(text[at]) <= ord(text[at + 2]) < 0x250:
            found += "".join(map(chr, range(ord(text[at]), ord(text[at + 2]) + 1)))
            at += 3
        else:
            found += text[at]
            at += 1
    return found


def expand(files: FileSystem, host: str, cwd: str, pattern: str) -> list[str]:
    """The names that a pattern describes, sorted, as seen from a folder; none where nothing matches."""
    found = ["/"] if pattern.startswith("/") else [""]
    parts = [part for part in pattern.split("/") if part]
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        step: list[str] = []
        for above in found:
            folder = files.find(host, absolute(cwd, above))
            if not isinstance(folder, Folder):
                continue
            if not any(char in part for char in SPECIAL) or part in (".", ".."):
                name = plain(part)
                candidates = [name] if name in folder.entries or name in (".", "..") else []
            else:
                hidden = part.startswith((".", "\\."))
                candidates = [
                    name for name in sorted(folder.entries)
                    if hidden == name.startswith(".") and matches(part, name)
                ]  # fmt: skip
            for name in candidates:
                path = above + name
                if last and not pattern.endswith("/"):
                    step.append(path)
                elif files.is_folder(host, absolute(cwd, path)):
                    step.append(f"{path}/")
        found = step[:MOST_NAMES]
    return sorted(path for path in found if path)
