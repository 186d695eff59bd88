"""Lab 7, `context-growth`: what grows with the context, what grows with its square, and what a cache saves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from engine import catalogue
from engine.labs.inputs import NONE, Choice, Number, evenly, octaves
from engine.labs.lab import Column, Curve, Headline, Lab, Preset, Rule, Section, Series, ShownFact, Table
from engine.labs.predictions import Answer, From, Mistake, Prediction, Scene
from engine.labs.sentences import Fragment, Warning
from engine.ops import at_most, floor_div, less, where

# fmt: off
# Data laid out by hand: one line an entry reads better than one word a line.
PROMPT, AGENT, TIMES = "Prompt", "Agent loop", "Times"
LONGEST = 2**26
"""Up to here every count of pairs is exact in a double: a context of 2^26 has fewer than 2^52 of them."""

TOKENS = ("token", "tokens")
INPUTS = (
    Number("context", "Context", "token", 8192, 1, LONGEST, octaves(128, 2**20, 8), "Tokens of the whole prompt.", PROMPT,
           integer=True, words=TOKENS),
    Number("cached", "Cached", "token", 0, 0, LONGEST, (0, *octaves(128, 2**20, 8)),
           "Tokens of it whose keys and values are there already.", PROMPT, integer=True, words=TOKENS),
    Number("output", "Answer", "token", 0, 0, LONGEST, (0, *octaves(16, 2**17, 4)), "Tokens decoded after the prefill.",
           PROMPT, integer=True, words=TOKENS),
    Number("window", "Window", "token", "none", 1, LONGEST, (*octaves(128, 2**20, 4), "none"),
           "Tokens that one token may attend to; none for all.", PROMPT, integer=True, words=TOKENS,
           gives="attention_window", none=LONGEST),
    Number("turns", "Turns", "count", 20, 1, 10_000, (*range(1, 20), *range(20, 105, 5)),
           "Turns of an agent; each sends the transcript so far.", AGENT, integer=True),
    Number("added", "Added a turn", "token", 1000, 1, 1_000_000, (*range(50, 1000, 50), *range(1000, 20_500, 500)),
           "Tokens that every turn adds.", AGENT, integer=True, words=TOKENS),
    Choice("constants", "Constants", "authored", (("authored", "As set here"), ("derived", "From a model and a GPU")),
           "Times a token, a pair and a key.", TIMES),
    Number("per_token_us", "Time a token", "us/token", 40.6, 0.0001, 1_000_000, evenly(0, 400, 2)[1:],
           "What is done once for each new token; used when set here.", TIMES, gives="time_per_token"),
    Number("per_pair_ps", "Time a pair", "ps/pair", 663, 0.0001, 1_000_000_000, evenly(10, 3000, 1),
           "What is done once for each pair; used when set here.", TIMES, gives="time_per_pair"),
    Number("per_key_ns", "Time a key", "ns/pair", 49.6, 0, 1_000_000_000, evenly(0, 1000, 5),
           "What reading one key and value takes while decoding; used when set here.", TIMES, gives="time_per_key"),
    Choice("model", "Model", "llama-3-8b", tuple((m.slug, m.name) for m in catalogue.models().values()),
           "Used when the constants are derived.", TIMES, style="list"),
    Choice("gpu", "GPU", "h100-sxm", tuple((g.slug, g.name) for g in catalogue.gpus().values()),
           "Used when the constants are derived.", TIMES, style="list"),
    Number("efficiency", "Share of the peak", "1", 0.4, 0.01, 1, evenly(5, 100, 100),
           "Share of the dense BF16 peak that a prefill reaches; made up.", TIMES),
)


def nothing(_: object) -> Mapping[str, float]:
    """What a choice brings along that only chooses formulas."""
    return {}


@cache
def model_gives(model: str) -> Mapping[str, float]:
    """The shape of the model, with BF16 keys and values."""
    return catalogue.model(model).given() | {"kv_width": 2}


@cache
def gpu_gives(gpu: str) -> Mapping[str, float]:
    """Rates of the GPU."""
    return catalogue.gpu(gpu).given()


def constants_use(constants: str) -> Mapping[str, str]:
    """Formulas for constants that are derived instead of set."""
    names = ("time_per_token", "time_per_pair", "time_per_key") if constants == "derived" else ()
    return {name: f"{name}_derived" for name in names}


def window_uses(window: float | str) -> Mapping[str, str]:
    """Formulas for a window."""
    return {} if window == NONE else {"pairs": "pairs_windowed", "decode_keys": "decode_keys_windowed"}


LAST = 2**20
"""The last context of the figure."""

LINES = {
    "context": Column("context", "token"),
    "tokens": Column("prefill_linear_time_s", "ms"),
    "prefill": Column("prefill_time_s", "ms"),
}
LOOP = {
    "turns": Column("turns", "count"), "cached": Column("cached_loop_time_s", "s"), "resent": Column("resent_loop_time_s", "s"),
}

PREDICTIONS = (
    Prediction(
        "double", "numeric",
        "The context doubles from {now.context} to {then.context} tokens, nothing cached and no window. How many times as "
        "long does the prefill take?",
        {"now": Scene({"cached": 0, "window": "none", "output": 0}),
         "then": Scene({"context": From(lambda context: context * 2), "cached": 0, "window": "none", "output": 0})},
        Answer(lambda now, then: then.prefill_time_s / now.prefill_time_s),
        "The time on tokens doubles, from {now.prefill_linear_time_s} to {then.prefill_linear_time_s}; the time on pairs "
        "grows fourfold, from {now.prefill_attention_time_s} to {then.prefill_attention_time_s}. The share of the pairs, "
        "{now.attention_fraction} before, decides where between two and four the answer lies.",
        "prefill_time_s", gives="ratio",
        mistakes=(
            Mistake("Four times would be right if attention were all of it. Here tokens take {now.prefill_linear_time_s} of "
                    "{now.prefill_time_s}.", Answer(lambda now, then: then.pairs / now.pairs)),
            Mistake("Twice would be right if every token cost the same. A later token attends to more tokens.",
                    Answer(lambda now, then: then.new_tokens / now.new_tokens)),
        ),
    ),
    Prediction(
        "half-cached", "choice",
        "Half of a context of {now.context} tokens is cached, without a window. Which share of the attention pairs does that save?",
        {"now": Scene({"cached": From(lambda context: floor_div(context, 2)), "window": "none"})},
        Answer(lambda now: where(less(now.saved_fraction, 0.375), "quarter",
                                 where(less(now.saved_fraction, 0.625), "half", "most"))),
        "The saved pairs are the small triangle of the cached half: {now.saved_pairs} of {now.full_pairs}, a share of "
        "{now.saved_fraction}. Every new token still attends to the whole cached half.",
        "saved_fraction",
        options=(("quarter", "About a quarter"), ("half", "About half"), ("most", "About three quarters")),
        mistakes=(
            Mistake("Half of the tokens are saved, but not half of the pairs: the new half attends to the cached half too.",
                    option="half"),
            Mistake("It is the other way round: three quarters of the pairs remain.", option="most"),
        ),
    ),
    Prediction(
        "agent", "numeric",
        "An agent makes {now.turns} turns and adds {now.added} tokens each time. How many times as many tokens are prefilled "
        "without a cache as with one?",
        {"now": Scene()},
        Answer(lambda now: 1 * now.resent_ratio),
        "With a cache every token is prefilled once: {now.transcript_tokens}. Without one, turn k sends k times what a turn "
        "adds: {now.resent_tokens} in all, since the turns add up like a triangle.",
        "resent_tokens", gives="resent_ratio",
        mistakes=(
            Mistake("The number of turns would be right if every turn sent the final transcript. The early ones are short.",
                    Answer(lambda now: 1 * now.turns)),
        ),
    ),
    Prediction(
        "balance", "numeric",
        "From which context on does an uncached prefill without a window spend more time on pairs than on tokens?",
        {"now": Scene({"window": "none"})},
        Answer(lambda now: 1 * now.balance_context),
        "A token costs {now.time_per_token}, a pair {now.time_per_pair}. On average a token attends to half the context, so "
        "both are equal at {now.balance_context} tokens.",
        "balance_context", gives="balance_context",
        mistakes=(
            Mistake("That is half of it: there the last token's own pairs weigh as much as the token. Earlier tokens attend "
                    "to less, half the context on average.", Answer(lambda now: now.time_per_token / now.time_per_pair)),
        ),
    ),
)

LAB = Lab(
    slug="context-growth",
    number=7,
    title="The bill for a longer context",
    question="What does a longer context cost, and what does a cached one save?",
    lede="Before the first token of an answer every token of the prompt is computed, and every pair of a token and one up to "
    "it. Tokens grow with the context, pairs with its square.",
    description="How prefill time grows with the context: tokens, pairs, what a cache and a window save, and what an agent "
    "that resends its transcript pays.",
    inputs=INPUTS,
    groups=(PROMPT, AGENT, TIMES),
    tables=(
        Table(("model",), model_gives),
        Table(("gpu",), gpu_gives),
        Table(("constants",), nothing, constants_use),
        Table(("window",), nothing, window_uses),
    ),
    outputs=(
        "new_tokens", "pairs", "prefill_linear_time_s", "prefill_attention_time_s", "prefill_time_s", "attention_fraction",
        "full_pairs", "saved_pairs", "saved_fraction", "balance_context", "decode_keys", "decode_attention_time_s",
        "transcript_tokens", "resent_tokens", "resent_ratio", "cached_loop_time_s", "resent_loop_time_s",
    ),
    names={"prefill_linear_time_s": "linear_time_s", "prefill_attention_time_s": "attention_time_s"},
    sections=(
        Section("The prefill: tokens and pairs", (
            "new_tokens", "pairs_beyond_window", "pairs", "prefill_linear_time_s", "prefill_attention_time_s", "prefill_time_s",
            "attention_fraction")),
        Section("What is saved, and where both parts are equal", (
            "full_pairs", "saved_pairs", "saved_fraction", "balance_context")),
        Section("While the answer is written", ("decode_keys_beyond_window", "decode_keys", "decode_attention_time_s")),
        Section("An agent that resends its transcript", (
            "transcript_tokens", "resent_tokens", "resent_ratio", "transcript_pairs", "resent_pairs", "cached_loop_time_s",
            "resent_loop_time_s")),
        Section("Where derived constants come from", (
            "attention_parameters", "mlp_parameters", "output_matrix_parameters", "linear_parameters", "time_per_token",
            "time_per_pair", "cell_bytes", "time_per_key"), folded=True),
    ),
    headline=(
        Headline("prefill_time_s", "Prefill", "until the first token can be decoded"),
        Headline("attention_fraction", "Attention's share", "of the prefill is spent on pairs"),
        Headline("saved_fraction", "Pairs saved", "by cache and window"),
        Headline("resent_ratio", "Agent without cache", "times as many tokens as with one"),
    ),
    presets=(
        Preset("half-cached", "Half of 32,768 cached", {"context": 32768, "cached": 16384, "output": 256}),
        Preset("long", "131,072 tokens", {"context": 131072}),
        Preset("window", "A window of 4,096", {"context": 131072, "window": 4096}),
        Preset("agent", "A long agent", {"turns": 100, "added": 2000}),
        Preset("derived", "70B, derived", {"constants": "derived", "model": "llama-3-70b"}),
    ),
    curve=Curve(
        "context",
        grid=(*(128.0 * 2**k * (1 + j / 10) for k in range(13) for j in range(10)), 2.0**20),
        rows=tuple(2.0**k for k in range(10, 21)),
        columns=("new_tokens", "prefill_linear_time_s", "prefill_attention_time_s", "prefill_time_s", "attention_fraction",
                 "saved_fraction"),
        marks=("balance_context",),
        band_of="",
        series=(
            Series("curve", "grid", LINES),
            Series("marks", "rows", LINES),
            Series("first_names", "start", LINES),
            Series("names", "end", LINES),
            Series("now", "now", LINES),
            Series("pinned_curve", "pinned grid", LINES),
            Series("pinned", "pinned", LINES),
            Series("triangle", "to now", {"place": Column("context", "token"), "keys": Column("context", "token")}),
            Series("cached", "to now", {"place": Column("cached", "token"), "keys": Column("cached", "token")}, axis="cached"),
            Series("loop", "grid", LOOP, axis="turns", grid=tuple(float(turn) for turn in range(1, 101))),
            Series("loop_now", "now", LOOP, axis="turns"),
            Series("loop_names", "end", LOOP, axis="turns", grid=(100.0,)),
        ),
    ),
    summary=(
        Fragment("A context of {context} tokens, {cached} of them cached: {new_tokens} new tokens and {pairs} pairs take "
                 "{prefill_time_s}, of which {prefill_attention_time_s} for the pairs."),
        Fragment("Nothing is computed.", lambda new_tokens: at_most(new_tokens, 0)),
        Fragment("Uncached and without a window, pairs take more than tokens from {balance_context} tokens on.",
                 lambda new_tokens: less(0, new_tokens)),
        Fragment("An agent of {turns} turns prefills {resent_ratio} times as many tokens without a cache."),
    ),
    warnings=(
        Warning("beyond", Fragment("A context of {context} tokens is beyond the first plot, which ends at 1,048,576.",
                                   lambda context: less(LAST, context))),
        Warning("full-hit", Fragment("Everything is cached. A real engine still computes at least the last token, in practice "
                                     "a whole block.", lambda new_tokens: at_most(new_tokens, 0))),
        Warning("window", Fragment("Each token attends to {attention_window} tokens at most; the agent loop has no window.",
                                   lambda attention_window: less(attention_window, LONGEST))),
        Warning("own-windows", Fragment("{windowed_layers} of the model's {layers} layers have windows of their own, which are "
                                        "not counted: set a window to see what one saves.",
                                        lambda windowed_layers: less(0, windowed_layers))),
    ),
    predictions=PREDICTIONS,
    inside=(
        "Exact counts of tokens and causal pairs, with what a cache and a sliding window leave out",
        "One constant time a token, one a pair, one a key read",
        "An agent that sends its whole transcript every turn, with and without a cache",
    ),
    outside=(
        "The block that an engine computes again after a full hit (lab 5)",
        "Chunked prefill and other requests in the same step (lab 4)",
        "Constants that change with the length; scheduling and network time. Those set here are an example, not a measurement",
        "What an agent decoded itself, which a cache keeps already",
        "The weights' share of decoding (lab 1)",
    ),
    facts=(
        ShownFact("peak_attention", "BF16 peak, where constants are derived", "FLOP/s", ("gpu",),
                  lambda gpu: catalogue.gpu(gpu).peak("bf16")),
        ShownFact("bandwidth", "Memory bandwidth, where constants are derived", "B/s", ("gpu",),
                  lambda gpu: catalogue.gpu(gpu).facts["hbm_bandwidth"]),
    ),
    rules=(
        Rule("cached", From(lambda cached, context: at_most(cached, context)), "at most the context, {context}"),
        Rule("output", From(lambda context, output: at_most(context + output, LONGEST)),
             "so many that context and answer together stay within 67,108,864 tokens"),
    ),
)
