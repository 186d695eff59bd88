"""Plain text from values and trees: the one rule for how a number looks, and formulas in one line.

The rule for a number depends on its base unit only, so that a second implementation can follow it digit for digit:
rounding is to nearest, ties to even, of the exact value of the double.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from engine.quantities import quantity
from engine.symbols import Expression, Number, Operation, Symbol, Word
from engine.units import unit

NBSP, MINUS, TIMES, INFINITY = "\u00a0", "\u2212", "\u00d7", "\u221e"

COUNTED = 1000
"""From here on a count that is not whole is shown to the next whole number."""

LARGE = 1e15
"""From here on a number is written with a power of ten: below it every whole number is a double of its own."""


def _row(shown: str, rule: str, least: float = 1, words: str = "") -> tuple[float, float, str, str]:
    factor = unit(shown).factor
    return least * factor, factor, rule, words or shown


SCALES: dict[str, tuple[tuple[float, float, str, str], ...]] = {
    # unit: rows (from this size, divide by, digits, shown unit); digits are "2f" decimals or "3g" significant;
    # "5g" shows published peaks in full
    "s": (_row("s", "2f"), _row("ms", "2f", 0.1), _row("ms", "3g", 0)),
    "B": (_row("GB", "2f"), _row("MB", "2f"), _row("B", "count", 0)),
    "FLOP": (_row("GFLOP", "2f"), _row("MFLOP", "2f"), _row("FLOP", "count", 0)),
    "B/s": (_row("TB/s", "5g"), _row("GB/s", "5g"), _row("B/s", "count", 0)),
    "FLOP/s": (_row("TFLOP/s", "5g"), _row("GFLOP/s", "5g"), _row("FLOP/s", "count", 0)),
    "token/s": (_row("token/s", "0f", 10, "tok/s"), _row("token/s", "3g", 0, "tok/s")),
    "B/token": (_row("B/token", "count", 0),),
    "B/parameter": (_row("B/parameter", "count", 0, "B/param"),),
    "s/token": (_row("ms/token", "4g", 1), _row("us/token", "4g", 0, "µs/token")),
    "s/pair": (_row("us/pair", "4g", 1, "µs/pair"), _row("ns/pair", "4g", 1), _row("ps/pair", "4g", 0)),
    "B/element": (_row("B/element", "count", 0, "B"),),
    "share": (_row("%", "3g", 0),),
    "FLOP/B": (_row("FLOP/B", "count", 0),),
    "1/s": (_row("1/s", "0f", 10, "/s"), _row("1/s", "3g", 0, "/s")),
    "request/s": (_row("request/s", "0f", 10, "req/s"), _row("request/s", "3g", 0, "req/s")),
    "USD": (_row("USD", "2f", 10), _row("USD", "3g", 0)),
    "USD/s": (_row("USD/h", "2f", 10), _row("USD/h", "3g", 0)),
    "USD/token": (_row("USD/Mtoken", "2f", 10, "USD/Mtok"), _row("USD/Mtoken", "3g", 0, "USD/Mtok")),
}
"""How numbers of each base unit are shown; a unit that is not here is a pure count or ratio."""


def digits(value: float, rule: str) -> str:
    """`value` by a rule: "2f" two decimals, "3g" three significant digits, "count" whole or four significant."""
    if math.isinf(value):
        return (MINUS if value < 0 else "") + INFINITY
    if rule == "count":
        # Four digits are enough for a measure; a count is not cut short: 122,473 tokens, not 122,500.
        if LARGE > abs(value) >= COUNTED or (value == math.floor(value) and abs(value) < LARGE):
            rule = "0f"
        else:
            return _strip(digits(value, "4g"), value)
    if rule[-1] == "f" and abs(value) >= LARGE:
        rule = "4g"
    places = int(rule[:-1])
    if rule[-1] == "g":
        if value == 0:
            return "0"
        # The exponent after rounding: 9.9996 has one digit more before the point than it seems.
        exponent = int(f"{abs(value):.{places - 1}e}".split("e")[1])
        if not -5 <= exponent < 15:
            mantissa, power = f"{abs(value):.{places - 1}e}".split("e")
            return f"{MINUS if value < 0 else ''}{mantissa} {TIMES} 10^{str(int(power)).replace('-', MINUS)}"
        rounded = float(f"{value:.{places - 1}e}")
        places = max(0, places - 1 - exponent)
        value = rounded
    shown = f"{abs(value):,.{places}f}"
    negative = value < 0 and any(digit in shown for digit in "123456789")
    return f"{MINUS if negative else ''}{shown}"


def _strip(shown: str, value: float) -> str:
    # 0.9 for 0.9, but 419.0 for 419.03: a number that was rounded does not pass for an exact one.
    if "." not in shown or "^" in shown:
        return shown
    short = shown.rstrip("0").rstrip(".")
    return short if float(short.replace(",", "").replace(MINUS, "-")) == value else shown


def display(value: Any, base: str) -> str:
    """`value` in base unit `base` as the reader sees it, with a no-break space before the unit.

    Parameters
    ----------
    value : float, bool, str or Vector
        A number in base units, a truth value, a word, or a list of them.
    base : str
        Base unit, as the glossary has it.
    """
    if isinstance(value, tuple):
        return f"[{', '.join(display(element, base) for element in value)}]"
    if base == "word":
        return str(value)
    if base == "flag":
        return "yes" if value else "no"
    number = float(value)
    rows = SCALES.get(base, ((0, 1, "count", ""),))
    size = abs(number)
    divisor, rule, shown = next((d, r, u) for least, d, r, u in rows if size >= least)
    scaled = number / divisor
    text = digits(scaled, rule)
    if rule == "5g":
        text = _strip(text, scaled)
    return f"{text}{NBSP}{shown}" if shown else text


def show(name: str, value: Any) -> str:
    """The value of the glossary's quantity `name` as the reader sees it."""
    return display(value, quantity(name).unit)


def difference(before: Any, after: Any, base: str) -> str:
    """What changed between two values of base unit `base`: the difference and the share, or the two words."""
    if base in ("word", "flag"):
        first, second = display(before, base), display(after, base)
        return "no change" if first == second else f"{first} → {second}"
    if before == after:
        return "no change"
    change = after - before
    sign = "+" if change > 0 else ""
    share = f" ({sign}{digits(100 * change / abs(before), '3g')}{NBSP}%)" if before and math.isfinite(change) else ""
    return f"{sign}{display(change, base)}{share}"


COMPARISONS = {"less": "<", "at_most": "≤", "at_least": "≥", "equal": "="}
FUNCTIONS = {
    "maximum": "max", "minimum": "min", "exp": "exp", "log": "ln", "log10": "log10", "sqrt": "sqrt",
    "expm1": "expm1", "log1p": "log1p", "log2": "log2", "total": "sum", "geometric_sum": "geometric_sum",
    "geometric_root": "geometric_root", "harmonic_number": "harmonic", "normal_quantile": "probit",
    "log_sum_exp": "log_sum_exp", "nearest": "round", "length": "length", "count_where": "count",
    "running_product": "running_product", "differences": "differences", "whole_numbers": "whole_numbers",
}  # fmt: skip
QUOTIENTS = ("divide", "share", "divide_or_never")
"""Operations that are written as a fraction."""
BRACKETS = {"f": ("⌊", "⌋"), "c": ("⌈", "⌉"), "a": ("|", "|")}
"""Brackets that round down, round up, or drop the sign, by the first letter of the operation."""

SUM, PRODUCT, SIGN, ATOM = 1, 2, 3, 4
"""How tightly a piece of a line holds together: brackets go around what holds less."""


def factors(tree: Expression) -> tuple[Expression, ...]:
    """The factors of a product, without those named constants that are 1 and only carry a unit."""
    if not (isinstance(tree, Operation) and tree.name == "multiply"):
        return (tree,)
    parts = (*factors(tree.children[0]), *factors(tree.children[1]))
    return tuple(part for part in parts if not is_one(part)) or parts[:1]


def is_one(tree: Expression) -> bool:
    """Whether this is a named constant of 1, which carries a unit and no number."""
    return isinstance(tree, Number) and tree.constant is not None and tree.value == 1


def line(tree: Expression, leaf: Callable[[str], str]) -> str:
    """The tree in one line of plain text; `leaf` says how a quantity is written: its symbol, or its number."""

    def at(node: Expression, least: int) -> str:
        text, level = write(node)
        return f"({text})" if level < least else text

    def write(node: Expression) -> tuple[str, int]:
        if isinstance(node, Symbol):
            return leaf(node.name), ATOM
        if isinstance(node, Number):
            return digits(node.value, "count"), SIGN if node.value < 0 else ATOM
        if isinstance(node, Word):
            return node.word, ATOM
        assert isinstance(node, Operation)
        name, operands = node.name, node.children
        if name == "add":
            return f"{at(operands[0], SUM)} + {at(operands[1], SUM)}", SUM
        if name == "subtract":
            return f"{at(operands[0], SUM)} {MINUS} {at(operands[1], PRODUCT)}", SUM
        if name == "multiply":
            first, *rest = factors(node)
            if not rest:
                return write(first)
            return f" {TIMES} ".join([at(first, PRODUCT), *(at(part, SIGN) for part in rest)]), PRODUCT
        if name in QUOTIENTS:
            return f"{at(operands[0], PRODUCT)} / {at(operands[1], SIGN)}", PRODUCT
        if name == "negative":
            return f"{MINUS}{at(operands[0], SIGN)}", SIGN
        if name == "power":
            return f"{at(operands[0], ATOM)}^{at(operands[1], ATOM)}", SIGN
        if name in COMPARISONS:
            return f"{at(operands[0], SUM)} {COMPARISONS[name]} {at(operands[1], SUM)}", 0
        if name in ("both", "either"):
            return (" and " if name == "both" else " or ").join(at(part, SUM) for part in operands), 0
        if name == "negated":
            return f"not {at(operands[0], ATOM)}", 0
        if name == "item":
            return f"{at(operands[0], ATOM)}[{at(operands[1], 0)}]", ATOM
        if name == "choose_ratio":
            kept, whole, drawn = (at(part, 0) for part in operands)
            return f"choose({kept}, {drawn}) / choose({whole}, {drawn})", PRODUCT
        if name == "where":
            return f"{at(operands[1], SUM)} where {at(operands[0], 0)}, else {at(operands[2], SUM)}", 0
        if name == "winner":
            pairs = zip(operands[0::2], operands[1::2], strict=True)
            return "the larger of " + ", ".join(f"{at(a, ATOM)} {at(b, PRODUCT)}" for a, b in pairs), 0
        if name in ("floor", "ceil", "absolute", "floor_div", "ceil_div", "ceil_or_never"):
            left, right = BRACKETS[name[0]]
            return f"{left}{' / '.join(at(part, SIGN if len(operands) > 1 else 0) for part in operands)}{right}", ATOM
        return f"{FUNCTIONS[name]}({', '.join(at(part, 0) for part in operands)})", ATOM

    return at(tree, 0)


def symbol(name: str) -> str:
    """The glossary's symbol of a quantity."""
    return quantity(name).symbol
