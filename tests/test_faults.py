import pytest

from paceline.errors import BadInput
from paceline.faults import KINDS, Fault
from paceline.hardware import CATALOG, Cluster

POD = Cluster.of(CATALOG.server("dgx-h100"), 32)


@pytest.mark.parametrize("kind", KINDS)
def test_a_repair_gives_back_the_same_value(kind: str) -> None:
    fault = Fault(kind)
    other = Fault("slow-gpu", 3, 3)
    both = other.inject(fault.inject(POD))
    assert fault.repair(both) == other.inject(POD)
    assert other.repair(fault.repair(both)) == POD


def test_written_as_people_say_it() -> None:
    assert Fault.parse("slow-gpu@dgx-2:5=0.7") == Fault("slow-gpu", 1, 5, 0.7)
    assert Fault.parse("bad-cable") == Fault("bad-cable")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hot",
        "slow-gpu@dgx-9:0",
        "slow-gpu@1:8",
        "slow-gpu@1:0=0",
        "slow-gpu@x:1",
        "bad-cable@1:1=2",
        "slow-gpu@0:1",
    ],
)
def test_what_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        Fault.parse(text).inject(POD)
