"""The ring view: which ranks each chunk already holds, this move's arrows, and 2(N-1)/N against N."""

from typing import Any

from paceline.collective import Cell, bus_factor, ring_chunks
from paceline.pod import Ring
from paceline.units import show_ratio

_CURVE = (2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
_HIGHEST = 2.2
"""The top of the curve's plot, so that its limit of 2 is seen to be one."""


def _bits(flags: list[bool]) -> int:
    bits = 0
    for rank, flag in enumerate(flags):
        bits |= flag << rank
    return bits


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "has": _bits([count > 0 for count in cell.counts]),
        "arrived": _bits([count > 0 for count in cell.arrived]),
        "twice": _bits([count > 1 for count in cell.counts]),
        "count": cell.ranks,
        "complete": cell.is_complete,
    }


def ring_view(world: Ring) -> dict[str, Any]:
    """Everything the picture of a ring shows."""
    found = world.readings()
    half = world.ranks - 1
    table = world.chunks or (ring_chunks(world.ranks) if world.is_drawn else ())
    sent = table[world.move - 1] if world.is_drawn and world.move else ()
    arrows = [{"sender": rank, "receiver": (rank + 1) % world.ranks, "chunk": chunk} for rank, chunk in enumerate(sent)]
    if world.move == 0:
        phase = "start"
    elif world.move == world.moves_total:
        phase = "complete" if world.is_right else "wrong"
    else:
        phase = "reduce-scatter" if world.move <= half else "all-gather"
    cells = world.cells
    lines = [_line(world.move, world.moves_total, arrow, cells) for arrow in arrows]
    slow = world.slow_sender
    slow_text = (
        f"GPU {slow} to GPU {(slow + 1) % world.ranks}: {found['slowest_bytes_per_s'].text} "
        f"of {found['link_bytes_per_s'].text}"
        if slow >= 0
        else ""
    )
    return {
        "claim": found["sent_so_far"].text if world.is_drawn else found["sent_total"].text,
        "claim_words": f"of {found['sent_total'].text} buffers sent by each GPU"
        if world.is_drawn
        else f"buffers sent by each of {found['ranks'].text} GPUs",
        "world_size": world.ranks,
        "drawn": world.is_drawn,
        "cells": [[_cell(cell) for cell in row] for row in cells],
        "arrows": arrows,
        "move": world.move,
        "moves": world.moves_total,
        "phase": phase,
        "sent": found["sent_so_far"].text,
        "sent_in_the_end": found["sent_total"].text,
        "curve": _curve(world.ranks),
        "curve_top": "twice the buffer",
        "slow_sender": slow,
        "slow_text": slow_text,
        "words": _words(world, phase, slow_text),
        "lines": lines,
        "twin": _twin(world, cells) if world.is_drawn else _curve_twin(world.ranks),
    }


def _line(move: int, moves: int, arrow: dict[str, int], cells: tuple[tuple[Cell, ...], ...]) -> str:
    chunk, receiver = arrow["chunk"], arrow["receiver"]
    cell = cells[chunk][receiver]
    held = "complete" if cell.is_complete else f"{cell.ranks} of {len(cell.counts)} ranks in it"
    return f"Move {move} of {moves}: GPU {arrow['sender']} sends chunk {chunk} to GPU {receiver}, there now {held}"


def _words(world: Ring, phase: str, slow_text: str) -> str:
    found = world.readings()
    ring = f"A ring of {found['ranks'].text} GPUs makes {found['moves_total'].text} moves. "
    now = {
        "start": "Nothing has been sent yet: each GPU holds its own numbers in every chunk.",
        "reduce-scatter": f"After move {world.move}, in the reduce-scatter: what arrives is added.",
        "all-gather": f"After move {world.move}, in the all-gather: complete chunks are copied on.",
        "complete": "All moves are made: every chunk is complete on every GPU.",
        "wrong": "All moves are made, and some chunks are not the sum: look for ranks missing or counted twice.",
    }[phase]
    sent = f" Each GPU has sent {found['sent_so_far'].text} of {found['sent_total'].text} buffers."
    slow = f" One link is slow, {slow_text}." if slow_text else ""
    return ring + (now + sent if world.is_drawn else f"Each GPU sends {found['sent_total'].text} buffers.") + slow


def _ranks(cell: Cell) -> str:
    names = [f"{rank}{' twice' if count > 1 else ''}" for rank, count in enumerate(cell.counts) if count]
    return "all" if cell.is_complete else " ".join(names)


def _twin(world: Ring, cells: tuple[tuple[Cell, ...], ...]) -> dict[str, Any]:
    return {
        "caption": "Which ranks each chunk holds on each GPU",
        "columns": ["Chunk", *(f"GPU {rank}" for rank in range(world.ranks))],
        "rows": [[str(chunk), *(_ranks(cell) for cell in row)] for chunk, row in enumerate(cells)],
    }


def _curve(ranks: int) -> list[dict[str, Any]]:
    sizes = sorted({*_CURVE, ranks})
    longest = _doublings(_CURVE[-1]) - 1
    return [
        {
            "x": round(1000 * (_doublings(size) - 1) / longest),
            "y": round(1000 * bus_factor(size) / _HIGHEST),
            "text": f"{size:,}",
            "here": size == ranks,
        }
        for size in sizes
    ]


def _doublings(size: int) -> float:
    """The logarithm to base 2, straight between powers of two: a place on an axis, made without a library's log."""
    whole = size.bit_length() - 1
    return whole + size / (1 << whole) - 1


def _curve_twin(ranks: int) -> dict[str, Any]:
    return {
        "caption": "Buffers each GPU sends",
        "columns": ["GPUs", "2(N-1)/N"],
        "rows": [[f"{size:,}", show_ratio(bus_factor(size))] for size in sorted({*_CURVE, ranks})],
    }
