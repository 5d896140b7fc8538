"""Parameters: the tensors of a model by name, as registered and as their gradients arrive.

Names and order are those of Hugging Face transformers (modeling_gpt2.py, modeling_llama.py and those
of Qwen 2 and 3, main branch, read 2026-11-29): DDP cuts its first step's buckets from the order of
registration reversed, and every later step's from the order of arrival.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paceline.workload.model import Model


@dataclass(frozen=True, slots=True)
class Parameter:
    """One tensor of weights; `layer` is None outside layers, `is_matrix` says a matrix product uses it."""

    name: str
    elements: int
    layer: int | None
    is_matrix: bool


@lru_cache(maxsize=64)
def list_parameters(model: "Model") -> tuple[Parameter, ...]:
    """Every parameter in the order of registration."""
    outside, layer = (_gpt2_outside, _gpt2_layer) if model.family == "gpt2" else (_llama_outside, _llama_layer)
    first, last = outside(model)
    layers = (parameter for index in range(model.layers) for parameter in layer(model, index))
    return (*first, *layers, *last)


def _gpt2_outside(model: "Model") -> tuple[tuple[Parameter, ...], tuple[Parameter, ...]]:
    width = model.width
    first = (
        Parameter("transformer.wte.weight", model.vocabulary * width, None, model.tied),
        Parameter("transformer.wpe.weight", model.context * width, None, False),
    )
    last = (
        Parameter("transformer.ln_f.weight", width, None, False),
        Parameter("transformer.ln_f.bias", width, None, False),
    )
    head = Parameter("lm_head.weight", model.vocabulary * width, None, True)
    return first, last if model.tied else (*last, head)


def _gpt2_layer(model: "Model", index: int) -> tuple[Parameter, ...]:
    width, ffn_width, prefix = model.width, model.ffn_width, f"transformer.h.{index}."
    shapes = (
        ("ln_1", width, width),
        ("attn.c_attn", 3 * width * width, 3 * width),
        ("attn.c_proj", width * width, width),
        ("ln_2", width, width),
        ("mlp.c_fc", width * ffn_width, ffn_width),
        ("mlp.c_proj", ffn_width * width, width),
    )
    return tuple(
        Parameter(f"{prefix}{name}.{part}", elements, index, part == "weight" and not name.startswith("ln"))
        for name, weight, bias in shapes
        for part, elements in (("weight", weight), ("bias", bias))
    )


def _llama_outside(model: "Model") -> tuple[tuple[Parameter, ...], tuple[Parameter, ...]]:
    embedding = model.vocabulary * model.width
    first = (Parameter("model.embed_tokens.weight", embedding, None, model.tied),)
    last = (Parameter("model.norm.weight", model.width, None, False),)
    return first, last if model.tied else (*last, Parameter("lm_head.weight", embedding, None, True))


def _llama_layer(model: "Model", index: int) -> tuple[Parameter, ...]:
    width, attention, kv, ffn = model.width, model.attention_width, model.kv_width, model.ffn_width
    matrices = (
        ("self_attn.q_proj", width, attention, model.qkv_bias),
        ("self_attn.k_proj", width, kv, model.qkv_bias),
        ("self_attn.v_proj", width, kv, model.qkv_bias),
        ("self_attn.o_proj", attention, width, model.attention_output_bias),
        ("mlp.gate_proj", width, ffn, model.mlp_bias),
        ("mlp.up_proj", width, ffn, model.mlp_bias),
        ("mlp.down_proj", ffn, width, model.mlp_bias),
    )
    found: list[Parameter] = []
    prefix = f"model.layers.{index}."
    for name, rows, columns, has_bias in matrices:
        found.append(Parameter(f"{prefix}{name}.weight", rows * columns, index, True))
        if has_bias:
            found.append(Parameter(f"{prefix}{name}.bias", columns, index, False))
        if model.qk_norm and name == "self_attn.o_proj":
            for norm in ("q_norm", "k_norm"):
                found.append(Parameter(f"{prefix}self_attn.{norm}.weight", model.head_width, index, False))
    for norm in ("input_layernorm", "post_attention_layernorm"):
        found.append(Parameter(f"{prefix}{norm}.weight", width, index, False))
    return tuple(found)


# The order autograd runs a llama layer backward: what was computed last comes first, so v before k before q.
# In gpt2 the order of registration is the order of use, and its reverse serves.
_LLAMA_ARRIVAL = (
    "mlp.down_proj",
    "mlp.up_proj",
    "mlp.gate_proj",
    "post_attention_layernorm",
    "self_attn.o_proj",
    "self_attn.v_proj",
    "self_attn.k_norm",
    "self_attn.k_proj",
    "self_attn.q_norm",
    "self_attn.q_proj",
    "input_layernorm",
)


def _arrival_order(model: "Model") -> tuple[Parameter, ...]:
    embeddings: list[Parameter] = []
    head: list[Parameter] = []
    rest: list[Parameter] = []
    for parameter in reversed(list_parameters(model)):
        if ".wte." in parameter.name or ".wpe." in parameter.name or "embed_tokens" in parameter.name:
            embeddings.append(parameter)
        else:
            (head if parameter.name == "lm_head.weight" else rest).append(parameter)
    if model.family == "llama":
        rest.sort(key=lambda parameter: _llama_place(parameter, model.layers))
    return (*head, *rest, *embeddings)


def _llama_place(parameter: Parameter, layers: int) -> tuple[int, int]:
    if parameter.layer is None:
        return -layers, 0
    module = parameter.name.partition(".layers.")[2].partition(".")[2].rpartition(".")[0]
    return -parameter.layer, _LLAMA_ARRIVAL.index(module)


@lru_cache(maxsize=64)
def order_of_arrival(model: "Model") -> tuple[tuple[Parameter, float], ...]:
    """Every parameter in the order its gradient is complete, with the share of the backward done by then."""
    total = sum(parameter.elements for parameter in list_parameters(model) if parameter.is_matrix)
    done = model.vocabulary * model.width  # the output layer's, tied or not
    milestones: list[tuple[Parameter, float]] = []
    for parameter in _arrival_order(model):
        if parameter.layer is not None and parameter.is_matrix:
            done += parameter.elements
        milestones.append((parameter, done / total))
    return tuple(milestones)
