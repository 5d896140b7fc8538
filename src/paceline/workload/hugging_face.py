"""Hugging Face: a model's shape from its config.json, with transformers' own defaults.

Defaults are those of the configuration classes on transformers' main branch (models/*/configuration_*.py,
read 2026-11-29). Keys that fix the shape must be there; a type whose arithmetic is not modelled is refused
by name.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from paceline.errors import BadFile, BadValue
from paceline.workload.model import Model

LARGEST_CONFIG = 10**6
DEEPEST = 64

_WHY_NOT: Mapping[str, str] = {
    "mixtral": "it is a mixture of experts, whose tokens use a part of the weights",
    "qwen2_moe": "it is a mixture of experts, whose tokens use a part of the weights",
    "qwen3_moe": "it is a mixture of experts, whose tokens use a part of the weights",
    "deepseek_v2": "it is a mixture of experts with latent attention",
    "deepseek_v3": "it is a mixture of experts with latent attention",
    "gpt_oss": "it is a mixture of experts, whose tokens use a part of the weights",
    "mamba": "it is a state-space model, not a transformer",
    "bert": "it is an encoder, whose head and loss differ",
    "t5": "it is an encoder with a decoder",
}
_LEAVE = "Give the shape by hand: layers, width, heads, vocabulary and context."


@dataclass(frozen=True, slots=True)
class _Defaults:
    """What a llama-like configuration class assumes for an absent key; None means as many as heads."""

    kv_heads: int | None
    head_width: int | None
    context: int
    qkv_bias: bool
    reads_attention_bias: bool
    reads_mlp_bias: bool
    qk_norm: bool


_LLAMA_LIKE: Mapping[str, _Defaults] = {
    "llama": _Defaults(None, None, 2048, False, True, True, False),
    "mistral": _Defaults(8, None, 131072, False, False, False, False),
    "qwen2": _Defaults(32, None, 32768, True, False, False, False),
    "qwen3": _Defaults(32, 128, 32768, False, True, False, True),
}
KNOWN_TYPES = ("gpt2", *_LLAMA_LIKE)


@dataclass(frozen=True, slots=True)
class _Config:
    """The keys of one file, with its text kept for error messages."""

    file: str
    text: str
    values: Mapping[str, Any]

    def number(self, *names: str, default: int | None = None) -> int:
        """The positive whole number under the first of `names` that is set; null counts as absent."""
        for name in names:
            value = self.values.get(name)
            if value is None:
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                self.refuse(name, f"{name} must be a whole number from 1 up")
            return value
        if default is None:
            self.refuse(names[0], f"the key {names[0]!r} is missing", "It fixes the shape and has no default.")
        return default

    def switch(self, name: str, default: bool) -> bool:
        """The true or false under `name`."""
        value = self.values.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.refuse(name, f"{name} must be true or false")
        return value

    def refuse(self, key: str, because: str, instead: str = "") -> NoReturn:
        """End with the error for `key`, placed at its line."""
        for line_number, line in enumerate(self.text.splitlines(), start=1):
            if f'"{key}"' in line:
                raise BadFile(f"{self.file}:{line_number}", because, instead)
        raise BadFile(self.file, because, instead)


def model_from_config(text: str, file: str) -> Model:
    """The model a config.json describes; `file` is the name that errors show."""
    config = _read(text, file)
    model_type = config.values.get("model_type")
    if not isinstance(model_type, str):
        config.refuse("model_type", "'model_type' must name a type", f"Known: {', '.join(KNOWN_TYPES)}.")
    if model_type not in KNOWN_TYPES:
        shown = model_type[:40]
        why = _WHY_NOT.get(model_type, "its parameters are not known here exactly")
        config.refuse(
            "model_type",
            f"model_type {shown!r} is not modelled: {why}",
            f"Known: {', '.join(KNOWN_TYPES)}. {_LEAVE}",
        )
    given = config.values.get("_name_or_path")
    name = given if isinstance(given, str) and 0 < len(given) <= 100 and given.isprintable() else model_type
    try:
        return _gpt2(config, name) if model_type == "gpt2" else _llama_like(config, name, model_type)
    except BadValue as error:
        raise BadFile(file, f"{error.given}: {error.because}", error.instead) from None


def _read(text: str, file: str) -> _Config:
    if len(text) > LARGEST_CONFIG:
        raise BadFile(file, "a config.json is a few kilobytes, this is over a megabyte")
    depth = deepest = 0
    for character in text:
        depth += (character in "[{") - (character in "]}")
        deepest = max(deepest, depth)
    if deepest > DEEPEST:
        raise BadFile(file, f"it nests deeper than {DEEPEST} levels, a config.json does not")
    text = text.removeprefix("\ufeff")
    try:
        values = json.loads(text, parse_constant=_not_a_number)
    except json.JSONDecodeError as error:
        raise BadFile(
            f"{file}:{_line_of(text, error.pos)}", "this is not valid JSON", "Check quotes, commas and brackets."
        ) from None
    except ValueError:
        raise BadFile(file, "it holds a number that is none, or one too long to be a size") from None
    if not isinstance(values, dict):
        raise BadFile(file, "a config.json is one object of keys and values")
    return _Config(file, text, values)


def _line_of(text: str, place: int) -> int:
    # For a trailing comma Python 3.13 points at the comma, earlier ones at what follows it: say the latter.
    rest = text[place:]
    if rest.startswith(","):
        place += len(rest) - len(rest[1:].lstrip())
    return text.count("\n", 0, place) + 1


def _not_a_number(_: str) -> NoReturn:
    raise ValueError


def _gpt2(config: _Config, name: str) -> Model:
    if config.switch("add_cross_attention", False):
        config.refuse("add_cross_attention", "cross-attention adds weights that are not modelled", _LEAVE)
    width, heads = config.number("n_embd", "hidden_size"), config.number("n_head", "num_attention_heads")
    return Model(
        name=name,
        title=name,
        family="gpt2",
        layers=config.number("n_layer", "num_hidden_layers"),
        width=width,
        heads=heads,
        kv_heads=heads,
        head_width=max(width // heads, 1),
        ffn_width=config.number("n_inner", default=4 * width),
        vocabulary=config.number("vocab_size"),
        context=config.number("n_positions", "max_position_embeddings", "n_ctx", default=1024),
        tied=config.switch("tie_word_embeddings", True),
    )


def _llama_like(config: _Config, name: str, model_type: str) -> Model:
    defaults = _LLAMA_LIKE[model_type]
    width, heads = config.number("hidden_size"), config.number("num_attention_heads")
    # A null number of key-value heads means as many as heads, an absent one the class's default.
    kv_heads = heads if "num_key_value_heads" in config.values else defaults.kv_heads or heads
    if defaults.head_width is None and "head_dim" not in config.values and width % heads:
        config.refuse("num_attention_heads", f"width {width} does not split over {heads} heads")
    attention_bias = defaults.reads_attention_bias and config.switch("attention_bias", False)
    return Model(
        name=name,
        title=name,
        family="llama",
        layers=config.number("num_hidden_layers"),
        width=width,
        heads=heads,
        kv_heads=config.number("num_key_value_heads", default=kv_heads),
        head_width=config.number("head_dim", default=defaults.head_width or max(width // heads, 1)),
        ffn_width=config.number("intermediate_size"),
        vocabulary=config.number("vocab_size"),
        context=config.number("max_position_embeddings", default=defaults.context),
        tied=config.switch("tie_word_embeddings", False),
        qkv_bias=defaults.qkv_bias or attention_bias,
        attention_output_bias=attention_bias,
        mlp_bias=defaults.reads_mlp_bias and config.switch("mlp_bias", False),
        qk_norm=defaults.qk_norm,
    )
