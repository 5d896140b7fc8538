from datetime import date

import pytest

from paceline.errors import BadFile, UnknownName
from paceline.workload import MODELS, find_model
from paceline.workload.catalog import read_models

# Counts as published: the number of elements in each repository's safetensors on huggingface.co (tied weights
# once), and OpenAI's GPT-2 by its 124M, 355M, 774M and 1.5B checkpoints (github.com/openai/gpt-2).
PUBLISHED = [
    ("gpt2", 124_439_808),
    ("gpt2-medium", 354_823_168),
    ("gpt2-large", 774_030_080),
    ("gpt2-xl", 1_557_611_200),
    ("llama-2-7b", 6_738_415_616),
    ("llama-2-13b", 13_015_864_320),
    ("llama-2-70b", 68_976_648_192),
    ("llama-3-8b", 8_030_261_248),
    ("llama-3-70b", 70_553_706_496),
    ("llama-3.1-405b", 405_853_388_800),
    ("llama-3.2-1b", 1_235_814_400),
    ("llama-3.2-3b", 3_212_749_824),
    ("mistral-7b", 7_241_732_096),
    ("qwen2.5-0.5b", 494_032_768),
    ("qwen2.5-1.5b", 1_543_714_304),
    ("qwen2.5-7b", 7_615_616_512),
    ("qwen3-0.6b", 596_049_920),
    ("qwen3-8b", 8_190_735_360),
    ("tinyllama-1.1b", 1_100_048_384),
    ("smollm2-135m", 134_515_008),
    ("smollm2-360m", 361_821_120),
    ("smollm2-1.7b", 1_711_376_384),
]


@pytest.mark.parametrize(("name", "parameters"), PUBLISHED)
def test_counts_are_the_published_ones(name: str, parameters: int) -> None:
    assert find_model(name).parameters == parameters


def test_every_model_is_compared_and_has_a_source() -> None:
    assert sorted(MODELS) == sorted(name for name, _ in PUBLISHED)
    for entry in MODELS.values():
        assert entry.source.startswith("https://huggingface.co/")
        assert date.fromisoformat(entry.read_on)


def test_names_are_found_in_any_case_and_by_alias() -> None:
    assert find_model("GPT2-XL") is find_model("gpt2-1.5b")
    with pytest.raises(UnknownName, match="gpt2-xl"):
        find_model("gpt2-xll")


ROW = """[one]
title = "One"
family = "gpt2"
layers = 2
width = 8
heads = 2
ffn_width = 32
vocabulary = 10
context = 4
source = "https://example.org"
read_on = 2026-11-29
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("heads = 2", "heads = 3", "m.toml:1: width 8 over 3 heads"),
        ("heads = 2", "heads = 0", "m.toml:1: 0 heads"),
        ("heads = 2", "head = 2", "m.toml:6: there is no key 'head' here"),
        ("layers = 2", 'layers = "2"', "m.toml:4: layers must be a whole number"),
        ("read_on = 2026-11-29\n", "", "m.toml:1: the key 'read_on' is missing"),
        ('family = "gpt2"', 'family = "rnn"', "m.toml:1: family 'rnn'"),
        ("context = 4", "context = 4\naliases = [1]", "aliases is a list of names"),
    ],
)
def test_a_bad_row_is_refused_with_its_line(old: str, new: str, message: str) -> None:
    with pytest.raises(BadFile) as refusal:
        read_models(ROW.replace(old, new), "m.toml")
    assert message in str(refusal.value)
