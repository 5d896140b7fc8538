"""Dials: knobs that are settings of a job, each with how it is read from them and how it is put."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from paceline.errors import BadValue
from paceline.faults import Fault
from paceline.pod.knob import KNOBS
from paceline.step import Settings
from paceline.units import GB, show_gpus
from paceline.workload import share_of_batch

HOT_SERVER, HOT_INDEX = 1, 5
"""The GPU whose clock a knob turns: GPU 5 of dgx-2, rank 13 where servers give eight."""
NIC_OF_GBIT = {100: "edr-100", 200: "hdr-200", 400: "ndr-400", 800: "xdr-800"}
MODELS_OFFERED = ("gpt2-xl", "llama-3.2-3b", "llama-2-7b", "llama-2-13b")
"""The models of the knob of that name, in its order, all on sequences as long as GPT-2's."""
SEQ_LEN = 1024
GPUS_PER_SERVER = 8
MOST_SERVERS = 4


@dataclass(frozen=True, slots=True)
class Dial:
    """A knob's value in some settings, and the settings with another."""

    get: Callable[[Settings], int]
    put: Callable[[Settings, int], Settings]


def _get_clock(settings: Settings) -> int:
    for text in settings.faults:
        fault = Fault.parse(text)
        if (fault.kind, fault.server, fault.index) == ("slow-gpu", HOT_SERVER, HOT_INDEX):
            return round(100 * fault.condition.share)
    return 100


def _put_clock(settings: Settings, percent: int) -> Settings:
    fault = f"slow-gpu@dgx-{HOT_SERVER + 1}:{HOT_INDEX}"
    others = tuple(text for text in settings.faults if not text.startswith(f"{fault}="))
    return replace(settings, faults=(*others, f"{fault}={percent / 100}") if percent < 100 else others)


def _get_gbit(settings: Settings) -> int:
    return next((gbit for gbit, nic in NIC_OF_GBIT.items() if nic == settings.nic), 400)


def _put_gbit(settings: Settings, gbit: int) -> Settings:
    if gbit not in NIC_OF_GBIT:
        rates = ", ".join(str(rate) for rate in NIC_OF_GBIT)
        raise BadValue(f"a NIC of {gbit} Gb/s", "there is none", f"They come with {rates} Gb/s.")
    return replace(settings, nic=NIC_OF_GBIT[gbit])


def _get_model(settings: Settings) -> int:
    return MODELS_OFFERED.index(settings.model) if settings.model in MODELS_OFFERED else 0


DIALS: dict[str, Dial] = {
    "tokens_billion": Dial(lambda s: s.tokens // GB, lambda s, value: replace(s, tokens=value * GB)),
    "gpus": Dial(lambda s: s.gpus, lambda s, value: replace(s, gpus=value)),
    "world_size": Dial(lambda s: s.gpus, lambda s, value: replace(s, gpus=value)),
    "servers": Dial(
        lambda s: min(MOST_SERVERS, -(-s.gpus // GPUS_PER_SERVER)),
        lambda s, value: replace(s, gpus=value * GPUS_PER_SERVER),
    ),
    "nics": Dial(lambda s: s.nics or GPUS_PER_SERVER, lambda s, value: replace(s, nics=value)),
    "nic_gbit": Dial(_get_gbit, _put_gbit),
    "global_batch": Dial(lambda s: s.global_batch, lambda s, value: replace(s, global_batch=value)),
    "overlap": Dial(lambda s: int(s.overlap), lambda s, value: replace(s, overlap=bool(value))),
    "ring_forced": Dial(
        lambda s: int(s.nccl_algo == "Ring"), lambda s, value: replace(s, nccl_algo="Ring" if value else "")
    ),
    "bucket_mib": Dial(lambda s: s.bucket_cap_mib, lambda s, value: replace(s, bucket_cap_mib=value)),
    "clock_percent": Dial(_get_clock, _put_clock),
    "model_size": Dial(_get_model, lambda s, value: replace(s, model=MODELS_OFFERED[value], seq_len=SEQ_LEN)),
    "checkpointing": Dial(lambda s: int(s.checkpointing), lambda s, value: replace(s, checkpointing=bool(value))),
    "bucket_view": Dial(lambda s: int(s.bucket_view), lambda s, value: replace(s, bucket_view=bool(value))),
}


@dataclass(frozen=True, slots=True)
class Factors:
    """The three whole numbers whose product is the global batch."""

    micro_batch: int
    accumulation: int
    world_size: int

    @classmethod
    def of(cls, settings: Settings) -> "Factors":
        """The factors of some settings, as the job splits them."""
        job = settings.scenario().job
        return cls(job.micro_batch, job.accumulation_steps, job.world_size)

    def settings(self, settings: Settings) -> Settings:
        """The settings whose batch is the product."""
        batch = self.micro_batch * self.accumulation * self.world_size
        if batch > KNOBS["global_batch"].highest:
            raise BadValue(
                f"{self.micro_batch:,} x {self.accumulation:,} x {show_gpus(self.world_size)} = {batch:,} sequences",
                f"a batch here has at most {KNOBS['global_batch'].highest:,}",
                "Make one of the factors smaller.",
            )
        return replace(settings, micro_batch=self.micro_batch, gpus=self.world_size, global_batch=batch)


def turn_factor(settings: Settings, name: str, value: int, held: bool) -> Settings:
    """The settings with one factor put: a held batch splits anew or refuses, one that follows becomes the product."""
    if not held:
        return replace(Factors.of(settings), **{name: value}).settings(settings)
    if name == "world_size":
        return replace(settings, gpus=value)
    share = share_of_batch(settings.global_batch, settings.gpus)
    if share % value:
        split = f"{settings.global_batch} sequences on {show_gpus(settings.gpus)} leave {share} for each"
        even = [str(divisor) for divisor in range(1, share + 1) if share % divisor == 0]
        raise BadValue(
            f"{name.replace('_', '-')} {value}",
            f"{split}, and {value} does not divide {share}",
            f"Try {', '.join(even)}.",
        )
    return replace(settings, micro_batch=value if name == "micro_batch" else share // value)
