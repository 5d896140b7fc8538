from dataclasses import replace
from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.workload.shapes import models, rows

from paceline.errors import BadValue
from paceline.units import GB, MIB, show_gigabytes
from paceline.workload import OPTIMIZERS, PRECISIONS, Bill, Job, Model, find_model, memory_bill

MEASURED_TOLERANCE = 0.15
MEASURED_MEDIAN = 0.03


@pytest.mark.parametrize("world_size", [1, 8, 32])
def test_the_running_example_takes_29_gb_on_any_number_of_gpus(world_size: int) -> None:
    bill = Job.of(find_model("gpt2-xl"), 256, world_size).memory_bill()
    assert show_gigabytes(bill.total_bytes) == "29 GB"
    assert 28.5 * GB < bill.total_bytes < 29.5 * GB
    assert bill.state_bytes == 16 * 1_557_611_200


def test_seven_billion_parameters_are_over_100_gb_before_any_activation() -> None:
    bill = memory_bill(find_model("llama-2-7b"), micro_batch=1, seq_len=1)
    assert bill.state_bytes == 16 * 6_738_415_616
    assert show_gigabytes(16 * 7 * 10**9) == "112 GB"


def published() -> list[tuple[dict[str, str], int, float]]:
    def llama(layers: int, width: int, heads: int, ffn_width: int) -> Model:
        return Model("n", "n", "llama", layers, width, heads, heads, width // heads, ffn_width, 128256, 4096, tied=True)

    shapes = {
        "Llama-like 1B": llama(16, 2048, 32, 8192),
        "Llama-like 3B": llama(28, 3072, 24, 8192),
        "GPT-2 1558M": replace(find_model("gpt2-xl"), vocabulary=50304),
        "GPT-2 124M": replace(find_model("gpt2"), vocabulary=50304),
    }
    found = []
    for row in rows("memory.csv"):
        bill = memory_bill(
            shapes[row["model"]],
            micro_batch=int(row["micro_batch"]),
            seq_len=int(row["seq_len"]),
            precision=row["recipe"],
            checkpointing=False,
            world_size=int(row["gpus"]),
            optimizer_shards=int(row["optimizer_shards"]),
            fused_loss=row["fused_loss"] == "yes",
        )
        found.append((row, bill.total_bytes, float(row["reported"]) * {"GB": GB, "MiB": MIB}[row["reported_unit"]]))
    return found


def test_bills_come_near_published_peaks() -> None:
    errors = {row["row_id"]: predicted / measured - 1 for row, predicted, measured in published()}
    assert len(errors) == 19
    assert {name: error for name, error in errors.items() if abs(error) > MEASURED_TOLERANCE} == {}
    assert median(abs(error) for error in errors.values()) < MEASURED_MEDIAN


def test_unsharded_data_parallel_rows_come_within_three_percent() -> None:
    errors = [
        predicted / measured - 1
        for row, predicted, measured in published()
        if row["optimizer_shards"] == "1" and row["model"].startswith("Llama")
    ]
    assert len(errors) == 6
    assert all(abs(error) < MEASURED_MEDIAN for error in errors)


def bill(model: Model, **change: Any) -> Bill:
    settings: dict[str, Any] = {"micro_batch": 2, "seq_len": 16, "world_size": 8, **change}
    return memory_bill(model, **settings)


@given(
    models(),
    st.sampled_from([*PRECISIONS]),
    st.sampled_from([*OPTIMIZERS]),
    st.booleans(),
    st.integers(1, 64),
)
def test_a_bill_is_its_lines_and_more_work_never_shrinks_it(
    model: Model, precision: str, optimizer: str, checkpointing: bool, micro_batch: int
) -> None:
    def of(micro_batch: int) -> Bill:
        return bill(
            model,
            precision=precision,
            optimizer=optimizer,
            checkpointing=checkpointing,
            micro_batch=micro_batch,
        )

    one = of(micro_batch)
    assert one.total_bytes == sum(line.bytes for line in one.lines)
    assert all(line.bytes > 0 and line.how for line in one.lines)
    assert len({line.name for line in one.lines}) == len(one.lines)
    assert of(micro_batch + 1).total_bytes > one.total_bytes


@given(models())
def test_what_saves_memory_saves_it(model: Model) -> None:
    whole = bill(model)
    assert bill(model, gradient_as_bucket_view=False).total_bytes == whole.total_bytes + 2 * model.parameters
    assert bill(model, fused_loss=True).total_bytes <= whole.total_bytes
    assert bill(model, optimizer_shards=8).total_bytes < whole.total_bytes
    assert whole.line("DDP buckets") is None
    assert bill(model, world_size=1, gradient_as_bucket_view=False).line("NCCL buffers") is None


def test_checkpointing_pays_once_there_are_layers() -> None:
    model = find_model("llama-3-8b")
    plain = bill(model, checkpointing=False, seq_len=4096)
    assert plain.total_bytes > 1.2 * bill(model, seq_len=4096).total_bytes
    assert plain.line("activations") is not None


def test_the_peak_is_at_the_loss_or_in_a_layer() -> None:
    assert bill(find_model("gpt2-xl")).line("logits and loss") is not None
    wide = replace(find_model("llama-2-70b"), vocabulary=100)
    assert bill(wide).line("one layer's backward") is not None


def test_absurd_counts_are_refused() -> None:
    for micro_batch in (0, -1, 10**10):
        with pytest.raises(BadValue):
            bill(find_model("gpt2"), micro_batch=micro_batch)
