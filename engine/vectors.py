"""Lists of numbers that a formula may take and give: immutable, with arithmetic element by element."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any


class Vector(tuple[Any, ...]):
    """A list whose `+ - * /` work on each element; a single number joins every element.

    An element is a number, a truth value, an array of numbers (a sweep), or a list again (the rows of a matrix).
    """

    __slots__ = ()
    __array_ufunc__ = None  # numpy leaves the operators to us

    def __add__(self, other: Any) -> Vector:
        return each(operator.add, self, other)

    def __radd__(self, other: Any) -> Vector:
        return each(operator.add, other, self)

    def __sub__(self, other: Any) -> Vector:
        return each(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Vector:
        return each(operator.sub, other, self)

    def __mul__(self, other: Any) -> Vector:
        return each(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Vector:
        return each(operator.mul, other, self)

    def __truediv__(self, other: Any) -> Vector:
        return each(operator.truediv, self, other)

    def __rtruediv__(self, other: Any) -> Vector:
        return each(operator.truediv, other, self)

    def __neg__(self) -> Vector:
        return each(operator.neg, self)


def each(function: Callable[..., Any], *operands: Any) -> Vector:
    """`function` of the elements at each place of the lists among the operands; what is no list joins at every place."""
    sizes = {len(operand) for operand in operands if isinstance(operand, Vector)}
    if len(sizes) > 1:
        raise ValueError(f"lists of {' and '.join(map(str, sorted(sizes)))} elements do not fit together")
    count = sizes.pop()
    return Vector(map(function, *(o if isinstance(o, Vector) else itertools.repeat(o, count) for o in operands)))


def vector(value: Any) -> Any:
    """`value` with every list in it, at any depth, as a vector."""
    return Vector(map(vector, value)) if isinstance(value, list | tuple) else value
