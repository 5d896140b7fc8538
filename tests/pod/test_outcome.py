"""What a script comes to: each classic mistake ends as it does in life, and mending it trains on every GPU."""

import pytest

from paceline.errors import BadInput
from paceline.launch import four_nodes, parse, render
from paceline.pod.outcome import Outcome, environment_of, outcome_of
from paceline.pod.script import FOLDER

SCRIPT = render(four_nodes())
FILES = {"train.py": (FOLDER / "train.py").read_text(encoding="utf-8")}


def outcome(old: str = "", new: str = "", nodes: int = 4, environment: dict[str, str] | None = None) -> Outcome:
    assert old in SCRIPT
    return outcome_of(parse(SCRIPT.replace(old, new)), nodes, environment or {}, FILES.get)


def test_the_script_as_it_is_trains_on_every_gpu() -> None:
    assert outcome() == Outcome(4, 8, batch_size=8)
    assert outcome("$head:29500", "$hed:29500", environment={"hed": "dgx-1"}) == Outcome(4, 8, batch_size=8)


@pytest.mark.parametrize(("workers", "per_host"), [("1", 1), ("4", 4), ("gpu", 8)])
def test_as_many_processes_as_it_says(workers: str, per_host: int) -> None:
    assert outcome("--nproc-per-node=8", f"--nproc-per-node={workers}") == Outcome(4, per_host, batch_size=8)


@pytest.mark.parametrize(
    ("old", "new", "words", "seconds"),
    [
        ("srun --kill-on-bad-exit=1 torchrun", "torchrun", "RendezvousTimeoutError", 600),
        ("--nnodes=$SLURM_JOB_NUM_NODES", "--nnodes=5", "RendezvousTimeoutError", 600),
        ("$head:29500", "localhost:29500", "RendezvousTimeoutError", 600),
        ("$head:29500", "$hed:29500", "hostname of the rendezvous endpoint ':29500'", 12),
        ("--rdzv-backend=c10d", "--rdzv-backend=static", "RendezvousConnectionError", 60),
        ("    train.py", "    nosuch.py", "can't open file 'nosuch.py': [Errno 2]", 12),
        ("gpus-per-node=8", "gpus-per-node=4", "invalid device ordinal", 12),
        ("--nproc-per-node=8", "--nproc-per-node=9", "invalid device ordinal", 12),
        ("ntasks-per-node=1", "ntasks-per-node=8", "Duplicate GPU detected", 12),
        ("torchrun \\", "torchrn \\", "execve(): torchrn", 1),
    ],
)
def test_each_mistake_ends_in_its_own_words(old: str, new: str, words: str, seconds: int) -> None:
    found = outcome(old, new)
    assert found.hosts == 0 and words in found.text and found.exit_code
    assert found.ends_after_us == seconds * 10**6


@pytest.mark.parametrize("nnodes", [1, 2, 3])
def test_nodes_too_many_train_until_the_others_give_up(nnodes: int) -> None:
    found = outcome("--nnodes=$SLURM_JOB_NUM_NODES", f"--nnodes={nnodes}")
    assert (found.hosts, found.ranks_per_host) == (nnodes, 8) and "RendezvousTimeoutError" in found.text


def test_a_script_without_a_launcher_has_no_local_rank() -> None:
    text = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=8\nsrun python train.py\n"
    found = outcome_of(parse(text), 2, {}, FILES.get)
    (line,) = [number for number, line in enumerate(FILES["train.py"].splitlines(), 1) if "LOCAL_RANK" in line]
    assert "KeyError: 'LOCAL_RANK'" in found.text and f"line {line}\n" in found.text


def test_what_this_pod_cannot_run_is_refused() -> None:
    with pytest.raises(BadInput, match="starts a process"):
        outcome_of(parse("#!/bin/bash\n#SBATCH --nodes=1\n"), 1, {}, FILES.get)
    with pytest.raises(BadInput, match="one training"):
        outcome("--rdzv-backend=c10d", "--standalone")


def test_the_environment_it_adds() -> None:
    text = '#!/bin/bash\nexport NCCL_DEBUG="INFO"\nhidden=1\nNCCL_ALGO=Ring srun torchrun --nproc-per-node=8 train.py\n'
    assert environment_of(parse(text)) == {"NCCL_DEBUG": "INFO", "NCCL_ALGO": "Ring"}
