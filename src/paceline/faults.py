"""A fault is a function from one cluster to another; its repair gives back the very same value.

Each kind names a part and, where it degrades rather than removes, the share of rated speed left.
"""

from dataclasses import dataclass

from paceline.errors import BadValue, UnknownName
from paceline.hardware import Cluster, Condition, Part


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fault: the part it strikes, the share of its speed left by default, and what it is in words."""

    part: Part
    default_share: float
    meaning: str


KINDS: dict[str, Kind] = {
    "slow-gpu": Kind("gpu", 0.7, "a GPU that lowered its clock, hot or short of power"),
    "bad-cable": Kind("nic", 0.25, "a network cable with symbol errors, or a NIC that trained at a lower speed"),
    "lost-nic": Kind("nic", 0.0, "a NIC or cable that is gone; its GPU leaves by a neighbour's"),
    "nvlink-lane-down": Kind("nvlink", 17 / 18, "one of a GPU's NVLink links is down"),
    "no-gpu-direct": Kind("gpu_direct", 0.0, "GPUDirect RDMA is off, so the NIC's bytes are staged in host memory"),
    "socket-fallback": Kind("ib", 0.0, "NCCL found no InfiniBand or RoCE device and fell back to TCP sockets"),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a known kind at a place: a server and the index of its GPU or NIC, both from 0."""

    kind: str
    server: int = 0
    index: int = 0
    share: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownName.among("fault", self.kind, KINDS)

    @classmethod
    def parse(cls, text: str) -> "Fault":
        """The fault written as KIND, KIND@SERVER:INDEX or KIND@SERVER:INDEX=SHARE, servers as dgx-N or N from 1."""
        kind, _, rest = text.partition("@")
        place, _, share = rest.partition("=")
        server, _, index = place.partition(":")
        try:
            return cls(
                kind.strip(),
                int(server.strip().removeprefix("dgx-")) - 1 if server.strip() else 0,
                int(index) if index.strip() else 0,
                float(share) if share.strip() else None,
            )
        except ValueError:
            raise BadValue(
                f"fault {text!r}", "its place or share is not a number", "Write it as in slow-gpu@dgx-2:5=0.7."
            ) from None

    @property
    def condition(self) -> Condition:
        """What this fault does to the cluster."""
        kind = KINDS[self.kind]
        return Condition(kind.part, self.server, self.index, kind.default_share if self.share is None else self.share)

    def inject(self, cluster: Cluster) -> Cluster:
        """The cluster with this fault."""
        return cluster.with_condition(self.condition)

    def repair(self, cluster: Cluster) -> Cluster:
        """The cluster without this fault, equal to the one before it was injected."""
        return cluster.without_condition(self.condition)
