from typing import Any

import pytest
from hypothesis import given
from tests.workload.shapes import models

from paceline.errors import BadValue
from paceline.workload import Model, find_model, model_from_numbers


@given(models())
def test_the_count_is_the_sum_of_the_parameters(model: Model) -> None:
    assert model.parameters == sum(parameter.elements for parameter in model.named_parameters)
    names = [parameter.name for parameter in model.named_parameters]
    assert len(names) == len(set(names))


def test_numbers_alone_make_a_gpt2() -> None:
    made = model_from_numbers(layers=48, width=1600, heads=25, vocabulary=50257, context=1024)
    assert made.parameters == find_model("gpt2-xl").parameters == 1_557_611_200


def test_flop_by_each_convention() -> None:
    model = find_model("gpt2-xl")
    assert model.flop_per_token() == 6 * model.parameters
    assert model.flop_per_token(recomputation=True) == 8 * model.parameters
    with_attention = model.flop_per_token("6N + attention", 1024)
    assert with_attention == 6 * model.parameters + 12 * 48 * 1600 * 1024
    assert with_attention == model.flop_per_token("6N + attention")
    with pytest.raises(BadValue, match="6N"):
        model.flop_per_token("8N")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"heads": 24},
            "width 1600 over 24 heads: a GPT-2 splits its width evenly over its heads. Try 20 heads.",
        ),
        ({"heads": 0}, "width 1600 over 0 heads"),
        ({"width": 0}, "width 0 over 25 heads"),
        ({"layers": 0}, "0 layers: layers is a whole number from 1 to 10,000."),
        ({"layers": -1}, "-1 layers"),
        ({"vocabulary": 10**30}, "that number of vocabulary"),
        ({"ffn_width": 10**9, "width": 10**8, "heads": 1}, "a model of"),
    ],
)
def test_an_impossible_shape_is_refused(change: dict[str, int], message: str) -> None:
    shape: dict[str, Any] = {"layers": 48, "width": 1600, "heads": 25, "vocabulary": 50257, "context": 1024} | change
    with pytest.raises(BadValue) as refusal:
        model_from_numbers(**shape)
    assert message in str(refusal.value)


def test_key_value_heads_serve_equal_groups() -> None:
    with pytest.raises(BadValue, match="Try 4 key-value heads"):
        Model("x", "x", "llama", 1, 64, 8, 5, 8, 64, 100, 8, tied=False)
