"""Settings of a lab drawn from its whole domain, edges included, always the same ones: for checks and tests."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

from engine.errors import InputError
from engine.labs.inputs import Choice, Input, Text
from engine.labs.lab import Lab

FAR = 1e6
"""Where a domain without end is cut off."""


def samples(lab: Lab, count: int, seed: int = 1) -> Iterator[dict[str, Any]]:
    """`count` settings: the defaults, every input at its edges and options, then random ones."""
    generator = random.Random(seed)
    made = 0
    for setting in _candidates(lab, generator):
        if made == count:
            return
        try:
            parsed = lab.parse(setting)
        except InputError:
            continue
        made += 1
        yield parsed


def _candidates(lab: Lab, generator: random.Random) -> Iterator[dict[str, Any]]:
    yield {}
    for entry in lab.inputs:
        yield from ({entry.name: value} for value in _edges(entry))
    while True:
        yield {entry.name: _any(entry, generator) for entry in lab.inputs}


def _edges(entry: Input) -> list[Any]:
    if isinstance(entry, Text):
        return [entry.default]
    if isinstance(entry, Choice):
        return [value for value, _ in entry.options]
    upper = entry.upper if math.isfinite(entry.upper) else FAR
    lower = math.nextafter(entry.lower, upper) if entry.lower_open else entry.lower
    return [lower, upper, entry.stops[0], entry.stops[-1]]


def _any(entry: Input, generator: random.Random) -> Any:
    if isinstance(entry, Text):
        return entry.default
    if isinstance(entry, Choice):
        return generator.choice(entry.options)[0]
    low, *_, high = sorted([*_edges(entry)[:2], entry.stops[0]])
    # As many small values as large ones: a domain spans decades.
    spread = low + (high - low) * 10.0 ** generator.uniform(-8, 0)
    value = generator.choice([*_edges(entry), generator.choice(entry.stops), generator.uniform(low, high), spread])
    return round(value) if entry.integer and not isinstance(value, str) else value
