"""The page and Python write a request with the same bytes, or recorded replies would not be found."""

import json
import subprocess
from pathlib import Path
from typing import Any

from paceline.app.bundle import canonical

WEB = Path(__file__).parents[2] / "web"
REQUESTS: list[dict[str, Any]] = [
    {"ask": "version"},
    {
        "seed": 0,
        "act": "replay",
        "step": "eight-days",
        "actions": [{"act": "start"}, {"z": -1, "a": [[], {}]}],
    },
    {
        "text": 'quote " backslash \\ newline \n null \0 delete \x7f é × 🙂',
        "B": 2**53 - 1,
        "a": 1,
        "_": "",
        "": 0,
    },
]
PROGRAM = """
import { canonical } from "./src/engine/canonical.ts";
import { readFileSync } from "node:fs";
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map((each) => canonical(each))));
"""


def test_the_same_text(node: Path) -> None:
    command = [str(node), "--input-type=module", "--eval", PROGRAM]
    given = json.dumps(REQUESTS)
    run = subprocess.run(command, cwd=WEB, input=given, capture_output=True, encoding="utf-8", check=True)
    assert json.loads(run.stdout) == [canonical(request) for request in REQUESTS]
