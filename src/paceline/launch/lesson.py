"""The lesson's script: four nodes, one torchrun on each, one process on each GPU, a log for every rank."""

from paceline.launch.script import Command, Launch, Option, Script, Variable

PORT = 29500


def four_nodes(nodes: int = 4, gpus_per_node: int = 8, time: str = "08:00:00", program: str = "train.py") -> Script:
    """A script that starts `nodes` x `gpus_per_node` processes of `program`, and in which nothing is to mend."""
    options = {
        "job-name": "gpt-ddp",
        "partition": "gpu",
        "nodes": str(nodes),
        "ntasks-per-node": "1",
        "gpus-per-node": str(gpus_per_node),
        "cpus-per-task": "112",
        "exclusive": None,
        "time": time,
        "output": "%x-%j.out",
    }
    launch = (
        "srun", "--kill-on-bad-exit=1", "torchrun",
        "--nnodes=$SLURM_JOB_NUM_NODES", f"--nproc-per-node={gpus_per_node}",
        "--rdzv-id=$SLURM_JOB_ID", "--rdzv-backend=c10d", f"--rdzv-endpoint=$head:{PORT}",
        "--log-dir=logs/$SLURM_JOB_ID", "--tee=3", program,
    )  # fmt: skip
    return Script(
        tuple(Option(name, value) for name, value in options.items()),
        (
            Command("# srun gives its tasks this many CPUs only if told again."),
            Variable("SRUN_CPUS_PER_TASK", "$SLURM_CPUS_PER_TASK"),
            Command("# Where the processes meet: the first node of the job."),
            Variable("head", '$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)', is_exported=False),
            Launch(launch),
        ),
    )
