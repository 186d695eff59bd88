"""Values and calculations as data: JSON in which infinity is the text "inf", whole numbers are integers, and no NaN."""

from __future__ import annotations

import math
from typing import Any

from engine.errors import RidgepointError
from engine.quantities import quantity
from engine.trace import Trace


def plain(value: Any) -> Any:
    """A value that JSON can hold; a list is a list.

    Raises
    ------
    RidgepointError
        For NaN, which no formula may yield.
    """
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, tuple):
        return [plain(element) for element in value]
    number = float(value)
    if math.isnan(number):
        raise RidgepointError("a result is not a number")
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return int(number) if number.is_integer() else number


def measured(name: str, value: Any) -> dict[str, Any]:
    """A value with its base unit; words and truth values have none."""
    # A share is a pure number; only screens show it in percent.
    unit = quantity(name).unit.replace("share", "1")
    return {"value": plain(value), "unit": None if unit in ("word", "flag") else unit}


def calculation(found: Trace) -> dict[str, Any]:
    """Steps and limits."""
    steps = [
        {
            "name": step.name,
            "symbol": quantity(step.name).symbol,
            "formula": step.line,
            "substituted": step.substituted,
            **measured(step.name, step.value),
            "side": step.side or None,
            "source": step.source.text,
        }
        for step in found.steps
    ]
    return {"trace": steps, "limits": [{"text": limit.text, "state": limit.state} for limit in found.limits]}
