"""`paceline learn`, from its first line to Ctrl-C."""

import os
import re
import signal
import subprocess
import sys
import urllib.request

PROGRAM = [sys.executable, "-c", "from paceline.app.cli import main; main()"]


def test_serves_until_interrupted() -> None:
    environment = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    # A background job of a script starts with SIGINT ignored, and its children inherit that; here it must count.
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    command = [*PROGRAM[:-1], heed + PROGRAM[-1], "--no-open", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as run:
        assert run.stdout is not None and run.stderr is not None
        first = run.stdout.readline()
        found = re.fullmatch(r"The lesson is at (http://127\.0\.0\.1:\d+/) \(Ctrl-C ends it\)\n", first)
        assert found, first + run.stderr.read()
        with urllib.request.urlopen(found[1], timeout=10) as page:
            assert "<title>Paceline</title>" in page.read().decode()
        run.send_signal(signal.SIGINT)
        try:
            output, errors = run.communicate(timeout=10)
        finally:
            run.kill()
    assert (run.returncode, output, errors) == (0, "\n", "")
