"""Lab 1, `batch-step`: what a decode step waits for, and what changes when the batch grows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from functools import cache

from engine import catalogue
from engine.catalogue import Fact
from engine.errors import InputError
from engine.labs.inputs import Choice, Number, evenly, octaves
from engine.labs.lab import Column, Curve, Headline, Lab, Preset, Section, Series, ShownFact, Table
from engine.labs.predictions import Answer, From, Mistake, Prediction, Scene
from engine.labs.sentences import Fragment, Warning
from engine.ops import at_most, both, less, where, winner

# fmt: off
# Data laid out by hand: one line an entry reads better than one word a line.
MODEL, LOAD, MEMORY = "Model and hardware", "Load", "Memory"
PRECISIONS = (("bf16", "BF16"), ("fp8", "FP8"))
WIDTHS = {"bf16": 2, "fp8": 1}
"""Bytes of one stored element: what the names of the formats mean."""

INPUTS = (
    Number("batch", "Batch", "sequence", 8, 1, 1_000_000, octaves(1, 1024, 16), "Sequences that decode together.", LOAD,
           integer=True, words=("sequence", "sequences")),
    Number("context", "Context", "token", 8192, 1, 10_000_000, octaves(128, 131072, 8),
           "Tokens already kept for each sequence.", LOAD, integer=True, words=("token", "tokens")),
    Choice("model", "Model", "llama-3-8b", tuple((m.slug, m.name) for m in catalogue.models().values()),
           "Its shape and parameters come from its published configuration.", MODEL, style="list"),
    Choice("gpu", "GPU", "h100-sxm", tuple((g.slug, g.name) for g in catalogue.gpus().values()),
           "Dense peaks as the maker states them.", MODEL, style="list"),
    Choice("weights", "Weights", "bf16", PRECISIONS, "Precision in which weights are kept and multiplied.", MODEL),
    Choice("kv", "KV cache", "bf16", PRECISIONS, "Precision in which keys and values are kept.", MODEL),
    Choice("tp", "Tensor parallel", 1, tuple((n, str(n)) for n in (1, 2, 4, 8, 16, 32)),
           "GPUs that share every layer; their communication is left out here.", MODEL),
    Number("memory_fraction", "Memory fraction", "1", 0.9, 0, 1, evenly(50, 100, 100),
           "Share of the memory that the engine may use.", MEMORY, lower_open=True),
    Number("reserve_gb", "Reserve", "GB", 4, 0, float("inf"), evenly(0, 40, 2),
           "Set aside for activations, graphs and the runtime; a made-up figure.", MEMORY, gives="reserve_bytes"),
    Number("block", "Block size", "token/block", 16, 1, 1024, octaves(1, 1024, 1), "Tokens that one KV block holds.",
           MEMORY, integer=True, words=("token", "tokens")),
)


@cache
def model_gives(model: str) -> Mapping[str, float]:
    """The shape of the model."""
    return catalogue.model(model).given()


def model_using(model: str) -> Mapping[str, str]:
    """Formulas for models of which some layers keep a window."""
    if not catalogue.model(model).windowed:
        return {}
    return {"kv_read_bytes": "kv_read_bytes_windowed", "attention_flops": "attention_flops_windowed"}


@cache
def machine_gives(gpu: str, weights: str) -> Mapping[str, float]:
    """Rates and capacity of the GPU, and the width of the weights."""
    return catalogue.gpu(gpu).given(weights) | {"weight_width": WIDTHS[weights]}


def kv_gives(kv: str) -> Mapping[str, float]:
    """The width of a cached element."""
    return {"kv_width": WIDTHS[kv]}


@cache
def ranks_give(model: str, tp: int) -> Mapping[str, float]:
    """The ranks, refused where the query heads cannot be shared evenly."""
    heads = int(catalogue.model(model).given()["query_heads"])
    if heads % tp:
        whole = ", ".join(str(n) for n in (1, 2, 4, 8, 16, 32) if heads % n == 0)
        name = catalogue.model(model).name
        raise InputError("tp", tp, f"{whole} for {name}", f"Its {heads} query heads must divide evenly among the ranks.")
    return {"tp": tp}


def gpu_fact(name: str) -> Callable[[str], Fact]:
    """Looks up a fact of the chosen GPU."""
    return lambda gpu: catalogue.gpu(gpu).facts[name]


def model_fact(name: str) -> Callable[[str], Fact]:
    """Looks up a fact of the chosen model."""
    return lambda model: catalogue.model(model).facts[name]


LOWEST, HIGHEST = (
    Fact(share, "1", "measured", 'Cheat sheet "Token by Token", chapter 08, achieved share of the peak bandwidth',
         date(2026, 11, 29))
    for share in (0.7, 0.9)
)
"""What real kernels reach of the peak bandwidth."""

REACHED = (LOWEST.number, HIGHEST.number)

FACTS = (
    ShownFact("lowest", "Bandwidth that kernels reach, at least", "share", (), lambda: LOWEST),
    ShownFact("highest", "Bandwidth that kernels reach, at most", "share", (), lambda: HIGHEST),
    ShownFact("bandwidth", "Memory bandwidth", "B/s", ("gpu",), gpu_fact("hbm_bandwidth")),
    ShownFact("peak", "Peak at the weights' precision", "FLOP/s", ("gpu", "weights"),
              lambda gpu, weights: catalogue.gpu(gpu).peak(weights)),
    ShownFact("peak_attention", "BF16 peak, for attention", "FLOP/s", ("gpu",), lambda gpu: catalogue.gpu(gpu).peak("bf16")),
    ShownFact("capacity", "Memory of one GPU", "B", ("gpu",), gpu_fact("hbm_capacity")),
    ShownFact("parameters", "Published parameters", "parameter", ("model",), model_fact("published_parameters")),
    ShownFact("layers", "Layers", "layer", ("model",), model_fact("layers")),
    ShownFact("kv_heads", "KV heads", "head", ("model",), model_fact("kv_heads")),
    ShownFact("context_length", "Context length of the model", "token", ("model",), model_fact("context_length")),
)

LAST = 1024
"""The last batch of the figure."""

LINES = {
    "batch": Column("batch", "sequence"),
    "linear": Column("linear_time_s", "ms"),
    "step": Column("step_time_s", "ms"),
    "all": Column("aggregate_tokens_per_s", "token/s"),
    "each": Column("sequence_tokens_per_s", "token/s"),
    "fits": Column("fits", "flag"),
}

PREDICTIONS = (
    Prediction(
        "double-batch", "numeric",
        "The batch grows from {now.batch} to {then.batch}; each reader gets {now.sequence_tokens_per_s} now. "
        "What does each reader get then?",
        {"now": Scene(), "then": Scene({"batch": From(lambda batch: batch * 2)})},
        Answer(lambda now, then: then.sequence_tokens_per_s),
        "The linear phase takes {now.linear_time_s} before and {then.linear_time_s} after, since every weight is read "
        "once a step for the whole batch; only attention grows with it, from {now.attention_time_s} to "
        "{then.attention_time_s}.",
        "linear_weight_bytes", gives="sequence_tokens_per_s",
        mistakes=(
            Mistake("Half of it would be right if the weights were read once for each sequence. They are read once a "
                    "step, for all of them.", Answer(lambda now, then: now.sequence_tokens_per_s / 2)),
            Mistake("No change would be right if only weights were read. Each sequence also reads its own keys and "
                    "values.", Answer(lambda now, then: now.sequence_tokens_per_s)),
        ),
    ),
    Prediction(
        "ridge", "numeric",
        "At which batch does the linear phase of {model} on {gpu} turn from waiting for memory to waiting for "
        "arithmetic, with {weights} weights?",
        {"now": Scene()},
        Answer(lambda now: now.ridge_batch),
        "A step reads {now.linear_weight_bytes} of weights in {now.linear_hbm_time_s} whatever the batch; arithmetic "
        "grows with it and needs as long at batch {now.ridge_batch}: the peak, {now.peak_linear}, times the bytes a "
        "weight, over twice the bandwidth, {now.hbm_bandwidth}.",
        "ridge_batch", gives="ridge_batch",
        mistakes=(
            Mistake("That is about where the memory is full. What fits and what the step waits for are two questions.",
                    Answer(lambda now: now.batch * (now.memory_free_bytes + now.kv_reserved_bytes)
                           / now.kv_reserved_bytes)),
            Mistake("Twice the ridge batch would be right if a multiply-add were one operation. It multiplies and adds: two FLOP "
                    "for each weight and sequence.", Answer(lambda now: 2 * now.ridge_batch)),
        ),
    ),
    Prediction(
        "fp8-ridge", "choice",
        "Weights and their arithmetic go from BF16 to FP8 on {gpu}. Where does the batch go at which the linear phase turns "
        "to arithmetic?",
        {"bf16": Scene({"weights": "bf16"}), "fp8": Scene({"weights": "fp8"})},
        Answer(lambda bf16, fp8: where(
            less(fp8.ridge_batch, bf16.ridge_batch * 0.75), "halves",
            where(less(bf16.ridge_batch * 1.5, fp8.ridge_batch), "doubles", "stays"))),
        "Half the bytes take {fp8.linear_hbm_time_s} instead of {bf16.linear_hbm_time_s}, and the peak goes from "
        "{bf16.peak_linear} to {fp8.peak_linear}: the ridge batch is {fp8.ridge_batch} in FP8.",
        "ridge_batch",
        options=(("halves", "It halves"), ("stays", "It stays about where it is"), ("doubles", "It doubles")),
        mistakes=(
            Mistake("That counts the smaller weights only. The FP8 peak is higher too.", option="halves"),
            Mistake("That counts the higher peak only. The weights are smaller too.", option="doubles"),
        ),
    ),
    Prediction(
        "batch-one", "choice",
        "Llama 3 8B on one H100 SXM, BF16, at batch 1 and 8,192 tokens of context: one reader gets "
        "{base.sequence_tokens_per_s}. What helps that reader most?",
        {
            "base": Scene({"batch": 1}, fixed=True),
            "fp8": Scene({"batch": 1, "weights": "fp8"}, fixed=True),
            "h200": Scene({"batch": 1, "gpu": "h200-sxm"}, fixed=True),
            "half": Scene({"batch": 1, "context": 4096}, fixed=True),
            "flops": Scene({"batch": 1}, fixed=True, factors={"peak_linear": 2, "peak_attention": 2}),
        },
        Answer(lambda fp8, h200, half, flops: winner(
            fp8=fp8.sequence_tokens_per_s, h200=h200.sequence_tokens_per_s,
            half=half.sequence_tokens_per_s, flops=flops.sequence_tokens_per_s)),
        "FP8 weights give {fp8.sequence_tokens_per_s}, an H200 {h200.sequence_tokens_per_s}, half the context "
        "{half.sequence_tokens_per_s}, twice the FLOP/s {flops.sequence_tokens_per_s}. Of the step's "
        "{base.step_time_s}, {base.linear_hbm_time_s} go into reading weights.",
        "linear_time_s",
        options=(("fp8", "FP8 weights"), ("h200", "An H200 instead"), ("half", "Half the context"),
                 ("flops", "Twice the FLOP/s")),
        mistakes=(
            Mistake("At batch 1 the step waits for bytes: the arithmetic takes {base.linear_compute_time_s} of it.",
                    option="flops"),
            Mistake("The cache is the smaller part here: {base.kv_read_bytes} beside {base.linear_weight_bytes} of "
                    "weights.", option="half"),
            Mistake("An H200 reads at {h200.hbm_bandwidth} instead of {base.hbm_bandwidth}; FP8 halves the weights, the "
                    "larger part of what is read.",
                    option="h200"),
        ),
    ),
    Prediction(
        "context-ridge", "direction",
        "The context doubles from {now.context} to {then.context} tokens. Where does the batch go at which the linear "
        "phase turns to arithmetic?",
        {"now": Scene(), "then": Scene({"context": From(lambda context: context * 2)})},
        Answer(lambda now, then: where(less(then.ridge_batch, now.ridge_batch), "down",
                                       where(less(now.ridge_batch, then.ridge_batch), "up", "same"))),
        "The context enters attention only, which takes {now.attention_time_s} before and {then.attention_time_s} after. "
        "The ridge batch of the linear phase stays at {then.ridge_batch}.",
        "ridge_batch",
        options=(("down", "Down"), ("same", "It stays"), ("up", "Up")),
        mistakes=(
            Mistake("Longer contexts read more, but in attention, a phase of its own: a bigger batch shares weights, "
                    "never the cache.", option="up"),
            Mistake("Attention's arithmetic grows with the context, but that of the weight matrices does not.",
                    option="down"),
        ),
    ),
)

LAB = Lab(
    slug="batch-step",
    number=1,
    title="A bigger batch, a different bottleneck",
    question="Why does a bigger batch stop helping, and who pays for it?",
    lede="One decode step makes one token for every sequence of the batch. It reads every weight once, for all of them, "
    "and each sequence's keys and values once, for that one.",
    description="How long one decode step of a language model takes, from bytes and FLOP, with every step of the "
    "arithmetic, its numbers and its units.",
    inputs=INPUTS,
    groups=(LOAD, MODEL, MEMORY),
    tables=(
        Table(("model",), model_gives, model_using),
        Table(("gpu", "weights"), machine_gives),
        Table(("kv",), kv_gives),
        Table(("model", "tp"), ranks_give),
    ),
    outputs=(
        "linear_weight_bytes", "linear_flops", "linear_hbm_time_s", "linear_compute_time_s", "linear_time_s",
        "linear_bottleneck", "kv_read_bytes", "attention_flops", "attention_time_s", "step_time_s",
        "aggregate_tokens_per_s", "sequence_tokens_per_s", "memory_free_bytes", "fits",
    ),
    sections=(
        Section("The linear phase: every weight once a step", (
            "linear_weight_bytes", "linear_hbm_time_s", "linear_flops", "linear_compute_time_s", "linear_time_s",
            "linear_bottleneck", "ridge_batch")),
        Section("Attention: every sequence its own cache", (
            "cell_bytes", "full_cell_bytes", "windowed_cell_bytes", "kv_shards", "kv_read_bytes", "kv_read_time_s",
            "attention_flops", "attention_compute_time_s", "attention_time_s")),
        Section("The step, and what each reader gets", (
            "step_time_s", "aggregate_tokens_per_s", "sequence_tokens_per_s")),
        Section("Memory: does it fit?", (
            "weight_bytes_per_gpu", "blocks_per_sequence", "kv_reserved_bytes", "memory_free_bytes", "fits")),
        Section("Where the parameter counts come from", (
            "embedding_parameters", "attention_parameters", "attention_bias_parameters", "mlp_parameters",
            "norm_parameters", "qk_norm_parameters", "output_matrix_parameters", "head_parameters", "linear_parameters",
            "total_parameters"), folded=True),
    ),
    headline=(
        Headline("step_time_s", "One step", "one token for every sequence"),
        Headline("sequence_tokens_per_s", "Each reader", "tokens a second that one sequence gets"),
        Headline("aggregate_tokens_per_s", "All together", "tokens a second over the whole batch"),
        Headline("memory_free_bytes", "Memory left", "on each GPU; negative where it does not fit"),
    ),
    presets=(
        Preset("one-reader", "One reader", {"batch": 1}),
        Preset("sixteen", "Batch 16", {"batch": 16}),
        Preset("compute", "Compute-bound: FP8, batch 512, short context",
               {"weights": "fp8", "batch": 512, "context": 512}),
        Preset("long", "Long context: 131,072 tokens", {"model": "llama-3.1-405b", "tp": 16, "context": 131072}),
        Preset("seventy", "70B on eight GPUs", {"model": "llama-3-70b", "tp": 8, "batch": 64, "context": 2048}),
        Preset("window", "Windows: Gemma 2 9B", {"model": "gemma-2-9b"}),
    ),
    curve=Curve(
        "batch",
        grid=(*(2.0**k * (1 + j / 20) for k in range(10) for j in range(20)), 1024.0),
        rows=tuple(2.0**k for k in range(11)),
        columns=("linear_time_s", "attention_time_s", "step_time_s", "aggregate_tokens_per_s", "sequence_tokens_per_s",
                 "memory_free_bytes", "fits"),
        marks=("ridge_batch",),
        band_of="hbm_bandwidth",
        series=(
            Series("curve", "grid", {
                **LINES,
                "step_slow": Column("step_time_s", "ms", REACHED[0]), "step_fast": Column("step_time_s", "ms", REACHED[1]),
                "all_slow": Column("aggregate_tokens_per_s", "token/s", REACHED[0]),
                "all_fast": Column("aggregate_tokens_per_s", "token/s", REACHED[1]),
            }),
            Series("marks", "rows", LINES),
            Series("first_names", "start", {**LINES, "step_slow": Column("step_time_s", "ms", REACHED[0])}),
            Series("names", "end", {**LINES, "step_slow": Column("step_time_s", "ms", REACHED[0])}),
            Series("now", "now", LINES),
            Series("pinned_curve", "pinned grid", LINES),
            Series("pinned", "pinned", LINES),
        ),
    ),
    summary=(
        Fragment("{model} on {gpu}, batch {batch}, context {context}: a step takes {step_time_s}, of which "
                 "{linear_time_s} for the weights and {attention_time_s} for attention."),
        Fragment("The linear phase waits for memory; it would wait for arithmetic above batch {ridge_batch}.",
                 lambda linear_hbm_time_s, linear_compute_time_s: at_most(linear_compute_time_s, linear_hbm_time_s)),
        Fragment("The linear phase waits for arithmetic: the batch is above the ridge at {ridge_batch}.",
                 lambda linear_hbm_time_s, linear_compute_time_s: less(linear_hbm_time_s, linear_compute_time_s)),
        Fragment("Each reader gets {sequence_tokens_per_s}, all together {aggregate_tokens_per_s}."),
        Fragment("It does not fit into memory.", lambda memory_free_bytes: less(memory_free_bytes, 0)),
    ),
    warnings=(
        Warning("context", Fragment("Context {context} exceeds the model's {context_length}.",
                                    lambda context, context_length: less(context_length, context))),
        Warning("fits", Fragment("This does not fit: free memory is {memory_free_bytes}.",
                                 lambda memory_free_bytes: less(memory_free_bytes, 0))),
        Warning("beyond", Fragment("Batch {batch} is beyond the figure, which ends at 1,024.",
                                   lambda batch: less(LAST, batch))),
        Warning("replicated", Fragment("TP {tp} exceeds the {kv_heads} KV heads: they are replicated, and each rank reads "
                                       "as many KV bytes as at TP {kv_heads}.",
                                       lambda tp, kv_heads: less(kv_heads, tp))),
        Warning("communication", Fragment("TP {tp}: the communication between the ranks is left out, so the real step is "
                                          "longer.", lambda tp: less(1, tp))),
        Warning("window", Fragment("{windowed_layers} of {layers} layers read their last {window} tokens only; memory is "
                                   "counted in whole blocks for all layers.",
                                   lambda windowed_layers, context, window: both(less(0, windowed_layers),
                                                                                less(window, context)))),
        Warning("fp8", Fragment("FP8 is idealised: native arithmetic at its peak, scales and conversions left out.",
                                lambda peak_linear, peak_attention: less(peak_attention, peak_linear))),
    ),
    predictions=PREDICTIONS,
    inside=(
        "Every streamed weight read once a step, whatever the batch",
        "Keys and values read once for each sequence, windowed layers within their window",
        "Arithmetic of the weight matrices and of attention at the dense peak",
        "Reading and multiplying overlapped inside a phase; linear phase and attention one after the other",
        "Memory in whole KV blocks, with the token that the step writes",
    ),
    outside=(
        "Gaps between kernel launches and the host's work",
        "Communication between ranks (lab 3, to come)",
        "Sampling, softmax, norms and activations",
        "Writing keys and values; hits in on-chip caches",
        "Prefill and draft tokens in the same step",
    ),
    facts=FACTS,
)
