"""The memory bill: what one GPU holds at the peak of a training step, line by line.

Every rank of plain data parallelism holds all of it. The peak comes in one of two phases: at the loss, when
all activations and the logits are there, or in a layer's backward. Attention is flash attention, so no
score matrix is stored; the optimizer is fused, so it needs no temporaries; nothing is added for
fragmentation. Saved tensors follow the backward formulas of each operation (llm.c, train_gpt2.cu, lists the
same for GPT-2; read 2026-11-29).
"""

from dataclasses import dataclass

from paceline.errors import BadValue
from paceline.units import MB, show_bytes, show_count
from paceline.workload.model import Model
from paceline.workload.precision import Precision, find_precision, optimizer_state_bytes

CUDA_CONTEXT_BYTES = 400 * MB
"""Driver, kernels and libraries of one process, loaded lazily: "around 400MB" with CUDA 11.7 or later
(github.com/pytorch/pytorch/issues/109888, comment of 2023-09-23, read 2026-11-29)."""

NCCL_CHANNELS = 24
NCCL_BYTES_PER_CHANNEL = 4_194_304 + 524_288 + 4_915_200
"""Receive buffers of one ring connection for the protocols Simple, LL and LL128 (NCCL 2.30,
src/include/device.h and src/init.cc, defaults), and the channels of an H100 server's rings; NVLS and trees,
when NCCL picks them, take more."""

LOGITS_TENSORS = 3
"""Alive together in the backward of cross-entropy: the log-softmax kept from the forward, its gradient, and
the gradient of the logits (torch log_softmax and nll_loss backward formulas)."""

LARGEST_COUNT = 10**9


@dataclass(frozen=True, slots=True)
class Line:
    """One entry of a bill; `how` is the sum in words."""

    name: str
    bytes: int
    how: str


@dataclass(frozen=True, slots=True)
class Bill:
    """The lines of one GPU's peak memory."""

    lines: tuple[Line, ...]

    @property
    def total_bytes(self) -> int:
        """All lines together."""
        return sum(line.bytes for line in self.lines)

    @property
    def state_bytes(self) -> int:
        """Weights, gradients and optimizer state: what no micro-batch can shrink."""
        return sum(line.bytes for line in self.lines if line.name in STATE_LINES)

    def line(self, name: str) -> Line | None:
        """The line of that name, if the bill has it."""
        return next((line for line in self.lines if line.name == name), None)


STATE_LINES = ("weights", "gradients", "master weights", "optimizer state")


def memory_bill(
    model: Model,
    micro_batch: int,
    seq_len: int,
    precision: str = "bf16-mixed",
    optimizer: str = "adamw",
    checkpointing: bool = True,
    gradient_as_bucket_view: bool = True,
    world_size: int = 1,
    fused_loss: bool = False,
    optimizer_shards: int = 1,
) -> Bill:
    """The bill of one GPU.

    `fused_loss` computes the logits' gradient in place, as llm.c and Liger kernels do. `optimizer_shards`
    divides master weights and optimizer state over that many ranks, as ZeRO stage 1 does; plain data
    parallelism has 1.
    """
    for count in (micro_batch, seq_len, world_size, optimizer_shards):
        if not 1 <= count <= LARGEST_COUNT:
            raise BadValue("a memory bill", f"its counts lie between 1 and {show_count(LARGEST_COUNT)}")
    recipe = find_precision(precision)
    tokens = micro_batch * seq_len
    lines = [
        *_states(model, recipe, optimizer_state_bytes(optimizer), optimizer_shards),
        *_copies(model, recipe, gradient_as_bucket_view or world_size == 1),
        _stored(model, recipe, tokens, checkpointing),
        _peak(model, recipe, tokens, checkpointing, fused_loss),
        Line("CUDA context", CUDA_CONTEXT_BYTES, "driver, kernels and libraries of one process"),
    ]
    if world_size > 1:
        lines.append(
            Line(
                "NCCL buffers",
                NCCL_CHANNELS * NCCL_BYTES_PER_CHANNEL,
                f"{NCCL_CHANNELS} ring channels x {show_bytes(NCCL_BYTES_PER_CHANNEL)}",
            )
        )
    return Bill(tuple(line for line in lines if line.bytes))


def layer_elements(model: Model) -> int:
    """Numbers one layer keeps for its backward, for each token, without the score matrix.

    Layer input, first norm's output, query, key and value, attention output, input and output of the second
    norm, and the MLP's: two tensors of its width in a GPT-2 (before and after GELU), four in a gated MLP
    (gate, its SiLU, up, their product). A query-key norm keeps its inputs too.
    """
    attention = 2 * model.attention_width + 2 * model.kv_width
    if model.qk_norm:
        attention += model.attention_width + model.kv_width
    return 4 * model.width + attention + (2 if model.family == "gpt2" else 4) * model.ffn_width


def _states(model: Model, recipe: Precision, optimizer_bytes: int, shards: int) -> tuple[Line, ...]:
    share = "" if shards == 1 else f" / {shards} ranks"
    widths = (
        ("weights", recipe.weight_bytes, 1),
        ("gradients", recipe.gradient_bytes, 1),
        ("master weights", recipe.master_bytes, shards),
        ("optimizer state", optimizer_bytes, shards),
    )
    return tuple(
        Line(
            name,
            -(-width * model.parameters // parts),
            f"{width} bytes x {show_count(model.parameters)} parameters{'' if parts == 1 else share}",
        )
        for name, width, parts in widths
    )


def _copies(model: Model, recipe: Precision, buckets_are_gradients: bool) -> tuple[Line, ...]:
    parameters = show_count(model.parameters)
    buckets = 0 if buckets_are_gradients else recipe.gradient_bytes
    return (
        Line(
            "DDP buckets",
            buckets * model.parameters,
            f"{buckets} bytes x {parameters}: gradients copied; gradient_as_bucket_view saves it",
        ),
        Line(
            "autocast copies",
            recipe.cast_bytes * model.parameters,
            f"{recipe.cast_bytes} bytes x {parameters}: weights cast for products, kept until the backward",
        ),
    )


def _stored(model: Model, recipe: Precision, tokens: int, checkpointing: bool) -> Line:
    width = recipe.activation_bytes
    last = 2 * model.width  # input and output of the final norm
    if checkpointing:
        elements = model.layers * model.width + last
        how = f"{width} bytes x {show_count(tokens)} tokens x width {model.width} x ({model.layers} layers + 2)"
        return Line("layer inputs", width * tokens * elements, how)
    each = layer_elements(model)
    how = f"{width} bytes x {show_count(tokens)} tokens x ({model.layers} layers x {show_count(each)} + {last})"
    return Line("activations", width * tokens * (model.layers * each + last), how)


def _peak(model: Model, recipe: Precision, tokens: int, checkpointing: bool, fused_loss: bool) -> Line:
    tensors, width = (1, recipe.activation_bytes) if fused_loss else (LOGITS_TENSORS, recipe.loss_bytes)
    at_loss = Line(
        "logits and loss",
        tensors * width * tokens * model.vocabulary,
        f"{tensors} x {width} bytes x {show_count(tokens)} tokens x vocabulary "
        f"{show_count(model.vocabulary)}: "
        + ("computed in place" if fused_loss else "log-softmax, its gradient, the logits' gradient"),
    )
    # Gradients of the MLP's inner tensors are alive together while a layer runs backward.
    in_flight = (2 if model.family == "gpt2" else 3) * model.ffn_width
    again = layer_elements(model) - model.width if checkpointing else 0
    in_layer = Line(
        "one layer's backward",
        recipe.activation_bytes * tokens * (in_flight + again),
        f"{recipe.activation_bytes} bytes x {show_count(tokens)} tokens x {show_count(in_flight + again)}: "
        + ("one layer recomputed, and gradients of its MLP" if checkpointing else "gradients of one MLP"),
    )
    return max(at_loss, in_layer, key=lambda line: line.bytes)
