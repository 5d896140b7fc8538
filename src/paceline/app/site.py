"""The built page as files to serve: where they are, what they are, how long a browser may keep them."""

import hashlib
import re
import subprocess
import sys
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from threading import Lock
from urllib.parse import unquote

from paceline.app import bundle
from paceline.errors import PacelineError

MIME_TYPES: dict[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".wasm": "application/wasm",  # anything else keeps the browser from compiling while it loads
    ".zip": "application/zip",
    ".md": "text/plain; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
}
_BAKED_STEPS = bundle.BAKED_STEP.format(step="*")
# Names that change whenever their content does: Vite's hashed assets, Pyodide under its version.
_FOR_EVER = re.compile(r"assets/|pyodide/[0-9.]+/")
FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"


@dataclass(frozen=True, slots=True)
class Content:
    """One file as it goes out."""

    body: bytes
    mime_type: str
    cache_control: str
    etag: str


class Site:
    """A folder of the built page; in a source tree the engine in it follows every edit of the Python."""

    def __init__(self, folder: Path, live: bool) -> None:
        self._folder = folder.resolve()
        self._live = live
        self._refreshing = Lock()
        if not (self._folder / "index.html").is_file():
            raise PacelineError(
                "The page is not part of this installation: it was made without its web build. "
                "Install again without PACELINE_SKIP_WEB, or run `make learn` in the source tree."
            )

    @classmethod
    def installed(cls) -> "Site":
        """The page beside this package."""
        return cls(bundle.PACKAGE / "_web", live=(bundle.PACKAGE.parents[1] / "hatch_build.py").is_file())

    def find(self, url_path: str) -> Content | None:
        """The file of a URL's path; None for whatever is not a file of the page."""
        name = unquote(url_path.partition("?")[0]).removeprefix("/") or "index.html"
        parts = PurePosixPath(name).parts
        if "\\" in name or "\0" in name or any(part in ("..", "/") for part in parts):
            return None
        path = self._folder.joinpath(*parts)
        if self._live and (name in (bundle.ENGINE_ZIP, bundle.BAKED) or fnmatch(name, _BAKED_STEPS)):
            self._refresh()
        mime_type = MIME_TYPES.get(path.suffix)
        if mime_type is None or not path.is_file() or not path.resolve().is_relative_to(self._folder):
            return None
        body = path.read_bytes()
        etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        return Content(body, mime_type, FOR_EVER if _FOR_EVER.match(name) else ASK_AGAIN, etag)

    def _refresh(self) -> None:
        """Make the engine's zip and replies again when the source has changed, in a fresh Python."""
        with self._refreshing:
            if bundle.baked_engine(self._folder) == bundle.engine_digest():
                return
            command = [sys.executable, "-m", "paceline.app.bundle", str(self._folder)]
            if subprocess.run(command, check=False).returncode != 0:
                # The page then shows the same failure, from the same source, in its own words.
                (self._folder / bundle.ENGINE_ZIP).write_bytes(bundle.engine_zip())
