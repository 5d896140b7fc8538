"""A cluster as NCCL's cost model sees it: one line (latency, bandwidth, fill) per algorithm and protocol.

All that a price needs is worked out here once, from rates and from the few parts that have conditions, so a
fabric of 16,384 GPUs costs the same as one of 32.
"""

from dataclasses import dataclass

from paceline.collective import tuning
from paceline.collective.tiers import Limit, Tiers
from paceline.collective.tuning import Algorithm, Protocol
from paceline.hardware import Cluster
from paceline.units import GB, MICROSECOND_S


@dataclass(frozen=True, slots=True)
class Line:
    """Time by size of one algorithm under one protocol: start, hops, transfer and the pipeline's filling.

    `overlapped`: the hops run beside the transfer, not before it. `correction` is NCCL's table for trees.
    """

    algorithm: Algorithm
    protocol: Protocol
    start_s: float
    hops_s: float
    algbw_bytes_per_s: float
    fill_s: float
    overlapped: bool
    correction: tuple[float, ...]
    limit: Limit


@dataclass(frozen=True, slots=True)
class Fabric:
    """The lines of one cluster, faults included; `validated` where published tables cover such a cluster."""

    world_size: int
    servers: int
    gpus_per_server: int
    lines: tuple[Line, ...]
    validated: bool

    @classmethod
    def of(cls, cluster: Cluster) -> "Fabric":
        """The fabric of a cluster.

        NCCL gives each channel an equal share of the bytes, so the slowest rail paces all of them: one of
        eight cables at half speed halves the network. A lost NIC's channels leave by the neighbours' NICs,
        so with one of eight gone two channels share a NIC and the network runs at half. Where a server has
        lost every NIC, and where InfiniBand/RoCE is gone, the job goes over TCP sockets on the servers'
        management port. GPUs whose NVLinks are all down are reached over PCIe.
        """
        if cluster.world_size == 1:
            return cls(1, 1, 1, (), True)
        tiers = Tiers.of(cluster)
        lines = [*_rings(tiers), *_trees(tiers), *_nvls(tiers)]
        return cls(
            cluster.world_size,
            cluster.servers,
            cluster.gpus_per_server,
            tuple(lines),
            _validated(tiers, cluster),
        )


def _rings(tiers: Tiers) -> list[Line]:
    world_size = tiers.servers * tiers.gpus
    limit = tiers.ring
    busbw = limit.busbw_bytes_per_s / GB
    channels = tuning.RING_CHANNELS_IN_SERVER if tiers.servers == 1 else tiers.channels
    caps: dict[Protocol, float] = {
        "LL": min(_ll_cap(tiers), busbw * tuning.LL_SHARE),
        "LL128": min(
            busbw * (tuning.LL128_SHARE if tiers.gpus > 1 else tuning.LL128_SHARE_ONE_GPU_A_SERVER),
            channels * tuning.RING_LL128_CHANNEL_GB_PER_S[tiers.generation][tiers.row],
        ),
        "Simple": busbw,
    }
    network_hops = 2 * (tiers.servers - 1)
    nvlink_hops = 2 * (world_size - 1) - network_hops
    lines = []
    for protocol in tuning.PROTOCOLS:
        nvlink_us, network_us = _hop_us("ring", protocol, tiers)
        if tiers.servers > 1:
            posts = tuning.SIMPLE_POSTS if protocol == "Simple" else 1
            nvlink_us = max(nvlink_us, tuning.POST_US[tiers.cpu] * posts)
        hops_us = nvlink_hops * nvlink_us + network_hops * network_us
        overlapped = tiers.servers > 1 and protocol != "LL"
        lines.append(
            Line(
                algorithm="ring",
                protocol=protocol,
                start_s=(tuning.LAUNCH_US + tuning.BASE_US["ring", protocol]) * MICROSECOND_S,
                hops_s=hops_us * (tuning.PLATEAU if overlapped else 1) * MICROSECOND_S,
                algbw_bytes_per_s=caps[protocol] * GB * world_size / (2 * (world_size - 1)),
                fill_s=_fill_s(protocol, tiers),
                overlapped=overlapped,
                correction=(),
                limit=limit,
            )
        )
    return lines


def _trees(tiers: Tiers) -> list[Line]:
    limit = tiers.ring
    channels = tuning.RING_CHANNELS_IN_SERVER if tiers.servers == 1 else tiers.channels
    row, generation = tiers.row, tiers.generation
    simple = min(
        limit.busbw_bytes_per_s / GB * tuning.TREE_SHARE,
        channels * tuning.TREE_CHANNEL_GB_PER_S[generation][row],
    )
    ll128_share = tuning.TREE_LL128_SHARE_IN_SERVER if tiers.servers == 1 else tuning.TREE_LL128_SHARE_ACROSS
    caps: dict[Protocol, float] = {
        "LL": min(simple / tuning.TREE_LL_DIVISOR, _ll_cap(tiers)),
        "LL128": min(simple * ll128_share, channels * tuning.TREE_LL128_CHANNEL_GB_PER_S[generation][row]),
        "Simple": simple,
    }
    depth = tiers.servers.bit_length() - 1
    lines = []
    for protocol in tuning.PROTOCOLS:
        nvlink_us, network_us = _hop_us("tree", protocol, tiers)
        lines.append(
            Line(
                algorithm="tree",
                protocol=protocol,
                start_s=(tuning.LAUNCH_US + tuning.BASE_US["tree", protocol]) * MICROSECOND_S,
                hops_s=2 * ((tiers.gpus - 1) * nvlink_us + depth * network_us) * MICROSECOND_S,
                algbw_bytes_per_s=caps[protocol] * GB / 2,
                fill_s=_fill_s(protocol, tiers),
                overlapped=False,
                correction=tuning.TREE_CORRECTION[protocol],
                limit=limit,
            )
        )
    return lines


def _nvls(tiers: Tiers) -> list[Line]:
    """NVLS inside one server, NVLSTree between servers, on Hopper, whose NVSwitches reduce."""
    heads, world_size = tiers.gpus, tiers.servers * tiers.gpus
    if tiers.generation not in tuning.NVLS_SHARE or heads < 2:
        return []
    rated = tiers.nvlink_gb_per_s / tiers.nvlink_share
    head = next(step for step in tuning.NVLS_HEAD_STEPS_GB_PER_S[tiers.generation] if heads * step <= rated)
    in_server = heads * head * tuning.NVLS_SHARE[tiers.generation] * (heads - 1) / heads * 2 * tiers.nvlink_share
    start_us = tuning.LAUNCH_US + tuning.NVLS_US
    if tiers.servers == 1:
        algorithm: Algorithm = "nvls"
        limit = Limit("nvlink", tiers.nvlink_place, in_server * GB)
        hops_us = 0.0
    else:
        algorithm = "nvlstree"
        cap = heads * tuning.NVLSTREE_CHANNEL_GB_PER_S[tiers.generation][tiers.row]
        limit = tiers.across(in_server, tiers.network_gb_per_s * (2 if tiers.servers == 2 else 1))
        if cap * GB < limit.busbw_bytes_per_s:
            limit = Limit("nvlink", None, cap * GB)
        depth = tiers.servers.bit_length() - 1
        hops_us = 2 * depth * (tuning.NVLSTREE_NETWORK_HOP_US + tiers.network_hop_us)
    return [
        Line(
            algorithm=algorithm,
            protocol="Simple",
            start_s=start_us * MICROSECOND_S,
            hops_s=hops_us * MICROSECOND_S,
            algbw_bytes_per_s=limit.busbw_bytes_per_s * world_size / (2 * (world_size - 1)),
            fill_s=_fill_s("Simple", tiers),
            overlapped=False,
            correction=(),
            limit=limit,
        )
    ]


def _ll_cap(tiers: Tiers) -> float:
    if tiers.servers == 1:
        return tuning.LL_CAP_GB_PER_S[tiers.generation]
    return tuning.LL_CAP_ACROSS_GB_PER_S[tiers.cpu][0 if tiers.servers == 2 else 1]


def _hop_us(algorithm: Algorithm, protocol: Protocol, tiers: Tiers) -> tuple[float, float]:
    """One hop over NVLink and one over the network: the tree's for rings too with one GPU a server."""
    network = "tree" if tiers.gpus == 1 else algorithm
    return (
        tuning.NVLINK_HOP_US[algorithm, protocol],
        tuning.NETWORK_HOP_US[network, protocol] + tiers.network_hop_us,
    )


def _fill_s(protocol: Protocol, tiers: Tiers) -> float:
    fill_us = tuning.FILL_IN_SERVER_US if tiers.servers == 1 else tuning.FILL_ACROSS_US
    return 0.0 if protocol == "LL" else fill_us * MICROSECOND_S


def _validated(tiers: Tiers, cluster: Cluster) -> bool:
    covered_network = tuning.VALIDATED_NETWORK_GB_PER_S[tiers.generation]
    return (
        not any(condition.part != "gpu" for condition in cluster.conditions)
        and cluster.server.gpu.compute_capability in tuning.VALIDATED_SERVERS
        and tiers.gpus == tuning.VALIDATED_GPUS_PER_SERVER
        and tiers.servers <= tuning.VALIDATED_SERVERS[tiers.generation]
        and (tiers.servers == 1 or tiers.network_gb_per_s == covered_network)
    )
