"""The text tools, each a generator over its call that knows nothing of the shell."""

from paceline.shell.machine import Command
from paceline.shell.tools.changing import chmod, cp, mkdir, mv, rm, touch
from paceline.shell.tools.condition import test
from paceline.shell.tools.grep import grep
from paceline.shell.tools.lines import cut, sort, tr, uniq, wc
from paceline.shell.tools.places import ls
from paceline.shell.tools.reading import cat, head, less, tail, tee
from paceline.shell.tools.saying import date, echo, false, hostname, printf, seq, sleep, true, whoami
from paceline.shell.tools.sed import sed

TOOLS: dict[str, Command] = {
    "[": test, "cat": cat, "chmod": chmod, "cp": cp, "cut": cut, "date": date, "echo": echo, "false": false,
    "grep": grep, "head": head, "hostname": hostname, "less": less, "ls": ls, "mkdir": mkdir, "more": less, "mv": mv,
    "printf": printf, "rm": rm, "sed": sed, "seq": seq, "sleep": sleep, "sort": sort, "tail": tail, "tee": tee,
    "test": test, "touch": touch, "tr": tr, "true": true, "uniq": uniq, "wc": wc, "whoami": whoami,
}  # fmt: skip

__all__ = ["TOOLS"]
