"""The cluster's tools, bound to the machine room: each reads the one state and prints as the real tool does."""

from collections.abc import Callable, Mapping

from paceline.pod.machine_room import MachineRoom
from paceline.pod.tools.collective_test import all_reduce_perf
from paceline.pod.tools.dcgm import dcgmi
from paceline.pod.tools.hands import remote_hands
from paceline.pod.tools.infiniband import ibqueryerrors, ibstat, perfquery
from paceline.pod.tools.launcher import python, torchrun
from paceline.pod.tools.slurm_account import sacct
from paceline.pod.tools.slurm_job import sbatch, scancel, squeue
from paceline.pod.tools.slurm_node import scontrol, sinfo
from paceline.pod.tools.smi import nvidia_smi
from paceline.pod.tools.srun import srun
from paceline.shell import Call, Steps

RoomCall = Callable[[MachineRoom, Call], Steps]

TOOLS: Mapping[str, RoomCall] = {
    "all_reduce_perf": all_reduce_perf,
    "dcgmi": dcgmi,
    "ibqueryerrors": ibqueryerrors,
    "ibstat": ibstat,
    "nvidia-smi": nvidia_smi,
    "perfquery": perfquery,
    "python": python,
    "python3": python,
    "remote-hands": remote_hands,
    "sacct": sacct,
    "sbatch": sbatch,
    "scancel": scancel,
    "scontrol": scontrol,
    "sinfo": sinfo,
    "squeue": squeue,
    "srun": srun,
    "torchrun": torchrun,
}

__all__ = ["TOOLS", "RoomCall"]
