"""sbatch, srun and scancel: the lines they really printed, and ours, read back."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paceline.errors import BadInput, BadValue
from paceline.formats import srun

LOGS = Path(__file__).parents[1] / "data" / "logs" / "slurm-22.05"
hosts = st.from_regex(r"dgx-[1-9]", fullmatch=True)
tasks = st.lists(st.integers(0, 300), min_size=1, max_size=9, unique=True).map(lambda each: tuple(sorted(each)))
steps = st.from_regex(r"[1-9][0-9]{0,6}\.([0-9]{1,2}|batch)", fullmatch=True)
WHEN = "2026-11-30T08:35:24"
lines = st.one_of(
    st.builds(srun.Submitted, st.integers(0, 10**8), st.sampled_from(("", "pod"))),
    st.builds(srun.TaskEnd, hosts, tasks, st.integers(0, 255)),
    st.builds(
        srun.TaskEnd, hosts, tasks, st.none(), st.sampled_from((*srun.SIGNALS, srun.OUT_OF_MEMORY)), st.booleans()
    ),
    st.builds(srun.Cancelled, steps | st.just("8"), hosts, st.just(WHEN), st.sampled_from(srun.CANCELLED_BECAUSE)),
    st.builds(srun.NodeFailure, hosts),
    st.builds(srun.Terminating, steps, st.booleans()),
    st.builds(srun.aborted, st.integers(5, 99)),
)


def log(name: str) -> str:
    return (LOGS / f"{name}.txt").read_text(encoding="utf-8")


@settings(max_examples=50)
@given(st.lists(lines, min_size=1, max_size=6).map(tuple))
def test_what_is_said_comes_back(said: tuple[srun.Said, ...]) -> None:
    assert srun.parse(srun.render(said)) == said
    labelled = srun.label(((11, line) for line in srun.render(said).splitlines()), 12)
    assert srun.parse(labelled) == said


def test_a_failed_task_ends_the_others() -> None:
    said = srun.parse(log("task-failure"))
    assert said[0] == srun.TaskEnd("dgx-1", (2,), 3)
    assert srun.TaskEnd("dgx-1", (0, 1, 3), None, "Terminated") in said
    assert said[2] == srun.Cancelled("22.0", "dgx-1", "2026-11-30T08:35:57") and said[2].line == 3
    assert said[-1] == srun.Terminating("22.0", forced=True)


def test_a_node_and_a_time_limit() -> None:
    assert srun.parse(log("node-failure"))[0] == srun.NodeFailure("dgx-3")
    causes = {each.because for each in srun.parse(log("node-failure")) if isinstance(each, srun.Cancelled)}
    assert causes == {"DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS"}
    first = srun.parse(log("time-limit"))[0]
    assert first == srun.Cancelled("20", "dgx-4", "2026-11-30T08:37:07", "DUE TO TIME LIMIT")


def test_refusals_are_worded_as_slurm_words_them() -> None:
    assert srun.render(srun.parse(log("refusals"))) == log("refusals")
    made: list[srun.Said] = [
        srun.Submitted(2),
        *srun.refused("sbatch", srun.INVALID_PARTITION, "nope"),
        *srun.refused("sbatch", srun.CONFIG_UNAVAILABLE),
        *srun.refused("sbatch", srun.INVALID_GRES_TYPE),
        *srun.refused("sbatch", srun.INVALID_GRES),
        *srun.refused("sbatch", srun.INVALID_NODE),
        *srun.refused("sbatch", srun.INVALID_TIME),
        *srun.refused("srun", srun.INVALID_PARTITION, "nope"),
        srun.Note("srun", srun.PARTITION_UNAVAILABLE),
        *srun.waiting("srun", 16),
        srun.Note("srun", "Job allocation 16 has been revoked"),
    ]
    assert srun.render(made) == log("refusals")


def test_newer_words_are_read_too() -> None:
    text = "srun: Terminating StepId=1.2\nslurmstepd: error: *** JOB 8 ON dgx-1 CANCELLED AT 2026-11-29T16:55:00 *** \n"
    text += "srun: error: dgx-2: task 1: Segmentation fault (core dumped)\nsrun: error: dgx-2: task 1: Out Of Memory\n"
    kinds = [type(each) for each in srun.parse(text)]
    assert kinds == [srun.Terminating, srun.Cancelled, srun.TaskEnd, srun.TaskEnd]


def test_labels_are_as_wide_as_the_largest() -> None:
    assert srun.label([(0, "yo"), (11, "hi")], 12) == " 0: yo\n11: hi\n"
    assert srun.unlabel(" 0: yo\n11: hi\nno label\n") == ((0, "yo"), (11, "hi"), (None, "no label"))


@pytest.mark.parametrize(
    "make",
    [
        lambda: srun.TaskEnd("dgx-1", (), 1),
        lambda: srun.TaskEnd("dgx-1", (1,), 1, "Killed"),
        lambda: srun.TaskEnd("dgx-1", (1,), None, "Bored"),
        lambda: srun.Cancelled("8", "dgx-1", "now"),
        lambda: srun.Note("srun", "error: Node failure on dgx-1"),
        lambda: srun.Note("bash", "hello"),
    ],
)
def test_what_no_command_says_is_refused(make: object) -> None:
    with pytest.raises(BadValue):
        make()  # type: ignore[operator]


@given(
    st.text()
    | st.sampled_from(("srun: ", "srun: error: dgx-1: tasks ", "sbatch: error: ")).flatmap(
        lambda head: st.text("0123456789-,: abK", max_size=30).map(head.__add__)
    )
)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        said = srun.parse(text)
    except BadInput:
        return
    assert srun.parse(srun.render(said)) == said
