"""The all-reduce three ways: the ring as moves on data, the textbook law, and NCCL's own cost model."""

from paceline.collective.fabric import Fabric
from paceline.collective.law import (
    algbw_bytes_per_s,
    bus_factor,
    busbw_bytes_per_s,
    half_bus_factor,
    ring_all_reduce_s,
)
from paceline.collective.measured import MeasuredTable
from paceline.collective.nccl import Price, price_all_reduce
from paceline.collective.provenance import Cell, check_chunks, provenance, ring_chunks
from paceline.collective.ring import Move, all_reduce, chunk_bounds, moves, replay_time_s, sent_bytes
from paceline.collective.tiers import Tiers
from paceline.collective.tuning import hop_latency_s

__all__ = [
    "Cell",
    "Fabric",
    "MeasuredTable",
    "Move",
    "Price",
    "Tiers",
    "algbw_bytes_per_s",
    "all_reduce",
    "bus_factor",
    "busbw_bytes_per_s",
    "check_chunks",
    "chunk_bounds",
    "half_bus_factor",
    "hop_latency_s",
    "moves",
    "price_all_reduce",
    "provenance",
    "replay_time_s",
    "ring_all_reduce_s",
    "ring_chunks",
    "sent_bytes",
]  # fmt: skip
