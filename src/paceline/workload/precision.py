"""Precision: which copies of the weights a recipe keeps and how wide each number is."""

from collections.abc import Mapping
from dataclasses import dataclass

from paceline.errors import UnknownName


@dataclass(frozen=True, slots=True)
class Precision:
    """Bytes for each number of one training recipe.

    `master_bytes` is a second, wider copy of the weights for the optimizer; `cast_bytes` the narrow copies
    of matrices that autocast keeps from forward to backward; `loss_bytes` the width in which the loss is
    computed.
    """

    name: str
    title: str
    weight_bytes: int
    gradient_bytes: int
    master_bytes: int
    activation_bytes: int
    loss_bytes: int
    cast_bytes: int = 0


PRECISIONS: Mapping[str, Precision] = {
    precision.name: precision
    for precision in (
        Precision("bf16-mixed", "bf16 weights and gradients, fp32 master weights", 2, 2, 4, 2, 2),
        Precision("bf16-fp32-gradients", "bf16 weights, fp32 gradients and master weights", 2, 4, 4, 2, 4),
        Precision("autocast", "fp32 weights and gradients, bf16 products by torch.autocast", 4, 4, 0, 2, 4, 2),
        Precision("fp32", "fp32 throughout", 4, 4, 0, 4, 4),
    )
}
"""The recipes by name. A model cast to bf16 computes its loss in bf16 (torch.nn.functional.cross_entropy
keeps its input's type); autocast lists it among the fp32 operations (pytorch.org/docs/stable/amp.html, read
2026-11-29); Megatron and nanotron, which add gradients up in fp32, also take the loss in fp32."""

OPTIMIZERS: Mapping[str, int] = {"adamw": 8, "sgd-momentum": 4, "sgd": 0}
"""Bytes of state for each parameter, in fp32: two moments, one momentum, none."""


def find_precision(name: str) -> Precision:
    """The recipe of that name."""
    if name not in PRECISIONS:
        raise UnknownName.among("precision", name, PRECISIONS)
    return PRECISIONS[name]


def optimizer_state_bytes(name: str) -> int:
    """Bytes of state that optimizer keeps for each parameter."""
    if name not in OPTIMIZERS:
        raise UnknownName.among("optimizer", name, OPTIMIZERS)
    return OPTIMIZERS[name]
