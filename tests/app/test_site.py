"""The page's files: what is one, what is not, and the engine that follows the source."""

import json
from pathlib import Path

import pytest

from paceline.app import bundle
from paceline.app.site import ASK_AGAIN, FOR_EVER, MIME_TYPES, Site
from paceline.errors import PacelineError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    page = tmp_path / "page"
    for name in ("index.html", "assets/index-a1b2.js", "pyodide/314.0.7/pyodide.asm.wasm", "engine.zip"):
        path = page / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (page / "licences").mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (page / "link.txt").symlink_to(tmp_path / "secret.txt")
    return page


@pytest.mark.parametrize(
    ("url_path", "name", "mime_type", "cache_control"),
    [
        ("/", "index.html", "text/html; charset=utf-8", ASK_AGAIN),
        ("/?from=link", "index.html", "text/html; charset=utf-8", ASK_AGAIN),
        ("/engine.zip", "engine.zip", "application/zip", ASK_AGAIN),
        ("/assets/index-a1b2.js", "assets/index-a1b2.js", "text/javascript; charset=utf-8", FOR_EVER),
        (
            "/pyodide/314.0.7/pyodide.asm.wasm",
            "pyodide/314.0.7/pyodide.asm.wasm",
            "application/wasm",
            FOR_EVER,
        ),
    ],
)
def test_files(folder: Path, url_path: str, name: str, mime_type: str, cache_control: str) -> None:
    content = Site(folder, live=False).find(url_path)
    assert content is not None
    assert (content.body.decode(), content.mime_type, content.cache_control) == (
        name,
        mime_type,
        cache_control,
    )


@pytest.mark.parametrize(
    "url_path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/assets/../../secret.txt",
        "/..%2fsecret.txt",
        "/..\\secret.txt",
        "//etc/passwd",
        "/%2Fetc/passwd",
        "/link.txt",
        "/licences",
        "/index.html%00.js",
        "/index",
        "/%ff%fe",
        "/" + "a" * 5000,
    ],
)
def test_nothing_else(folder: Path, url_path: str) -> None:
    assert Site(folder, live=False).find(url_path) is None


def test_every_built_file_has_a_type() -> None:
    built = [path for path in (bundle.PACKAGE / "_web").rglob("*") if path.is_file()]
    assert built, "the page is not built: `make test` builds it"
    assert {path.suffix for path in built} <= set(MIME_TYPES)


def test_a_live_site_makes_the_engine_anew(folder: Path) -> None:
    site = Site(folder, live=True)
    baked = site.find("/baked.json")
    assert baked is not None and json.loads(baked.body)["engine"] == bundle.engine_digest()
    archive = site.find("/engine.zip")
    assert archive is not None and archive.body == bundle.engine_zip()


def test_an_installation_without_the_page_says_so(tmp_path: Path) -> None:
    with pytest.raises(PacelineError, match="PACELINE_SKIP_WEB"):
        Site(tmp_path, live=False)
