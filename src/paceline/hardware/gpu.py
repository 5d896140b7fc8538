"""A GPU: how fast it computes, how much it holds, how fast bytes reach its neighbours."""

from dataclasses import dataclass

from paceline.errors import BadValue


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU by its datasheet.

    `peak_flop_per_s` is dense bf16; `nvlink_unidirectional_bytes_per_s` is one way, half of the
    advertised total; `compute_capability` is NCCL's and CUDA's, times ten (H100: 90).
    """

    name: str
    title: str
    peak_flop_per_s: float
    memory_bytes: int
    hbm_bytes_per_s: float
    nvlink_unidirectional_bytes_per_s: float
    nvlink_links: int
    compute_capability: int

    def __post_init__(self) -> None:
        for field in ("peak_flop_per_s", "memory_bytes", "hbm_bytes_per_s", "compute_capability"):
            if not getattr(self, field) > 0:
                raise BadValue(f"GPU {self.name!r}", f"{field} must be above zero, not {getattr(self, field)}")
        if self.nvlink_links < 0 or self.nvlink_unidirectional_bytes_per_s < 0:
            raise BadValue(f"GPU {self.name!r}", "NVLink figures cannot be negative")
