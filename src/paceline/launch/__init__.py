"""Batch scripts that start a training job with sbatch, srun and torchrun: written, read back, and judged."""

from paceline.launch.finding import Finding
from paceline.launch.judge import findings
from paceline.launch.lesson import four_nodes
from paceline.launch.processes import processes_started
from paceline.launch.read import parse
from paceline.launch.script import Command, Launch, Option, Script, Variable, render

__all__ = [
    "Command",
    "Finding",
    "Launch",
    "Option",
    "Script",
    "Variable",
    "findings",
    "four_nodes",
    "parse",
    "processes_started",
    "render",
]
