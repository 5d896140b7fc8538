"""NCCL's tuning constants for all-reduce, as its cost model reads them.

Source of every table unless said otherwise: NVIDIA/nccl v2.30.7, src/graph/tuning.cc, topo.h and search.cc,
read 2026-11-29. Latencies in microseconds, bandwidths in GB/s, as there.
"""

PROTOCOLS = ("LL", "LL128", "Simple")

# tuning.cc: base latency by algorithm and protocol.
BASE_LATENCY_US = {"ring": (6.6, 14.0, 8.4), "tree": (6.8, 14.0, 8.4)}

# tuning.cc: latency of one hop over NVLink and over the network.
NVLINK_HOP_US = {"ring": (0.6, 1.9, 3.4), "tree": (0.6, 1.25, 4.0)}
NETWORK_HOP_US = {"ring": (2.7, 4.0, 14.0), "tree": (5.0, 8.5, 14.0)}
NVLS_US = 25.0
NVLS_TREE_HOP_US = 20.9

# tuning.cc: CPU overhead of a network operation; three times that for Simple.
NETWORK_OVERHEAD_US = {"intel": 1.0, "amd": 2.0}

# tuning.cc 647-649: ring Simple across servers on compute capability 8.0 and later.
RING_SIMPLE_ACROSS_FACTOR = 1.4

# tuning.cc, Hopper caps by one, two, more servers; LL's by the CPU of the server.
LL_CAP = {"intel": (141.0, 39.0, 20.4), "amd": (141.0, 22.5, 19.0)}
LL_CAP_AMPERE = (87.7, 22.5, 19.0)
RING_LL128_PER_CHANNEL = 36.7
RING_LL128_PER_CHANNEL_AMPERE = 20.0
TREE_LL128_PER_CHANNEL = (36.7, 36.7, 29.0)
TREE_PER_CHANNEL = (38.7, 41.4, 36.0)
TREE_PER_CHANNEL_AMPERE = (24.0, 23.6, 17.8)
NVLS_TREE_PER_CHANNEL = (57.7, 57.7, 45.5)
NVLS_EFFICIENCY = 0.85

# topo.h: GB/s of one NVLink by generation; the ring of one server reaches the speed step below the sum
# (search.cc): 12 x 30 of an H100's 370.8.
NVLINK_PER_LINK = {80: 20.0, 90: 20.6}
RING_SHARE_OF_NVLINK = {80: 1.0, 90: 360 / 370.8}
# search.cc: eight NVLS heads of 40 GB/s.
NVLS_PER_HEAD = 40.0
CHANNELS_IN_SERVER = 24

# tuning.cc 623-642: a tree's share of its bandwidth at 64 B x 2^i.
TREE_CORRECTION = {
    "LL": (1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1),
    "LL128": (1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1),
    "Simple": (.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9),
}  # fmt: skip

# What NCCL's model leaves out, from published all_reduce_perf tables of H100 (nccl-tests issue 309 and a DGX H100
# sample log): one kernel launch, and the filling of the NVLS pipeline, which grows over the first tens of MiB.
LAUNCH_US = 4.0
NVLS_FILL_US = 60.0
NVLS_TREE_FILL_US = 150.0
FILL_HALF_BYTES = 8 * 2**20

# Bytes staged in host memory for want of GPUDirect RDMA: 33 instead of 93 GB/s busbw on one cluster
# (a published NCCL log with and without nvidia-peermem).
WITHOUT_GPU_DIRECT = 33 / 93

# TCP sockets over a server's 100 Gb/s Ethernet: 9.63 GB/s busbw, two servers of two L40S with NCCL_IB_DISABLE=1
# (published all_reduce_perf run, NCCL 2.27.3). The hop latency is calibrated to its smallest sizes' order.
SOCKET_BYTES_PER_S = 9.63e9
SOCKET_HOP_US = 20.0
