"""A cluster: equal servers on a rail-optimised fabric, and what is wrong with any part of it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from paceline.errors import BadValue, DoesNotDivide
from paceline.hardware.server import Server

Part = Literal["gpu", "nvlink", "nic", "gpu_direct", "ib"]
"""What a condition is about: a GPU's clock, a GPU's NVLinks, a NIC with its cable, or, cluster-wide,
GPUDirect RDMA and the InfiniBand/RoCE transport (without which NCCL falls back to sockets)."""

CLUSTER_WIDE: tuple[Part, ...] = ("gpu_direct", "ib")
LARGEST_SERVERS = 2**20


@dataclass(frozen=True, slots=True, order=True)
class Condition:
    """One part running at `share` of its rated speed (0 is gone); cluster-wide parts are at server 0, index 0."""

    part: Part
    server: int
    index: int
    share: float

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise BadValue(f"a {self.part} at {self.share} of its speed", "a share lies between 0 and 1")
        if self.part == "gpu" and self.share == 0:
            raise BadValue("a GPU at 0 of its speed", "a synchronous job would never end", "Use a share above 0.")


@dataclass(frozen=True, slots=True)
class Cluster:
    """`servers` equal servers of which the job uses `gpus_per_server` GPUs each, with their conditions.

    Ranks go server by server: rank = server x gpus_per_server + local rank. A healthy cluster has no
    conditions; two clusters are equal when everything about them is, so a repair restores the same value.
    """

    server: Server
    servers: int
    gpus_per_server: int
    conditions: tuple[Condition, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.servers <= LARGEST_SERVERS:
            raise BadValue(f"{self.servers} servers", f"a cluster has 1 to {LARGEST_SERVERS:,}")
        if not 1 <= self.gpus_per_server <= self.server.gpus:
            raise BadValue(
                f"{self.gpus_per_server} GPUs of each server",
                f"{self.server.title} has {self.server.gpus}",
                f"Use 1 to {self.server.gpus}.",
            )
        for condition in self.conditions:
            self._check_place(condition)

    @classmethod
    def of(cls, server: Server, world_size: int, servers: int | None = None) -> "Cluster":
        """The cluster of `world_size` GPUs: as few servers as hold them, or `servers` of them.

        Every server gives the same number of GPUs, so the size must divide.
        """
        if world_size < 1:
            raise BadValue(f"{world_size} GPUs", "a job needs at least one GPU")
        count = servers if servers is not None else -(-world_size // server.gpus)
        if count < 1:
            raise BadValue(f"{count} servers", "a job needs at least one server")
        each, left = divmod(world_size, count)
        if left or each > server.gpus:
            fitting = [world_size // share for share in range(server.gpus, 0, -1) if world_size % share == 0][:3]
            below = max(server.gpus, world_size // server.gpus * server.gpus)
            even = f"{world_size} = {count} x {each} + {left}"
            raise DoesNotDivide(
                f"{world_size} GPUs on {count} servers of {server.gpus}",
                "servers give equal shares, and "
                + (even if left else f"{world_size} / {count} = {each} > {server.gpus}"),
                f"Try {', '.join(str(n) for n in fitting)} servers, or {below} or {below + server.gpus} GPUs.",
            )
        return cls(server, count, each)

    @property
    def world_size(self) -> int:
        """The number of ranks, one per GPU."""
        return self.servers * self.gpus_per_server

    @property
    def nics_in_use(self) -> int:
        """NICs of each server that the job's GPUs use: GPUs come with their NIC, as rails do."""
        return max(1, self.server.nics * self.gpus_per_server // self.server.gpus)

    def host(self, server: int) -> str:
        """The host name of a server, from dgx-1."""
        return f"dgx-{server + 1}"

    def rank_of(self, server: int, local_rank: int) -> int:
        """The rank of a server's GPU."""
        return server * self.gpus_per_server + local_rank

    def with_condition(self, condition: Condition) -> "Cluster":
        """This cluster with one more thing wrong."""
        return replace(self, conditions=tuple(sorted((*self.conditions, condition))))

    def without_condition(self, condition: Condition) -> "Cluster":
        """This cluster with one thing put right; other conditions of the same part stay."""
        if condition not in self.conditions:
            raise BadValue(f"repairing {condition.part} {condition.index}", "nothing of that kind is wrong there")
        left = list(self.conditions)
        left.remove(condition)
        return replace(self, conditions=tuple(left))

    def share(self, part: Part, server: int = 0, index: int = 0) -> float:
        """The speed of one part as a share of its rated one: the product over its conditions."""
        share = 1.0
        for condition in self.conditions:
            if (condition.part, condition.server, condition.index) == (part, server, index):
                share *= condition.share
        return share

    def places(self, part: Part) -> Iterator[tuple[int, int]]:
        """The (server, index) of every part that has a condition, each once, in order."""
        seen: tuple[int, int] | None = None
        for condition in self.conditions:
            place = (condition.server, condition.index)
            if condition.part == part and place != seen:
                seen = place
                yield place

    def has_place(self, condition: Condition) -> bool:
        """Whether the part that a condition is about is one this job uses."""
        servers, each = self._limits(condition.part)
        return 0 <= condition.server < servers and 0 <= condition.index < each

    def _limits(self, part: Part) -> tuple[int, int]:
        if part in CLUSTER_WIDE:
            return 1, 1
        return self.servers, self.nics_in_use if part == "nic" else self.gpus_per_server

    def _check_place(self, condition: Condition) -> None:
        if not self.has_place(condition):
            servers, each = self._limits(condition.part)
            raise BadValue(
                f"{condition.part} {condition.index} of server {condition.server}",
                f"this job uses {servers} servers with {each} each, counted from 0",
            )
