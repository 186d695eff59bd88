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
from types import MappingProxyType
from typing import Any

from engine import special
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


def _singly(function: Callable[..., float]) -> Callable[..., Any]:
    """A function of numbers on arrays, one place after the other: what takes a loop is the same loop everywhere."""

    def on_arrays(np: Any, *operands: Any) -> Any:
        columns = np.broadcast_arrays(*operands)
        rows = zip(*(column.ravel().tolist() for column in columns), strict=True)
        return np.array([function(*row) for row in rows], dtype=float).reshape(columns[0].shape)

    return on_arrays


def _number(name: str, *operands: Any) -> Measure:
    """A pure number from pure numbers and counts."""
    for operand in operands:
        if measure(operand).dimension.bases:
            raise UnitError(f"{name} needs a pure number or a count, not {measure(operand).dimension}")
    return Measure(PURE)


def _of_numbers(name: str) -> Callable[..., Measure]:
    return functools.partial(_number, name)


def _of_pure(action: str) -> Callable[..., Measure]:
    return lambda *operands: [pure(action, operand) for operand in operands][-1]


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
    "negated": Rule(lambda a: not a, _elementwise("logical_not"), _joined("not")),
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
    "divide_or_never": Rule(
        lambda a, b: a / b if b > 0 else math.inf,
        lambda np, a, b: np.divide(a, b, out=np.full(np.broadcast(a, b).shape, np.inf), where=np.greater(b, 0)),
        _divided,
    ),
    "nearest": Rule(lambda a: float(round(a)), _elementwise("rint"), _kind_of("take")),
    "total": Rule(lambda *a: functools.reduce(lambda x, y: x + y, a), _numpy("add"), _kind_of("add up")),
    "geometric_sum": Rule(special.geometric_sum, _singly(special.geometric_sum), _of_pure("geometric_sum")),
    "geometric_root": Rule(special.geometric_root, _singly(special.geometric_root), _of_pure("geometric_root")),
    "harmonic_number": Rule(special.harmonic_number, _singly(special.harmonic_number), _of_numbers("harmonic_number")),
    "choose_ratio": Rule(special.choose_ratio, _singly(special.choose_ratio), _of_numbers("choose_ratio")),
    "normal_quantile": Rule(special.normal_quantile, _singly(special.normal_quantile), _pure("normal_quantile")),
    "log_sum_exp": Rule(special.log_sum_exp, _singly(special.log_sum_exp), _of_pure("log_sum_exp")),
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
    "log2": Rule(math.log2, _elementwise("log2"), _pure("log2")),
}

ROUNDED = MappingProxyType(
    {
        **dict.fromkeys(("power", "exp", "expm1", "log", "log10", "log1p", "log2"), 2.0**-52),
        "harmonic_number": 2.0**-52,
        "log_sum_exp": 2.0**-50,
        "normal_quantile": 2.0**-50,
    }
)
"""Operations that libraries round differently, each with how far, relative to its size, two of them may be apart.

For log_sum_exp the size is that of its largest operand, where that is above 1, since the logarithm adds to it.
"""


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


def negated(test: Any) -> Any:
    """Whether the comparison does not hold."""
    return apply("negated", test)


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


def divide_or_never(value: Any, divisor: Any) -> Any:
    """value / divisor, and infinity where the divisor is 0 or below: what is worked off at no rate never ends."""
    return apply("divide_or_never", value, divisor)


def nearest(value: Any) -> Any:
    """The nearest whole number, of two equally near ones the even one."""
    return apply("nearest", value)


def total(first: Any, second: Any, *others: Any) -> Any:
    """The sum of a list, added from the first on: the order of additions decides how doubles round."""
    return apply("total", first, second, *others)


def geometric_sum(alpha: Any, last: Any) -> Any:
    """1 + alpha + alpha^2 + … up to the power `last`, a whole number from 0; right at alpha = 1 as well."""
    return apply("geometric_sum", alpha, last)


def geometric_root(value: Any, last: Any) -> Any:
    """The least alpha from 0 to 1 whose `geometric_sum` reaches the value, within 2^-60; infinity where none does."""
    return apply("geometric_root", value, last)


def harmonic_number(count: Any) -> Any:
    """1 + 1/2 + 1/3 + … up to 1/count, within two units in the last place."""
    return apply("harmonic_number", count)


def choose_ratio(kept: Any, whole: Any, drawn: Any) -> Any:
    """The chance that all of `drawn` different ones of `whole` are among `kept` of them: a ratio of binomials."""
    return apply("choose_ratio", kept, whole, drawn)


def normal_quantile(probability: Any) -> Any:
    """The value that a standard normal variable stays below with this probability, within 1e-15 of its size."""
    return apply("normal_quantile", probability)


def log_sum_exp(first: Any, second: Any, *others: Any) -> Any:
    """log(exp(a) + exp(b) + …), where no exponential overflows."""
    return apply("log_sum_exp", first, second, *others)


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


def log2(value: Any) -> Any:
    """The logarithm to base 2, within one unit in the last place."""
    return apply("log2", value)
