import pytest

from paceline.errors import UnknownName
from paceline.workload import PRECISIONS
from paceline.workload.precision import find_precision, optimizer_state_bytes


def test_adam_takes_16_bytes_a_parameter_in_the_running_example() -> None:
    recipe = find_precision("bf16-mixed")
    state = recipe.weight_bytes + recipe.gradient_bytes + recipe.master_bytes + optimizer_state_bytes("adamw")
    assert state == 16


def test_names_are_their_keys() -> None:
    assert all(name == recipe.name for name, recipe in PRECISIONS.items())


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="bf16-mixed"):
        find_precision("bf16mixed")
    with pytest.raises(UnknownName, match="adamw"):
        optimizer_state_bytes("adam")
