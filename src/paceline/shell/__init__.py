"""A small bash over simulated hosts: a session runs lines as generators, and time passes between their steps."""

from paceline.shell.complete import complete
from paceline.shell.events import Edit, Event, Interrupt, Output, Steps, Wait
from paceline.shell.files import File, FileProblem, FileSystem, Folder
from paceline.shell.machine import Call, Command, Failed, Machine
from paceline.shell.session import Session
from paceline.shell.syntax import Refused

__all__ = [
    "Call",
    "Command",
    "Edit",
    "Event",
    "Failed",
    "File",
    "FileProblem",
    "FileSystem",
    "Folder",
    "Interrupt",
    "Machine",
    "Output",
    "Refused",
    "Session",
    "Steps",
    "Wait",
    "complete",
]
