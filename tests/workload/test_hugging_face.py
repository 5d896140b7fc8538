import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.errors import BadFile
from paceline.workload import Model, find_model, model_from_config

GPT2_XL: dict[str, Any] = {
    "model_type": "gpt2", "n_embd": 1600, "n_head": 25, "n_layer": 48, "vocab_size": 50257,
    "n_positions": 1024, "n_inner": None,
}  # fmt: skip
LLAMA_3_8B: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
    "num_key_value_heads": 8, "num_hidden_layers": 32, "vocab_size": 128256, "max_position_embeddings": 8192,
}  # fmt: skip
QWEN_2_5: dict[str, Any] = {
    "model_type": "qwen2", "hidden_size": 896, "intermediate_size": 4864, "num_attention_heads": 14,
    "num_key_value_heads": 2, "num_hidden_layers": 24, "vocab_size": 151936, "tie_word_embeddings": True,
}  # fmt: skip
QWEN_3: dict[str, Any] = {
    "model_type": "qwen3", "hidden_size": 1024, "intermediate_size": 3072, "num_attention_heads": 16,
    "num_key_value_heads": 8, "num_hidden_layers": 28, "vocab_size": 151936, "tie_word_embeddings": True,
}  # fmt: skip
MISTRAL: dict[str, Any] = {
    "model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
    "num_hidden_layers": 32, "vocab_size": 32000,
}  # fmt: skip


def read(config: object) -> Model:
    return model_from_config(json.dumps(config, indent=1), "config.json")


@pytest.mark.parametrize(
    ("config", "name"),
    [
        (GPT2_XL, "gpt2-xl"),
        (LLAMA_3_8B, "llama-3-8b"),
        (QWEN_2_5, "qwen2.5-0.5b"),
        (QWEN_3, "qwen3-0.6b"),
        (MISTRAL, "mistral-7b"),
    ],
)
def test_a_config_gives_the_catalogs_count(config: dict[str, Any], name: str) -> None:
    assert read(config).parameters == find_model(name).parameters


def test_defaults_are_transformers_own() -> None:
    assert read(GPT2_XL).tied
    llama = read({key: value for key, value in LLAMA_3_8B.items() if key != "num_key_value_heads"})
    assert llama.kv_heads == 32 and not llama.tied and llama.head_width == 128
    assert read(MISTRAL).kv_heads == 8
    assert read(MISTRAL | {"num_key_value_heads": None}).kv_heads == 32
    assert read(QWEN_3).head_width == 128
    biased = read(LLAMA_3_8B | {"attention_bias": True, "mlp_bias": True})
    assert biased.parameters - read(LLAMA_3_8B).parameters == 32 * (4096 + 2048 + 4096 + 2 * 14336 + 4096)
    assert read(LLAMA_3_8B | {"head_dim": 64}).attention_width == 2048


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (GPT2_XL | {"n_head": 24}, "config.json: width 1600 over 24 heads"),
        (GPT2_XL | {"n_head": 0}, "config.json:4: n_head must be a whole number from 1 up."),
        (GPT2_XL | {"n_layer": -48}, "config.json:5: n_layer must be a whole number from 1 up."),
        (GPT2_XL | {"n_layer": 48.5}, "config.json:5: n_layer must be"),
        (GPT2_XL | {"n_layer": True}, "config.json:5: n_layer must be"),
        (GPT2_XL | {"n_layer": "48"}, "config.json:5: n_layer must be"),
        (GPT2_XL | {"vocab_size": None}, "config.json:6: the key 'vocab_size' is missing."),
        ({"model_type": "gpt2"}, "config.json: the key 'n_embd' is missing."),
        (GPT2_XL | {"n_layer": 10**9}, "layers is a whole number from 1 to 10,000."),
        (GPT2_XL | {"n_embd": 10**8, "n_head": 1}, "is a model anyone trains"),
        (GPT2_XL | {"tie_word_embeddings": "yes"}, "tie_word_embeddings must be true or false."),
        (
            GPT2_XL | {"model_type": "mixtral"},
            "config.json:2: model_type 'mixtral' is not modelled: it is a mixture",
        ),
        (GPT2_XL | {"model_type": "gemma3"}, "Known: gpt2, llama, mistral, qwen2, qwen3."),
        (GPT2_XL | {"model_type": 3}, "'model_type' must name a type"),
        ({}, "config.json: 'model_type' must name a type"),
        (LLAMA_3_8B | {"num_key_value_heads": 5}, "32 heads over 5 key-value heads"),
        (LLAMA_3_8B | {"hidden_size": 4100}, "width 4100 does not split over 32 heads"),
        ([], "a config.json is one object"),
        (3, "a config.json is one object"),
    ],
)
def test_what_cannot_be_is_refused(config: object, message: str) -> None:
    with pytest.raises(BadFile) as refusal:
        read(config)
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "c.json:1: this is not valid JSON"),
        ('{\n"model_type": "gpt2",\n}', "c.json:3: this is not valid JSON"),
        ('{"n_layer": NaN}', "it holds a number that is none"),
        ('{"n_layer": 1' + "0" * 5000 + "}", "one too long to be a size"),
        ("[" * 100_000, "it nests deeper than 64 levels"),
        (" " * 1_000_001, "over a megabyte"),
    ],
)
def test_what_is_no_config_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadFile) as refusal:
        model_from_config(text, "c.json")
    assert message in str(refusal.value)


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(1, 10**6),
    st.floats(),
    st.text(max_size=5),
    st.just([]),
)


@given(st.sampled_from([GPT2_XL, LLAMA_3_8B, QWEN_2_5, QWEN_3, MISTRAL]), st.data())
def test_any_config_is_read_or_refused(config: dict[str, Any], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from([*config, "head_dim", "attention_bias", "_name_or_path"]))
    text = json.dumps(config | {key: data.draw(VALUES)})
    try:
        model = model_from_config(text, "config.json")
    except BadFile as refusal:
        assert str(refusal).startswith("config.json")
    else:
        assert model.parameters == sum(parameter.elements for parameter in model.named_parameters)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with pytest.raises(BadFile):
        model_from_config(text, "config.json")
