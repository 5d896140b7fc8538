"""ls: what a folder holds."""

from paceline.shell.events import STDERR, Output, Steps
from paceline.shell.files import File, Folder
from paceline.shell.machine import Call
from paceline.shell.tools.moment import Moment
from paceline.shell.tools.options import Options, options

BLOCK = 4096

Entry = tuple[str, File | Folder]


def ls(call: Call) -> Steps:
    """ls [FILE…]: list a folder. -l with size and date, -a hidden ones too, -h sizes for people, -1 one a line.

    -t newest first, -S largest first, -r backwards, -d the folder itself, -A hidden but not . and .., -F with marks.
    """
    chosen = options(call, "laAh1trSdF")
    files: list[Entry] = []
    folders: list[tuple[str, Folder]] = []
    code = 0
    for name in sorted(chosen.operands) or ["."]:
        found = call.files.find(call.host, call.path(name))
        if found is None:
            yield Output(f"ls: cannot access '{name}': No such file or directory\n", STDERR)
            code = 2
        elif isinstance(found, Folder) and "d" not in chosen:
            folders.append((name, found))
        else:
            files.append((name, found))
    shown = _listed(call, files, chosen) if files else ""
    for name, folder in folders:
        if shown:
            shown += "\n"
        if len(chosen.operands) > 1:
            shown += f"{name}:\n"
        entries: list[Entry] = [
            (entry, folder.entries[entry])
            for entry in sorted(folder.entries)
            if not entry.startswith(".") or "a" in chosen or "A" in chosen
        ]
        if "a" in chosen:
            above = call.files.find(call.host, call.path(f"{name}/..")) or folder
            entries = [(".", folder), ("..", above), *entries]
        if "l" in chosen:
            blocks_count = 0
            for _, found in entries:
                blocks_count += -(-_size(found) // BLOCK)
            shown += f"total {blocks_count * BLOCK // 1024}\n"
        shown += _listed(call, entries, chosen)
    if shown:
        yield Output(shown)
    return code


def _listed(call: Call, entries: list[Entry], chosen: Options) -> str:
    if "t" in chosen:
        entries = sorted(entries, key=lambda entry: -entry[1].changed_us)
    if "S" in chosen:
        entries = sorted(entries, key=lambda entry: -_size(entry[1]))
    if "r" in chosen:
        entries = entries[::-1]
    names = [name + (_mark(found) if "F" in chosen else "") for name, found in entries]
    if "l" in chosen:
        return _long(call, entries, names, "h" in chosen)
    if "1" in chosen or not call.to_terminal or not names:
        return "".join(f"{name}\n" for name in names)
    return _columns(names, call.width)


def _mark(found: File | Folder) -> str:
    if isinstance(found, Folder):
        return "/"
    return "*" if found.executable else ""


def _size(found: File | Folder) -> int:
    return found.size if isinstance(found, File) else BLOCK


def _long(call: Call, entries: list[Entry], names: list[str], for_people: bool) -> str:
    user = call.env.get("USER", "nobody")
    sizes = [_people(_size(found)) if for_people else str(_size(found)) for _, found in entries]
    width = max((len(size) for size in sizes), default=1)
    lines: list[str] = []
    for (_, found), name, size in zip(entries, names, sizes, strict=True):
        runs = isinstance(found, Folder) or found.executable
        mode = ("d" if isinstance(found, Folder) else "-") + ("rwxr-xr-x" if runs else "rw-r--r--")
        links = 2 if isinstance(found, Folder) else 1
        changed = Moment.at(found.changed_us).shown("%b %e %H:%M")
        lines.append(f"{mode} {links} {user} {user} {size:>{width}} {changed} {name}\n")
    return "".join(lines)


def _people(size: int) -> str:
    value = float(size)
    for unit in ("", "K", "M"):
        if value < 1024:
            return f"{value:.1f}{unit}" if unit and value < 10 else f"{value:.0f}{unit}"
        value /= 1024
    return f"{value:.1f}G"


def _columns(names: list[str], width: int) -> str:
    for rows in range(1, len(names) + 1):
        columns = [names[at : at + rows] for at in range(0, len(names), rows)]
        widths = [max(len(name) for name in column) for column in columns]
        if rows == len(names) or len("  ".join("x" * wide for wide in widths)) <= width:
            break
    lines: list[str] = []
    for row in range(rows):
        cells = [(column[row], wide) for column, wide in zip(columns, widths, strict=True) if row < len(column)]
        lines.append("  ".join(f"{name:<{wide}}" for name, wide in cells).rstrip() + "\n")
    return "".join(lines)
