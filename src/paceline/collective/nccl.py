"""NCCL's cost model of an all-reduce: time = latency + size / bandwidth, the fastest allowed pair wins.

The structure and constants are NCCL 2.30.7's (`tuning`), with the corrections its tables ask for: a kernel
launch, the filling of the NVLS pipelines, and a tree correction interpolated so that more bytes never take less.
"""

from bisect import bisect_left
from dataclasses import dataclass

from paceline.collective import tuning
from paceline.collective.law import bus_factor
from paceline.errors import BadValue, UnknownName
from paceline.hardware import Cluster
from paceline.units import GB, GIB, MICROSECOND_S

ALGORITHMS = ("ring", "tree", "nvls", "nvlstree")
VALIDATED_BYTES = (8, 16 * GIB)
VALIDATED_RANKS = 1024
"""Sizes and world sizes that the published tables cover (tests/collective/test_measurements.py)."""


@dataclass(frozen=True, slots=True)
class Price:
    """One all-reduce: its time, the algorithm and protocol chosen, and the link that limits it.

    `place` is the (server, index) of a degraded part when that is what limits; `validated` says whether
    published measurements cover this size and cluster.
    """

    time_s: float
    algorithm: str
    protocol: str
    algbw_bytes_per_s: float
    busbw_bytes_per_s: float
    limited_by: str
    place: tuple[int, int] | None
    validated: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One algorithm with one protocol: `knots` are (bytes, seconds) ascending in both, then a straight line."""

    algorithm: str
    protocol: str
    knots: tuple[tuple[int, float], ...]
    bytes_per_s: float

    def time_s(self, size_bytes: int) -> float:
        """Seconds for a size, linear between knots."""
        last, last_s = self.knots[-1]
        if size_bytes >= last:
            return last_s + (size_bytes - last) / self.bytes_per_s
        index = bisect_left(self.knots, (size_bytes, 0.0)) or 1
        (low, low_s), (high, high_s) = self.knots[index - 1], self.knots[index]
        return low_s + (high_s - low_s) * (size_bytes - low) / (high - low)


@dataclass(frozen=True, slots=True)
class Fabric:
    """What the price of a collective depends on, drawn once from a cluster."""

    world_size: int
    lines: tuple[Line, ...]
    limited_by: str
    place: tuple[int, int] | None
    is_covered: bool

    @classmethod
    def of(cls, cluster: Cluster) -> "Fabric":
        """The fabric of a cluster as it is now, faults included; the work does not grow with its servers.

        Channels carry equal shares, so the slowest rail paces them all. A GPU whose NIC is gone goes out by its
        neighbour's, which then carries two channels; the only NIC gone leaves TCP sockets.
        """
        gpu = cluster.server.gpu
        family = 90 if gpu.compute_capability >= 90 else 80
        nvlink_share, nvlink_place = _least(cluster, "nvlink")
        nvlink = gpu.nvlink_links * tuning.NVLINK_PER_LINK[family] * nvlink_share
        ring = nvlink * tuning.RING_SHARE_OF_NVLINK[family]
        network, network_place, sockets = _network(cluster)
        alone = cluster.servers == 1
        gpus = cluster.gpus_per_server
        # Across servers each channel leaves one GPU by its NIC, so NVLink carries g - 1 of g channels.
        inside = ring if alone else (ring * gpus / (gpus - 1) if gpus > 1 else network)
        by_network = not alone and network <= inside
        place = network_place if by_network else nvlink_place
        limited_by = ("sockets" if sockets else "nic") if by_network else "nvlink"
        ring_bw = inside if alone else min(inside, network)
        lines = _lines(cluster, family, ring_bw, network, nvlink_share, sockets)
        covered = cluster.world_size <= VALIDATED_RANKS and gpu.nvlink_links > 0 and not sockets
        return cls(cluster.world_size, lines, limited_by, place, covered)


def price_all_reduce(fabric: Fabric, size_bytes: int, algorithm: str | None = None) -> Price:
    """The price of an all-reduce of `size_bytes`, NCCL_ALGO being a name, a list, or ^ and what to leave out."""
    if size_bytes < 0:
        raise BadValue(f"an all-reduce of {size_bytes} bytes", "a size is not negative")
    if fabric.world_size == 1 or size_bytes == 0:
        return Price(0.0, "none", "", 0.0, 0.0, "nothing", None, True)
    allowed = _allowed(algorithm)
    candidates = [line for line in fabric.lines if line.algorithm in allowed]
    if not candidates:
        raise BadValue(
            f"NCCL_ALGO={algorithm}", "no such algorithm runs on this cluster",
            f"Available here: {', '.join(dict.fromkeys(line.algorithm for line in fabric.lines))}.",
        )  # fmt: skip
    line = min(candidates, key=lambda each: each.time_s(size_bytes))
    time_s = line.time_s(size_bytes)
    algbw = size_bytes / time_s
    covered = fabric.is_covered and VALIDATED_BYTES[0] <= size_bytes <= VALIDATED_BYTES[1]
    busbw = algbw * bus_factor(fabric.world_size)
    return Price(time_s, line.algorithm, line.protocol, algbw, busbw, fabric.limited_by, fabric.place, covered)


def _allowed(algorithm: str | None) -> tuple[str, ...]:
    if not algorithm:
        return ALGORITHMS
    excluding = algorithm.startswith("^")
    named = [name.strip().lower() for name in algorithm.removeprefix("^").split(",")]
    for name in named:
        if name not in ALGORITHMS:
            raise UnknownName.among("NCCL_ALGO", name, ALGORITHMS)
    return tuple(name for name in ALGORITHMS if (name in named) != excluding)


def _least(cluster: Cluster, part: str) -> tuple[float, tuple[int, int] | None]:
    least, where = 1.0, None
    for condition in cluster.conditions:
        if condition.part == part:
            share = cluster.share(condition.part, condition.server, condition.index)
            if share < least:
                least, where = share, (condition.server, condition.index)
    return least, where


def _network(cluster: Cluster) -> tuple[float, tuple[int, int] | None, bool]:
    """What all of a server's NICs move together in GB/s, the place that limits it, and whether by sockets."""
    rate = cluster.server.nic_effective_bytes_per_s / GB
    total = cluster.nics_in_use * rate
    share, place = 1.0, None
    gone: tuple[int, int] | None = None
    for condition in cluster.conditions:
        if condition.part == "nic":
            left = cluster.share("nic", condition.server, condition.index)
            if left == 0:
                gone = (condition.server, condition.index)
                left = 0.5
            if left < share:
                share, place = left, (condition.server, condition.index)
    total *= share
    socket = tuning.SOCKET_BYTES_PER_S / GB
    if any(condition.part == "ib" for condition in cluster.conditions) or (gone and cluster.nics_in_use == 1):
        return min(total, socket), gone, True
    if any(condition.part == "gpu_direct" for condition in cluster.conditions):
        total *= tuning.WITHOUT_GPU_DIRECT
    return total, place, False


def _lines(
    cluster: Cluster, family: int, ring_bw: float, network: float, nvlink_share: float, sockets: bool
) -> tuple[Line, ...]:
    n, g, world_size = cluster.servers, cluster.gpus_per_server, cluster.world_size
    if world_size == 1:
        return ()
    tier = min(n, 3) - 1
    hopper = family == 90
    channels = tuning.CHANNELS_IN_SERVER if n == 1 else max(cluster.nics_in_use, 1)
    ll_cap = tuning.LL_CAP[cluster.server.cpu][tier] if hopper else tuning.LL_CAP_AMPERE[tier]
    ll128_cap = channels * (tuning.RING_LL128_PER_CHANNEL if hopper else tuning.RING_LL128_PER_CHANNEL_AMPERE)
    ring_algbw = 1 / bus_factor(world_size)
    overhead = 0.0 if n == 1 else tuning.NETWORK_OVERHEAD_US[cluster.server.cpu]
    tree = min(0.92 * ring_bw, channels * (tuning.TREE_PER_CHANNEL if hopper else tuning.TREE_PER_CHANNEL_AMPERE)[tier])
    tree_bw = (
        min(tree / 3.8, ll_cap),
        min(tree * (7 / 9 if n == 1 else 120 / 128), channels * tuning.TREE_LL128_PER_CHANNEL[tier]),
        tree,
    )
    ring_bws = (min(ll_cap, ring_bw / 2), min(0.92 * ring_bw, ll128_cap), ring_bw)
    lines: list[Line] = []
    for index, protocol in enumerate(tuning.PROTOCOLS):
        net_hop = {name: max(hops[index], tuning.SOCKET_HOP_US if sockets else 0.0)
                   for name, hops in tuning.NETWORK_HOP_US.items()}  # fmt: skip
        cost = overhead * (3 if protocol == "Simple" else 1)
        hops = (2 * (world_size - 1) - 2 * (n - 1)) * max(tuning.NVLINK_HOP_US["ring"][index], cost)
        latency = tuning.BASE_LATENCY_US["ring"][index] + hops + 2 * (n - 1) * net_hop["ring"]
        if protocol == "Simple" and n > 1:
            latency *= tuning.RING_SIMPLE_ACROSS_FACTOR
        lines.append(_line("ring", protocol, latency, ring_bws[index] * ring_algbw))
        depth = 2 * ((g - 1) * tuning.NVLINK_HOP_US["tree"][index] + (n.bit_length() - 1) * net_hop["tree"])
        tree_latency = tuning.BASE_LATENCY_US["tree"][index] + depth
        lines.append(_line("tree", protocol, tree_latency, tree_bw[index] / 2))
    if hopper and g > 1 and not sockets:
        heads = g
        intra = heads * tuning.NVLS_PER_HEAD * tuning.NVLS_EFFICIENCY * (heads - 1) / heads * 2 * nvlink_share
        if n == 1:
            lines.append(_line("nvls", "Simple", tuning.NVLS_US, intra * ring_algbw, tuning.NVLS_FILL_US))
        else:
            busbw = min(intra, network * (2 if n == 2 else 1), heads * tuning.NVLS_TREE_PER_CHANNEL[tier])
            latency = tuning.NVLS_US + 2 * (n.bit_length() - 1) * tuning.NVLS_TREE_HOP_US
            lines.append(_line("nvlstree", "Simple", latency, busbw * ring_algbw, tuning.NVLS_TREE_FILL_US))
    return tuple(lines)


def _line(algorithm: str, protocol: str, latency_us: float, algbw: float, fill_us: float = 0.0) -> Line:
    """A line through knots at 64 B x 2^i up to 2 GiB; `algbw` in GB/s."""
    base_s = (latency_us + tuning.LAUNCH_US) * MICROSECOND_S
    bytes_per_s = algbw * GB
    correction = tuning.TREE_CORRECTION[protocol] if algorithm == "tree" else ()
    knots = [(0, base_s)]
    for index in range(26):
        size = 64 << index
        share = correction[index] if index < len(correction) else 1.0
        fill_s = fill_us * MICROSECOND_S * size / (size + tuning.FILL_HALF_BYTES)
        knots.append((size, max(knots[-1][1], base_s + fill_s + size / (bytes_per_s * share))))
    return Line(algorithm, protocol, tuple(knots), bytes_per_s)
