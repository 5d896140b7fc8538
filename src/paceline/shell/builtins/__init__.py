"""The commands that act on the shell itself or run others in it."""

from paceline.shell.builtins.manual import edit, help_, man, which
from paceline.shell.builtins.running import bash, env, nohup, printenv, source, ssh, watch, xargs
from paceline.shell.builtins.state import cd, exit_, export, history, loop_control, nothing, pwd, set_, unset
from paceline.shell.builtins.working import jobs, kill, wait
from paceline.shell.shell import Builtin

BUILTINS: dict[str, Builtin] = {
    ".": source, ":": nothing, "bash": bash, "break": loop_control, "cd": cd, "continue": loop_control, "edit": edit,
    "env": env, "exit": exit_, "export": export, "help": help_, "history": history, "jobs": jobs, "kill": kill,
    "logout": exit_, "man": man, "nohup": nohup, "printenv": printenv, "pwd": pwd, "set": set_, "sh": bash,
    "source": source, "ssh": ssh, "type": which, "unset": unset, "wait": wait, "watch": watch, "which": which,
    "xargs": xargs,
}  # fmt: skip

__all__ = ["BUILTINS"]
