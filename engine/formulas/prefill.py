"""Prefill: new tokens, the pairs they attend over, and what a growing transcript costs."""

from typing import Any

from engine.constants import (
    FLOP_PER_ELEMENT,
    FLOP_PER_WEIGHT,
    ITSELF,
    PER_PAIR,
    PER_TOKEN,
    SCORES_AND_VALUES,
    SQUARES,
    TRIANGLE,
)
from engine.formula import Limit, Source, definition, formula
from engine.ops import at_most, maximum, share

CHECKED = "2026-11-29"
VASWANI = Source("Vaswani et al. 2017, Attention Is All You Need, table 1", "https://arxiv.org/abs/1706.03762", CHECKED)
WINDOW = Source(
    "Jiang et al. 2023, Mistral 7B, section 2, sliding window attention", "https://arxiv.org/abs/2310.06825", CHECKED
)
WORKLOAD = Source(
    "Narayanan et al. 2021, Efficient Large-Scale Language Model Training, appendix: a part that grows with the tokens "
    "and one that grows with their square",
    "https://arxiv.org/abs/2104.04473",
    CHECKED,
)
KAPLAN = Source(
    "Kaplan et al. 2020, Scaling Laws for Neural Language Models, section 2.1",
    "https://arxiv.org/abs/2001.08361",
    CHECKED,
)
SCALING_BOOK = Source(
    "Austin et al. 2025, How to Scale Your Model, All the Transformer Math You Need to Know",
    "https://jax-ml.github.io/scaling-book/transformers/",
    CHECKED,
)
COUNTED = definition("each new token attends to itself and to every token before it", CHECKED)

CAUSAL = Limit("Attention is causal and exact: every new token sees itself and all tokens before it.")
SERIES = Limit("The work on tokens and the work on pairs run one after the other, each at its own constant rate.")
CONSTANT = Limit("The constants do not change with the length; real kernels slow down on short chunks.")
SHORT_OF_PEAK = Limit("A stated share of the dense peak, the same for long and short prompts.")
HIT = Limit(
    "Something is computed: an engine recomputes at least one token of a full hit.",
    lambda cached, context: at_most(cached + 1, context),
)
ONE_BY_ONE = Limit("One token at a time: no drafts.")
ALL_KEPT = Limit("Every turn keeps the whole transcript; nothing is cut and no window is set.")


@formula(source=COUNTED, limits=[HIT])
def new_tokens(context: Any, cached: Any) -> Any:
    """Tokens of the prompt that are not in the cache and must be computed; none where the cache reaches further."""
    return maximum(context - cached, 0)


@formula(source=WINDOW, limits=[Limit("The window is the same in every layer.")])
def pairs_beyond_window(cached: Any, new_tokens: Any, attention_window: Any) -> Any:
    """Pairs that a sliding window leaves out: a new token at place p misses the p - w tokens before its window."""
    last = maximum(cached + new_tokens - attention_window, 0)
    first = maximum(cached - attention_window, 0)
    return (last * (last + 1) - first * (first + 1)) / TRIANGLE


@formula(source=VASWANI, limits=[CAUSAL])
def pairs(cached: Any, new_tokens: Any) -> Any:
    """Pairs of a new token and a token that it attends to, itself among them."""
    return cached * new_tokens + new_tokens * (new_tokens + 1) / TRIANGLE


@formula(id="pairs_windowed", gives="pairs", source=WINDOW, limits=[CAUSAL])
def pairs_windowed(cached: Any, new_tokens: Any, pairs_beyond_window: Any) -> Any:
    """The same, without the pairs that a sliding window leaves out."""
    return cached * new_tokens + new_tokens * (new_tokens + 1) / TRIANGLE - pairs_beyond_window


@formula(source=WORKLOAD, limits=[CONSTANT])
def prefill_linear_time_s(time_per_token: Any, new_tokens: Any) -> Any:
    """Time of everything that is done once for each new token."""
    return time_per_token * new_tokens


@formula(source=WORKLOAD, limits=[CONSTANT])
def prefill_attention_time_s(time_per_pair: Any, pairs: Any) -> Any:
    """Time of everything that is done once for each pair."""
    return time_per_pair * pairs


@formula(source=WORKLOAD, limits=[SERIES])
def prefill_time_s(prefill_linear_time_s: Any, prefill_attention_time_s: Any) -> Any:
    """Time until the prompt is in the cache."""
    return prefill_linear_time_s + prefill_attention_time_s


@formula(source=definition("a part of the whole; 0 where nothing is computed", CHECKED), limits=[SERIES])
def attention_fraction(prefill_attention_time_s: Any, prefill_time_s: Any) -> Any:
    """Share of the prefill that is attention."""
    return share(prefill_attention_time_s, prefill_time_s)


@formula(source=COUNTED, limits=[CAUSAL])
def full_pairs(context: Any) -> Any:
    """Pairs of the whole context, nothing cached and without a window."""
    return context * (context + 1) / TRIANGLE


@formula(source=definition("what is not computed", CHECKED), limits=[CAUSAL])
def saved_pairs(full_pairs: Any, pairs: Any) -> Any:
    """Pairs that the cache and the window save."""
    return full_pairs - pairs


@formula(source=definition("a part of the whole", CHECKED), limits=[CAUSAL])
def saved_fraction(saved_pairs: Any, full_pairs: Any) -> Any:
    """Share of all pairs that is saved."""
    return share(saved_pairs, full_pairs)


@formula(source=WORKLOAD, limits=[Limit("Nothing cached and no window.")])
def balance_context(time_per_token: Any, time_per_pair: Any) -> Any:
    """Context at which an uncached prefill spends as long on pairs as on tokens."""
    return TRIANGLE * time_per_token / time_per_pair - 1


@formula(source=WINDOW, limits=[Limit("The window is the same in every layer.")])
def decode_keys_beyond_window(context: Any, output: Any, attention_window: Any) -> Any:
    """Keys that a window leaves out while the answer is written."""
    last = maximum(context + output - attention_window, 0)
    first = maximum(context - attention_window, 0)
    return (last * (last + 1) - first * (first + 1)) / TRIANGLE


@formula(source=COUNTED, limits=[ONE_BY_ONE])
def decode_keys(output: Any, context: Any) -> Any:
    """Keys read while the answer is written: token i of it reads the context and i tokens of the answer."""
    return output * context + output * (output + 1) / TRIANGLE


@formula(id="decode_keys_windowed", gives="decode_keys", source=WINDOW, limits=[ONE_BY_ONE])
def decode_keys_windowed(output: Any, context: Any, decode_keys_beyond_window: Any) -> Any:
    """The same, without the keys that a sliding window leaves out."""
    return output * context + output * (output + 1) / TRIANGLE - decode_keys_beyond_window


@formula(source=WORKLOAD, limits=[CONSTANT])
def decode_attention_time_s(time_per_key: Any, decode_keys: Any) -> Any:
    """Time spent on reading keys and values while the answer is written."""
    return time_per_key * decode_keys


@formula(source=definition("what every turn adds", CHECKED), limits=[ALL_KEPT])
def transcript_tokens(turns: Any, added: Any) -> Any:
    """Length of the transcript after the last turn; with a cache, the tokens prefilled over all turns."""
    return turns * added


@formula(source=COUNTED, limits=[ALL_KEPT])
def resent_tokens(turns: Any, added: Any) -> Any:
    """Tokens prefilled over all turns when each turn computes the whole transcript again."""
    return added * turns * (turns + 1) / TRIANGLE


@formula(source=COUNTED, limits=[ALL_KEPT])
def transcript_pairs(transcript_tokens: Any) -> Any:
    """Pairs over all turns with a cache: each pair of the transcript once."""
    return transcript_tokens * (transcript_tokens + 1) / TRIANGLE


@formula(source=COUNTED, limits=[ALL_KEPT])
def resent_pairs(turns: Any, added: Any) -> Any:
    """Pairs over all turns without a cache: the sum of k (k + 1) / 2 over transcripts of k = added, 2 added, … tokens."""
    squares = turns * (turns + 1) * (turns + turns + 1) / SQUARES
    return added * (added * squares + ITSELF * turns * (turns + 1) / TRIANGLE) / TRIANGLE


@formula(source=WORKLOAD, limits=[SERIES, CONSTANT, ALL_KEPT])
def cached_loop_time_s(time_per_token: Any, transcript_tokens: Any, time_per_pair: Any, transcript_pairs: Any) -> Any:
    """Prefill time over all turns with a cache."""
    return time_per_token * transcript_tokens + time_per_pair * transcript_pairs


@formula(source=WORKLOAD, limits=[SERIES, CONSTANT, ALL_KEPT])
def resent_loop_time_s(time_per_token: Any, resent_tokens: Any, time_per_pair: Any, resent_pairs: Any) -> Any:
    """Prefill time over all turns without a cache."""
    return time_per_token * resent_tokens + time_per_pair * resent_pairs


@formula(source=definition("one count divided by the other", CHECKED), limits=[ALL_KEPT])
def resent_ratio(resent_tokens: Any, transcript_tokens: Any) -> Any:
    """How many times as many tokens are prefilled without a cache."""
    return resent_tokens / transcript_tokens


@formula(
    id="time_per_token_derived",
    gives="time_per_token",
    source=KAPLAN,
    limits=[
        SHORT_OF_PEAK,
        Limit("The output head is counted for every token, though an engine needs it for the last one only."),
    ],
)
def time_per_token_derived(linear_parameters: Any, efficiency: Any, peak_attention: Any) -> Any:
    """Time a token from the weights that it multiplies with, at a share of the BF16 peak."""
    return FLOP_PER_WEIGHT * linear_parameters / (efficiency * peak_attention)


@formula(
    id="time_per_pair_derived",
    gives="time_per_pair",
    source=SCALING_BOOK,
    limits=[SHORT_OF_PEAK, Limit("The softmax is left out.")],
)
def time_per_pair_derived(layers: Any, query_heads: Any, head_width: Any, efficiency: Any, peak_attention: Any) -> Any:
    """Time a pair from its multiply-adds in all layers and heads, at a share of the BF16 peak."""
    work = FLOP_PER_ELEMENT * layers * SCORES_AND_VALUES * query_heads * head_width * PER_PAIR
    return work / (efficiency * peak_attention)


@formula(
    id="time_per_key_derived",
    gives="time_per_key",
    source=definition("bytes divided by the peak bandwidth", CHECKED),
    limits=[Limit("At the memory's peak; real kernels reach 70 to 90 % of it."), Limit("One sequence alone.")],
)
def time_per_key_derived(cell_bytes: Any, hbm_bandwidth: Any) -> Any:
    """Time to read the keys and values of one token in all layers, for one token that is decoded."""
    return PER_TOKEN * cell_bytes / hbm_bandwidth
