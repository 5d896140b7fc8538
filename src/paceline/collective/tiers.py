"""What NCCL's search finds in a cluster: the rates inside a server and between servers.

Each is as the worst part leaves it. Conditions are few and places many, so only parts that have one are
looked at.
"""

from dataclasses import dataclass

from paceline.collective import tuning
from paceline.errors import BadValue
from paceline.hardware import Cluster
from paceline.units import GB

Place = tuple[str, int, int]
"""Part, server and index of what limits, where a condition makes it the slowest."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What holds an algorithm's bytes back, and its place where one part is slower than its peers."""

    name: str
    place: Place | None
    busbw_bytes_per_s: float


@dataclass(frozen=True, slots=True)
class Tiers:
    """The two tiers of a cluster, in GB/s as NCCL counts them."""

    generation: int
    cpu: str
    servers: int
    gpus: int
    channels: int
    nvlink_share: float
    nvlink_place: Place | None
    nvlink_gb_per_s: float
    network_gb_per_s: float
    network_name: str
    network_place: Place | None
    network_hop_us: float

    @classmethod
    def of(cls, cluster: Cluster) -> "Tiers":
        """The tiers of a cluster; `Fabric.of` says what each condition does to them."""
        gpu = cluster.server.gpu
        generation = 90 if gpu.compute_capability >= 90 else 80
        rated = tuning.NVLINK_GB_PER_S[generation] * gpu.nvlink_links
        pcie = cluster.server.pcie_bytes_per_s / GB
        if not rated and cluster.gpus_per_server > 1:
            raise BadValue(
                f"an all-reduce between {cluster.gpus_per_server} GPUs {gpu.name!r} of one server",
                "the model covers GPUs joined by NVLink and NVSwitch, and this one has none",
                "Give your own all_reduce_perf table.",
            )
        share, place = _worst_nvlink(cluster)
        floor = min(1.0, pcie / rated) if rated else 1.0
        network = _network(cluster, generation)
        return cls(
            generation=generation,
            cpu=cluster.server.cpu,
            servers=cluster.servers,
            gpus=cluster.gpus_per_server,
            channels=max(2, cluster.nics_in_use),
            nvlink_share=max(share, floor),
            nvlink_place=place,
            nvlink_gb_per_s=rated * max(share, floor),
            network_gb_per_s=network[0],
            network_name=network[1],
            network_place=network[2],
            network_hop_us=network[3],
        )

    @property
    def row(self) -> int:
        """The index into NCCL's rows for 1, 2, and 3 or more servers."""
        return min(self.servers, 3) - 1

    def across(self, nvlink_gb_per_s: float, network_gb_per_s: float) -> Limit:
        """The slower of the two tiers."""
        if network_gb_per_s <= nvlink_gb_per_s:
            return Limit(self.network_name, self.network_place, network_gb_per_s * GB)
        return Limit("nvlink", self.nvlink_place, nvlink_gb_per_s * GB)

    @property
    def ring(self) -> Limit:
        """The bandwidth of all rings together.

        Between servers each ring leaves a server once, so a GPU's NVLinks carry (g-1)/g of what its NIC does.
        """
        if self.servers == 1:
            return Limit("nvlink", self.nvlink_place, self._ring_in_server_gb_per_s * GB)
        if self.gpus == 1:
            return Limit(self.network_name, self.network_place, self.network_gb_per_s * GB)
        return self.across(self.nvlink_gb_per_s * self.gpus / (self.gpus - 1), self.network_gb_per_s)

    @property
    def _ring_in_server_gb_per_s(self) -> float:
        return tuning.RING_IN_SERVER_GB_PER_S[self.generation] * self.nvlink_share


def _worst_nvlink(cluster: Cluster) -> tuple[float, Place | None]:
    worst, place = 1.0, None
    for server, index in cluster.places("nvlink"):
        share = cluster.share("nvlink", server, index)
        if share < worst:
            worst, place = share, ("nvlink", server, index)
    return worst, place


def _network(cluster: Cluster, generation: int) -> tuple[float, str, Place | None, float]:
    """All NICs of a server together in GB/s, their name, the place that paces them, and us more a hop."""
    if cluster.servers == 1:
        return 0.0, "nic", None, 0.0
    nics = cluster.nics_in_use
    rated = _channel_step(cluster.server.nic_effective_bytes_per_s / GB, generation)
    worst, place, bare = 1.0, None, 1.0
    lost = _lost_nics(cluster)
    for server, index in cluster.places("nic"):
        share = _nic_share(cluster, server, index)
        bare = min(bare, share)
        share *= _crowding(nics, lost.get(server, 0))
        if share < worst:
            worst, place = share, ("nic", server, index)
    name, hop_us, staged = "nic", 0.0, 1.0
    direct = cluster.share("gpu_direct")
    if direct < 1:
        staged = tuning.WITHOUT_GPU_DIRECT + (1 - tuning.WITHOUT_GPU_DIRECT) * direct
        name = "host memory"
    network = nics * rated * worst * staged
    rdma = cluster.share("ib") if worst > 0 else 0.0
    if rdma < 1:
        # Sockets are never quicker than the network they replace, not even one that was nearly gone.
        sockets = min(tuning.SOCKET_GB_PER_S, nics * rated * bare * staged if worst == 0 else network)
        network = network * rdma + sockets * (1 - rdma)
        name, hop_us = "sockets", tuning.SOCKET_HOP_US * (1 - rdma)
        place = place if worst == 0 else None
    return network, name, place, hop_us


def _channel_step(gb_per_s: float, generation: int) -> float:
    for step in tuning.CHANNEL_STEPS_GB_PER_S[generation]:
        if step <= gb_per_s:
            return step
    return gb_per_s


def _lost_nics(cluster: Cluster) -> dict[int, int]:
    lost: dict[int, int] = {}
    for server, index in cluster.places("nic"):
        if cluster.share("nic", server, index) == 0:
            lost[server] = lost.get(server, 0) + 1
    return lost


def _nic_share(cluster: Cluster, server: int, index: int) -> float:
    """The share of one NIC; of a lost one what its other conditions leave, so that losing it never helps."""
    share = 1.0
    for condition in cluster.conditions:
        if (condition.part, condition.server, condition.index) == ("nic", server, index) and condition.share:
            share *= condition.share
    return share


def _crowding(nics: int, lost: int) -> float:
    """The share of a NIC left to each channel when the channels of `lost` NICs move in with the others."""
    return 0.0 if lost >= nics else 1 / -(-nics // (nics - lost))
