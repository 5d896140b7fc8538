"""A model: the shape of a transformer, its parameters by name, and the work one token costs.

Two families cover what plain data parallelism trains: `gpt2` (learned positions, LayerNorm, biases, one fused
query-key-value matrix) and `llama` (rotary positions, RMSNorm, gated MLP, grouped key-value heads), the
latter with the options that Mistral and Qwen add.
"""

from dataclasses import dataclass

from paceline.errors import BadValue
from paceline.units import show_count, show_large_count
from paceline.workload.parameter import Parameter, list_parameters, order_of_arrival
from paceline.workload.split import largest_divisor

LARGEST_PARAMETERS = 10**15
LARGEST_DIMENSION = 10**9
MOST_LAYERS = 10**4
FAMILIES = ("gpt2", "llama")

FLOP_PER_PARAMETER_FORWARD = 2
"""One multiplication and one addition for each weight and token."""


@dataclass(frozen=True, slots=True)
class Model:
    """The shape of one model.

    `tied` means the output layer is the embedding itself. The four switches at the end are the llama
    family's: biases on query, key and value (Qwen 2), on the attention's output, in the MLP, and norms on
    query and key (Qwen 3); the gpt2 family has all biases and no such norms.
    """

    name: str
    title: str
    family: str
    layers: int
    width: int
    heads: int
    kv_heads: int
    head_width: int
    ffn_width: int
    vocabulary: int
    context: int
    tied: bool
    qkv_bias: bool = False
    attention_output_bias: bool = False
    mlp_bias: bool = False
    qk_norm: bool = False

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise BadValue(f"family {self.family!r}", "a model is of family gpt2 or llama")
        for key in (
            "layers",
            "width",
            "heads",
            "kv_heads",
            "head_width",
            "ffn_width",
            "vocabulary",
            "context",
        ):
            value = getattr(self, key)
            largest = MOST_LAYERS if key == "layers" else LARGEST_DIMENSION
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= largest:
                shown = (
                    show_count(value) if type(value) is int and abs(value) < LARGEST_PARAMETERS else "that number of"
                )
                raise BadValue(f"{shown} {key}", f"{key} is a whole number from 1 to {show_count(largest)}")
        if self.heads % self.kv_heads:
            raise BadValue(
                f"{self.heads} heads over {self.kv_heads} key-value heads",
                "each key-value head serves the same number of heads",
                f"Try {largest_divisor(self.heads, self.kv_heads)} key-value heads.",
            )
        if self.family == "gpt2" and (self.heads != self.kv_heads or self.heads * self.head_width != self.width):
            raise BadValue(
                f"width {self.width} over {self.heads} heads",
                "a GPT-2 splits its width evenly over its heads",
                f"Try {largest_divisor(self.width, self.heads)} heads.",
            )
        if self.parameters > LARGEST_PARAMETERS:
            raise BadValue(
                f"a model of {show_large_count(self.parameters)} parameters",
                f"nothing beyond {show_large_count(LARGEST_PARAMETERS)} is a model anyone trains",
                "Check layers, width and vocabulary.",
            )

    @property
    def attention_width(self) -> int:
        """Width of all heads together; equal to `width` except where a config sets the head width itself."""
        return self.heads * self.head_width

    @property
    def kv_width(self) -> int:
        """Width of all key (or value) heads together."""
        return self.kv_heads * self.head_width

    @property
    def parameters(self) -> int:
        """All weights, a tied output layer counted once."""
        width = self.width
        if self.family == "gpt2":
            outside = (self.vocabulary + self.context) * width + 2 * width
            head = 0 if self.tied else self.vocabulary * width
            layer = 4 * width * width + 4 * width + 2 * width * self.ffn_width + self.ffn_width + width + 4 * width
            return outside + head + self.layers * layer
        outside = self.vocabulary * width * (1 if self.tied else 2) + width
        qkv_width = self.attention_width + 2 * self.kv_width
        layer = width * (qkv_width + self.attention_width) + 3 * width * self.ffn_width + 2 * width
        layer += qkv_width if self.qkv_bias else 0
        layer += width if self.attention_output_bias else 0
        layer += 2 * self.ffn_width + width if self.mlp_bias else 0
        layer += 2 * self.head_width if self.qk_norm else 0
        return outside + self.layers * layer

    @property
    def named_parameters(self) -> tuple[Parameter, ...]:
        """Every parameter in the order of registration, which DDP's first step reverses."""
        return list_parameters(self)

    @property
    def backward_milestones(self) -> tuple[tuple[Parameter, float], ...]:
        """Every parameter in the order its gradient is complete, with the share of the backward done by then.

        Work is in proportion to the elements of matrices; norms, biases and embedding look-ups cost
        nothing. The output layer's work comes first, yet the gradient of a tied embedding is complete only
        with the look-up's part, last of all. A layer's recomputation is spread over its matrices. This is
        the order DDP rebuilds its buckets in after the first step.
        """
        return order_of_arrival(self)

    def flop_per_token(self, convention: str = "6N", seq_len: int | None = None, recomputation: bool = False) -> int:
        """FLOP to train on one token, forward and backward.

        "6N" counts 6 for each parameter, the lesson's convention; "6N + attention" adds 12 x layers x width
        x sequence length for the score matrices, causal or not (PaLM, arXiv 2204.02311, appendix B).
        Recomputation does the forward's third again: 8N.
        """
        if convention not in ("6N", "6N + attention"):
            raise BadValue(f"convention {convention!r}", "FLOP are counted as '6N' or as '6N + attention'")
        forward = FLOP_PER_PARAMETER_FORWARD * self.parameters
        if convention == "6N + attention":
            forward += 4 * self.layers * self.attention_width * (seq_len or self.context)
        return forward * (4 if recomputation else 3)


def model_from_numbers(
    layers: int,
    width: int,
    heads: int,
    vocabulary: int,
    context: int,
    ffn_width: int | None = None,
    tied: bool = True,
    name: str = "custom",
) -> Model:
    """A GPT-2 of that shape: MLP four times the width, output layer tied, unless told otherwise."""
    if heads < 1 or width < 1 or width % heads:
        fit = f"Try {largest_divisor(width, heads)} heads." if width >= 1 and heads >= 1 else ""
        raise BadValue(f"width {width} over {heads} heads", "a GPT-2 splits its width evenly over its heads", fit)
    return Model(
        name=name,
        title=f"GPT of {layers} layers, width {width}",
        family="gpt2",
        layers=layers,
        width=width,
        heads=heads,
        kv_heads=heads,
        head_width=width // heads,
        ffn_width=4 * width if ffn_width is None else ffn_width,
        vocabulary=vocabulary,
        context=context,
        tied=tied,
    )
