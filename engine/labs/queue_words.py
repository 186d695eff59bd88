"""A queue of prompts and measured steps in words: as a reader types them, and what then happened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from engine.errors import InputError
from engine.labs.inputs import Number
from engine.simulators.prefill_queue import Event, Finished, Jumped, Prompt, Starved, Stepped, Submitted
from engine.text import NBSP, digits, display

LONGEST_MS = 1_000_000_000
MOST_TOKENS = 10_000_000

ARRIVAL = Number("arrival", "arrival", "ms", 0, 0, LONGEST_MS, (), "", "")
TOKENS = Number("tokens", "tokens", "token", 1, 1, MOST_TOKENS, (), "", "", integer=True, words=("token", "tokens"))
DEADLINE = Number("deadline", "TTFT deadline", "ms", 1, 0, LONGEST_MS, (), "", "")
MEASURED_TOKENS = Number("tokens", "tokens", "token", 1, 0, MOST_TOKENS, (), "", "", words=("token", "tokens"))
MEASURED_TIME = Number("seconds", "time", "s", 1, 0, LONGEST_MS, (), "", "", lower_open=True)

QUEUE_FORM = "arrival in ms:tokens:TTFT deadline in ms from the arrival, with commas between prompts"
PAIRS_FORM = "tokens:seconds, with commas between measured steps, at least two with different tokens"
QUEUE_EXAMPLE, PAIRS_EXAMPLE = "queue=0:8000:500,20:300:200", "pairs=512:0.026,1024:0.046"


def _rows(name: str, typed: str, columns: Sequence[Number], form: str, example: str) -> list[list[Any]]:
    """The entries of a text, each with one value for each column, in the column's unit."""
    rows = []
    for place, entry in enumerate(typed.split(",") if typed else [], 1):
        cells = entry.split(":")
        if len(cells) != len(columns):
            parts = f"Entry {place} has {len(cells)} of {len(columns)} parts. For example {example}."
            raise InputError(name, entry.strip(), form, parts)
        row = []
        for cell, column in zip(cells, columns, strict=True):
            try:
                row.append(column.parse(cell))
            except InputError as error:
                where = f"It is the {column.label} of entry {place}. For example {example}."
                raise InputError(name, cell.strip(), error.allowed, where) from None
        rows.append(row)
    return rows


def _written(rows: Sequence[Sequence[Any]]) -> str:
    return ",".join(":".join(map(str, row)) for row in rows)


def _queue_rows(typed: str) -> list[list[Any]]:
    return _rows("queue", typed, (ARRIVAL, TOKENS, DEADLINE), QUEUE_FORM, QUEUE_EXAMPLE)


def _pair_rows(typed: str) -> list[list[Any]]:
    rows = _rows("pairs", typed, (MEASURED_TOKENS, MEASURED_TIME), PAIRS_FORM, PAIRS_EXAMPLE)
    if typed and len({tokens for tokens, _ in rows}) < 2:
        raise InputError("pairs", typed, PAIRS_FORM, f"For example {PAIRS_EXAMPLE}.")
    return rows


def usual_queue(typed: str) -> str:
    """A queue in its usual form; InputError when it cannot be read."""
    return _written(_queue_rows(typed))


def usual_pairs(typed: str) -> str:
    """Measured steps in their usual form; InputError when they cannot be read or a line through them cannot be drawn."""
    return _written(_pair_rows(typed))


def prompts(typed: str) -> tuple[Prompt, ...]:
    """The prompts of a queue."""
    return tuple(
        Prompt(tokens, ARRIVAL.base(arrival), DEADLINE.base(deadline))
        for arrival, tokens, deadline in _queue_rows(typed)
    )


def measured(typed: str) -> list[tuple[float, float]]:
    """Tokens and seconds of measured steps."""
    return [(tokens, seconds) for tokens, seconds in _pair_rows(typed)]


def _time(seconds: float) -> str:
    return display(seconds, "s")


def _names(places: Sequence[int]) -> str:
    return f"prompt{'s' if len(places) > 1 else ''} {', '.join(str(place + 1) for place in places)}"


def _tokens(count: int) -> str:
    return f"{digits(float(count), 'count')}{NBSP}{TOKENS.words[count != 1]}"


def told(events: Sequence[Event]) -> tuple[str, ...]:
    """What happened, one sentence for each event; prompts are counted from 1."""
    waiting: list[Prompt] = []
    sentences = []
    for event in events:
        match event:
            case Submitted(prompt):
                waiting.append(prompt)
                said = (
                    f"Prompt {len(waiting)} arrives at {_time(prompt.arrival_s)} with {_tokens(prompt.tokens)}; its first "
                    f"token is due within {_time(prompt.deadline_s)}."
                )
            case Jumped(start, end):
                said = f"Nobody waits at {_time(start)}; the next prompt arrives at {_time(end)}."
            case Stepped(start, end, parts, passed_over):
                shares = ", ".join(f"{_tokens(tokens)} of prompt {place + 1}" for place, tokens in parts)
                late = "" if event.meets_itl else ", longer than the ITL deadline"
                behind = f" Passed over: {_names(passed_over)}." if passed_over else ""
                said = f"Step from {_time(start)} to {_time(end)}{late}: {shares}.{behind}"
            case Finished(place, ttft):
                said = f"Prompt {place + 1} has its first token after {_time(ttft)}."
            case Starved(places):
                said = f"Decodes take the whole budget: {_names(places)} never starts."
            case _:
                assert_never(event)
        sentences.append(said)
    return tuple(sentences)
