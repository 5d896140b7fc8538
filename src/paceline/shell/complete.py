"""What a half-typed word may become: commands, files, hosts, variables."""

import re

from paceline.shell.files import File, Folder
from paceline.shell.session import Session
from paceline.shell.simple import known_commands

MOST_CANDIDATES = 200
_ON_HOSTS = ("ssh", "ping")
_BEFORE_COMMAND = re.compile(r"(?:^|[;&|(!]|\b(?:if|then|else|elif|do|while|watch|nohup|xargs|time)\s)\s*$")


def complete(session: Session, line: str, cursor: int) -> tuple[str, ...]:
    """The words that may stand where the word before the cursor stands, sorted; a folder ends with a slash."""
    before = line[:cursor]
    match = re.search(r"[^\s;&|<>()'\"=]*$", before)
    word = match.group() if match else ""
    head = before[: len(before) - len(word)]
    if word.startswith("$"):
        names = {*session.env, *session.shell.own}
        found = [f"${name}" for name in names if name.startswith(word[1:])]
    elif _BEFORE_COMMAND.search(head) and "/" not in word:
        found = [name for name in known_commands(session.shell) if name.startswith(word)]
    elif _BEFORE_COMMAND.search(head):
        found = [name for name in _files(session, word) if name.endswith("/") or _runs(session, name)]
    elif re.search(rf"(?:^|[;&|]\s*)(?:{'|'.join(_ON_HOSTS)})\s+$", head):
        found = [host for host in session.shell.machine.hosts if host.startswith(word)]
    else:
        found = _files(session, word)
    return tuple(sorted(found))[:MOST_CANDIDATES]


def _files(session: Session, word: str) -> list[str]:
    shell = session.shell
    typed, slash, start = word.rpartition("/")
    above = typed + slash
    folder_name = shell.home + above[1:] if above.startswith("~/") else above
    folder = shell.machine.files.find(shell.host, shell.path(folder_name or "."))
    if not isinstance(folder, Folder):
        return []
    return [
        f"{above}{name}{'/' if isinstance(found, Folder) else ''}"
        for name, found in folder.entries.items()
        if name.startswith(start) and (start or not name.startswith("."))
    ]


def _runs(session: Session, name: str) -> bool:
    found = session.shell.machine.files.find(session.shell.host, session.shell.path(name))
    return isinstance(found, File) and found.executable
