"""Lab 4: a queue of prompts step by step: the chosen order as a timeline, all orders beside each other, prompts to add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from engine.labs import queue_words
from engine.labs.prefill_deadline import LAB, alone, runs
from engine.simulators.prefill_queue import Event, Run, State
from engine.text import NBSP
from labs._panels.prefill_timeline import MS, Timeline, alike, block, drawing, joined, shown, timeline
from labs._svg import percent

STRIP_HIGH = 20
MOST_TOLD = 200
ADDED = (("short", 300, 200), ("long", 8000, 1000))
"""Prompts to add: a word, tokens, TTFT deadline in ms."""
LATER_MS = 20
POLICY = LAB.input("policy")


def markup(inputs: Mapping[str, Any]) -> Markup:
    """What can be added, the steps of the chosen order with a lane for each prompt, the other orders, all in words."""
    found = runs(inputs)
    run = found[inputs["policy"]]
    return Markup('<div class="queue" data-acts-on="queue">{}</div>').format(
        joined(
            [
                Markup("<h2>Every step</h2>"),
                _actions(inputs, run),
                _starved(inputs, run)
                if run.state.starved
                else timeline(Timeline(run, LAB.given(inputs)["itl_deadline"])),
                _orders(found, inputs["policy"]),
                _story(run.events),
            ]
        )
    )


def _actions(inputs: Mapping[str, Any], run: Run) -> Markup:
    """Buttons that put a prompt at the end of the queue; the first one takes the prompt of the inputs along."""
    last = max(prompt.arrival_s for prompt in run.state.prompts)
    arrival = MS.from_base(last) + LATER_MS
    buttons = []
    for word, tokens, deadline in ADDED:
        entry = f"{arrival:.10g}:{tokens}:{deadline}"
        action = entry if inputs["queue"] else f"{alone(inputs)},{entry}"
        buttons.append(
            Markup('<button type="button" data-act="{}" data-key="{}">{}</button>').format(
                action, word, f"Add a {word} prompt: {tokens:,} tokens due within {deadline:,}{NBSP}ms"
            )
        )
    if inputs["queue"]:
        buttons.append(
            Markup('<button type="button" data-act="reset" data-key="reset">The prompt alone again</button>')
        )
        count = len(run.state.prompts)
        who = f"The queue holds {count} prompts" if count > 1 else "The queue holds one prompt"
        says = f"{who} of its own; the prompt and the TTFT deadline among the inputs play no part in it."
    else:
        says = "The prompt as set above, alone. Others can arrive behind it."
    return Markup('<p class="queue-says">{}</p><div class="buttons">{}</div>').format(says, joined(buttons))


def _starved(inputs: Mapping[str, Any], run: Run) -> Markup:
    names = ", ".join(str(place + 1) for place in sorted(run.state.starved))
    who = f"prompt{'s' if len(run.state.starved) > 1 else ''} {names}"
    return Markup('<p class="queue-starved"><strong>Starved: {} never start{}.</strong> {}</p>').format(
        who,
        "" if len(run.state.starved) > 1 else "s",
        f"{LAB.input('decoding').show(inputs['decoding'])} decode and are served first; they take the whole budget of "
        f"{LAB.input('budget').show(inputs['budget'])} in every step, whatever the order.",
    )


def _orders(found: Mapping[str, Run], chosen: str) -> Markup:
    """The same prompts under every order: who is computed when, and how many deadlines are met."""
    prompts = next(iter(found.values())).state.prompts
    if len(prompts) < 2:
        return Markup("")
    rows = joined([_order(policy, run, policy == chosen) for policy, run in found.items()])
    same = (
        ""
        if next(iter(found.values())).state.starved
        else (
            " The steps themselves are the same: the order decides who is served, never how much. No decoding reader "
            "waits longer."
        )
    )
    return Markup(
        '<h3>The same prompts in every order</h3><div class="orders">{}</div><p class="queue-key">{}</p>'
    ).format(rows, f"An order moves time from one prompt to another.{same}")


def _order(policy: str, run: Run, chosen: bool) -> Markup:
    state = run.state
    met = f"{state.deadlines_met} of {len(state.prompts)} deadlines met"
    waits = [f"{place + 1}: {_ttft(state, place)}" for place in range(min(len(state.prompts), 8))]
    shapes: list[str] = []
    if run.steps:
        end = run.makespan_s
        for same in alike(run.steps):
            first, last = same[0], same[-1]
            top = 0.0
            for place, tokens in first.parts:
                height = STRIP_HIGH * tokens / first.tokens
                width = percent((last.end_s - first.start_s) / end)
                shapes.append(block(place, percent(first.start_s / end), width, top, height))
                top += height
    strip = drawing(*shapes, high=STRIP_HIGH) if shapes else Markup("<span>starved</span>")
    return Markup(
        '<strong class="order-name">{}{}</strong><strong>{}</strong>{}<span class="order-waits">{}</span>'
    ).format(POLICY.show(policy), " (above)" if chosen else "", met, strip, "TTFT of prompt " + ", ".join(waits))


def _ttft(state: State, place: int) -> str:
    ttft = state.ttft_s[place]
    if ttft is None:
        return "never"
    return f"{shown(ttft)}{'' if state.met(place) else ' (late)'}"


def _story(events: Sequence[Event]) -> Markup:
    sentences = queue_words.told(events)
    lines = joined(Markup("<li>{}</li>").format(sentence) for sentence in sentences[:MOST_TOLD])
    more = len(sentences) - MOST_TOLD
    rest = Markup("<p>{}</p>").format(f"And {more:,} more; the command line tells all of them.") if more > 0 else ""
    return Markup('<details><summary>The same in words</summary><ol class="queue-story">{}</ol>{}</details>').format(
        lines, rest
    )
