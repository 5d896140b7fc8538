"""What the page loads of Python: the engine's source as one zip, and the replies recorded from it.

Run as `python -m paceline.app.bundle FOLDER` by the build and by the server of a source tree, with the
standard library alone.
"""

import hashlib
import json
import sys
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import paceline

PACKAGE = Path(paceline.__file__).parent
ENGINE_ZIP = "engine.zip"
BAKED = "baked.json"
BAKED_STEP = "baked-{step}.json"

# Rooms the browser has no use for: this one, PyTorch's, and the built page itself.
_LEFT_OUT = ("app", "lab", "_web")
_SHIPPED = (".py", ".toml", ".md")
# The oldest date a zip can hold. Nothing in the archive may depend on when or where it was made.
_EPOCH = (1980, 1, 1, 0, 0, 0)


def engine_files(package: Path = PACKAGE) -> list[Path]:
    """The files of the engine, in the order of their names inside the package."""
    found = (path for path in package.rglob("*") if path.suffix in _SHIPPED and path.is_file())
    inside = ((path.relative_to(package), path) for path in found)
    return [path for name, path in sorted(inside) if name.parts[0] not in _LEFT_OUT]


def engine_zip(package: Path = PACKAGE) -> bytes:
    """The engine as a zip; equal sources give equal bytes, whenever and wherever it is made with one zlib."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in engine_files(package):
            name = f"paceline/{path.relative_to(package).as_posix()}"
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, path.read_bytes().replace(b"\r\n", b"\n"))
    return buffer.getvalue()


def engine_digest(package: Path = PACKAGE) -> str:
    """A name for the engine's exact source, the same on any machine and with any zlib."""
    digest = hashlib.sha256()
    for path in engine_files(package):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{path.relative_to(package).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def canonical(request: dict[str, Any]) -> str:
    """The one text of a request: the page looks recorded replies up by it, and sends it."""
    return json.dumps(request, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def baked() -> dict[str, dict[str, Any]]:
    """By file name, each request whose reply is recorded, with its reply's text, and the engine that gave them.

    What belongs to a step is in a file of its own, so that the page loads no more than it shows.
    """
    from paceline.engine import baked_requests, handle

    engine = engine_digest()
    found: dict[str, dict[str, Any]] = {BAKED: {"engine": engine, "replies": {}}}
    texts = {canonical(request): request for request in baked_requests()}
    for text, request in sorted(texts.items()):
        name = BAKED_STEP.format(step=request["step"]) if "step" in request else BAKED
        found.setdefault(name, {"engine": engine, "replies": {}})["replies"][text] = handle(text)
    return found


def write(folder: Path) -> None:
    """Put the engine's zip and the recorded replies into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ENGINE_ZIP).write_bytes(engine_zip())
    found = baked()
    for stale in folder.glob(BAKED_STEP.format(step="*")):
        if stale.name not in found:
            stale.unlink()
    # The file without a step is written last: its digest says that all of them are there.
    for name, replies in sorted(found.items(), key=lambda each: (each[0] == BAKED, each[0])):
        text = json.dumps(replies, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        (folder / name).write_text(text, encoding="utf-8")


def baked_engine(folder: Path) -> str:
    """The digest of the engine whose replies `folder` holds; empty when there are none."""
    try:
        return str(json.loads((folder / BAKED).read_text(encoding="utf-8"))["engine"])
    except (OSError, ValueError, KeyError):
        return ""


if __name__ == "__main__":
    write(Path(sys.argv[1]))
