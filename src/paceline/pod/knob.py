"""Knobs: the controls of a world, in whole numbers, and what a request may say of them."""

from collections.abc import Mapping
from dataclasses import dataclass

from paceline.errors import BadValue


@dataclass(frozen=True, slots=True)
class Knob:
    """A control; `stops` are what its slider offers, `words` the names of a switch's or a choice's values."""

    name: str
    label: str
    unit: str
    lowest: int
    highest: int
    stops: tuple[int, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """How the page draws it."""
        if self.words:
            return "switch" if len(self.words) == 2 else "choice"
        return "stops" if self.stops else "range"

    def check(self, value: int) -> None:
        """Refuse a value it cannot stand at."""
        if not self.lowest <= value <= self.highest:
            unit = f" {self.unit}" if self.unit else ""
            raise BadValue(
                f"{self.label} {value:,}", f"it lies between {self.lowest:,} and {self.highest:,}{unit} here"
            )

    def text(self, value: int) -> str:
        """A value as the page shows it."""
        return self.words[value - self.lowest] if self.words else f"{value:,}"


KNOBS = {
    knob.name: knob
    for knob in (
        Knob("mfu_percent", "MFU", "%", 1, 100),
        Knob("tokens_billion", "Token budget", "billion tokens", 1, 300),
        Knob("gpus", "GPUs", "of dgx-1", 1, 8, (1, 2, 4, 8)),
        Knob("world_size", "GPUs", "in all", 1, 1024, (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)),
        Knob("servers", "Servers", "of eight GPUs", 1, 4, (1, 2, 3, 4)),
        Knob("nics", "NICs", "per server", 1, 8, (1, 2, 4, 8)),
        Knob("nic_gbit", "NIC speed", "Gb/s", 100, 800, (100, 200, 400, 800)),
        Knob("global_batch", "Global batch", "sequences", 1, 65536, (8, 16, 32, 64, 96, 128, 160, 192, 256, 512, 1024)),
        Knob("micro_batch", "Micro-batch", "sequences", 1, 1024, (1, 2, 4, 8, 16, 32)),
        Knob("accumulation", "Accumulation", "micro-batches", 1, 65536, (1, 2, 4, 8, 16, 32)),
        Knob("batch_held", "Global batch", "", 0, 1, words=("follows", "held")),
        Knob("overlap", "Overlap", "", 0, 1, words=("off", "on")),
        Knob("ring_forced", "NCCL_ALGO", "", 0, 1, words=("unset", "Ring")),
        Knob("bucket_mib", "Buckets", "MiB each", 1, 4000, (1, 5, 25, 50, 100, 400, 1600, 4000)),
        Knob("clock_percent", "Clock of GPU 13", "% of its rating", 30, 100),
        Knob(
            "model_size",
            "Model",
            "",
            0,
            3,
            words=("GPT-2 XL, 1.56 B", "Llama 3.2, 3.2 B", "Llama 2, 6.7 B", "Llama 2, 13 B"),
        ),
        Knob("checkpointing", "Recompute activations", "", 0, 1, words=("off", "on")),
        Knob("bucket_view", "Gradients as bucket view", "", 0, 1, words=("off", "on")),
        Knob(
            "sharding",
            "Divide over ranks",
            "",
            0,
            3,
            words=("nothing: DDP", "optimizer: ZeRO-1", "+ gradients: ZeRO-2", "+ weights: FSDP"),
        ),
        Knob(
            "edit",
            "Edit",
            "",
            0,
            4,
            words=("as written", "no set_device", "no sampler", "no set_epoch", "wrap, then move"),
        ),
        Knob("line", "Line", "of the script", 1, 36),
        Knob("averaging", "Averaging", "", 0, 1, words=("off", "on")),
        Knob("ranks", "GPUs", "in the ring", 2, 16384, (2, 3, 4, 5, 6, 7, 8, 32, 256, 1024, 8000)),
        Knob("link_percent", "One link", "% of its speed", 5, 100),
        Knob("buffer_kb", "Buffer", "kB", 1, 4_000_000, (1, 16, 256, 4096, 65536, 1_000_000, 3_115_222)),
    )
}


def whole(request: Mapping[str, object], key: str) -> int:
    """The whole number at `key` of a request."""
    value = request.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadValue(f"{key} of a request", "it must be a whole number")
    return value


def word(request: Mapping[str, object], key: str) -> str:
    """The text at `key` of a request."""
    value = request.get(key)
    if not isinstance(value, str):
        raise BadValue(f"{key} of a request", "it must be text")
    return value
