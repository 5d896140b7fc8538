"""The engine's zip and the recorded replies."""

import json
import shutil
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path

from paceline.app import bundle
from paceline.engine import handle


def test_the_zip_is_the_engine_and_nothing_else() -> None:
    names = zipfile.ZipFile(BytesIO(bundle.engine_zip())).namelist()
    assert names == sorted(names)
    assert {"paceline/__init__.py", "paceline/engine.py", "paceline/hardware/catalog/gpus.toml"} <= set(names)
    assert not [name for name in names if name.split("/")[1] in ("app", "lab", "_web") or "__pycache__" in name]


def test_the_zip_depends_on_the_source_alone(tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere"
    shutil.copytree(
        bundle.PACKAGE, copy, ignore=shutil.ignore_patterns("_web", "__pycache__"), copy_function=shutil.copy
    )
    assert bundle.engine_zip(copy) == bundle.engine_zip()
    assert bundle.engine_digest(copy) == bundle.engine_digest()
    (copy / "units.py").write_text("# changed")
    assert bundle.engine_zip(copy) != bundle.engine_zip()
    assert bundle.engine_digest(copy) != bundle.engine_digest()


def test_the_zip_imports_from_itself(tmp_path: Path) -> None:
    archive = tmp_path / "engine.zip"
    archive.write_bytes(bundle.engine_zip())
    zipfile.ZipFile(archive).extractall(tmp_path / "unpacked")
    program = 'from paceline.engine import handle; print(handle(\'{"ask":"version"}\'))'
    # Without this environment's paths (-I) and packages (-S): the browser has the standard library alone.
    start = f"import sys; sys.path.insert(0, {str(tmp_path / 'unpacked')!r}); {program}"
    run = subprocess.run([sys.executable, "-I", "-S", "-c", start], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout)["version"]


def test_recorded_replies_are_the_engines(tmp_path: Path) -> None:
    bundle.write(tmp_path)
    assert bundle.engine_digest() == bundle.baked_engine(tmp_path)
    files = sorted(tmp_path.glob("baked*.json"))
    assert {path.name for path in files} >= {bundle.BAKED, "baked-ring.json"}
    for path in files:
        recorded = json.loads(path.read_text(encoding="utf-8"))
        assert recorded["engine"] == bundle.engine_digest()
        for text, reply in recorded["replies"].items():
            assert text == bundle.canonical(json.loads(text))
            assert path.name == f"baked-{json.loads(text).get('step', '')}.json".replace("-.", ".")
            assert reply == handle(text)


def test_a_folder_without_replies_has_no_engine(tmp_path: Path) -> None:
    assert bundle.baked_engine(tmp_path) == ""
    (tmp_path / bundle.BAKED).write_text("{")
    assert bundle.baked_engine(tmp_path) == ""
