"""Shared prefixes: which KV blocks requests hold together, which each holds alone, and how many slots stay unused."""

from typing import Any

from engine.constants import LAST_TOKEN, ONE_REQUEST, PER_REQUEST
from engine.formula import Limit, Source, definition, formula
from engine.ops import at_most, ceil_div, either, floor_div, less, minimum, share, where

CHECKED = "2026-11-29"
PAGED = Source(
    "Kwon et al. 2023, PagedAttention, section 4.4, shared prefix", "https://arxiv.org/abs/2309.06180", CHECKED
)
VLLM_PREFIX = Source(
    "vLLM, design documents: automatic prefix caching", "https://docs.vllm.ai/en/stable/design/prefix_caching/", CHECKED
)
VLLM_LAST = Source(
    "vLLM, pull request 11186: a full hit computes its last block again",
    "https://github.com/vllm-project/vllm/pull/11186",
    CHECKED,
)

FULL = Limit("Only full blocks are shared; the rest of the prefix is copied into blocks of each request.")
WHOLE = Limit("Blocks are whole: the last one of a request may be partly empty.")
ALIKE = Limit("Every request has the same prefix and equally many tokens of its own, of which the first differs.")
ROOM = Limit(
    "The pool has room for all requests.", lambda physical_blocks, pool_blocks: at_most(physical_blocks, pool_blocks)
)
NOTHING_ELSE = Limit("Blocks that finished requests left in the cache are not counted.")
GOES_ON = Limit(
    "Every prompt goes on beyond the shared blocks: one that is cached in full computes its last block again, and every "
    "request after the first holds a copy of it.",
    lambda requests, shared_blocks, block, prefix, private: either(
        at_most(requests, ONE_REQUEST), less(shared_blocks * block, prefix + private)
    ),
)
PROMPT_ONLY = Limit("Prompts alone: no token of an answer is written yet.")


@formula(source=VLLM_PREFIX, limits=[FULL, ALIKE])
def shared_blocks(sharing: Any, prefix: Any, block: Any) -> Any:
    """Blocks that all requests hold together: the full blocks of the prefix, or none without sharing."""
    return where(sharing, floor_div(prefix, block), 0.0)


@formula(source=PAGED, limits=[WHOLE, PROMPT_ONLY])
def blocks_per_request(prefix: Any, private: Any, block: Any) -> Any:
    """Blocks that one request refers to, shared or not."""
    return PER_REQUEST * ceil_div(prefix + private, block)


@formula(source=PAGED, limits=[WHOLE])
def private_blocks_per_request(blocks_per_request: Any, shared_blocks: Any) -> Any:
    """Blocks that one request holds alone."""
    return blocks_per_request - PER_REQUEST * shared_blocks


@formula(source=PAGED, limits=[GOES_ON, ROOM, NOTHING_ELSE])
def physical_blocks(shared_blocks: Any, requests: Any, private_blocks_per_request: Any) -> Any:
    """Blocks of the pool that are in use: every shared one once."""
    return shared_blocks + requests * private_blocks_per_request


@formula(source=PAGED, limits=[ALIKE])
def logical_blocks(requests: Any, blocks_per_request: Any) -> Any:
    """Blocks that all requests refer to: every shared one once for each request."""
    return requests * blocks_per_request


@formula(source=definition("what would be held more without sharing", CHECKED), limits=[GOES_ON])
def saved_blocks(logical_blocks: Any, physical_blocks: Any) -> Any:
    """Blocks that sharing saves."""
    return logical_blocks - physical_blocks


@formula(source=VLLM_PREFIX, limits=[FULL])
def private_tail_prefix_tokens(prefix: Any, shared_blocks: Any, block: Any) -> Any:
    """Tokens of the prefix that every request keeps in blocks of its own."""
    return prefix - shared_blocks * block


@formula(source=definition("shared tokens once, all others once for each request", CHECKED), limits=[GOES_ON])
def held_tokens(shared_blocks: Any, block: Any, requests: Any, private_tail_prefix_tokens: Any, private: Any) -> Any:
    """Tokens that stand in the blocks in use."""
    return shared_blocks * block + PER_REQUEST * requests * (private_tail_prefix_tokens + private)


@formula(source=definition("slots without a token", CHECKED), limits=[PROMPT_ONLY])
def unused_slots(physical_blocks: Any, block: Any, held_tokens: Any) -> Any:
    """Slots of the blocks in use that hold no token."""
    return physical_blocks * block - held_tokens


@formula(source=definition("a part of the whole", CHECKED), limits=[PROMPT_ONLY])
def unused_fraction(unused_slots: Any, physical_blocks: Any, block: Any) -> Any:
    """Share of the slots in use that hold no token."""
    return share(unused_slots, physical_blocks * block)


@formula(
    source=VLLM_LAST,
    limits=[FULL, Limit("The prompt was sent before, and none of its blocks was evicted since.")],
)
def reused_tokens(sharing: Any, prefix: Any, private: Any, block: Any) -> Any:
    """Tokens that a prompt finds in the cache when it is sent again: whole blocks, and never its last token."""
    return where(sharing, floor_div(prefix + private - LAST_TOKEN, block) * block, 0.0)


@formula(
    source=VLLM_PREFIX,
    limits=[Limit("Tokens are counted from 0. A block's hash covers all tokens before it: later blocks change too.")],
)
def surviving_blocks(shared_blocks: Any, edited: Any, block: Any) -> Any:
    """Shared blocks that a request with an edited prefix still finds: those before the block of the edit."""
    return minimum(shared_blocks, floor_div(edited, block))


@formula(source=VLLM_PREFIX, limits=[GOES_ON, Limit("All other requests go on.")])
def released_blocks(requests: Any, private_blocks_per_request: Any, shared_blocks: Any) -> Any:
    """Blocks without an owner after one request finishes: its own, and the shared ones only after the last request."""
    own = private_blocks_per_request * ONE_REQUEST
    return where(at_most(requests, ONE_REQUEST), own + shared_blocks, own)
