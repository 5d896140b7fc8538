"""A job: one model's global batch split over ranks, micro-batches and accumulation steps."""

from dataclasses import dataclass, replace

from paceline.errors import BadValue, DoesNotDivide
from paceline.units import MIB, show_count
from paceline.workload.memory import Bill, memory_bill
from paceline.workload.model import Model
from paceline.workload.precision import find_precision, optimizer_state_bytes
from paceline.workload.split import largest_divisor, smallest_divisor

LARGEST_COUNT = 10**9
FIRST_BUCKET_BYTES = 1 * MIB
BUCKET_CAP_BYTES = 25 * MIB
"""DDP's defaults (_DEFAULT_FIRST_BUCKET_BYTES of torch.distributed, bucket_cap_mb of its DDP; torch 2.13)."""


@dataclass(frozen=True, slots=True)
class Job:
    """How one training step is run; the batch must come out even, as DDP weighs all ranks alike.

    A sequence longer than the model's context is refused: learned positions end there, and rotary ones beyond
    what was trained are a change of model.
    """

    model: Model
    global_batch: int
    micro_batch: int
    accumulation_steps: int
    world_size: int
    seq_len: int
    precision: str = "bf16-mixed"
    optimizer: str = "adamw"
    checkpointing: bool = True
    gradient_as_bucket_view: bool = True
    bucket_cap_bytes: int = BUCKET_CAP_BYTES
    first_bucket_bytes: int = FIRST_BUCKET_BYTES
    overlap: bool = True

    def __post_init__(self) -> None:
        for key in ("global_batch", "micro_batch", "accumulation_steps", "world_size", "seq_len"):
            _check_count(key, getattr(self, key))
        if (
            not 1 <= self.first_bucket_bytes <= LARGEST_COUNT * MIB
            or not 1 <= self.bucket_cap_bytes <= LARGEST_COUNT * MIB
        ):
            raise BadValue("the bucket size", "a bucket holds at least one byte and at most what a GPU could")
        find_precision(self.precision)
        optimizer_state_bytes(self.optimizer)
        if self.seq_len > self.model.context:
            raise BadValue(
                f"sequences of {show_count(self.seq_len)} tokens",
                f"{self.model.title} has positions for {show_count(self.model.context)}",
                f"Use --seq-len {self.model.context} or less.",
            )
        split = self.micro_batch * self.accumulation_steps * self.world_size
        if split != self.global_batch:
            raise DoesNotDivide(
                f"global batch {show_count(self.global_batch)}",
                f"micro-batch {show_count(self.micro_batch)} x accumulation "
                f"{show_count(self.accumulation_steps)} x {_gpus(self.world_size)} = {show_count(split)}",
                f"Try a global batch of {show_count(split)}.",
            )

    @classmethod
    def of(
        cls,
        model: Model,
        global_batch: int,
        world_size: int,
        micro_batch_cap: int = 8,
        seq_len: int | None = None,
        precision: str = "bf16-mixed",
        optimizer: str = "adamw",
        checkpointing: bool = True,
        gradient_as_bucket_view: bool = True,
        bucket_cap_bytes: int = BUCKET_CAP_BYTES,
        first_bucket_bytes: int = FIRST_BUCKET_BYTES,
        overlap: bool = True,
    ) -> "Job":
        """The job with the largest micro-batch up to `micro_batch_cap` that divides each rank's share."""
        for key, value in (("global_batch", global_batch), ("world_size", world_size)):
            _check_count(key, value)
        _check_count("micro_batch", micro_batch_cap)
        share = share_of_batch(global_batch, world_size)
        micro_batch = largest_divisor(share, micro_batch_cap)
        return cls(
            model=model,
            global_batch=global_batch,
            micro_batch=micro_batch,
            accumulation_steps=share // micro_batch,
            world_size=world_size,
            seq_len=model.context if seq_len is None else seq_len,
            precision=precision,
            optimizer=optimizer,
            checkpointing=checkpointing,
            gradient_as_bucket_view=gradient_as_bucket_view,
            bucket_cap_bytes=bucket_cap_bytes,
            first_bucket_bytes=first_bucket_bytes,
            overlap=overlap,
        )

    def on(self, world_size: int, micro_batch_cap: int) -> "Job":
        """The same training on another number of ranks, its batch split anew."""
        share = share_of_batch(self.global_batch, world_size)
        _check_count("micro_batch", micro_batch_cap)
        micro_batch = largest_divisor(share, micro_batch_cap)
        return replace(self, world_size=world_size, micro_batch=micro_batch, accumulation_steps=share // micro_batch)

    @property
    def tokens_per_step(self) -> int:
        """Tokens of the global batch."""
        return self.global_batch * self.seq_len

    @property
    def tokens_per_micro_step(self) -> int:
        """Tokens one rank takes at a time."""
        return self.micro_batch * self.seq_len

    @property
    def gradient_bytes_per_parameter(self) -> int:
        """Width of a gradient, as it is all-reduced."""
        return find_precision(self.precision).gradient_bytes

    @property
    def gradient_bytes(self) -> int:
        """Bytes all-reduced each step."""
        return self.gradient_bytes_per_parameter * self.model.parameters

    def memory_bill(self) -> Bill:
        """What one of its GPUs holds at the peak of a step."""
        return memory_bill(
            self.model,
            micro_batch=self.micro_batch,
            seq_len=self.seq_len,
            precision=self.precision,
            optimizer=self.optimizer,
            checkpointing=self.checkpointing,
            gradient_as_bucket_view=self.gradient_as_bucket_view,
            world_size=self.world_size,
        )


def share_of_batch(global_batch: int, world_size: int) -> int:
    """Sequences each rank takes of a batch; more ranks than sequences, or an uneven split, is refused."""
    _check_count("global_batch", global_batch)
    _check_count("world_size", world_size)
    if world_size > global_batch:
        raise DoesNotDivide(
            f"global batch {show_count(global_batch)} on {_gpus(world_size)}",
            "a sequence goes to one GPU whole, so there can be no more GPUs than sequences",
            f"Try {_gpus(global_batch)} or fewer, or a global batch of {show_count(world_size)}.",
        )
    share, rest = divmod(global_batch, world_size)
    if rest:
        raise DoesNotDivide(
            f"global batch {show_count(global_batch)}",
            f"it does not split over {_gpus(world_size)}: {show_count(global_batch)} = "
            f"{show_count(world_size)} x {show_count(share)} + {show_count(rest)}",
            f"Try {_even_splits(global_batch, world_size)} GPUs, or a global batch of "
            f"{show_count(share * world_size)} or {show_count((share + 1) * world_size)}.",
        )
    return share


def _even_splits(global_batch: int, world_size: int) -> str:
    below = largest_divisor(global_batch, world_size)
    return f"{show_count(below)} or {show_count(smallest_divisor(global_batch, world_size))}"


def _check_count(key: str, value: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= LARGEST_COUNT:
        word = key.replace("_", "-")
        raise BadValue(
            f"{word} {value if type(value) is int and abs(value) <= LARGEST_COUNT else 'as given'}",
            f"it is a whole number from 1 to {show_count(LARGEST_COUNT)}",
        )


def _gpus(world_size: int) -> str:
    return "1 GPU" if world_size == 1 else f"{show_count(world_size)} GPUs"
