"""The closed list of operations that a formula's body may use beside + - * /, each in every reading.

On numbers and numpy arrays they compute; on symbols they grow the tree; on measures they check dimensions. Every
operation is exact in IEEE double arithmetic, except those in `ROUNDED`, which a library may round by its last place.
numpy is imported only when an array comes in.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.dimensions import FLAG, PURE, WORD, Measure, alike, flag, measure, pure
from engine.errors import FormulaError, UnitError
from engine.symbols import Expression, Operation, lift


@dataclass(frozen=True)
class Rule:
    """How one operation reads: on floats, on arrays (numpy module and operands), and on measures."""

    number: Callable[..., Any]
    array: Callable[..., Any]
    dimension: Callable[..., Measure]


def _numpy(name: str) -> Callable[..., Any]:
    return lambda np, *operands: functools.reduce(getattr(np, name), operands)


def _elementwise(name: str) -> Callable[..., Any]:
    return lambda np, *operands: getattr(np, name)(*operands)


def _kind_of(action: str) -> Callable[..., Measure]:
    return lambda *operands: alike(action, *operands)


def _pure(action: str) -> Callable[..., Measure]:
    return lambda operand: pure(action, operand)


def _compared(action: str) -> Callable[..., Measure]:
    def check(first: Any, second: Any) -> Measure:
        alike(action, first, second)
        return Measure(FLAG)

    return check


def _joined(action: str) -> Callable[..., Measure]:
    def check(*operands: Any) -> Measure:
        for operand in operands:
            flag(action, operand)
        return Measure(FLAG)

    return check


def _power_dimension(base: Any, exponent: Any) -> Measure:
    power = pure("an exponent", exponent)
    dimension = measure(base).dimension
    if dimension == PURE:
        return Measure(PURE)
    literal = exponent if isinstance(exponent, int | float) else power.literal
    if literal is None:
        raise UnitError(f"{dimension} can only be raised to a fixed power")
    return Measure(PURE.times(dimension, literal))


def _divided(first: Any, second: Any) -> Measure:
    return measure(first) / measure(second)


def _first_largest(*pairs: Any) -> Any:
    best = 0
    for place in range(2, len(pairs), 2):
        if pairs[place + 1] > pairs[best + 1]:
            best = place
    return pairs[best]


def _first_largest_array(np: Any, *pairs: Any) -> Any:
    values = np.broadcast_arrays(*pairs[1::2])
    return np.asarray(pairs[0::2])[np.argmax(np.stack(values), axis=0)]


def _winner_dimension(*pairs: Any) -> Measure:
    alike("compare", *pairs[1::2])
    return Measure(WORD)


def _geometric(alpha: Any, last: Any) -> Any:
    # The same loop as in JavaScript, so that both round alike: Horner's, from the last power down.
    total = alpha * 0 + 1.0
    for _ in range(int(last)):
        total = total * alpha + 1.0
    return total


def _geometric_array(np: Any, alpha: Any, last: Any) -> Any:
    alphas, lasts = np.broadcast_arrays(np.asarray(alpha, dtype=float), last)
    pairs = zip(alphas.ravel(), lasts.ravel(), strict=True)
    return np.array([_geometric(float(a), n) for a, n in pairs]).reshape(alphas.shape)


def _geometric_dimension(alpha: Any, last: Any) -> Measure:
    pure("geometric_sum", last)
    return pure("geometric_sum", alpha)


RULES: dict[str, Rule] = {
    "add": Rule(lambda a, b: a + b, lambda np, a, b: a + b, lambda a, b: a + b),
    "subtract": Rule(lambda a, b: a - b, lambda np, a, b: a - b, lambda a, b: a - b),
    "multiply": Rule(lambda a, b: a * b, lambda np, a, b: a * b, lambda a, b: a * b),
    "divide": Rule(lambda a, b: a / b, lambda np, a, b: a / b, lambda a, b: a / b),
    "negative": Rule(lambda a: -a, lambda np, a: -a, lambda a: -a),
    "maximum": Rule(lambda *a: float(max(a)), _numpy("maximum"), _kind_of("take the maximum of")),
    "minimum": Rule(lambda *a: float(min(a)), _numpy("minimum"), _kind_of("take the minimum of")),
    "less": Rule(lambda a, b: a < b, _elementwise("less"), _compared("compare")),
    "at_most": Rule(lambda a, b: a <= b, _elementwise("less_equal"), _compared("compare")),
    "at_least": Rule(lambda a, b: a >= b, _elementwise("greater_equal"), _compared("compare")),
    "equal": Rule(lambda a, b: a == b, _elementwise("equal"), _compared("compare")),
    "both": Rule(lambda *a: all(a), _numpy("logical_and"), _joined("and")),
    "either": Rule(lambda *a: any(a), _numpy("logical_or"), _joined("or")),
    "where": Rule(
        lambda test, a, b: a if test else b,
        _elementwise("where"),
        lambda test, a, b: flag("where", test) and alike("choose between", a, b),
    ),
    "winner": Rule(_first_largest, _first_largest_array, _winner_dimension),
    "absolute": Rule(abs, _elementwise("abs"), _kind_of("take")),
    "floor": Rule(lambda a: float(math.floor(a)), _elementwise("floor"), _kind_of("take")),
    "ceil": Rule(lambda a: float(math.ceil(a)), _elementwise("ceil"), _kind_of("take")),
    "floor_div": Rule(lambda a, b: float(math.floor(a / b)), lambda np, a, b: np.floor(a / b), _divided),
    "ceil_div": Rule(lambda a, b: float(math.ceil(a / b)), lambda np, a, b: np.ceil(a / b), _divided),
    "ceil_or_never": Rule(
        lambda a, b: float(math.ceil(a / b)) if b > 0 else math.inf,
        lambda np, a, b: np.ceil(
            np.divide(a, b, out=np.full(np.broadcast(a, b).shape, np.inf), where=np.greater(b, 0))
        ),
        _divided,
    ),
    "total": Rule(lambda *a: functools.reduce(lambda x, y: x + y, a), _numpy("add"), _kind_of("add up")),
    "geometric_sum": Rule(_geometric, _geometric_array, _geometric_dimension),
    "share": Rule(
        lambda part, whole: part / whole if whole else 0.0,
        lambda np, part, whole: np.divide(part, whole, out=np.zeros(np.broadcast(part, whole).shape), where=whole != 0),
        _divided,
    ),
    "power": Rule(lambda a, b: a**b, _elementwise("power"), _power_dimension),
    "sqrt": Rule(math.sqrt, _elementwise("sqrt"), lambda a: _power_dimension(a, 0.5)),
    "exp": Rule(math.exp, _elementwise("exp"), _pure("exp")),
    "expm1": Rule(math.expm1, _elementwise("expm1"), _pure("expm1")),
    "log": Rule(math.log, _elementwise("log"), _pure("log")),
    "log10": Rule(math.log10, _elementwise("log10"), _pure("log10")),
    "log1p": Rule(math.log1p, _elementwise("log1p"), _pure("log1p")),
}

ROUNDED = frozenset({"power", "exp", "expm1", "log", "log10", "log1p"})
"""Operations that libraries round differently in the last place."""


def apply(name: str, *operands: Any) -> Any:
    """The operation `name` in the reading that its operands ask for."""
    rule = RULES[name]
    for operand in operands:
        if isinstance(operand, Expression):
            return Operation(name, tuple(map(lift, operands)))
        if isinstance(operand, Measure):
            return rule.dimension(*operands)
    if any(hasattr(operand, "__array__") for operand in operands):
        import numpy as np

        return rule.array(np, *operands)
    return rule.number(*operands)


def maximum(first: Any, second: Any, *others: Any) -> Any:
    """The largest operand; the trace says which side won, the first where they are equal."""
    return apply("maximum", first, second, *others)


def minimum(first: Any, second: Any, *others: Any) -> Any:
    """The smallest operand; the trace says which side won, the first where they are equal."""
    return apply("minimum", first, second, *others)


def less(first: Any, second: Any) -> Any:
    """Whether the first is smaller than the second."""
    return apply("less", first, second)


def at_most(first: Any, second: Any) -> Any:
    """Whether the first is smaller than the second, or equal."""
    return apply("at_most", first, second)


def at_least(first: Any, second: Any) -> Any:
    """Whether the first is larger than the second, or equal."""
    return apply("at_least", first, second)


def equal(first: Any, second: Any) -> Any:
    """Whether both are the same double."""
    return apply("equal", first, second)


def both(first: Any, second: Any, *others: Any) -> Any:
    """Whether all comparisons hold."""
    return apply("both", first, second, *others)


def either(first: Any, second: Any, *others: Any) -> Any:
    """Whether one comparison holds."""
    return apply("either", first, second, *others)


def where(test: Any, then: Any, otherwise: Any) -> Any:
    """`then` where the comparison holds, else `otherwise`; both are computed."""
    return apply("where", test, then, otherwise)


def winner(**sides: Any) -> Any:
    """The name of the side with the largest value; the first where several are equal."""
    if len(sides) < 2:
        raise FormulaError("winner needs at least two sides")
    return apply("winner", *(part for pair in sides.items() for part in pair))


def absolute(value: Any) -> Any:
    """The value without its sign."""
    return apply("absolute", value)


def floor(value: Any) -> Any:
    """The largest whole number that is not above the value."""
    return apply("floor", value)


def ceil(value: Any) -> Any:
    """The smallest whole number that is not below the value."""
    return apply("ceil", value)


def floor_div(value: Any, divisor: Any) -> Any:
    """floor(value / divisor), the quotient rounded to a double first, as in JavaScript (Python's // differs)."""
    return apply("floor_div", value, divisor)


def ceil_div(value: Any, divisor: Any) -> Any:
    """ceil(value / divisor), the quotient rounded to a double first."""
    return apply("ceil_div", value, divisor)


def ceil_or_never(value: Any, divisor: Any) -> Any:
    """ceil(value / divisor), and infinity where nothing is taken at a time: the divisor is 0 or below."""
    return apply("ceil_or_never", value, divisor)


def total(first: Any, second: Any, *others: Any) -> Any:
    """The sum of a list, added from the first on: the order of additions decides how doubles round."""
    return apply("total", first, second, *others)


def geometric_sum(alpha: Any, last: Any) -> Any:
    """1 + alpha + alpha^2 + … up to the power `last`, a whole number from 0; right at alpha = 1 as well."""
    return apply("geometric_sum", alpha, last)


def share(part: Any, whole: Any) -> Any:
    """part / whole, and 0 of nothing."""
    return apply("share", part, whole)


def power(base: Any, exponent: Any) -> Any:
    """base to the exponent, rounded by the library within one unit in the last place."""
    return apply("power", base, exponent)


def sqrt(value: Any) -> Any:
    """The square root, correctly rounded."""
    return apply("sqrt", value)


def exp(value: Any) -> Any:
    """e to the value, within one unit in the last place."""
    return apply("exp", value)


def expm1(value: Any) -> Any:
    """exp(value) - 1, accurate near zero, within one unit in the last place."""
    return apply("expm1", value)


def log(value: Any) -> Any:
    """The natural logarithm, within one unit in the last place."""
    return apply("log", value)


def log10(value: Any) -> Any:
    """The logarithm to base 10, within one unit in the last place."""
    return apply("log10", value)


def log1p(value: Any) -> Any:
    """log(1 + value), accurate near zero, within one unit in the last place."""
    return apply("log1p", value)
