"""The symbolic reading: a formula's body called with symbols yields its expression tree.

A symbol takes part in arithmetic and in the operations of `ops`, and in nothing else: to branch on it, compare it,
round it by hand or loop over it raises, because the text made from the tree would then show another formula than the
one that computes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from engine.errors import FormulaError


class Expression:
    """A node of a tree. `children` are its operands, in order."""

    __slots__ = ()
    children: tuple[Expression, ...] = ()
    __array_ufunc__ = None  # numpy leaves the operators to us

    def __add__(self, other: Any) -> Operation:
        return Operation("add", (self, lift(other)))

    def __radd__(self, other: Any) -> Operation:
        return Operation("add", (lift(other), self))

    def __sub__(self, other: Any) -> Operation:
        return Operation("subtract", (self, lift(other)))

    def __rsub__(self, other: Any) -> Operation:
        return Operation("subtract", (lift(other), self))

    def __mul__(self, other: Any) -> Operation:
        return Operation("multiply", (self, lift(other)))

    def __rmul__(self, other: Any) -> Operation:
        return Operation("multiply", (lift(other), self))

    def __truediv__(self, other: Any) -> Operation:
        return Operation("divide", (self, lift(other)))

    def __rtruediv__(self, other: Any) -> Operation:
        return Operation("divide", (lift(other), self))

    def __neg__(self) -> Operation:
        return Operation("negative", (self,))

    def _refuse(self, *_: Any) -> NoReturn:
        raise FormulaError(
            "a formula's body may not branch on, compare, round or convert a value by hand: "
            "use maximum, minimum, where, less, at_least, floor, ceil, power … from engine.ops"
        )

    __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _refuse
    __float__ = __int__ = __index__ = __round__ = __floor__ = __ceil__ = __trunc__ = __abs__ = _refuse
    __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __divmod__ = __rdivmod__ = __pow__ = __rpow__ = _refuse
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = __lshift__ = __rlshift__ = _refuse
    __rshift__ = __rrshift__ = __matmul__ = __rmatmul__ = __complex__ = __format__ = _refuse
    __iter__ = __len__ = __contains__ = __getitem__ = __hash__ = _refuse

    def walk(self) -> Iterator[Expression]:
        """This node and every node below it, depth first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def names(self) -> set[str]:
        """The names of all symbols in the tree."""
        return {node.name for node in self.walk() if isinstance(node, Symbol)}


class Symbol(Expression):
    """A named quantity of the glossary."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Number(Expression):
    """A literal number of the body, or a named constant when `constant` is set."""

    __slots__ = ("constant", "value")

    def __init__(self, value: float, constant: Constant | None = None) -> None:
        self.value, self.constant = value, constant


class Word(Expression):
    """A word that a choice returns, such as the name of a bottleneck."""

    __slots__ = ("word",)

    def __init__(self, word: str) -> None:
        self.word = word


class Operation(Expression):
    """An operation of the closed list in `ops`, by its name, on its operands."""

    __slots__ = ("children", "name")

    def __init__(self, name: str, children: tuple[Expression, ...]) -> None:
        self.name, self.children = name, children


class Constant(float):
    """A number with a name, a unit and a meaning: in a body it acts as a plain float.

    Two constants multiplied with each other are a plain number without unit, which the reading by dimensions then
    refuses: multiply a quantity by each of them in turn.
    """

    name: str
    unit: str
    meaning: str

    def __new__(cls, name: str, value: float, unit: str, meaning: str) -> Constant:
        constant = super().__new__(cls, value)
        constant.name, constant.unit, constant.meaning = name, unit, meaning
        return constant


def lift(value: Any) -> Expression:
    """`value` as a node: symbols stay, numbers and constants become leaves."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, Constant):
        return Number(float(value), value)
    if isinstance(value, str):
        return Word(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FormulaError(f"{value!r} of type {type(value).__name__} cannot take part in a formula")
    return Number(float(value))
