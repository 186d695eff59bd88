"""Lab 5, `prefix-ownership`: which blocks requests with a common prefix share, and a pool of blocks to act on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import engine
from engine.errors import InputError, nearest
from engine.labs import pool_words
from engine.labs.answers import calculation, measured, plain
from engine.labs.inputs import Input, Number, Text, octaves
from engine.labs.pool_words import MOST_BLOCKS, MOST_TOKENS, Run, block_map, told
from engine.labs.sentences import Fragment, Warning, fill
from engine.labs.switch import OFF, ON, Switch
from engine.ops import at_most, both, less
from engine.simulators import prefix_cache as pool
from engine.text import show
from engine.trace import NOT_CHECKED, Trace, plan

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


def parse(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Every input: the given ones parsed, the others at their defaults.

    Raises
    ------
    InputError
        For an unknown name, a wrong value, or a prompt without tokens.
    """
    known = {entry.name: entry for entry in INPUTS}
    for name in raw:
        if name not in known:
            raise InputError(name, name, ", ".join(known), nearest(name, known), "there is no such input")
    values: dict[str, Any] = {
        name: entry.parse(raw[name]) if name in raw else entry.default for name, entry in known.items()
    }
    if values["prefix"] + values["private"] < 1:
        raise InputError("private", values["private"], "at least 1 token where the prefix has none", "Or set prefix.")
    return values


def calculate(values: Mapping[str, Any]) -> Trace:
    """The closed forms: all requests admitted, none finished."""
    given = {entry.quantity: float(entry.base(values[entry.name])) for entry in INPUTS if isinstance(entry, Number)}
    given["sharing"] = float(values["sharing"] == ON)
    return plan(OUTPUTS, given).trace(given)


def simulate(values: Mapping[str, Any]) -> Run:
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


def warned(found: Trace, run: Run | None) -> list[str]:
    """The warnings that stand, and the actions that were refused."""
    words = {name: show(name, value) for name, value in found.values.items()}
    said = [fill(w.fragment.template, words) for w in WARNINGS if w.fragment.stands(found.values)]
    refused = [event for event in run.events if isinstance(event, pool.Refused)] if run else []
    return said + [pool_words.refusal(event) for event in refused]


class PrefixOwnership:
    """The lab on the command line."""

    slug = "prefix-ownership"
    number = 5
    title = "Who owns which block"

    def report(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """The answer for what was typed; with actions, the pool's events and last state too."""
        values = parse(raw)
        found = calculate(values)
        run = simulate(values) if values["actions"] else None
        said = calculation(found)
        limits = [{"text": limit, "state": NOT_CHECKED} for limit in POOL_LIMITS] if run else []
        return {
            "lab": self.slug,
            "version": engine.__version__,
            "inputs": {entry.name: {"value": _given(entry, values), "unit": entry.unit} for entry in INPUTS},
            "outputs": {name: measured(name, found.values[name]) for name in OUTPUTS},
            "trace": said["trace"],
            "limits": said["limits"] + limits,
            "warnings": warned(found, run),
            "events": [sentence for _, sentences in told(run) for sentence in sentences] if run else [],
            "pool": of_pool(run) if run else None,
        }

    def text(self, report: Mapping[str, Any]) -> str:
        """A report in words: settings, the calculation, what happened to the pool, warnings and limits."""
        values = {name: entry["value"] for name, entry in report["inputs"].items()}
        settings = "; ".join(f"{entry.label} {entry.show(_typed(values[entry.name]))}" for entry in INPUTS)
        limits = [
            limit["text"] if limit["state"] == NOT_CHECKED else f"{limit['text']} (here: {limit['state']})"
            for limit in report["limits"]
        ]
        parts = {
            "Calculation": [
                f"{step['symbol']} = {step['formula']} = {step['substituted']} = {show(step['name'], step['value'])}"
                for step in report["trace"]
            ],
            "What happened": report["events"],
            "Blocks": [_line(block) for block in report["pool"]["blocks"]] if report["pool"] else [],
            "Warnings": report["warnings"],
            "Limits": limits,
        }
        lines = [self.title, settings, ""]
        for title, entries in parts.items():
            lines += [title, *(f"  {entry}" for entry in entries), ""] if entries else []
        return "\n".join([*lines, f"Ridgepoint {report['version']}"])


def _given(entry: Input, values: Mapping[str, Any]) -> Any:
    value = values[entry.name]
    if isinstance(entry, Switch):
        return value == ON
    return None if value == "" else plain(value)


def _typed(value: Any) -> Any:
    if isinstance(value, bool):
        return ON if value else OFF
    return "" if value is None else value


def _line(block: Mapping[str, Any]) -> str:
    if block["state"] == "empty":
        return f"block {block['number']}: empty, place {block['place']} in the free queue"
    holds = f"{block['prefix_tokens']} of the prefix, {block['own_tokens']} own, {block['unused']} unused"
    if block["state"] == "cached":
        return f"block {block['number']}: cached, place {block['place']} in the free queue; {holds}"
    owners = ", ".join(map(str, block["owners"]))
    return f"block {block['number']}: {pool_words.many(len(block['owners']), 'reference')}, of {owners}; {holds}"


HEADLESS = PrefixOwnership()
"""The lab as the command line finds it."""
