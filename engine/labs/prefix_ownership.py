"""Lab 5, `prefix-ownership`: which blocks requests with a common prefix share, and a pool of blocks to act on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from engine.errors import InputError
from engine.labs import pool_words
from engine.labs.inputs import Input, Number, Text, octaves
from engine.labs.lab import Column, Curve, Headline, Lab, Preset, Rule, Section, Series, Simulation, Table
from engine.labs.pool_words import MOST_BLOCKS, MOST_TOKENS, Run, block_map, told
from engine.labs.predictions import Answer, From, Mistake, Prediction, Scene
from engine.labs.sentences import Fragment, Warning
from engine.labs.switch import OFF, ON, Switch
from engine.ops import at_least, at_most, both, ceil_div, floor_div, less, minimum
from engine.simulators import prefix_cache as pool

# fmt: off
# Data laid out by hand: one line an entry reads better than one word a line.
PROMPTS, POOL = "Prompts", "Pool"
TOKENS = ("token", "tokens")
INPUTS: tuple[Input, ...] = (
    Number("requests", "Requests", "request", 4, 1, 1_000_000, tuple(range(1, 17)), "Requests with the same prefix.", PROMPTS,
           integer=True, words=("request", "requests")),
    Number("prefix", "Common prefix", "token", 50, 0, 10_000_000, tuple(range(0, 161)),
           "Tokens at the start that all prompts have in common.", PROMPTS, integer=True, words=TOKENS),
    Number("private", "Own tokens", "token", 30, 0, 10_000_000, tuple(range(0, 97)),
           "Tokens that each request has of its own after the prefix.", PROMPTS, integer=True, words=TOKENS),
    Number("block", "Block", "token/block", 16, 1, 1_000_000, octaves(1, 64, 1), "Tokens that one block holds.", POOL,
           integer=True, words=TOKENS),
    Switch("sharing", "Sharing", ON, ((ON, "On"), (OFF, "Off")), "Whether full blocks of the same content are held once.",
           POOL),
    Number("pool_blocks", "Pool", "block", 64, 1, 1_000_000, octaves(8, 128, 2), "Blocks that there are.", POOL, integer=True,
           words=("block", "blocks")),
    Text("actions", "Actions", pool_words.FORM, pool_words.usual, "What is done to the pool, one after the other.", POOL),
)

OUTPUTS = (
    "shared_blocks", "private_blocks_per_request", "physical_blocks", "logical_blocks", "saved_blocks",
    "private_tail_prefix_tokens", "unused_slots", "unused_fraction", "reused_tokens", "released_blocks",
)
MOST_REQUESTS = 256
"""More than these are not admitted to a pool: nobody reads such a map."""

WARNINGS = (
    Warning("full-hit", Fragment("Every prompt is cached in full. An engine computes its last block again: each request after "
                                 "the first holds a copy of that block, which {physical_blocks} blocks do not count.",
                                 lambda requests, shared_blocks, block, prefix, private: both(
                                     less(1, requests), less(0, shared_blocks),
                                     at_most(prefix + private, shared_blocks * block)))),
    Warning("nothing-full", Fragment("The prefix of {prefix} tokens fills no block of {block}: nothing is shared.",
                                     lambda sharing, prefix, shared_blocks: both(
                                         sharing, less(0, prefix), at_most(shared_blocks, 0)))),
    Warning("pool", Fragment("All requests hold {physical_blocks} blocks, more than the {pool_blocks} of the pool: some "
                             "have to wait.",
                             lambda pool_blocks, physical_blocks: less(pool_blocks, physical_blocks))),
)

POOL_LIMITS = (
    "A request gets all its blocks at once or waits; real schedulers compute a prompt in chunks and preempt.",
    "A finished request's blocks stay in the cache until they are taken; nothing is moved to slower memory.",
)
"""Where the pool stops to hold, beside the limits of the formulas."""
# fmt: on


def pool_run(values: Mapping[str, Any]) -> Run:
    """The pool: the requests are admitted one after the other, then the actions follow.

    Raises
    ------
    InputError
        Where it would be too large to be read.
    """
    tokens = values["prefix"] + values["private"]
    longer = "prefix" if values["prefix"] > values["private"] else "private"
    for name, size, most, what in (
        ("pool_blocks", values["pool_blocks"], MOST_BLOCKS, "blocks"),
        ("requests", values["requests"], MOST_REQUESTS, "requests"),
        (longer, tokens, MOST_TOKENS, "tokens of prefix and own tokens together"),
    ):
        if size > most:
            raise InputError(name, values[name], f"with actions, at most {most:,} {what}", "Or leave actions out.")
    first = pool.start(
        values["pool_blocks"], values["prefix"], values["private"], values["block"], values["sharing"] == ON
    )
    return pool_words.run(first, [*[pool.Admit()] * values["requests"], *pool_words.actions(values["actions"])])


def of_pool(run: Run) -> dict[str, Any]:
    """The run as data: counts, every event, and the last state block by block and request by request."""
    state = run.state
    kinds = Counter(block.state for block in state.blocks.values())
    return {
        "counts": {"pool": len(state.blocks), **{kind: kinds[kind] for kind in ("used", "cached", "empty")}},
        "events": [
            {"action": pool_words.written(action), "event": type(event).__name__.lower(), **_fields(event)}
            for action, events in run.steps
            for event in events
        ],
        "blocks": [{**asdict(block), "owners": list(block.owners)} for block in block_map(state)],
        "free_queue": list(state.queue),
        "requests": [
            {
                "request": number,
                "running": request.running,
                "blocks": list(request.table),
                "found_blocks": request.found,
                "prefix_version": request.prompt.version,
            }
            for number, request in enumerate(state.requests, 1)
        ],
    }


def _fields(event: pool.Event) -> dict[str, Any]:
    # A refused action stands beside its event already.
    return {name: value for name, value in asdict(event).items() if name != "action"}


def simulate(values: Mapping[str, Any]) -> Simulation | None:
    """What the actions did to the pool; nothing without actions."""
    if not values["actions"]:
        return None
    run = pool_run(values)
    sentences = tuple(sentence for _, said in told(run) for sentence in said)
    blocks = of_pool(run)
    refused = tuple(pool_words.refusal(event) for event in run.events if isinstance(event, pool.Refused))
    return Simulation(
        {"events": list(sentences), "pool": blocks},
        (("What happened", sentences), ("Blocks", tuple(map(_line, blocks["blocks"])))),
        refused,
        POOL_LIMITS,
    )


def _line(block: Mapping[str, Any]) -> str:
    if block["state"] == "empty":
        return f"block {block['number']}: empty, place {block['place']} in the free queue"
    holds = f"{block['prefix_tokens']} of the prefix, {block['own_tokens']} own, {block['unused']} unused"
    if block["state"] == "cached":
        return f"block {block['number']}: cached, place {block['place']} in the free queue; {holds}"
    owners = ", ".join(map(str, block["owners"]))
    return f"block {block['number']}: {pool_words.many(len(block['owners']), 'reference')}, of {owners}; {holds}"


def sharing_gives(sharing: str) -> Mapping[str, float]:
    """Sharing as a truth value."""
    return {"sharing": float(sharing == ON)}


# fmt: off
LINES = {
    "requests": Column("requests", "request"), "held": Column("physical_blocks", "block"),
    "referred": Column("logical_blocks", "block"),
}
SLOTS = {"block": Column("block", "token/block"), "unused": Column("unused_fraction", "%")}
EDITED = 20
"""The token of the prefix that a prompt asks about."""

PREDICTIONS = (
    Prediction(
        "held", "numeric",
        "{now.requests} requests have {now.prefix} tokens in common and {now.private} of their own each, blocks hold {now.block}. "
        "How many blocks do they hold together, with sharing?",
        {"now": Scene({"sharing": ON})},
        Answer(lambda now: 1 * now.physical_blocks),
        "Only full blocks of the prefix are shared: {now.shared_blocks}. Its other {now.private_tail_prefix_tokens} tokens are "
        "copied into the {now.private_blocks_per_request} blocks that each request holds alone.",
        "physical_blocks", gives="physical_blocks",
        mistakes=(
            Mistake("That shares the half-filled block of the prefix too. A request goes on writing into it, so each has a copy.",
                    Answer(lambda now: ceil_div(now.prefix, now.block)
                           + now.requests * (now.blocks_per_request - ceil_div(now.prefix, now.block)))),
            Mistake("That shares nothing: every request counted alone.", Answer(lambda now: 1 * now.logical_blocks)),
        ),
    ),
    Prediction(
        "edited", "numeric",
        "Token 20 of a prefix of 50 tokens is edited, blocks hold 16. How many of its 3 full blocks does the next request still "
        "find in the cache?",
        {"now": Scene(fixed=True)},
        Answer(lambda now: minimum(now.shared_blocks, floor_div(EDITED, now.block))),
        "A block's hash covers all tokens before it. Token 20 stands in the second block, so the second and the third have other "
        "hashes; the first is found.",
        "shared_blocks", gives="shared_blocks",
        mistakes=(
            Mistake("That loses only the block that was touched. The hashes are chained: all blocks after it are lost too.",
                    Answer(lambda now: now.shared_blocks - 1)),
        ),
    ),
    Prediction(
        "again", "numeric",
        "A prompt of 32 tokens is sent a second time, blocks hold 16. How many of its tokens need not be computed?",
        {"now": Scene({"prefix": 32, "private": 0}, fixed=True)},
        Answer(lambda now: 1 * now.reused_tokens),
        "The last token must be computed, for the answer to start from, and caches work by whole blocks: "
        "{now.reused_tokens} tokens are reused.",
        "reused_tokens", gives="reused_tokens",
        mistakes=(
            Mistake("All of them would leave nothing to start the answer from: the last token's result is not in the cache.",
                    Answer(lambda now: now.prefix + now.private)),
        ),
    ),
    Prediction(
        "finished", "numeric",
        "One of four requests finishes: 50 tokens in common, 30 of its own, blocks of 16. How many of the 11 blocks have no "
        "owner then?",
        {"now": Scene(fixed=True)},
        Answer(lambda now: 1 * now.released_blocks),
        "It gives back its {now.released_blocks} own blocks; the shared ones have three owners left.",
        "released_blocks", gives="released_blocks",
        mistakes=(
            Mistake("Its share of all blocks would be right if blocks could be split. A block is free when its last owner is "
                    "gone.", Answer(lambda now: now.physical_blocks / now.requests)),
        ),
    ),
)

LAB = Lab(
    slug="prefix-ownership",
    number=5,
    title="Who owns which block",
    question="Who owns which block, and what does an edit of the prefix cost?",
    lede="Prompts that begin alike can keep what they have in common once. They share whole blocks, found by a hash of all that "
    "came before; the rest each request holds alone.",
    description="Which KV blocks requests with a common prefix share, what each holds alone, and what finishing, editing and "
    "eviction do to the pool.",
    inputs=INPUTS,
    groups=(PROMPTS, POOL),
    tables=(Table(("sharing",), sharing_gives),),
    outputs=OUTPUTS,
    sections=(
        Section("What one request refers to", ("shared_blocks", "blocks_per_request", "private_blocks_per_request",
                                               "private_tail_prefix_tokens")),
        Section("What all hold", ("physical_blocks", "logical_blocks", "saved_blocks")),
        Section("Slots without a token", ("held_tokens", "unused_slots", "unused_fraction")),
        Section("Sent again, and finished", ("reused_tokens", "released_blocks")),
    ),
    headline=(
        Headline("physical_blocks", "Blocks held", "of the pool, every shared one once"),
        Headline("saved_blocks", "Blocks saved", "by sharing"),
        Headline("private_blocks_per_request", "Each alone", "blocks that one request holds alone"),
        Headline("unused_fraction", "Unused", "share of the slots without a token"),
    ),
    presets=(
        Preset("aligned", "A prefix of whole blocks", {"prefix": 64}),
        Preset("off", "Sharing off", {"sharing": OFF}),
        Preset("large", "Large blocks", {"block": 64}),
        Preset("evict", "Finish, edit, shrink", {"actions": "finish:1,finish:2,edit:20,admit,pool:12,admit"}),
    ),
    curve=Curve(
        "requests",
        grid=tuple(float(n) for n in range(1, 65)),
        rows=tuple(2.0**k for k in range(7)),
        columns=("physical_blocks", "logical_blocks", "saved_blocks", "unused_slots", "unused_fraction"),
        marks=(),
        band_of="",
        series=(
            Series("curve", "grid", LINES),
            Series("names", "end", LINES),
            Series("now", "now", LINES),
            Series("pinned_curve", "pinned grid", LINES),
            Series("pinned", "pinned", LINES),
            Series("slots", "grid", SLOTS, axis="block", grid=tuple(float(n) for n in range(1, 129))),
            Series("slots_now", "now", SLOTS, axis="block"),
        ),
    ),
    summary=(
        Fragment("{requests} requests hold {physical_blocks} blocks of {block} tokens, {shared_blocks} of them together and "
                 "{private_blocks_per_request} each alone."),
        Fragment("Sharing saves {saved_blocks} blocks.", lambda sharing: both(sharing, sharing)),
        Fragment("{unused_slots} slots hold no token, {unused_fraction} of all."),
    ),
    warnings=WARNINGS,
    predictions=PREDICTIONS,
    inside=(
        "Whole blocks, shared where everything up to their end is the same",
        "A copy of the prefix's tail in every request's own block",
        "A pool with reference counts, a free queue, eviction of what was used least recently, a block never before its children",
    ),
    outside=(
        *POOL_LIMITS,
        "Tokens of answers, which fill blocks while they are decoded",
        "Time: what a hit saves is in lab 7",
    ),
    facts=(),
    rules=(
        Rule("private", From(lambda prefix, private: at_least(prefix + private, 1)), "at least 1 token where the prefix has none"),
    ),
    simulate=simulate,
)
