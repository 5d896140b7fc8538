"""Paceline: predict, teach and debug data-parallel training from one exact simulation of a step."""

__version__ = "0.1.0"
