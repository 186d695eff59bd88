"""Inputs for any formula, the same in every run: those on which it has a value."""

import math
import random
from typing import Any

from engine.formula import Formula
from engine.quantities import quantity

UNDEFINED = (ValueError, ZeroDivisionError, OverflowError)
"""What a formula raises where it has no value, such as a logarithm below zero."""
PARTS = ("share", "probability")


def value(formula: Formula, inputs: dict[str, Any]) -> Any:
    """What the body gives, or None where it has no value."""
    try:
        found = formula.body(**inputs)
    except UNDEFINED:
        return None
    return None if isinstance(found, float) and math.isnan(found) else found


def rows(formula: Formula) -> list[dict[str, Any]]:
    """Many values for each input: whole and broken, small and large, and all alike; shares from 0 to 1."""
    chance = random.Random(formula.id)
    kinds = (
        lambda: chance.uniform(0, 10),
        lambda: 10 ** chance.uniform(-6, 12),
        lambda: float(chance.randint(1, 2**40)),
    )

    def drawn(name: str) -> Any:
        return chance.random() if quantity(name).unit in PARTS else chance.choice(kinds)()

    tried = [{name: drawn(name) for name in formula.inputs} for _ in range(200)]
    tried += [{name: chance.uniform(0, 1) for name in formula.inputs} for _ in range(20)]
    tried += [{name: float(place + shift) for place, name in enumerate(formula.inputs)} for shift in range(1, 9)]
    tried += [dict.fromkeys(formula.inputs, same) for same in (1.0, 7.3)]
    return [inputs for inputs in tried if value(formula, inputs) is not None]
