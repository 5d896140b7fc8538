"""Hostlists: as Slurm 22.05.8's scontrol folds and expands them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paceline.errors import BadInput, BadValue
from paceline.formats import hostlist

# What scontrol show hostlist really answered.
FOLDED = {
    "dgx-1,dgx-2,dgx-3,dgx-4": "dgx-[1-4]",
    "dgx-01,dgx-2,dgx-3,dgx-4,dgx-10": "dgx-[01,2-4,10]",
    "n1,n3,n2,n2": "n[1,3,2,2]",
    "n09,n10,n11,n099,n100,n1,a,b,a1b": "n[09-11,099-100,1],a,b,a1b",
    "r1n01,r1n02,r2n01,r2n02": "r1n[01-02],r2n[01-02]",
    "b1,a1,b2": "b1,a1,b2",
    "node9,node10": "node[9-10]",
    "n009,n010,n1000,n1001,n999,n0999": "n[009-010,1000-1001,999,0999]",
    "7,8,9": "[7-9]",
    "n-1,n-2": "n-[1-2]",
    "dgx-1-a,dgx-2-a": "dgx-1-a,dgx-2-a",
    "n1,n01,n001,n2,n02": "n[1,01,001,2,02]",
    "n[1-2],n3": "n[1-3]",
    "n[0-0]": "n0",
    "n1 n2": "n[1-2]",
    "": "",
}
hosts = st.lists(
    st.from_regex(r"[a-z]{1,3}-?[0-9]{0,4}", fullmatch=True) | st.from_regex(r"dgx-[1-9][0-9]?", fullmatch=True),
    max_size=12,
)


@pytest.mark.parametrize(("given_list", "folded"), FOLDED.items())
def test_folded_as_slurm_does(given_list: str, folded: str) -> None:
    assert hostlist.render(hostlist.parse(given_list)) == folded


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("dgx-[1-2,7]", ("dgx-1", "dgx-2", "dgx-7")),
        ("n[001-3]", ("n001", "n002", "n003")),
        ("n[01-03,7]", ("n01", "n02", "n03", "n7")),
        ("r[1-2]n[01-02]", ("r1n01", "r1n02", "r2n01", "r2n02")),
        ("n[1-2],login,m[2,4]", ("n1", "n2", "login", "m2", "m4")),
        ("n[1,1]", ("n1", "n1")),
        ("n1,,n2", ("n1", "n2")),
    ],
)
def test_expanded_as_slurm_does(text: str, hosts: tuple[str, ...]) -> None:
    assert hostlist.parse(text) == hosts


@given(hosts)
def test_any_hosts_come_back(hosts: list[str]) -> None:
    assert hostlist.parse(hostlist.render(hosts)) == tuple(hosts)


def test_hosts_in_order() -> None:
    assert hostlist.in_order(["dgx-10", "dgx-2", "a", "dgx-1"]) == ("a", "dgx-1", "dgx-2", "dgx-10")


@pytest.mark.parametrize(
    "text", ["n[3-1]", "n[a]", "n[]", "n[1-2]c", "n[1-2]]", "n[1-3", "n[1,,2]", "n[1-100000]", "a[1-999]b[1-999]c[1-9]"]
)
def test_what_slurm_refuses(text: str) -> None:
    with pytest.raises(BadValue):
        hostlist.parse(text)


@given(st.text() | st.text("n[]1-,", max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = hostlist.parse(text)
    except BadInput:
        return
    assert hostlist.parse(hostlist.render(found)) == found
