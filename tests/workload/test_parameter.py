from itertools import pairwise

from hypothesis import given
from tests.workload.shapes import models

from paceline.units import MIB
from paceline.workload import Model, find_model


@given(models())
def test_arrival_reorders_the_parameters_and_ends_with_the_work(model: Model) -> None:
    arrived = [parameter for parameter, _ in model.backward_milestones]
    assert sorted(arrived, key=lambda p: p.name) == sorted(model.named_parameters, key=lambda p: p.name)
    shares = [done for _, done in model.backward_milestones]
    assert shares[0] > 0 and shares[-1] == 1.0
    assert all(before <= after for before, after in pairwise(shares))
    layers = [parameter.layer for parameter in arrived if parameter.layer is not None]
    assert layers == sorted(layers, reverse=True)


def test_the_tied_embedding_arrives_last_though_its_head_works_first() -> None:
    milestones = find_model("gpt2-xl").backward_milestones
    assert milestones[0][0].name.startswith("transformer.ln_f")
    assert 0.05 < milestones[0][1] < 0.06
    assert [parameter.name for parameter, _ in milestones[-2:]] == [
        "transformer.wpe.weight",
        "transformer.wte.weight",
    ]


def test_an_untied_head_arrives_first() -> None:
    first, share = find_model("llama-3-8b").backward_milestones[0]
    assert first.name == "lm_head.weight"
    assert abs(share - 128256 * 4096 / (8_030_261_248 - 128256 * 4096)) < 1e-3


def test_registration_order_is_transformers_own() -> None:
    gpt2 = [parameter.name for parameter in find_model("gpt2").named_parameters]
    assert gpt2[:4] == [
        "transformer.wte.weight",
        "transformer.wpe.weight",
        "transformer.h.0.ln_1.weight",
        "transformer.h.0.ln_1.bias",
    ]
    assert len(gpt2) == 148
    qwen = [parameter.name for parameter in find_model("qwen3-8b").named_parameters]
    assert [name.removeprefix("model.layers.0.") for name in qwen[1:12]] == [
        "self_attn.q_proj.weight",
        "self_attn.k_proj.weight",
        "self_attn.v_proj.weight",
        "self_attn.o_proj.weight",
        "self_attn.q_norm.weight",
        "self_attn.k_norm.weight",
        "mlp.gate_proj.weight",
        "mlp.up_proj.weight",
        "mlp.down_proj.weight",
        "input_layernorm.weight",
        "post_attention_layernorm.weight",
    ]
    assert qwen[-1] == "lm_head.weight"


def test_arrival_cuts_into_the_lessons_73_buckets() -> None:
    sizes: list[int] = []
    filled = 0
    for parameter, _ in find_model("gpt2-xl").backward_milestones:
        filled += 2 * parameter.elements
        if filled >= (25 * MIB if sizes else MIB):
            sizes.append(filled)
            filled = 0
    assert filled == 0
    assert len(sizes) == 73
    assert round(sizes[-1] / MIB) == 176
