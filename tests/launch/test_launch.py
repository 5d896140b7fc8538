"""Launch scripts: the lesson's is right and comes back, people's are read, each classic mistake is named once."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paceline.errors import BadInput, BadValue
from paceline.launch import (
    Command,
    Launch,
    Option,
    Script,
    Variable,
    findings,
    four_nodes,
    parse,
    processes_started,
    render,
)

LOGS = Path(__file__).parents[1] / "data" / "logs"
RIGHT = render(four_nodes())
LAUNCH = RIGHT[RIGHT.index("srun --kill") :]

# What is put for what in the right script, the rule that sees it, its processes in all.
MISTAKES = {
    "tasks-times-workers": ("per-node=1\n", "per-node=8\n", 256),
    "tasks-not-said": ("#SBATCH --ntasks-per-node=1\n", "", 32),
    "no-srun": ("srun --kill-on-bad-exit=1 torchrun", "torchrun", 8),
    "workers-not-gpus": ("--nproc-per-node=8", "--nproc-per-node=4", 16),
    "nnodes-not-nodes": ("--nnodes=$SLURM_JOB_NUM_NODES", "--nnodes=2", 32),
    "head-address": ("$head:29500", "localhost:29500", 32),
    "no-port": ("$head:29500", "$head", 32),
    "no-endpoint": ("--rdzv-endpoint=$head:29500", "--role=pod", 32),
    "node-rank": ("--rdzv-backend=c10d", "--node-rank=$SLURM_PROCID", 32),
    "standalone": ("--rdzv-backend=c10d", "--standalone", 32),
    "no-network": ("export SRUN", "export NCCL_SOCKET_IFNAME=docker0\nexport SRUN", 32),
    "no-infiniband": ("export SRUN", "export NCCL_IB_DISABLE=1\nexport SRUN", 32),
    "ignored-option": ("srun --kill", "#SBATCH --mem=0\nsrun --kill", 32),
    "unknown-option": ("#SBATCH --exclusive", "#SBATCH --exclusve", 32),
    "cpus-not-passed": ("export SRUN_CPUS_PER_TASK", "export OMP_NUM_THREADS", 32),
    "hidden-gpus": ("srun --kill", "srun --gpus-per-task=1 --kill", 32),
}


def test_the_lessons_script_is_right() -> None:
    script = parse(RIGHT)
    assert script == four_nodes() and findings(script) == ()
    assert processes_started(script, 4, 8) == 32
    assert RIGHT.startswith("#!/bin/bash\n#SBATCH --job-name=gpt-ddp\n")
    assert "srun --kill-on-bad-exit=1 torchrun \\\n    --nnodes=$SLURM_JOB_NUM_NODES \\\n" in RIGHT


@pytest.mark.parametrize("rule", MISTAKES)
def test_each_mistake_is_named(rule: str) -> None:
    before, after, processes = MISTAKES[rule]
    assert RIGHT.count(before) == 1, before
    found = findings(parse(RIGHT.replace(before, after)))
    assert [each.rule for each in found] == [rule]
    assert found[0].processes == processes and found[0].line > 1 and found[0].says and found[0].mend


def test_places_are_lines() -> None:
    text = RIGHT.replace("export SRUN", "export NCCL_IB_DISABLE=1\nexport SRUN").replace("per-node=1\n", "per-node=8\n")
    found = findings(parse(text))
    lines = text.splitlines()
    assert [lines[each.line - 1] for each in found] == ["#SBATCH --ntasks-per-node=8", "export NCCL_IB_DISABLE=1"]
    assert "64 processes on 8 GPUs, 256 in all" in found[0].says


def test_a_real_script_is_read() -> None:
    text = (LOGS / "d12-sbatch-hostname-split.log").read_text(encoding="utf-8")
    script = parse(text[text.index("#!") : text.index("\nNode IP")])
    assert [(each.name, each.value, each.line) for each in script.options] == [
        ("nodes", "2", 2), ("gres", "gpu:volta:1", 3), ("cpus-per-task", "10", 4),
    ]  # fmt: skip
    assert processes_started(script, 2, 1) == 2
    found = {each.rule: each for each in findings(script)}
    assert found["head-address"].line == 8 and "several addresses" in found["head-address"].says
    assert parse(render(script)) == script


@pytest.mark.parametrize(
    ("options", "launch", "processes"),
    [
        ("-N 4 -n 32", "srun python train.py", 32),
        ("-N4 --ntasks-per-node=8", "srun python3 train.py", 32),
        ("-N 4", "srun train.sh", 4),
        ("-N 4", "torchrun --nproc_per_node 8 train.py", 8),
        ("-N 1", "torchrun --standalone --nproc-per-node gpu train.py", 8),
        ("-N 4", "srun -N 2 --ntasks-per-node=1 torchrun --nproc-per-node=auto train.py", 16),
        ("-N 4", "srun bash -c 'torchrun --nproc-per-node 8 --node-rank $SLURM_PROCID train.py'", 32),
        ("-N 4 --ntasks-per-node=2", "srun python -m torch.distributed.run --nproc-per-node 4 train.py", 32),
        ("-N 4 --gpus-per-node=8", "srun torchrun --nproc-per-node=$SLURM_GPUS_PER_NODE train.py", 32),
        ("-N 4 --ntasks-per-node=8", "srun -n 4 torchrun --nproc-per-node=8 train.py", 32),
        ("-N 4", "echo nothing", 0),
    ],
)
def test_processes(options: str, launch: str, processes: int) -> None:
    assert (
        processes_started(parse(f"#!/bin/bash\n#SBATCH {options}\n{launch}\n"), 4 if "-N 1" not in options else 1, 8)
        == processes
    )


def test_a_late_rank_is_right_and_an_early_one_is_not() -> None:
    text = "#!/bin/bash\n#SBATCH -N 4 --ntasks-per-node=1 --gpus-per-node=8\nsrun bash -c {}\n"
    inner = (
        "torchrun --nnodes 4 --nproc-per-node 8 --node-rank $SLURM_PROCID --master-addr dgx-1 --master-port 29500 a.py"
    )
    assert findings(parse(text.format(f"'{inner}'"))) == ()
    assert [each.rule for each in findings(parse(text.format(f'"{inner}"')))] == ["node-rank"]


def test_a_variable_nobody_knows_is_refused_with_its_name() -> None:
    script = parse("#!/bin/bash\nsrun torchrun --nproc-per-node=$WORKERS train.py\n")
    with pytest.raises(BadValue, match="WORKERS"):
        processes_started(script, 4, 8)
    assert findings(script)


def test_unknown_options_are_kept() -> None:
    script = parse("#!/bin/sh\n#SBATCH --nope=3 -Z --nodes 2 # two\n# a comment\n#SBATCH -t 4:00\ntrue\n#SBATCH -p x\n")
    assert [str(each) for each in script.options] == ["--nope=3", "-Z", "--nodes=2", "--time=4:00", "--partition=x"]
    assert [each.is_ignored for each in script.options] == [False] * 4 + [True]
    assert [each.is_known for each in script.options] == [False, False, True, True, True]
    assert script.interpreter == "/bin/sh" and script.steps == (Command("# a comment"), Command("true"))


words = st.text("abz09-_./$%", min_size=1, max_size=10).filter(lambda word: not word.startswith("$"))
options = st.one_of(
    st.builds(Option, st.sampled_from(("nodes", "time", "output", "gres", "comment")), words | st.just("two words")),
    st.builds(Option, st.sampled_from(("exclusive", "requeue", "-Z", "--nope"))),
    st.builds(Option, st.just("--nope"), words),
)
steps = st.one_of(
    st.builds(
        Variable, st.sampled_from(("A", "HEAD")), st.sampled_from(("1", '"a b"', "$(x | y)", "'#'")), st.booleans()
    ),
    st.lists(words, max_size=12).map(lambda rest: Launch(("srun", "torchrun", "--nnodes=4", *rest))),
    st.sampled_from(("module load cuda", "# note", "cd /home/me && ls", "for i in 1 2; do\n", "echo 'a\nb'")).map(
        lambda text: Command(text.strip("\n"))
    ),
)


@settings(max_examples=100)
@given(st.lists(options, max_size=4), st.lists(options, max_size=2), st.lists(steps, max_size=4))
def test_any_script_comes_back(
    read: list[Option], late: list[Option], steps: list[Variable | Launch | Command]
) -> None:
    ignored = [replace(option, is_ignored=True) for option in late]
    script = Script((*read, *ignored), (Command("true"), *steps))
    assert parse(render(script)) == script
    findings(script)


@settings(max_examples=150)
@given(st.text() | st.text("#SBATCH -N=4\n\\\"'$(){}`;srun torchrun --nproc-per-node 8 A=1", max_size=150))
def test_any_text_is_read_or_refused(text: str) -> None:
    for given_ in (text, f"#!/bin/bash\n{text}"):
        try:
            script = parse(given_)
        except BadInput as refused:
            assert "line" in str(refused)
            continue
        findings(script)
        assert parse(render(script)) == script


@settings(max_examples=100)
@given(st.integers(0, len(LAUNCH)), st.text("#$(){}'\"`\\ \n=-:9x", max_size=4))
def test_a_broken_launch_is_still_judged(at: int, junk: str) -> None:
    findings(parse(RIGHT.replace(LAUNCH, LAUNCH[:at] + junk + LAUNCH[at:])))
