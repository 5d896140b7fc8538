"""A server: GPUs on one NVSwitch, and the network cards that leave it."""

from dataclasses import dataclass, replace

from paceline.errors import BadValue
from paceline.hardware.gpu import Gpu
from paceline.hardware.nic import Nic

CPUS = ("intel", "amd")


@dataclass(frozen=True, slots=True)
class Server:
    """One server of `gpus` equal GPUs and `nics` equal network cards, rail i leaving by NIC i.

    `pcie_bytes_per_s` caps one NIC (its slot, one way); `cpu` is the vendor, which NCCL's tuning asks.
    """

    name: str
    title: str
    gpu: Gpu
    gpus: int
    nic: Nic
    nics: int
    cpu: str
    pcie_bytes_per_s: float

    def __post_init__(self) -> None:
        if self.gpus < 1 or self.nics < 1:
            raise BadValue(f"server {self.name!r}", f"it needs a GPU and a NIC, not {self.gpus} and {self.nics}")
        if self.cpu not in CPUS:
            raise BadValue(f"server {self.name!r}", f"cpu must be one of {', '.join(CPUS)}, not {self.cpu!r}")
        if not self.pcie_bytes_per_s > 0:
            raise BadValue(f"server {self.name!r}", "pcie_bytes_per_s must be above zero")

    def with_nics(self, nics: int, nic: Nic | None = None) -> "Server":
        """The same server with `nics` network cards (of kind `nic`, if given); GPUs share them evenly.

        The number must divide the GPUs or be a multiple of them, as rails do.
        """
        if nics < 1 or (self.gpus % nics and nics % self.gpus):
            raise BadValue(
                f"{nics} NICs for {self.gpus} GPUs",
                "each NIC serves the same number of GPUs, or each GPU the same number of NICs",
                f"Try {', '.join(str(n) for n in range(1, self.gpus + 1) if self.gpus % n == 0)}.",
            )
        return replace(self, nics=nics, nic=nic or self.nic)

    @property
    def nic_effective_bytes_per_s(self) -> float:
        """What one NIC moves one way: its label's rate, or its PCIe slot's where that is less."""
        return min(self.nic.unidirectional_bytes_per_s, self.pcie_bytes_per_s)
