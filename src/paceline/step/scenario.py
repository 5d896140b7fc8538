"""A scenario: hardware, workload, job and faults as one frozen value; the input of `simulate`.

`Settings` is the same thing in the plain words a person types; the command line, the lesson's knobs
and scenario files all become one, so a word means the same on every screen.
"""

from dataclasses import dataclass, fields, replace
from typing import Any

from paceline.collective import MeasuredTable
from paceline.errors import BadValue
from paceline.faults import Fault
from paceline.hardware import CATALOG, Cluster
from paceline.records import Table
from paceline.units import MIB
from paceline.workload import FIRST_BUCKET_BYTES, Job, Model, find_model

LARGEST_TOKENS = 10**18
DEFAULT_CAP_MIB = 25


@dataclass(frozen=True, slots=True)
class Scenario:
    """Everything a run follows from; `nccl_algo` is the value of NCCL_ALGO, "" when unset."""

    cluster: Cluster
    job: Job
    micro_batch_cap: int
    token_budget: int
    nccl_algo: str = ""
    price_per_gpu_hour: float = 0.0
    measured_all_reduce: MeasuredTable | None = None

    def __post_init__(self) -> None:
        if self.cluster.world_size != self.job.world_size:
            raise BadValue(
                f"a job of {self.job.world_size} ranks on {self.cluster.world_size} GPUs", "it is one process per GPU"
            )
        if not 1 <= self.token_budget <= LARGEST_TOKENS:
            raise BadValue(f"a budget of {self.token_budget} tokens", "it lies between 1 and 10^18")
        if not 0 <= self.price_per_gpu_hour < 10**6:
            raise BadValue(f"a price of {self.price_per_gpu_hour} per GPU and hour", "it lies between 0 and a million")

    def on(self, world_size: int) -> "Scenario":
        """The same training on another number of GPUs, with those faults whose place still exists."""
        if world_size == self.job.world_size:
            return self
        cluster = Cluster.of(self.cluster.server, world_size)
        for condition in self.cluster.conditions:
            if cluster.has_place(condition) and (
                cluster.servers > 1 or condition.part not in ("nic", "ib", "gpu_direct")
            ):
                cluster = cluster.with_condition(condition)
        return replace(self, cluster=cluster, job=self.job.on(world_size, self.micro_batch_cap))

    @property
    def healthy(self) -> "Scenario":
        """The same scenario with nothing wrong."""
        return replace(self, cluster=replace(self.cluster, conditions=())) if self.cluster.conditions else self


@dataclass(frozen=True, slots=True)
class Settings:
    """A scenario in words; the defaults are the lesson's running example on its 32 GPUs.

    `servers` 0 means as few as hold the GPUs, `nics` 0 as many as the server ships, `seq_len` 0 the
    model's context.
    """

    model: str | Model = "gpt2-xl"
    gpu: str = "h100-sxm"
    gpus: int = 32
    servers: int = 0
    nics: int = 0
    nic: str = ""
    global_batch: int = 256
    micro_batch: int = 8
    seq_len: int = 0
    tokens: int = 30 * 10**9
    price: float = 0.0
    nccl_algo: str = "Ring"
    precision: str = "bf16-mixed"
    checkpointing: bool = True
    overlap: bool = True
    bucket_cap_mib: int = DEFAULT_CAP_MIB
    bucket_view: bool = True
    faults: tuple[str, ...] = ()

    def scenario(self) -> Scenario:
        """The scenario these words mean, or a refusal that says which cannot be."""
        server = CATALOG.server_with(self.gpu)
        if self.nics or self.nic:
            server = server.with_nics(self.nics or server.nics, CATALOG.nic(self.nic) if self.nic else None)
        cluster = Cluster.of(server, self.gpus, self.servers or None)
        for fault in self.faults:
            cluster = Fault.parse(fault).inject(cluster)
        model = self.model if isinstance(self.model, Model) else find_model(self.model)
        if not 1 <= self.bucket_cap_mib <= 2**20:
            raise BadValue(f"buckets of {self.bucket_cap_mib} MiB", "bucket_cap_mb lies between 1 and 1,048,576")
        job = Job.of(
            model,
            global_batch=self.global_batch,
            world_size=self.gpus,
            micro_batch_cap=self.micro_batch,
            seq_len=self.seq_len or model.context,
            precision=self.precision,
            checkpointing=self.checkpointing,
            overlap=self.overlap,
            gradient_as_bucket_view=self.bucket_view,
            bucket_cap_bytes=self.bucket_cap_mib * MIB,
            first_bucket_bytes=self._first_bucket_bytes,
        )
        return Scenario(cluster, job, self.micro_batch, self.tokens, self.nccl_algo, self.price)

    @property
    def _first_bucket_bytes(self) -> int:
        """DDP makes its first bucket small only where the cap is its default (torch 2.13, its distributed.py)."""
        return FIRST_BUCKET_BYTES if self.bucket_cap_mib == DEFAULT_CAP_MIB else self.bucket_cap_mib * MIB

    def override(self, table: Table) -> "Settings":
        """These settings with those of a TOML table in their place; unknown keys are refused with file and line."""
        known = {field.name: getattr(self, field.name) for field in fields(self)}
        table.only(*known)
        given: dict[str, Any] = {}
        for key in table.values:
            if key == "faults":
                faults = table.get(key, list)
                if not all(isinstance(fault, str) for fault in faults):
                    raise table.refuse(key, "faults is a list of texts such as 'slow-gpu@dgx-2:5=0.7'")
                given[key] = tuple(faults)
            else:
                given[key] = table.get(key, str if key == "model" else type(known[key]))
        return replace(self, **given)
