"""The reading by dimensions: a formula's body called with dimensions proves the unit of its result."""

from __future__ import annotations

from typing import Any

from engine import units
from engine.errors import UnitError
from engine.symbols import Constant
from engine.units import Dimension

FLAG = units.unit("flag").dimension
WORD = units.unit("word").dimension
PURE = Dimension()


class Measure:
    """A value of which only the dimension is known; a bare number of the body is `literal`."""

    __slots__ = ("dimension", "literal")
    __array_ufunc__ = None

    def __init__(self, dimension: Dimension, literal: float | None = None) -> None:
        self.dimension, self.literal = dimension, literal

    def __add__(self, other: Any) -> Measure:
        return alike("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Measure:
        return alike("subtract", self, other)

    def __rsub__(self, other: Any) -> Measure:
        return alike("subtract", measure(other), self)

    def __mul__(self, other: Any) -> Measure:
        return Measure(self.dimension.times(measure(other).dimension))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Measure:
        return Measure(self.dimension.times(measure(other).dimension, -1))

    def __rtruediv__(self, other: Any) -> Measure:
        return measure(other) / self

    def __neg__(self) -> Measure:
        return Measure(self.dimension)


def measure(value: Any) -> Measure:
    """`value` as a measure: a constant by its unit, a number as a literal, a word or truth value by its kind."""
    if isinstance(value, Measure):
        return value
    if isinstance(value, Constant):
        return Measure(units.unit(value.unit).dimension)
    if isinstance(value, str):
        return Measure(WORD)
    return Measure(PURE, float(value))


def alike(action: str, first: Any, *others: Any) -> Measure:
    """The common measure of operands that must be of one kind; a bare number joins a pure count, and zero anything."""
    result = measure(first)
    for other in map(measure, others):
        a, b = result, other
        if a.literal is not None and b.literal is None:
            a, b = b, a
        joins = b.literal is not None and (b.literal == 0 or not a.dimension.bases)
        if a.dimension != b.dimension and not joins:
            raise UnitError(f"cannot {action} {a.dimension} and {b.dimension}")
        result = Measure(a.dimension)
    return result


def pure(action: str, value: Any) -> Measure:
    """A pure number, as exp, log and exponents need it."""
    result = measure(value)
    if result.dimension != PURE:
        raise UnitError(f"{action} needs a pure number, not {result.dimension}")
    return Measure(PURE)


def flag(action: str, value: Any) -> Measure:
    """A truth value, as where, and, or need it."""
    if measure(value).dimension != FLAG:
        raise UnitError(f"{action} needs a comparison, not {measure(value).dimension}")
    return Measure(FLAG)
