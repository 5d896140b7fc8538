"""Model shapes that property tests draw from, and the rows of published measurements."""

import csv
from pathlib import Path

from hypothesis import strategies as st

from paceline.workload import Model

DATA = Path(__file__).parents[1] / "data"


@st.composite
def models(draw: st.DrawFn) -> Model:
    family = draw(st.sampled_from(["gpt2", "llama"]))
    is_llama = family == "llama"
    kv_heads = draw(st.integers(1, 8))
    heads = kv_heads * (draw(st.integers(1, 4)) if is_llama else 1)
    head_width = 2 * draw(st.integers(1, 64))
    width = draw(st.integers(1, 4096)) if is_llama else heads * head_width
    switches = {
        name: is_llama and draw(st.booleans()) for name in ("qkv_bias", "attention_output_bias", "mlp_bias", "qk_norm")
    }
    return Model(
        name="drawn",
        title="drawn",
        family=family,
        layers=draw(st.integers(1, 12)),
        width=width,
        heads=heads,
        kv_heads=kv_heads if is_llama else heads,
        head_width=head_width,
        ffn_width=draw(st.integers(1, 8192)),
        vocabulary=draw(st.integers(1, 100_000)),
        context=draw(st.integers(1, 8192)),
        tied=draw(st.booleans()),
        **switches,
    )


def rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
