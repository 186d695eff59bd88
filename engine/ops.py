"""The closed list of operations that a formula's body may use beside + - * /, each in every reading.

On numbers and numpy arrays they compute; on symbols they grow the tree; on measures they check dimensions. Every
operation is exact in IEEE double arithmetic, except those in `ROUNDED`, which a library may round by its last place.
numpy is imported only when an array comes in.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from engine import special
from engine.dimensions import FLAG, PURE, WORD, Measure, alike, flag, measure, pure
from engine.errors import FormulaError, UnitError
from engine.symbols import Expression, Operation, lift
from engine.vectors import Vector, each


@dataclass(frozen=True)
class Rule:
    """How one operation reads: on floats, on arrays (numpy module and operands), and on measures."""

    number: Callable[..., Any]
    array: Callable[..., Any]
    dimension: Callable[..., Measure]


@dataclass(frozen=True)
class ListRule:
    """How an operation on a whole list reads: on vectors, whose elements may be arrays, and on measures.

    `deeper` says how much deeper its result is than its first operand: -1 for a sum, 0 for differences, 1 for a list
    made of a number.
    """

    vector: Callable[..., Any]
    dimension: Callable[..., Measure]
    deeper: int


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


def _through(name: str) -> Callable[..., Any]:
    """An operation of two operands, taken through a list from its first element on."""

    def reduced(elements: Vector) -> Any:
        if not elements:
            raise ValueError(f"an empty list has no {name}")
        return functools.reduce(lambda one, other: apply(name, one, other), elements)

    return reduced


def _count(tests: Vector) -> Any:
    return functools.reduce(lambda one, test: one + apply("where", test, 1.0, 0.0), tests, 0.0)


def _running_product(factors: Vector) -> Vector:
    return Vector(itertools.accumulate(factors, lambda one, other: one * other))


def _differences(elements: Vector) -> Vector:
    return Vector(after - before for before, after in itertools.pairwise(elements))


def _item(elements: Vector, index: Any) -> Any:
    if index != math.floor(index) or not 0 <= index < len(elements):
        raise ValueError(f"a list of {len(elements)} has no element {index:g}")
    return elements[int(index)]


def _item_dimension(elements: Any, index: Any) -> Measure:
    _number("the place in a list", index)
    return measure(elements)


LIST_RULES: dict[str, ListRule] = {
    "maximum": ListRule(_through("maximum"), measure, -1),
    "minimum": ListRule(_through("minimum"), measure, -1),
    "total": ListRule(lambda terms: functools.reduce(lambda one, other: one + other, terms, 0.0), measure, -1),
    "length": ListRule(lambda elements: float(len(elements)), lambda _: Measure(PURE), -1),
    "count_where": ListRule(_count, lambda tests: flag("count_where", tests) and Measure(PURE), -1),
    "item": ListRule(_item, _item_dimension, -1),
    "running_product": ListRule(_running_product, _pure("running_product"), 0),
    "differences": ListRule(_differences, measure, 0),
    "whole_numbers": ListRule(
        lambda count: Vector(float(i) for i in range(special.terms(count))), _of_numbers("whole_numbers"), 1
    ),
}
"""Operations that take a list as a whole, or make one; all others go element by element.

`maximum`, `minimum` and `total` take a list as a whole when it is their only operand.
"""

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


def on_lists(name: str, count: int) -> ListRule | None:
    """How the operation of so many operands takes a whole list; None where it goes element by element."""
    return LIST_RULES.get(name) if name not in RULES or count == 1 else None


def depth(name: str, depths: Sequence[int]) -> int:
    """How deep a list an operation gives on operands of these depths."""
    whole = on_lists(name, len(depths))
    return depths[0] + whole.deeper if whole else max(depths)


def apply(name: str, *operands: Any) -> Any:
    """The operation `name` in the reading that its operands ask for."""
    if any(isinstance(operand, Expression) for operand in operands):
        return Operation(name, tuple(map(lift, operands)))
    whole = on_lists(name, len(operands))
    if any(isinstance(operand, Measure) for operand in operands):
        return _measured(name, whole, operands)
    if whole:
        return whole.vector(*operands)
    if any(isinstance(operand, Vector) for operand in operands):
        return each(functools.partial(apply, name), *operands)
    if any(hasattr(operand, "__array__") for operand in operands):
        import numpy as np

        return RULES[name].array(np, *operands)
    return RULES[name].number(*operands)


def _measured(name: str, whole: ListRule | None, operands: Sequence[Any]) -> Measure:
    depths = [measure(operand).depth for operand in operands]
    if whole and depths[0] != (whole.deeper <= 0):
        raise UnitError(f"{name} needs {'a list' if whole.deeper <= 0 else 'a number'}")
    found = whole.dimension(*operands) if whole else RULES[name].dimension(*operands)
    return Measure(found.dimension, found.literal, depth(name, depths))


def maximum(first: Any, *others: Any) -> Any:
    """The largest operand, the first where they are equal, and the trace says which; of one list its largest element."""
    return apply("maximum", first, *others)


def minimum(first: Any, *others: Any) -> Any:
    """The smallest operand, the first where they are equal, and the trace says which; of one list its smallest one."""
    return apply("minimum", first, *others)


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


def total(first: Any, *others: Any) -> Any:
    """The sum of the operands, or of one list, from the first on: the order of additions decides how doubles round."""
    return apply("total", first, *others)


def length(elements: Any) -> Any:
    """How many elements a list has."""
    return apply("length", elements)


def count_where(tests: Any) -> Any:
    """How many comparisons of a list hold."""
    return apply("count_where", tests)


def running_product(factors: Any) -> Any:
    """The product of the first one, two, three … elements of a list, as a list."""
    return apply("running_product", factors)


def differences(elements: Any) -> Any:
    """Each element of a list after the first, less the one before it."""
    return apply("differences", elements)


def item(elements: Any, index: Any) -> Any:
    """The element of a list at a place, counted from 0."""
    return apply("item", elements, index)


def whole_numbers(count: Any) -> Any:
    """The list 0, 1, 2, … of so many whole numbers."""
    return apply("whole_numbers", count)


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
