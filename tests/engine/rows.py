"""Inputs for any formula, the same in every run: those on which it has a value."""

import math
import random
from collections.abc import Callable
from typing import Any

from engine.formula import Formula
from engine.quantities import quantity
from engine.vectors import Vector

UNDEFINED = (ValueError, ZeroDivisionError, OverflowError)
"""What a formula raises where it has no value, such as a logarithm below zero."""
PARTS = ("share", "probability")
LENGTH = 3
"""Elements of every list, so that any two of them fit together."""


def value(formula: Formula, inputs: dict[str, Any]) -> Any:
    """What the body gives, or None where it has no value."""
    try:
        found = formula.body(**inputs)
    except UNDEFINED:
        return None
    return None if has_nan(found) else found


def has_nan(found: Any) -> bool:
    return any(map(has_nan, found)) if isinstance(found, Vector) else isinstance(found, float) and math.isnan(found)


def shaped(name: str, number: Callable[[], float], chance: random.Random) -> Any:
    """A value of the quantity's kind: a truth value, a word, a share, a number, or a list of them."""
    entry = quantity(name)

    def one() -> Any:
        if entry.unit == "flag":
            return chance.random() < 0.5
        if entry.unit == "word":
            return chance.choice("ab")
        return chance.random() if entry.unit in PARTS else number()

    def deep(depth: int) -> Any:
        return Vector(deep(depth - 1) for _ in range(LENGTH)) if depth else one()

    return deep(entry.depth)


def rows(formula: Formula) -> list[dict[str, Any]]:
    """Many values for each input: whole and broken, small and large, and all alike; shares from 0 to 1."""
    chance = random.Random(formula.id)
    kinds = (
        lambda: chance.uniform(0, 10),
        lambda: 10 ** chance.uniform(-6, 12),
        lambda: float(chance.randint(1, 2**40)),
    )
    tried = [{name: shaped(name, chance.choice(kinds), chance) for name in formula.inputs} for _ in range(200)]
    tried += [{name: shaped(name, chance.random, chance) for name in formula.inputs} for _ in range(20)]
    tried += [
        {name: shaped(name, lambda: float(chance.randrange(1, LENGTH)), chance) for name in formula.inputs}
        for _ in range(20)
    ]
    tried += [
        {name: shaped(name, lambda at=place + shift: float(at), chance) for place, name in enumerate(formula.inputs)}
        for shift in range(1, 9)
    ]
    tried += [{name: shaped(name, lambda at=same: at, chance) for name in formula.inputs} for same in (1.0, 7.3)]
    return [inputs for inputs in tried if value(formula, inputs) is not None]
