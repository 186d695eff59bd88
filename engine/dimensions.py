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
    """A value of which only the dimension is known, and how deep a list it is; a bare number is `literal`."""

    __slots__ = ("depth", "dimension", "literal")
    __array_ufunc__ = None

    def __init__(self, dimension: Dimension, literal: float | None = None, depth: int = 0) -> None:
        self.dimension, self.literal, self.depth = dimension, literal, depth

    def __add__(self, other: Any) -> Measure:
        return alike("add", self, other).beside(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Measure:
        return alike("subtract", self, other).beside(self, other)

    def __rsub__(self, other: Any) -> Measure:
        return measure(other) - self

    def __mul__(self, other: Any) -> Measure:
        return Measure(self.dimension.times(measure(other).dimension)).beside(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Measure:
        return Measure(self.dimension.times(measure(other).dimension, -1)).beside(self, other)

    def __rtruediv__(self, other: Any) -> Measure:
        return measure(other) / self

    def __neg__(self) -> Measure:
        return Measure(self.dimension, depth=self.depth)

    def beside(self, *operands: Any) -> Measure:
        """This measure, as deep a list as the deepest operand: what is done to lists is done element by element."""
        return Measure(self.dimension, self.literal, max(measure(operand).depth for operand in operands))


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
