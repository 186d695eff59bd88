"""Values as they are typed: numbers, lists, truth values and words of a quantity, in the unit that is asked for."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from engine import units
from engine.errors import InputError
from engine.labs.inputs import number
from engine.quantities import Quantity
from engine.units import WORDS
from engine.vectors import Vector, vector

LONGEST = 60
"""Characters of a value that a message repeats."""


def allowed(quantity: Quantity, unit: str) -> str:
    """What may be given, in words."""
    if quantity.unit == "word":
        one, many, such = "a word", "words", '["a", "b"]'
    elif quantity.unit == "flag":
        one, many, such = "true or false", "truth values", "[true, false]"
    else:
        one, many, such = f"a number in {unit}, or inf", f"numbers in {unit}", "[1, 2, 3]"
    return (one, f"a list of {many}, such as {such}", f"a list of lists of {many}, such as [{such}]")[quantity.depth]


def read(name: str, raw: Any, quantity: Quantity, unit: str) -> Any:
    """The value in `unit`, as a number, truth value, word or vector of them.

    Raises
    ------
    InputError
        When it is none of these, or not finite and not infinity.
    """
    refusal = InputError(name, shortened(raw), allowed(quantity, unit))
    if quantity.depth and isinstance(raw, str):
        try:
            raw = json.loads(raw, parse_constant=_refuse)
        except (ValueError, RecursionError):
            raise refusal from None
    return _read(raw, quantity.depth, quantity.unit, refusal)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _read(raw: Any, depth: int, unit: str, refusal: InputError) -> Any:
    if depth:
        if not isinstance(raw, list | tuple):
            raise refusal
        return Vector(_read(element, depth - 1, unit, refusal) for element in raw)
    if unit == "word":
        if isinstance(raw, str):
            return raw
        raise refusal
    if unit == "flag":
        truth = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}.get(str(raw).lower())
        if truth is None:
            raise refusal
        return truth
    typed = str(raw).strip().lower()
    if typed in ("inf", "-inf"):
        return float(typed)
    found = number(raw)
    if found is None or not math.isfinite(found):
        raise refusal
    return found


def to_base(value: Any, unit: str) -> Any:
    """A value of `unit` in base units; lists element by element."""
    return value if unit in WORDS else vector(value) * units.unit(unit).factor


def from_base(value: Any, unit: str) -> Any:
    """A value in base units as one of `unit`."""
    return value if unit in WORDS else vector(value) / units.unit(unit).factor


def shortened(raw: Any) -> str:
    """What was given, for a message."""
    shown = str(raw)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"
