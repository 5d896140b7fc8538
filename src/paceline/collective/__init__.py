"""The all-reduce three ways: as moves on real data, as the textbook law, and as NCCL's cost model prices it."""

from paceline.collective.law import bus_factor, busbw_bytes_per_s, ring_all_reduce_s
from paceline.collective.measured import MeasuredTable
from paceline.collective.nccl import Fabric, Price, price_all_reduce
from paceline.collective.ring import Move, all_reduce, moves

__all__ = [
    "Fabric",
    "MeasuredTable",
    "Move",
    "Price",
    "all_reduce",
    "bus_factor",
    "busbw_bytes_per_s",
    "moves",
    "price_all_reduce",
    "ring_all_reduce_s",
]
