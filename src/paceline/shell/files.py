"""The files of the pod's hosts: a tree of texts for each, with folders that all of them share, bounded in size."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from paceline.errors import PacelineError

LARGEST_FILE = 1_000_000
LARGEST_SYSTEM = 20_000_000
MOST_ENTRIES = 10_000
DEEPEST_PATH = 50
LONGEST_NAME = 255
NOWHERE = "/dev/null"

MISSING = "No such file or directory"
IS_FOLDER = "Is a directory"
NOT_FOLDER = "Not a directory"
EXISTS = "File exists"
NOT_EMPTY = "Directory not empty"
NO_SPACE = "No space left on device"
TOO_LARGE = "File too large"
TOO_LONG = "File name too long"
BUSY = "Device or resource busy"


class FileProblem(PacelineError):
    """A file operation that cannot be done, in the system's words."""


@dataclass(slots=True)
class File:
    """A text that can grow."""

    changed_us: int = 0
    executable: bool = False
    size: int = 0
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All of it."""
        if len(self.parts) > 1:
            self.parts = ["".join(self.parts)]
        return self.parts[0] if self.parts else ""


@dataclass(slots=True)
class Folder:
    """Files and folders by name."""

    changed_us: int = 0
    entries: dict[str, "File | Folder"] = field(default_factory=dict)


def absolute(cwd: str, name: str) -> str:
    """The full path of a name as seen from a folder, without `.`, `..` and doubled slashes."""
    kept: list[str] = []
    for part in (name if name.startswith("/") else f"{cwd}/{name}").split("/"):
        if part == "..":
            del kept[-1:]
        elif part not in ("", "."):
            kept.append(part)
    return "/" + "/".join(kept)


def split(path: str) -> tuple[str, str]:
    """The folder and the last name of a full path."""
    folder, _, name = path.rpartition("/")
    return folder or "/", name


class FileSystem:
    """Every host's tree; `shared` folders are one and the same on all hosts."""

    def __init__(self, hosts: Iterable[str], shared: Iterable[str] = ("/home",)) -> None:
        self.hosts = tuple(hosts)
        self.shared = tuple(shared)
        self.characters_used = 0
        self.entries_used = 0
        self._roots = {host: Folder() for host in self.hosts}
        common = [Folder() for _ in self.shared]
        for root in self._roots.values():
            root.entries = {"dev": Folder(entries={"null": File()}), "tmp": Folder()}
            root.entries |= {path.strip("/"): folder for path, folder in zip(self.shared, common, strict=True)}

    def find(self, host: str, path: str) -> File | Folder | None:
        """What lies at a full path, if anything."""
        at: File | Folder | None = self._roots.get(host)
        for name in path.split("/"):
            if name:
                at = at.entries.get(name) if isinstance(at, Folder) else None
        return at

    def is_folder(self, host: str, path: str) -> bool:
        """Whether a folder lies there."""
        return isinstance(self.find(host, path), Folder)

    def folder(self, host: str, path: str) -> Folder:
        """The folder there, or why there is none."""
        found = self.find(host, path)
        if found is None:
            raise FileProblem(MISSING)
        if isinstance(found, File):
            raise FileProblem(NOT_FOLDER)
        return found

    def file(self, host: str, path: str) -> File:
        """The file there, or why there is none."""
        found = self.find(host, path)
        if found is None:
            parent = self.find(host, split(path)[0])
            raise FileProblem(NOT_FOLDER if isinstance(parent, File) else MISSING)
        if isinstance(found, Folder):
            raise FileProblem(IS_FOLDER)
        return found

    def read(self, host: str, path: str) -> str:
        """The text of a file."""
        return self.file(host, path).text

    def names(self, host: str, path: str) -> tuple[str, ...]:
        """What a folder holds, in the order of the characters' numbers."""
        return tuple(sorted(self.folder(host, path).entries))

    def write(self, host: str, path: str, text: str, now_us: int = 0, append: bool = False) -> None:
        """Make a file of this text, or lengthen it."""
        if path == NOWHERE:
            return
        folder, name = self._place(host, path)
        found = folder.entries.get(name)
        if isinstance(found, Folder):
            raise FileProblem(IS_FOLDER)
        kept = found.size if found is not None and append else 0
        if kept + len(text) > LARGEST_FILE:
            raise FileProblem(TOO_LARGE)
        self._take(kept + len(text) - (found.size if found else 0), 0 if found else 1)
        if found is None:
            folder.entries[name] = found = File()
            folder.changed_us = now_us
        if not append:
            found.parts = []
        if text:
            found.parts.append(text)
        found.size, found.changed_us = kept + len(text), now_us

    def make_folder(self, host: str, path: str, now_us: int = 0, parents: bool = False) -> None:
        """Make a folder; with `parents` also those above it, and none where it is there."""
        if parents:
            names = path.strip("/").split("/")
            for count in range(1, len(names) + 1):
                part = "/" + "/".join(names[:count])
                if not self.is_folder(host, part):
                    self.make_folder(host, part, now_us)
            return
        if self.find(host, path) is not None:
            raise FileProblem(EXISTS)
        folder, name = self._place(host, path)
        self._take(0, 1)
        folder.entries[name] = Folder(now_us)
        folder.changed_us = now_us

    def remove(self, host: str, path: str, recursive: bool = False) -> None:
        """Remove a file; a folder only where `recursive` or empty."""
        found = self.find(host, path)
        if found is None:
            raise FileProblem(MISSING)
        if self._is_fixed(path):
            raise FileProblem(BUSY)
        if isinstance(found, Folder) and found.entries and not recursive:
            raise FileProblem(NOT_EMPTY)
        characters, entries = self._measure(found)
        self._take(-characters, -entries)
        folder, name = self._place(host, path)
        del folder.entries[name]

    def copy(self, host: str, old: str, new: str, now_us: int = 0) -> None:
        """Copy a file, or a folder with all it holds, to a full path."""
        found = self.find(host, old)
        if found is None:
            raise FileProblem(MISSING)
        if new == old or (isinstance(found, Folder) and new.startswith(f"{old.rstrip('/')}/")):
            raise FileProblem("it cannot be copied into itself")
        if isinstance(found, File):
            self.write(host, new, found.text, now_us)
            self.file(host, new).executable = found.executable
            return
        if not self.is_folder(host, new):
            self.make_folder(host, new, now_us)
        for name in sorted(found.entries):
            self.copy(host, f"{old.rstrip('/')}/{name}", f"{new.rstrip('/')}/{name}", now_us)

    def move(self, host: str, old: str, new: str) -> None:
        """Give what lies at one full path another."""
        found = self.find(host, old)
        if found is None:
            raise FileProblem(MISSING)
        if self._is_fixed(old) or self._is_fixed(new):
            raise FileProblem(BUSY)
        if new == old or new.startswith(f"{old}/"):
            raise FileProblem("it cannot be moved into itself")
        there = self.find(host, new)
        if isinstance(there, Folder) and (isinstance(found, File) or there.entries):
            raise FileProblem(IS_FOLDER if isinstance(found, File) else NOT_EMPTY)
        if isinstance(there, File) and isinstance(found, Folder):
            raise FileProblem(NOT_FOLDER)
        folder, name = self._place(host, new)
        if there is not None:
            self.remove(host, new)
        above, old_name = self._place(host, old)
        folder.entries[name] = above.entries.pop(old_name)

    def walk(self, host: str, path: str) -> Iterator[tuple[str, File]]:
        """Every file below a folder with its full path, in order."""
        waiting = [path]
        while waiting:
            at = waiting.pop()
            found = self.find(host, at)
            if isinstance(found, File):
                yield at, found
            elif found is not None:
                waiting.extend(f"{at.rstrip('/')}/{name}" for name in sorted(found.entries, reverse=True))

    def _is_fixed(self, path: str) -> bool:
        return path in ("/", "/dev", "/tmp", NOWHERE, *self.shared)

    def _place(self, host: str, path: str) -> tuple[Folder, str]:
        above, name = split(path)
        if not name:
            raise FileProblem(IS_FOLDER)
        if len(name) > LONGEST_NAME or path.count("/") > DEEPEST_PATH:
            raise FileProblem(TOO_LONG)
        return self.folder(host, above), name

    def _take(self, characters: int, entries: int) -> None:
        if self.characters_used + characters > LARGEST_SYSTEM or self.entries_used + entries > MOST_ENTRIES:
            raise FileProblem(NO_SPACE)
        self.characters_used += characters
        self.entries_used += entries

    def _measure(self, found: File | Folder) -> tuple[int, int]:
        characters, entries = 0, 0
        waiting = [found]
        while waiting:
            at = waiting.pop()
            entries += 1
            if isinstance(at, File):
                characters += at.size
            else:
                waiting.extend(at.entries.values())
        return characters, entries
