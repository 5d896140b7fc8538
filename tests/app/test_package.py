"""What `pip install` gets: a wheel with the page in it, and a source archive that makes the same wheel."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from paceline import __version__

ROOT = Path(__file__).parents[2]
PYODIDE = {"pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip"}


def build(source: Path, target: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    environment = {name: value for name, value in os.environ.items() if name != "PACELINE_SKIP_WEB"}
    run = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


def names_in(wheel: Path) -> set[str]:
    return set(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_holds_program_page_and_licences(wheel: Path) -> None:
    names = names_in(wheel)
    assert wheel.name == f"paceline-{__version__}-py3-none-any.whl"
    page = {name.removeprefix("paceline/_web/") for name in names if name.startswith("paceline/_web/")}
    assert {"index.html", "engine.zip", "baked.json", "licences/ibm-plex-sans.txt"} <= page
    assert {Path(name).name for name in page if name.startswith("pyodide/")} == PYODIDE
    assert {"paceline/app/cli.py", "paceline/hardware/catalog/gpus.toml"} <= names
    assert f"paceline-{__version__}.dist-info/licenses/LICENSE" in names
    assert not [name for name in names if "node_modules" in name or "__pycache__" in name or ".stamp" in name]


def test_the_wheel_runs_from_where_it_is_unpacked(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    program = (
        "from paceline.app.site import Site; from paceline.app.cli import main; "
        "assert Site.installed().find('/') and Site.installed().find('/engine.zip'); main()"
    )
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", program, "--version"]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert run.stdout == f"paceline {__version__}\n"


def test_the_source_archive_makes_the_same_wheel(
    wheel: Path, page_packages: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    archive = build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))
    unpacked = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(archive) as tar:
        if hasattr(tarfile, "data_filter"):
            tar.extractall(unpacked, filter="data")
        else:  # Python 3.11.2, as Debian ships it, has no filters yet
            tar.extractall(unpacked)
    (source,) = unpacked.iterdir()
    assert not (source / "src" / "paceline" / "_web").exists()
    # What npm would fetch again is there already.
    (source / "web" / "node_modules").symlink_to(page_packages)
    assert names_in(build(source, "wheel", tmp_path_factory.mktemp("from-sdist"))) == names_in(wheel)
