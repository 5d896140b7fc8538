"""The page's engine client, tested in Node with a stand-in worker (web/tests)."""

import subprocess
from pathlib import Path

WEB = Path(__file__).parents[2] / "web"


def test_client(node: Path) -> None:
    tests = sorted(str(path) for path in (WEB / "tests").glob("*.test.ts"))
    # A client that waits for a worker keeps its timers; the tests do not wait for them.
    command = [str(node), "--test", "--test-force-exit", *tests]
    run = subprocess.run(command, cwd=WEB, capture_output=True, text=True, encoding="utf-8")
    assert tests and run.returncode == 0, run.stdout + run.stderr
