"""Jobs at the prompt: submitted, queued, launched by hand and under srun, cancelled, and listed one way everywhere."""

import pytest
from tests.pod.terminal import Terminal

from paceline.faults import Fault
from paceline.formats import query_gpu, sacct, sinfo, torch_error
from paceline.formats import squeue as squeue_format
from paceline.formats.cuda_out_of_memory import OutOfMemory
from paceline.pod.comparison import run_of
from paceline.pod.machine_room import GPUS
from paceline.step import Settings
from paceline.units import show_milliseconds


def test_a_log_without_a_place_ends_its_job() -> None:
    at = Terminal()
    at("sbatch -o /root/x.out train.sbatch; sleep 60")
    assert squeue_format.parse(at("squeue")).jobs == ()
    assert "JobState=FAILED" in at("scontrol show job 1")


def test_a_job_inherits_what_it_is_submitted_with() -> None:
    at = Terminal()
    at("NCCL_IB_DISABLE=1 sbatch train.sbatch; sleep 300; scancel 1")
    at("export NCCL_IB_DISABLE=1; sbatch --export=NONE train.sbatch; sleep 300; scancel 2")
    at("unset NCCL_IB_DISABLE; export NCCL_DEBUG=INFO; sbatch train.sbatch; sleep 300")
    assert at.pace(2) == at.pace(3) == show_milliseconds(run_of(Settings()).step_s)
    assert at.pace(1) == show_milliseconds(run_of(Settings(faults=("socket-fallback",))).step_s)
    assert "Using network IB" in at("grep network gpt-ddp-3.out")


def test_a_broken_script_s_job_fails_in_its_log() -> None:
    at = Terminal()
    at("sed -i s/train.py/nosuch.py/ train.sbatch; sbatch train.sbatch; sleep 30")
    log = at("cat gpt-ddp-1.out")
    assert "can't open file 'nosuch.py'" in log and "srun: error: dgx-4: task 3: Exited with exit code 1" in log
    assert "JobState=FAILED" in at("scontrol show job 1") and squeue_format.parse(at("squeue")).jobs == ()
    assert "'--exclusiv'" in at("sed -i s/exclusive/exclusiv/ train.sbatch; sbatch train.sbatch")
    assert at.session.code == 1


def test_eight_ranks_by_hand_make_every_gpu_of_one_host_busy() -> None:
    at = Terminal()
    at("torchrun --standalone --nproc-per-node=8 train.py > log &")
    at("sleep 120")
    busy = [place for place, board in at.pod.room.boards.items() if board.utilization_percent]
    assert busy == [("dgx-1", index) for index in range(GPUS)]
    pace = show_milliseconds(run_of(Settings(gpus=8, servers=1, global_batch=64)).step_s)
    assert f" {pace} " in at("tail -n 1 log")
    assert "busy" in at("torchrun --standalone --nproc-per-node=8 train.py") and at.session.code == 1
    at("kill %1; sleep 2")
    assert at.pod.room.queue.jobs == []
    assert "KeyError: 'LOCAL_RANK'" in at("python train.py") and at.session.code == 1


def test_srun_starts_torchrun_on_every_node() -> None:
    at = Terminal()
    launch = "torchrun --nnodes=4 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=dgx-1:29500 train.py"
    assert show_milliseconds(run_of(Settings()).step_s) in at(f"srun -N 4 {launch} | head -n 1")
    assert at.pod.now_us < 60 * 10**6
    assert "RendezvousTimeoutError" in at(f"srun -N 3 {launch}") and at.session.code == 1


def test_srun_waits_its_turn() -> None:
    at = Terminal()
    at("sbatch train.sbatch")
    assert at("srun -w dgx-5 hostname") == "dgx-5\n"
    at("srun -N 2 hostname > out 2> said &")
    at("sleep 5")
    jobs = squeue_format.parse(at("squeue")).jobs
    assert [(job.job_id, job.state) for job in jobs] == [("3", "PD"), ("1", "R")]
    at("scancel 1; sleep 5")
    assert at("cat out") == "dgx-1\ndgx-2\n" and "job 3 has been allocated resources" in at("cat said")
    assert squeue_format.parse(at("squeue")).jobs == ()
    for _ in range(1100):
        at("srun hostname")
    assert at("srun -N 5 true") == "" and at.session.code == 0


def test_slurm_lists_jobs_one_way() -> None:
    at = Terminal()
    at("sbatch train.sbatch; sbatch train.sbatch; sbatch -N 1 train.sbatch")
    jobs = squeue_format.parse(at("squeue -l")).jobs
    assert [(job.job_id, job.reason, job.time_limit_s) for job in jobs] == [
        ("2", "Resources", 28800), ("3", "Priority", 28800), ("1", "", 28800),
    ]  # fmt: skip
    assert [job.job_id for job in squeue_format.parse(at("squeue -t R")).jobs] == ["1"]
    at("scancel 1; sleep 5")
    states = {row.job_id: row.state for row in sacct.parse(at("sacct"))}
    assert states["1"].startswith("CANCELLED") and states["2"] == states["3"] == "RUNNING"
    (summary,) = sinfo.parse_summary(at("sinfo -s"))
    assert (summary.allocated, summary.idle, summary.other) == (5, 0, 0)
    assert at("squeue -j 77") == "squeue: error: Invalid job id specified\n" and at.session.code == 1


def test_what_a_job_s_script_says_counts() -> None:
    at = Terminal()
    at("sed -i s/batch_size=8/batch_size=4/ train.py; sbatch train.sbatch; sleep 300; scancel 1")
    assert at.pace(1) == show_milliseconds(run_of(Settings(global_batch=128, micro_batch=4)).step_s)
    at("NCCL_ALGO=Tree sbatch train.sbatch; sleep 300")
    tree = run_of(Settings(global_batch=128, micro_batch=4, nccl_algo="Tree"))
    assert at.pod.room.run(at.pod.room.queue.job(2)) == tree
    at("scancel 2; NCCL_ALGO=Bad sbatch train.sbatch; sleep 5")
    assert "JobState=FAILED" in at("scontrol show job 3") and "'bad'" in at("cat gpt-ddp-3.out")


def test_a_batch_too_big_for_a_gpu_ends_in_pytorch_s_words() -> None:
    at = Terminal()
    at("sed -i s/batch_size=8/batch_size=256/ train.py; sbatch train.sbatch; sleep 20")
    (found,) = torch_error.errors(at("cat gpt-ddp-1.out"))
    assert isinstance(found.what, OutOfMemory) and found.rank == 0
    assert "JobState=FAILED" in at("scontrol show job 1")
    used = query_gpu.parse(at("nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits"), ("memory.used",))
    assert {row.values for row in used.rows} == {(0,)}


@pytest.mark.parametrize(
    "launch",
    ["torchrun --nproc-per-node=0 train.py", "torchrun", "python -c 1", "torchrun --nproc-per-node=-1 train.py"],
)
def test_a_launch_that_starts_nothing_is_refused(launch: str) -> None:
    at = Terminal()
    assert at(launch).startswith(launch.split()[0]) and at.session.code == 1
    assert at(f"srun {launch}") and at.session.code == 1
    at("sleep 60")
    assert not at.pod.room.queue.active


def test_a_step_of_srun_ends_with_its_job() -> None:
    at = Terminal()
    assert "aborted" in at("srun --time=1 sleep 600") and at.session.code == 1
    assert at.pod.now_us == 60 * 10**6
    at("srun -N 5 sleep 600 2> said & sleep 10; scancel 2 77; sleep 2")
    assert "scancel: error" in at("scancel 77") and "aborted" in at("cat said")
    assert at("export B=7; srun --export=A=5 printenv A") == "5\n"
    assert at("srun --export=A=5 printenv B").startswith("srun: error")


def test_a_server_is_not_opened_under_a_job() -> None:
    fault = Fault("slow-gpu", 1, 3)
    at = Terminal(fault)
    at("remote-hands replace-fan dgx-2 3 > ticket & sleep 5; sbatch train.sbatch; sleep 60")
    (job,) = squeue_format.parse(at("squeue")).jobs
    assert job.node_list == "dgx-[1,3-5]"
    assert {row.state for row in sinfo.parse(at("sinfo"))} == {"alloc", "drain"}
    at("sleep 2700")
    assert {row.state for row in sinfo.parse(at("sinfo"))} == {"alloc", "idle"} and not at.pod.room.faults
