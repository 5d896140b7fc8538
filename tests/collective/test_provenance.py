"""Provenance: no rank is counted twice, and after the reduce-scatter each chunk is finished on exactly one rank."""

from hypothesis import given
from hypothesis import strategies as st

from paceline.collective import provenance, ring_chunks

SIZES = st.integers(2, 9)


@given(SIZES, st.data())
def test_no_rank_is_counted_twice(size: int, data: st.DataObject) -> None:
    move = data.draw(st.integers(0, 2 * (size - 1)))
    cells = provenance(ring_chunks(size), size, move)
    assert all(count <= 1 for row in cells for cell in row for count in cell.counts)
    assert all(cell.counts[rank] == 1 for row in cells for rank, cell in enumerate(row))


@given(SIZES)
def test_the_halves(size: int) -> None:
    half = provenance(ring_chunks(size), size, size - 1)
    assert [sum(cell.is_complete for cell in row) for row in half] == [1] * size
    done = provenance(ring_chunks(size), size, 2 * (size - 1))
    assert all(cell.is_complete for row in done for cell in row)
