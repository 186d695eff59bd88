"""How numbers look: rounding against decimal arithmetic, and calculations that can be redone from what is shown."""

import math
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine import catalogue, text, units
from engine.labs import state
from tests.engine import reading
from tests.engine.cases import spaced
from tests.engine.settings import LAB, settings

EXACT = Context(prec=1200, rounding=ROUND_HALF_EVEN)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
UNITS = [*text.SCALES, "sequence", "1", "count"]
MINUS, NBSP = "\u2212", "\u00a0"


def decimals(value: float, places: int) -> Decimal:
    """The exact value of the double, rounded half to even by decimal arithmetic."""
    return Decimal(value).quantize(Decimal(1).scaleb(-places), context=EXACT)


def significant(value: float, count: int) -> Decimal:
    return Context(prec=count, rounding=ROUND_HALF_EVEN).create_decimal(Decimal(value))


def read(shown: str) -> Decimal:
    mantissa, _, power = shown.replace(",", "").replace(MINUS, "-").partition(" × 10^")
    return Decimal(mantissa).scaleb(int(power or 0), context=EXACT)


@given(st.floats(-1e15, 1e15, exclude_min=True, exclude_max=True), st.integers(0, 4))
@example(0.125, 2)
@example(0.375, 2)
@example(2.5, 0)
@example(-0.5, 0)
@example(1.005, 2)
@example(999.995, 2)
@example(-0.0, 2)
def test_decimals_are_those_of_decimal_arithmetic(value: float, places: int) -> None:
    shown = text.digits(value, f"{places}f")
    assert read(shown) == decimals(value, places)
    assert len(shown.partition(".")[2]) == places
    assert shown.startswith(MINUS) == (decimals(value, places) < 0)


@given(FINITE, st.integers(1, 6))
@example(9.9996, 4)
@example(99999.5, 3)
@example(0.00001234, 3)
@example(5e-324, 3)
@example(1.7976931348623157e308, 4)
@example(-0.0, 3)
@example(1e15, 4)
def test_significant_digits_are_those_of_decimal_arithmetic(value: float, count: int) -> None:
    shown = text.digits(value, f"{count}g")
    assert read(shown) == significant(value, count)
    assert shown.startswith(MINUS) == (value < 0)


@given(st.integers(-(10**15) + 1, 10**15 - 1))
def test_whole_numbers_are_shown_in_full_with_commas(value: int) -> None:
    assert text.digits(float(value), "count") == f"{value:,}".replace("-", MINUS)


@given(FINITE)
def test_counts_are_whole_from_a_thousand_on_and_have_four_digits_below(value: float) -> None:
    shown = text.digits(value, "count")
    if 1000 <= abs(value) < 1e15 or (value == math.floor(value) and abs(value) < 1e15):
        assert read(shown) == Decimal(value).to_integral_value(ROUND_HALF_EVEN)
    else:
        assert read(shown) == significant(value, 4)
    assert "^" in shown or "." not in shown or shown[-1] not in "0." or read(shown) != Decimal(value)


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.0070445526734328355, "s", "7.04 ms"), (0.00012136, "s", "0.12 ms"), (3.472785361633313e-05, "s", "0.0347 ms"),
        (1.5170120137457044e-05, "s", "0.0152 ms"), (1.0, "s", "1.00 s"), (12.3456, "s", "12.35 s"), (0.0, "s", "0 ms"),
        (1e-4, "s", "0.10 ms"), (1e-12, "s", "1.00 × 10^−9 ms"), (7200.0, "s", "7,200.00 s"),
        (15009316864.0, "B", "15.01 GB"), (80e9, "B", "80.00 GB"), (1e6, "B", "1.00 MB"), (131072.0, "B", "131,072 B"),
        (0.0, "B", "0 B"), (-85767911424.0, "B", "−85.77 GB"), (1e30, "B", "1.000 × 10^21 GB"),
        (120074534912.0, "FLOP", "120.07 GFLOP"), (5e17, "FLOP", "500,000,000.00 GFLOP"),
        (1135.629, "token/s", "1,136 tok/s"), (141.95, "token/s", "142 tok/s"), (9.994, "token/s", "9.99 tok/s"),
        (0.01234, "token/s", "0.0123 tok/s"), (10.0, "token/s", "10 tok/s"),
        (1978.9e12, "FLOP/s", "1,978.9 TFLOP/s"), (362.05e12, "FLOP/s", "362.05 TFLOP/s"),
        (3.35e12, "B/s", "3.35 TB/s"), (3e11, "B/s", "300 GB/s"), (989.4e12, "FLOP/s", "989.4 TFLOP/s"),
        (131072.0, "B/token", "131,072 B/token"), (2.0, "B/parameter", "2 B/param"), (1.0, "B/element", "1 B"),
        (0.5, "B/parameter", "0.5 B/param"), (295.34328, "sequence", "295.3"),
        (419.0336, "sequence", "419.0"), (8.0, "sequence", "8"), (0.9, "1", "0.9"),
        (-0.0, "B", "0 B"), (-0.0, "s", "0 ms"), (-1e-320, "token/s", "−1.00 × 10^−320 tok/s"),
        (math.inf, "token", "∞"), (math.inf, "B", "∞ GB"), (-math.inf, "B", "−∞ GB"), (math.inf, "s", "∞ s"),
        (True, "flag", "yes"), (False, "flag", "no"), ("hbm", "word", "hbm"),
    ],
)  # fmt: skip
def test_a_number_looks_like_this(value: Any, unit: str, shown: str) -> None:
    assert spaced(text.display(value, unit)) == shown


@given(st.one_of(st.floats(-1e300, 1e300), st.sampled_from([math.inf, -math.inf])), st.sampled_from(UNITS))
def test_what_is_shown_is_the_value_within_its_rounding(value: float, unit: str) -> None:
    shown = text.display(value, unit)
    assert " " not in shown.replace(" × 10^", "")
    assert "e" not in shown.partition(NBSP)[0] and "nan" not in shown and "inf" not in shown
    assert len(shown) < 40
    if math.isinf(value):
        assert shown.startswith("∞" if value > 0 else f"{MINUS}∞")
        return
    low, high = span(shown)
    # The quotient by the unit is rounded to a double before it is shown.
    slack = 1e-15 * abs(value) + 1e-320
    assert low - slack <= value <= high + slack


@given(st.floats(1e-30, 1e30), st.floats(1e-30, 1e30), st.sampled_from(UNITS))
def test_larger_values_never_look_smaller(a: float, b: float, unit: str) -> None:
    small, large = sorted((a, b))
    assert number(text.display(small, unit)) <= number(text.display(large, unit))


@given(st.floats(allow_nan=False), st.floats(allow_nan=False), st.sampled_from(UNITS))
def test_a_difference_says_its_direction(before: float, after: float, unit: str) -> None:
    said = text.difference(before, after, unit)
    if before == after:
        assert said == "no change"
    elif not math.isinf(after - before) or math.isinf(before) or math.isinf(after):
        assert said[0] == ("+" if after > before else MINUS) or reading.plain(said.split(NBSP)[0]) == 0
        # The share stands in brackets; a share of a whole is itself in percent.
        assert ("(" in said) == (bool(before) and math.isfinite(after - before))


@pytest.mark.parametrize(
    ("before", "after", "unit", "said"),
    [
        (142.0, 104.0, "token/s", "−38 tok/s (−26.8 %)"),
        (0.00704, 0.00961, "s", "+2.57 ms (+36.5 %)"),
        (0.0, 5.0, "B", "+5 B"),
        (-2e9, 2e9, "B", "+4.00 GB (+200 %)"),
        (1e9, -math.inf, "B", "−∞ GB"),
        (-math.inf, 1e9, "B", "+∞ GB"),
        (-math.inf, -math.inf, "B", "no change"),
        (True, False, "flag", "yes → no"),
        ("hbm", "hbm", "word", "no change"),
        ("hbm", "compute", "word", "hbm → compute"),
    ],
)
def test_a_difference_looks_like_this(before: Any, after: Any, unit: str, said: str) -> None:
    assert spaced(text.difference(before, after, unit)) == said


def test_published_rates_are_shown_in_full() -> None:
    for gpu in catalogue.gpus().values():
        for name in ("hbm_bandwidth", *(p for p in catalogue.PEAKS.values() if p in gpu.facts)):
            fact = gpu.facts[name]
            shown = text.display(fact.base, catalogue.GPU_FACTS.get(name) or catalogue.GPU_OPTIONS[name])
            assert number(shown) == pytest.approx(fact.number, rel=1e-15), (gpu.slug, shown)


# What is displayed, recomputed from the displayed digits, gives the displayed result within its rounding.

Span = tuple[float, float]
RATES = {"tok/s": 1.0, "req/s": 1.0, "/s": 1.0}
SHOWN_UNITS = RATES | {"B/param": 1.0, "USD/Mtok": 1e-6}


def number(shown: str) -> float:
    figure, _, unit = shown.partition(NBSP)
    factor = (SHOWN_UNITS.get(unit) or units.unit(unit).factor) if unit else 1.0
    return (math.inf if "∞" in figure else reading.plain(figure)) * (-1 if figure == f"{MINUS}∞" else 1) * factor


def span(shown: str) -> Span:
    """The values that a shown number can stand for: half a unit of its last digit to both sides."""
    figure, _, unit = shown.partition(NBSP)
    value = number(shown)
    if "∞" in figure:
        return (value, math.inf) if value > 0 else (-math.inf, value)
    factor = (SHOWN_UNITS.get(unit) or units.unit(unit).factor) if unit else 1.0
    mantissa, _, power = figure.replace(MINUS, "-").partition(" × 10^")
    half = 0.5 * 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2])) * factor
    if "." not in mantissa and not power:
        # A whole number is exact, unless it is a rate, a count from a thousand on, which is shown to the next whole number,
        # or its digits may have been cut to the five that are kept.
        digits = mantissa.replace(",", "").lstrip("-")
        if unit.endswith("/s") and unit not in RATES:
            rounded = len(digits) >= 5 >= len(digits.rstrip("0"))
            half = half * 10.0 ** (len(digits) - 5) if rounded else 0.0
        elif unit not in RATES and len(digits) < 4:
            half = 0.0
    return value - half, value + half


def products(a: Span, b: Span) -> Span:
    corners = [0.0 if 0 in (x, y) else x * y for x in a for y in b]
    return min(corners), max(corners)


def quotients(a: Span, b: Span) -> Span:
    if b[0] <= 0 <= b[1]:
        return -math.inf, math.inf
    return products(a, (1 / b[1], 1 / b[0]))


def both(of: Callable[..., float]) -> Callable[..., Span]:
    return lambda *parts: (of(*(part[0] for part in parts)), of(*(part[1] for part in parts)))


SPANS: dict[str, Callable[..., Span]] = {
    "add": both(lambda a, b: a + b),
    "subtract": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "multiply": products,
    "divide": quotients,
    "negative": lambda a: (-a[1], -a[0]),
    "maximum": both(max),
    "minimum": both(min),
    "floor": both(math.floor),
    "ceil": both(math.ceil),
}


def recomputed(node: Any) -> Any:
    """What a line of shown numbers can come to: a span, or the set of possible words or truth values."""
    if not isinstance(node, tuple):
        return (float(node), float(node))
    name, *parts = node
    if name == "shown":
        return span(parts[0])
    if name == "word":
        return parts[0]
    of = [recomputed(part) for part in parts]
    if name == "winner":
        least = max(low for low, _ in of[1::2])
        return {word for word, (_, high) in zip(of[0::2], of[1::2], strict=True) if high >= least}
    if name == "at_least":
        return {"yes"} if of[0][0] >= of[1][1] else {"no"} if of[0][1] < of[1][0] else {"yes", "no"}
    return SPANS[name](*of)


@given(settings())
def test_every_step_can_be_redone_from_what_is_shown(inputs: dict[str, Any]) -> None:
    for step in state.trace(LAB, inputs).steps:
        found = recomputed(reading.read(step.substituted))
        if isinstance(found, set):
            assert step.shown in found, step.sentence
            continue
        low, high = span(step.shown)
        slack = 1e-12 * max(abs(low), abs(high))
        assert found[0] <= high + slack and found[1] >= low - slack, step.sentence


@given(settings())
def test_the_line_of_symbols_and_the_line_of_numbers_have_one_shape(inputs: dict[str, Any]) -> None:
    def shape(node: Any) -> Any:
        if not isinstance(node, tuple) or node[0] == "shown":
            return "leaf"
        return node if node[0] == "word" else (node[0], *map(shape, node[1:]))

    for step in state.trace(LAB, inputs).steps:
        # A negative number is shown with a sign, which reads as an operation; no formula of the lab has one inside.
        if f"{MINUS}" not in step.substituted.replace(f" {MINUS} ", ""):
            assert shape(reading.read(step.line)) == shape(reading.read(step.substituted)), step.sentence


@pytest.mark.parametrize(("tree", "line"), [("step", "T = t_lin + t_attn = 4.48 ms + 2.56 ms = 7.04 ms")])
def test_a_sentence_shows_symbols_numbers_and_result(tree: str, line: str) -> None:
    steps = {step.name: step for step in state.trace(LAB, LAB.defaults).steps}
    assert spaced(steps["step_time_s"].sentence) == line
    assert spaced(steps["linear_hbm_time_s"].sentence) == "t_HBM = W / β = 15.01 GB / 3.35 TB/s = 4.48 ms"
    assert spaced(steps["linear_time_s"].side) == "The larger side is t_HBM, the time to read the weights."
