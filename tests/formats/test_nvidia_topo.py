"""nvidia-smi topo -m: tabs, blanks and underline as printed; a healthy DGX H100; glued cells of some drivers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paceline.errors import BadInput
from paceline.formats.nvidia_topo import Device, Topology, dgx_h100, parse, render


@st.composite
def topologies(draw: st.DrawFn) -> Topology:
    gpus, nics = draw(st.integers(1, 8)), draw(st.integers(0, 4))
    names = [f"GPU{place}" for place in range(gpus)] + [f"NIC{place}" for place in range(nics)]
    path = st.sampled_from(["NV18", "NV4", "PIX", "PXB", "PHB", "NODE", "SYS"])
    devices = []
    for row, name in enumerate(names):
        paths = tuple("X" if row == column else draw(path) for column in range(len(names)))
        known = ("0-55,112-167", draw(st.sampled_from(["0", "0-1"])), "N/A") if name.startswith("GPU") else ("", "", "")
        devices.append(Device(name, paths, *known))
    return Topology(tuple(devices), tuple((f"NIC{place}", f"mlx5_{place + 2}") for place in range(nics)))


@given(topologies())
@settings(max_examples=30)
def test_what_is_rendered_reads_back(topology: Topology) -> None:
    assert parse(render(topology)) == topology


def test_a_healthy_dgx() -> None:
    topology = dgx_h100()
    gpus = [f"GPU{place}" for place in range(8)]
    assert all(topology.path(one, other) == "NV18" for one in gpus for other in gpus if one != other)
    assert [topology.path(f"GPU{place}", f"NIC{place}") for place in range(8)] == ["PXB"] * 8
    assert (topology.path("GPU0", "NIC3"), topology.path("GPU0", "NIC4"), topology.path("NIC2", "NIC2")) == (
        "NODE", "SYS", "X",
    )  # fmt: skip
    lines = render(topology).split("\n")
    assert lines[0].startswith("\t\x1b[4mGPU0\tGPU1\t") and lines[0].endswith(
        "\tNIC7\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m"
    )
    assert (
        lines[1] == "GPU0\t X \t" + "NV18\t" * 7 + "PXB\tNODE\tNODE\tNODE\tSYS\tSYS\tSYS\tSYS\t0-55,112-167\t0\t\tN/A"
    )
    assert (
        lines[16]
        == "NIC7\tSYS\tSYS\tSYS\tSYS\tNODE\tNODE\tNODE\tPXB\tSYS\tSYS\tSYS\tSYS\tNODE\tNODE\tNODE\t X \t\t\t\t"
    )
    assert lines[17:21] == ["", "Legend:", "", "  X    = Self"] and lines[-5:] == [
        "  NIC5: mlx5_5", "  NIC6: mlx5_6", "  NIC7: mlx5_7", "", "",
    ]  # fmt: skip
    assert parse(render(topology)) == topology


def test_pasted_with_blanks_glued_or_prefixed() -> None:
    topology = dgx_h100()
    text = render(topology)
    assert parse(text.expandtabs(8)) == topology
    assert parse(text.replace("PXB\tNODE", "PXBNODE")) == topology
    assert (
        parse("$ nvidia-smi topo -m\n" + "".join(f"[1,0]<stdout>:{line}\r\n" for line in text.split("\n"))) == topology
    )
    old = (
        "\tGPU0\tGPU1\tmlx5_0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV12\tPXB\t0-31\t0\n"
        "GPU1\tNV12\t X \tSYS\t0-31\t0\nmlx5_0\tPXB\tSYS\t X \t\n"
    )
    assert parse(old).path("GPU1", "mlx5_0") == "SYS" and parse(old).devices[0].gpu_numa_id == "N/A"


def test_a_cut_matrix_is_refused_with_its_line() -> None:
    text = render(dgx_h100())
    with pytest.raises(BadInput, match="line 1"):
        parse("\n".join(text.split("\n")[:9]))
    with pytest.raises(BadInput, match="line 3"):
        parse(text.replace("GPU1\tNV18", "GPU1"))
    with pytest.raises(BadInput, match="no such device"):
        dgx_h100().path("GPU0", "GPU9")
    with pytest.raises(BadInput):
        dgx_h100(nvlinks=19)


@given(st.text() | st.text(alphabet="\tGPU0NIC1 X\nSYSAffinity", max_size=200))
@settings(max_examples=60)
def test_any_other_text_is_refused_or_read(text: str) -> None:
    healthy = render(dgx_h100())
    for candidate in (
        text,
        "\tGPU0\tCPU Affinity\n" + text,
        healthy.replace("NODE", text[:9]),
        healthy.replace("N/A", text[:9]),
    ):
        try:
            parse(candidate)
        except BadInput as error:
            assert "line " in str(error)
