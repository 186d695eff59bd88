"""One decode step: the weight matrices, attention over the cache, and the rates that follow."""

from typing import Any

from engine.constants import (
    FLOP_PER_ELEMENT,
    FLOP_PER_WEIGHT,
    NEXT_TOKEN,
    SCORES_AND_VALUES,
    TOKENS_PER_SEQUENCE,
)
from engine.formula import Limit, Source, definition, formula
from engine.ops import maximum, minimum, winner

ROOFLINE = Source("Williams, Waterman and Patterson 2009, Roofline, Communications of the ACM 52(4), p. 65",
                  "https://doi.org/10.1145/1498765.1498785", "2026-11-29")  # fmt: skip
POPE = Source("Pope et al. 2022, Efficiently Scaling Transformer Inference, section 2",
              "https://arxiv.org/abs/2211.05102", "2026-11-29")  # fmt: skip
KAPLAN = Source("Kaplan et al. 2020, Scaling Laws for Neural Language Models, section 2.1",
                "https://arxiv.org/abs/2001.08361", "2026-11-29")  # fmt: skip

SCALING_BOOK = Source("Austin et al. 2025, How to Scale Your Model, All About Transformer Inference",
                      "https://jax-ml.github.io/scaling-book/inference/", "2026-11-29")  # fmt: skip

PEAK = Limit("At the dense peak the maker states; real kernels stay below it.")
REAL_BANDWIDTH = Limit("At the memory's peak; real kernels reach 70 to 90 % of it.")
OVERLAP = Limit("Reading and multiplying overlap perfectly, so the longer one is the time.")
ONE_TOKEN = Limit("Every sequence decodes one token a step: no prefill and no draft tokens share it.")


@formula(source=POPE, limits=[Limit("Every weight is read once a step, however many sequences share it.")])
def linear_weight_bytes(linear_parameters: Any, weight_width: Any, tp: Any) -> Any:
    """Bytes of weights that one rank reads in a step; the batch does not enter."""
    return linear_parameters * weight_width / tp


@formula(source=ROOFLINE, limits=[REAL_BANDWIDTH])
def linear_hbm_time_s(linear_weight_bytes: Any, hbm_bandwidth: Any) -> Any:
    """Time to bring the weights from memory."""
    return linear_weight_bytes / hbm_bandwidth


@formula(source=KAPLAN, limits=[ONE_TOKEN, Limit("Norms, biases, activations and sampling are left out.")])
def linear_flops(linear_parameters: Any, batch: Any, tp: Any) -> Any:
    """Arithmetic of all weight matrices on one rank: one multiply-add for each weight and sequence."""
    return FLOP_PER_WEIGHT * linear_parameters * batch * TOKENS_PER_SEQUENCE / tp


@formula(source=ROOFLINE, limits=[PEAK])
def linear_compute_time_s(linear_flops: Any, peak_linear: Any) -> Any:
    """Time of the linear arithmetic at the peak of the weights' precision."""
    return linear_flops / peak_linear


@formula(source=ROOFLINE, limits=[OVERLAP])
def linear_time_s(linear_hbm_time_s: Any, linear_compute_time_s: Any) -> Any:
    """The linear phase: the slower of reading and multiplying."""
    return maximum(linear_hbm_time_s, linear_compute_time_s)


@formula(source=ROOFLINE, limits=[OVERLAP])
def linear_bottleneck(linear_hbm_time_s: Any, linear_compute_time_s: Any) -> Any:
    """What the linear phase waits for; hbm where both take equally long."""
    return winner(hbm=linear_hbm_time_s, compute=linear_compute_time_s)


@formula(
    source=ROOFLINE,
    limits=[PEAK, REAL_BANDWIDTH, Limit("A real kernel leaves the memory side gradually, not at one batch.")],
)
def ridge_batch(peak_linear: Any, weight_width: Any, hbm_bandwidth: Any) -> Any:
    """Batch at which reading the weights and multiplying take equally long; ranks cancel."""
    return peak_linear * weight_width / (FLOP_PER_WEIGHT * hbm_bandwidth * TOKENS_PER_SEQUENCE)


@formula(source=SCALING_BOOK, limits=[ONE_TOKEN, Limit("The softmax and the rotation of positions are left out.")])
def attention_flops(layers: Any, query_heads: Any, head_width: Any, context: Any, batch: Any, tp: Any) -> Any:
    """Arithmetic of attention on one rank when every layer attends to the whole context."""
    return FLOP_PER_ELEMENT * layers * SCORES_AND_VALUES * query_heads * head_width * context * batch / tp


@formula(
    id="attention_flops_windowed",
    gives="attention_flops",
    source=SCALING_BOOK,
    limits=[ONE_TOKEN, Limit("A windowed layer multiplies with the last tokens of its window only.")],
)
def attention_flops_windowed(
    full_layers: Any,
    windowed_layers: Any,
    window: Any,
    query_heads: Any,
    head_width: Any,
    context: Any,
    batch: Any,
    tp: Any,
) -> Any:
    """Arithmetic of attention on one rank when some layers keep a window."""
    read = full_layers * context + windowed_layers * minimum(context, window)
    return FLOP_PER_ELEMENT * read * SCORES_AND_VALUES * query_heads * head_width * batch / tp


@formula(source=ROOFLINE, limits=[PEAK])
def attention_compute_time_s(attention_flops: Any, peak_attention: Any) -> Any:
    """Time of attention's arithmetic at the BF16 peak, whatever the cache is stored in."""
    return attention_flops / peak_attention


@formula(source=ROOFLINE, limits=[OVERLAP])
def attention_time_s(kv_read_time_s: Any, attention_compute_time_s: Any) -> Any:
    """The attention phase: the slower of reading the cache and multiplying."""
    return maximum(kv_read_time_s, attention_compute_time_s)


@formula(
    source=POPE,
    limits=[Limit("The two phases run one after the other; launches, communication and sampling are left out.")],
)
def step_time_s(linear_time_s: Any, attention_time_s: Any) -> Any:
    """One decode step."""
    return linear_time_s + attention_time_s


@formula(source=definition("tokens of one step divided by its time", "2026-11-29"), limits=[ONE_TOKEN])
def aggregate_tokens_per_s(batch: Any, step_time_s: Any) -> Any:
    """Tokens a second over the whole batch."""
    return TOKENS_PER_SEQUENCE * batch / step_time_s


@formula(source=definition("one token divided by the time of its step", "2026-11-29"), limits=[ONE_TOKEN])
def sequence_tokens_per_s(step_time_s: Any) -> Any:
    """Tokens a second that each sequence gets."""
    return NEXT_TOKEN / step_time_s
