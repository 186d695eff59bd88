"""A prompt computed in chunks beside decodes: how long a step may be, and how long the prompt then takes."""

from typing import Any

from engine.constants import SAME_INSTANT, TOKEN_SLACK, TOKENS_PER_SEQUENCE
from engine.formula import Limit, Source, definition, formula
from engine.ops import at_most, ceil_or_never, floor, less, maximum, minimum

CHECKED = "2026-11-29"
SARATHI = Source(
    "Agrawal et al. 2024, Sarathi-Serve, section 4.3: the token budget between the TBT limit and the cost of chunks",
    "https://arxiv.org/abs/2403.02310",
    CHECKED,
)
VLLM_CHUNKS = Source(
    "vLLM, Optimization and Tuning, Chunked Prefill: decodes first, prefills within what is left of the budget",
    "https://docs.vllm.ai/en/stable/configuration/optimization/",
    CHECKED,
)

LINEAR = Limit(
    "A step costs the same for every token, wherever it stands in its prompt: attention to earlier chunks is left out."
)
FREE = Limit("The curve has no flat part: real steps below the ridge cost nearly the same for few tokens as for more.")
STEADY = Limit("As many sequences decode in every step; none joins or ends while the prompt is computed.")
ROOM = Limit(
    "The budget leaves room beside the decodes.",
    lambda decoding, budget: less(TOKENS_PER_SEQUENCE * decoding, budget),
)
ALONE = Limit("No other prompt shares the steps, and the first step begins when the prompt arrives.")


@formula(source=SARATHI, limits=[STEADY, Limit("Every decode costs the same, however long its context is.")])
def decode_step_s(time_per_step: Any, time_per_decode: Any, decoding: Any) -> Any:
    """Time of a step that only decodes."""
    return time_per_step + time_per_decode * decoding * TOKENS_PER_SEQUENCE


@formula(
    source=SARATHI,
    limits=[
        LINEAR,
        Limit(
            "A step without any prompt meets the deadline; else no chunk is safe.",
            lambda decode_step_s, itl_deadline: at_most(decode_step_s, itl_deadline),
        ),
    ],
)
def largest_safe_chunk(itl_deadline: Any, decode_step_s: Any, time_per_token: Any) -> Any:
    """Most tokens of prompts in a step that ends by the deadline; a step that ends exactly then counts."""
    return maximum(floor((itl_deadline - decode_step_s) / time_per_token + TOKEN_SLACK), 0)


@formula(source=VLLM_CHUNKS, limits=[STEADY])
def largest_safe_budget(largest_safe_chunk: Any, decoding: Any) -> Any:
    """The budget with which a step holds the largest safe chunk beside its decodes."""
    return largest_safe_chunk + TOKENS_PER_SEQUENCE * decoding


@formula(source=VLLM_CHUNKS, limits=[STEADY])
def starved(budget: Any, decoding: Any) -> Any:
    """Whether decodes, which are served first, leave nothing of the budget."""
    return at_most(budget, TOKENS_PER_SEQUENCE * decoding)


@formula(source=VLLM_CHUNKS, limits=[STEADY, ROOM])
def chunk_tokens(budget: Any, decoding: Any) -> Any:
    """What decodes leave of the budget."""
    return maximum(budget - TOKENS_PER_SEQUENCE * decoding, 0)


@formula(source=VLLM_CHUNKS, limits=[ALONE])
def step_tokens(chunk_tokens: Any, prompt: Any) -> Any:
    """Tokens of the prompt in its fullest step: a whole chunk, or a prompt that is shorter."""
    return minimum(chunk_tokens, prompt)


@formula(source=VLLM_CHUNKS, limits=[ALONE, ROOM])
def iterations(prompt: Any, chunk_tokens: Any) -> Any:
    """Steps until the prompt is computed; the last chunk is what is left. Without a chunk there is no end to them."""
    return ceil_or_never(prompt, chunk_tokens)


@formula(source=SARATHI, limits=[LINEAR, FREE])
def longest_step_s(decode_step_s: Any, time_per_token: Any, step_tokens: Any) -> Any:
    """A step with this many tokens of prompts beside the decodes; with most tokens it is the longest."""
    return decode_step_s + time_per_token * step_tokens


@formula(source=SARATHI, limits=[LINEAR, FREE, STEADY, ALONE])
def ttft_s(iterations: Any, decode_step_s: Any, time_per_token: Any, prompt: Any) -> Any:
    """Every step pays for itself and its decodes once, every token of the prompt once."""
    return iterations * decode_step_s + time_per_token * prompt


@formula(
    source=definition("the fullest step is a safe one, at equality too", CHECKED),
    limits=[ROOM, Limit("Every step counts, also a single long one: no percentile.")],
)
def meets_itl(step_tokens: Any, largest_safe_chunk: Any) -> Any:
    """Whether no step is longer than the ITL deadline, told by whole tokens so that rounding decides nothing."""
    return at_most(step_tokens, largest_safe_chunk)


@formula(
    source=definition("not later than the deadline, at equality too", CHECKED),
    limits=[Limit("Counted from the arrival; a nanosecond beyond the deadline is not told from rounding.")],
)
def meets_ttft(ttft_s: Any, ttft_deadline: Any) -> Any:
    """Whether the first token comes within its deadline."""
    return at_most(ttft_s, ttft_deadline + SAME_INSTANT)
