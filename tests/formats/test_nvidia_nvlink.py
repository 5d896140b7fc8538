"""nvidia-smi nvlink -s: what is written reads back, what is no such print is refused with its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.formats.nvidia_nvlink import Gpu, parse, render

H100 = 26.562
RATES = st.one_of(st.none(), st.integers(0, 9_999_999).map(lambda thousandths: thousandths / 1000))
GPUS = st.builds(
    Gpu,
    st.integers(0, 15),
    st.sampled_from(("NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB")),
    st.from_regex(r"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", fullmatch=True),
    st.lists(RATES, max_size=18).map(tuple),
)


@given(st.lists(GPUS, min_size=1, max_size=8).map(tuple))
def test_what_is_written_reads_back(gpus: tuple[Gpu, ...]) -> None:
    assert parse(render(gpus)) == gpus


def test_a_lost_link_is_named() -> None:
    gpu = Gpu(3, "NVIDIA H100 80GB HBM3", "GPU-0", (H100,) * 5 + (None,) + (H100,) * 12)
    assert gpu.inactive == (5,)
    lines = render((gpu,)).splitlines()
    assert lines[1] == "\t Link 0: 26.562 GB/s" and lines[6] == "\t Link 5: <inactive>"


@pytest.mark.parametrize(
    "text", ["", "GPU 0: x (UUID: GPU-0)\n\t Link 1: 26.562 GB/s\n", "\t Link 0: 26.562 GB/s\n", "GPU 0: x\n"]
)
def test_other_text_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(BadInput, match="line"):
        parse(text)
