"""Lab 5: the pool block by block, with what can be done to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from engine.labs.pool_words import BlockShown, Run, block_map, many, told
from engine.labs.prefix_ownership import pool_run
from engine.labs.switch import OFF, ON

COLOURS = 6
"""Owners have as many colours; the numbers on a block say who it is."""


def markup(inputs: Mapping[str, Any]) -> Markup:
    """The pool after all actions: what can be done, the map, the same requests the other way, and what happened last."""
    run = pool_run(inputs)
    return Markup('<div class="pool" data-acts-on="actions">{}{}{}{}{}</div>').format(
        Markup("<h2>The pool, block by block</h2>"),
        _actions(inputs, run),
        _map(run),
        _other_way(inputs, run),
        _story(run),
    )


def _button(action: str, words: str) -> Markup:
    return Markup('<button type="button" data-act="{0}" data-key="{0}">{1}</button>').format(action, words)


def _joined(parts: list[Markup]) -> Markup:
    return Markup("").join(parts)


def _actions(inputs: Mapping[str, Any], run: Run) -> Markup:
    state = run.state
    running = [n for n, request in enumerate(state.requests, 1) if request.running]
    finished = [n for n, request in enumerate(state.requests, 1) if not request.running]
    edits = range(0, inputs["prefix"], inputs["block"])[:6]
    size = len(state.blocks)
    rows = [
        (
            "Requests",
            [_button("admit", "Admit one more"), *(_button(f"finish:{n}", f"Finish {n}") for n in running[:16])],
        ),
        ("Send again", [_button(f"again:{n}", f"Prompt of {n}") for n in (finished or running)[:8]]),
        ("Edit the prefix at token", [_button(f"edit:{place}", str(place)) for place in edits]),
        (
            "Pool",
            [_button(f"pool:{max(1, size // 2)}", f"Shrink to {max(1, size // 2)}"), _button("reset", "Start anew")],
        ),
    ]
    lines = [
        Markup('<div class="pool-actions"><span>{}</span><div class="buttons">{}</div></div>').format(
            name, _joined(buttons)
        )
        for name, buttons in rows
        if buttons
    ]
    return _joined(lines)


def _map(run: Run) -> Markup:
    blocks = block_map(run.state)
    kinds = {kind: sum(block.state == kind for block in blocks) for kind in ("used", "cached", "empty")}
    words = f"{many(kinds['used'], 'block')} in use, {kinds['cached']} cached without an owner, {kinds['empty']} empty."
    cells = _joined([_block(block, run.state.block) for block in blocks])
    key = Markup(
        '<p class="pool-key"><span class="key-prefix">prefix</span> <span class="key-own">own</span> '
        '<span class="key-unused">unused slots</span> <span>×: references; owners below; # place in the free queue</span></p>'
    )
    return Markup('<p class="pool-counts">{}</p>{}<ol class="blocks">{}</ol>').format(words, key, cells)


def _block(block: BlockShown, size: int) -> Markup:
    owners = len(block.owners)
    kind = "shared" if owners > 1 else f"owner-{(block.owners[0] - 1) % COLOURS}" if owners else block.state
    slots = _joined(
        [
            Markup('<rect class="{}" x="{}" width="{}" height="1"/>').format(name, start, width)
            for name, start, width in (
                ("prefix", 0, block.prefix_tokens),
                ("own", block.prefix_tokens, block.own_tokens),
                ("unused", block.prefix_tokens + block.own_tokens, block.unused),
            )
            if width
        ]
    )
    if owners:
        says, who = f"×{owners}", ", ".join(map(str, block.owners[:4])) + ("…" if owners > 4 else "")
    else:
        says, who = f"#{block.place}", block.state
    held = f"{block.prefix_tokens} of the prefix, {block.own_tokens} own, {block.unused} unused"
    label = f"Block {block.number}, {block.state}, {many(owners, 'reference')}: {held}" + (
        ", a copied tail" if block.tail else ""
    )
    return Markup(
        '<li class="block {}"><span class="visually-hidden">{}</span><span aria-hidden="true" class="block-number">{}</span>'
        '<span aria-hidden="true" class="block-says">{}</span>'
        '<svg aria-hidden="true" viewBox="0 0 {} 1" preserveAspectRatio="none">{}</svg>'
        '<span aria-hidden="true" class="block-who">{}</span></li>'
    ).format(kind, label, block.number, says, size, slots, who)


def _other_way(inputs: Mapping[str, Any], run: Run) -> Markup:
    other = pool_run({**inputs, "sharing": OFF if inputs["sharing"] == ON else ON})
    used = [sum(block.state == "used" for block in block_map(found.state)) for found in (run, other)]
    here, there = ("with", "without") if inputs["sharing"] == ON else ("without", "with")
    return Markup("<p>{}</p>").format(
        f"The same requests and actions hold {many(used[0], 'block')} {here} sharing, and {used[1]} {there}."
    )


def _story(run: Run) -> Markup:
    chapters = told(run)
    action, sentences = chapters[-1]
    last = _joined([Markup("<li>{}</li>").format(sentence) for sentence in sentences])
    earlier = _joined(
        [
            Markup("<li><strong>{}</strong> {}</li>").format(done, " ".join(said))
            for done, said in reversed(chapters[:-1])
        ]
    )
    return Markup(
        '<h3>What happened last: {}</h3><ol class="pool-story">{}</ol>'
        '<details><summary>Everything before, newest first</summary><ol class="pool-story">{}</ol></details>'
    ).format(action, last, earlier)
