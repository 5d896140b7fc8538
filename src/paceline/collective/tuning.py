"""The numbers of NCCL's cost model, and the four this project adds to it.

Units are NCCL's own, microseconds and GB/s (10**9 bytes), turned into seconds and bytes per second where
they are used, so each row can be compared with its source.
"""

from typing import Literal

from paceline.units import GIB, MIB, MICROSECOND_S

Algorithm = Literal["ring", "tree", "nvls", "nvlstree"]
Protocol = Literal["LL", "LL128", "Simple"]
PROTOCOLS: tuple[Protocol, ...] = ("LL", "LL128", "Simple")

# NCCL v2.30.7 (github.com/NVIDIA/nccl, commit 5067397, read 2026-11-29), src/graph/tuning.cc.

BASE_US: dict[tuple[str, str], float] = {
    ("tree", "LL"): 6.8, ("tree", "LL128"): 14.0, ("tree", "Simple"): 8.4,
    ("ring", "LL"): 6.6, ("ring", "LL128"): 14.0, ("ring", "Simple"): 8.4,
}  # fmt: skip
"""baseLat, lines 150-155; NVLS and NVLSTree have none."""

NVLINK_HOP_US: dict[tuple[str, str], float] = {
    ("tree", "LL"): 0.6, ("tree", "LL128"): 1.25, ("tree", "Simple"): 4.0,
    ("ring", "LL"): 0.6, ("ring", "LL128"): 1.9, ("ring", "Simple"): 3.4,
}  # fmt: skip
NETWORK_HOP_US: dict[tuple[str, str], float] = {
    ("tree", "LL"): 5.0, ("tree", "LL128"): 8.5, ("tree", "Simple"): 14.0,
    ("ring", "LL"): 2.7, ("ring", "LL128"): 4.0, ("ring", "Simple"): 14.0,
}  # fmt: skip
"""hwLat, lines 156-176."""

NVLS_US = 25.0
NVLSTREE_NETWORK_HOP_US = 20.9
"""hwLat for the NVLink SHARP algorithms, the same lines; both are charged NVLS_US once."""

POST_US: dict[str, float] = {"intel": 1.0, "amd": 2.0}
"""What the CPU needs to post one network operation, by vendor, lines 225-233; three times it for Simple."""

SIMPLE_POSTS = 3
PLATEAU = 1.4
"""Rings across servers pay their hops this many times over (compute capability 8.0 up), lines 647-649. NCCL
charges it to Simple; LL128 pays it here too, since a forced ring across two servers took about 150 us from 1
to 8 MiB (nccl-tests issue 309, comment of 2025-06-18) where LL128's plain hops come to 82. These hops overlap
the transfer (root of the sum of squares): slices of a chunk are on the wire while others wait for a peer, so
the 2046 steps of 1,024 GPUs all but vanish beside 16 GB (nccl-tests issue 322) instead of adding 13 ms."""

# One row a generation (compute capability from 8.0, from 9.0): 1, 2, and 3 or more servers.
LL_CAP_GB_PER_S: dict[int, float] = {80: 87.7, 90: 141.0}
"""llMaxBws in one server, lines 178-183."""
LL_CAP_ACROSS_GB_PER_S: dict[str, tuple[float, float]] = {"intel": (39.0, 20.4), "amd": (22.5, 19.0)}
"""llMaxBws across servers by the CPU's vendor: 2, and 3 or more; lines 267-272."""
RING_LL128_CHANNEL_GB_PER_S: dict[int, tuple[float, float, float]] = {
    80: (20.0, 20.0, 20.0),
    90: (36.7, 36.7, 36.7),
}
TREE_LL128_CHANNEL_GB_PER_S: dict[int, tuple[float, float, float]] = {
    80: (20.0, 20.0, 20.0),
    90: (36.7, 36.7, 29.0),
}
TREE_CHANNEL_GB_PER_S: dict[int, tuple[float, float, float]] = {
    80: (24.0, 23.6, 17.8),
    90: (38.7, 41.4, 36.0),
}
NVLSTREE_CHANNEL_GB_PER_S: dict[int, tuple[float, float, float]] = {90: (0.0, 57.7, 45.5)}
"""perChMax..Bws, lines 184-211."""

LL_SHARE = 1 / 2
LL128_SHARE = 0.92
LL128_SHARE_ONE_GPU_A_SERVER = 0.7
TREE_SHARE = 0.92
TREE_LL_DIVISOR = 3.8
TREE_LL128_SHARE_IN_SERVER = 7 / 9
TREE_LL128_SHARE_ACROSS = 120 / 128
NVLS_SHARE: dict[int, float] = {90: 0.85}
"""What each protocol leaves of a channel's bandwidth, lines 305-383; NVLS from lines 139-144."""

TREE_CORRECTION: dict[str, tuple[float, ...]] = {
    "LL": (
        1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5,
        0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0,
    ),
    "LL128": (
        1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6,
        0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9, 1.0, 1.0, 1.0, 1.0,
    ),
    "Simple": (
        0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5,
        0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9, 0.9, 1.0,
    ),
}  # fmt: skip
"""treeCorrectionFactor, lines 623-627, for 64 B and each power of two above, here closed with a 1 and read by
straight lines between: NCCL's steps would make more bytes take less time."""
TREE_CORRECTION_FROM_BYTES = 64

# src/graph/topo.h line 22 and search.cc lines 1057-1058 of the same version.
NVLINK_GB_PER_S: dict[int, float] = {80: 20.0, 90: 20.6}
"""One NVLink, one way, as NCCL counts it."""
CHANNEL_STEPS_GB_PER_S: dict[int, tuple[float, ...]] = {
    80: (
        48.0,
        30.0,
        28.0,
        24.0,
        20.0,
        18.0,
        15.0,
        12.0,
        10.0,
        9.0,
        7.0,
        6.0,
        5.0,
        4.0,
        3.0,
        2.4,
        1.2,
        0.24,
        0.12,
    ),
    90: (48.0, 45.0, 42.0, 40.0, 30.0, 24.0, 22.0, 20.0, 17.5, 15.0, 12.0, 6.0, 3.0, 2.4, 1.2, 0.24, 0.12),
}
"""The rates NCCL's search tries for a channel between servers: a 100 Gb/s NIC carries 12 GB/s, not 12.5."""
NVLS_HEAD_STEPS_GB_PER_S: dict[int, tuple[float, ...]] = {90: (60.0, 50.0, 40.0, 30.0, 24.0, 20.0, 15.0, 12.0)}
RING_CHANNELS_IN_SERVER = 12
RING_IN_SERVER_GB_PER_S: dict[int, float] = {80: 235.0, 90: 360.0}
"""A ring inside a server. Hopper: 6 channels of 60 within 18 links of 20.6, doubled to 12 of 30. Ampere: 12
of 20, of which older versions of tuning.cc count at most 235 ("compCap80"), and so does the hardware: from 2
to 4 GiB two runs of all_reduce_perf on eight A100 gain bytes at 235 GB/s (tables T12 and T13)."""

# Added to NCCL's model, calibrated on published all_reduce_perf tables read up to 2026-11-29.
LAUNCH_US = 4.0
"""One kernel launch; NCCL's model starts after it. Runs below 1 MiB lie 2 to 6 us above it."""
FILL_IN_SERVER_US = 75.0
FILL_ACROSS_US = 150.0
FILL_HALF_BYTES = 24 * MIB
"""Until a message is some tens of MiB its chunks are smaller than NCCL's buffers and the pipeline never runs
full: a cost that grows to a limit, half of it at FILL_HALF_BYTES. LL, made of 8-byte words, has none; a chain
across servers is longer than one inside. Without it the model is 20 to 45 % fast from 4 to 64 MiB.
Three rounded numbers for all tables and algorithms; tests/collective/test_measurements.py has the errors."""

# Faults.
WITHOUT_GPU_DIRECT = 33.3 / 93
"""Rate left to a NIC whose bytes are staged in host memory: 33.3 GB/s before, 93 after GPUDirect RDMA was
enabled on 2 x 8 GPUs (nccl issue 1412, read 2026-11-29; an average over sizes, so a low bound)."""
SOCKET_GB_PER_S = 6.2
SOCKET_HOP_US = 100.0
"""TCP over one 100 Gb/s port a server, and what each network hop takes longer than by RDMA: the straight line
through the 8 and 16 MiB rows of nccl issue 450 (3597.6 and 6236.9 us; 32 ranks by its busbw; read 2026-11-29)
gains bytes at 6.2 GB/s of busbw and starts at 958 us, about 100 us for each of the six network hops of a ring
through four servers. From 32 MiB that run collapsed to 1.4 GB/s; the model prices the better state."""

# What the tables cover (tests/collective/test_measurements.py), by compute capability.
VALIDATED_BYTES = 16 * GIB
VALIDATED_GPUS_PER_SERVER = 8
VALIDATED_SERVERS: dict[int, int] = {80: 2, 90: 128}
VALIDATED_NETWORK_GB_PER_S: dict[int, float] = {80: 192.0, 90: 384.0}
"""All NICs of a server together: 16 x 100 Gb/s on A100, 8 x 400 Gb/s on H100 and H200."""


def hop_latency_s() -> float:
    """What a hop over NVLink costs before its first byte, in the protocol of large buffers."""
    return NVLINK_HOP_US["ring", "Simple"] * MICROSECOND_S
