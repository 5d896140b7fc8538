"""Efficiency: how much of a GPU's rated arithmetic one micro-step reaches.

A rate here is work done over peak, where work counts what a GPU really does: 2 FLOP for each matrix
element, token and pass; three passes, or four where layers are recomputed (the output layer never is); and
score matrices at 4 x layers x width x sequence length a pass, causal or not, which is how sequence length
costs in the published tables: with it llm-foundry's rates stay within 10 % from 512 to 8,192 tokens,
without it they halve.

With recomputation the rate is higher, on A100 (0.74 against 0.60) as on H100: the additional pass is
forward products alone, the fastest part of a step, checkpointing leaves room for larger micro-batches, and
what does not grow with it (optimizer, communication, embedding, loss) weighs less. The lesson's given
figure, 0.604 at width 1600, lies above the 0.57 to 0.59 that llm-foundry reached with FSDP at widths 4096
and more; no published run of its shape recomputes on H100, so it is taken as given.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from paceline.errors import UnknownName
from paceline.workload.job import Job
from paceline.workload.model import FLOP_PER_PARAMETER_FORWARD, Model

TOKENS_AT_HALF = 100
"""Tokens in a micro-step at which its kernels run at half their rate. Published pairs that differ only in
micro-batch: nanotron 3B on 32 H100, 4,096 against 8,192 tokens, 2.3 % slower (R240, R241: at most 190, as
it adds its gradients up in fp32 once a micro-step); BigScience 1.3B on V100, 2,048 against 8,192, 29 s
against 28 s (about 100)."""

TOKENS_AT_FULL = 8192
"""The running example's micro-step, 8 sequences of 1,024: the rates hold from here up."""

WIDTH_AT_HALF = 700
WIDTH_AT_FULL = 1600
"""Narrow models run slower: llm-foundry on A100 80 GB reaches 0.45, 0.51, 0.55 and 0.60 at widths 768,
1024, 1536 and 2048, and 0.63 at 2560 (R104 to R134, without recomputation, sequences of 1,024 to 4,096)."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Work over peak on one GPU, without and with recomputation; `fp32_share` is fp32's peak over bf16's."""

    plain: float
    recomputing: float
    fp32_share: float
    source: str


_LLM_FOUNDRY = "llm-foundry scripts/train/benchmarking/README.md, widths from 2048, 8 to 32 GPUs, read 2026-11-29"
_H100_SOURCE = (
    "without recomputation the middle of published runs: nanotron 0.39 to 0.42, llm-foundry 0.40 to 0.46, "
    "llm.c GPT-2 XL 0.49 (Megatron-class stacks reach 0.59); with it calibrated to the given 44,048 tokens/s"
)

RATES: Mapping[str, Rate] = {
    "h100-sxm": Rate(0.43, 0.604145, 66.9 / 989.4, _H100_SOURCE),
    "h200-sxm": Rate(0.43, 0.604145, 66.9 / 989.4, "as H100, the same chip; no published run of this kind"),
    "a100-sxm-80gb": Rate(0.60, 0.74, 19.5 / 312, _LLM_FOUNDRY),
    "a100-sxm-40gb": Rate(0.57, 0.68, 19.5 / 312, _LLM_FOUNDRY),
}
"""Rates by the catalog's GPU names."""


def compute_efficiency(job: Job, gpu_name: str) -> float:
    """The share of peak that counts as 6 FLOP for each parameter and token, or 8 with recomputation.

    So a micro-step takes 6 (or 8) x parameters x tokens / (peak x this). The share is relative to the plain
    count: where attention weighs much it falls, and where untied embeddings, which are only looked up, weigh
    much it rises.
    """
    rate = RATES.get(gpu_name)
    if rate is None:
        raise UnknownName.among("GPU with a measured rate", gpu_name, RATES)
    reached = rate.recomputing if job.checkpointing else rate.plain
    reached *= _saturation(job.tokens_per_micro_step, TOKENS_AT_HALF, TOKENS_AT_FULL)
    reached *= _saturation(job.model.width, WIDTH_AT_HALF, WIDTH_AT_FULL)
    if job.precision == "fp32":
        reached *= rate.fp32_share
    counted = job.model.flop_per_token(recomputation=job.checkpointing)
    return reached * counted / work_per_token(job.model, job.seq_len, job.checkpointing)


@lru_cache(maxsize=256)
def work_per_token(model: Model, seq_len: int, checkpointing: bool) -> int:
    """FLOP a GPU does for one token, forward and backward, recomputation and score matrices included."""
    matrices = sum(p.elements for p in model.named_parameters if p.is_matrix and p.layer is not None)
    scores = 2 * model.layers * model.attention_width * seq_len
    passes = 4 if checkpointing else 3
    head = model.vocabulary * model.width
    return FLOP_PER_PARAMETER_FORWARD * (passes * (matrices + scores) + 3 * head)


def _saturation(amount: int, at_half: int, at_full: int) -> float:
    if amount >= at_full:
        return 1.0
    return amount / (amount + at_half) * ((at_full + at_half) / at_full)
