"""The readings of a body agree: numbers, arrays, the tree, the line of text and MathML say the same."""

import math
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import engine.formulas  # enters the formulas
from engine import constants, dimensions, mathml, ops, text, trace
from engine.formula import REGISTRY, Formula
from engine.quantities import GLOSSARY
from engine.symbols import Constant, Expression, Number, Operation, Symbol, lift
from engine.vectors import Vector
from tests.engine import reading
from tests.engine.rows import rows, value

assert engine.formulas
FORMULAS = [REGISTRY[key] for key in sorted(REGISTRY)]
every_formula = pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.id)


def same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b


@every_formula
def test_there_are_inputs_on_which_it_has_a_value(formula: Formula) -> None:
    assert len(rows(formula)) >= 5


@every_formula
def test_body_tree_and_text_give_the_same(formula: Formula) -> None:
    line = reading.read(text.line(formula.tree, lambda name: name))
    for values in rows(formula):
        computed = formula.body(**values)
        assert same(trace.interpret(formula.tree, values), computed)
        said = reading.value(line, values)
        # Left out factors of 1 change nothing; a sum without inner brackets may round differently.
        inputs = [abs(n) for given in values.values() for n in numbers(given) if math.isfinite(n)]
        inner = max(inputs, default=0.0) if "subtract" in kinds(formula.tree) else 0.0
        for found, wanted in zip(numbers(said), numbers(computed), strict=True):
            size = max(abs(wanted), inner) if math.isfinite(wanted) else 0.0
            assert found == pytest.approx(wanted, rel=1e-13, abs=1e-13 * size)
        if isinstance(computed, bool | str):
            assert said == computed


def numbers(found: Any) -> list[float]:
    """The numbers of a value, of a list one after the other."""
    if isinstance(found, tuple):
        return [number for element in found for number in numbers(element)]
    return [] if isinstance(found, bool | str) else [found]


SINGLE = {"item", "whole_numbers"}
"""Operations whose count or place in a list is one number, never a sweep of numbers."""


def swept(formula: Formula, inputs: dict[str, Any]) -> Any:
    """What the body gives for arrays, with the sides of a choice that is not taken left alone."""
    with np.errstate(all="ignore"):
        return formula.body(**inputs)


def stacked(values: list[Any]) -> Any:
    """A value of each row as one array, or as a list of arrays."""
    return Vector(map(stacked, zip(*values, strict=True))) if isinstance(values[0], Vector) else np.array(values)


def agree(formula: Formula, found: Any, table: list[dict[str, Any]]) -> None:
    """Each place of the arrays is what the row of that place gives, to the bit where every operation is exact."""
    if isinstance(found, Vector):
        columns = [np.broadcast_to(column, len(table)).tolist() for column in found]
        got = [Vector(row) for row in zip(*columns, strict=True)]
    else:
        assert found.shape == (len(table),)
        got = found.tolist()
    wanted = [formula.body(**row) for row in table]
    if kinds(formula.tree) & set(ops.ROUNDED):
        for one, other in zip(got, wanted, strict=True):
            assert numbers(one) == pytest.approx(numbers(other), rel=1e-9, abs=1e-12)
    else:
        assert got == wanted


@every_formula
def test_arrays_give_elementwise_the_same_double(formula: Formula) -> None:
    if formula.inputs and not kinds(formula.tree) & SINGLE:
        table = rows(formula)
        agree(formula, swept(formula, {name: stacked([row[name] for row in table]) for name in formula.inputs}), table)


@every_formula
def test_one_array_among_numbers_is_broadcast(formula: Formula) -> None:
    for moving, values in zip(formula.inputs, rows(formula), strict=False):
        if not isinstance(values[moving], float) or kinds(formula.tree) & SINGLE:
            continue
        axis = [at for at in (1.0, values[moving], 3e7) if value(formula, values | {moving: at}) is not None]
        agree(formula, swept(formula, values | {moving: np.array(axis)}), [values | {moving: at} for at in axis])


def test_a_grid_of_two_axes_is_computed_by_the_same_body() -> None:
    batch, context = np.array([[1.0], [8.0], [64.0]]), np.array([[128.0, 8192.0]])
    found = trace.evaluate(
        "kv_read_bytes", {"batch": batch, "context": context, "cell_bytes": 131072.0, "kv_shards": 8.0}
    )
    assert found.shape == (3, 2)
    assert found[1, 1] == 8 * 8192 * 131072 / 8


def kinds(tree: Expression) -> set[str]:
    return {node.name for node in tree.walk() if isinstance(node, Operation)}


@every_formula
def test_text_says_the_tree(formula: Formula) -> None:
    said = reading.flat(reading.read(text.line(formula.tree, lambda name: name)))
    assert said == reading.flat(reading.tree(formula.tree))


@every_formula
def test_mathml_says_the_tree_and_holds_every_input(formula: Formula) -> None:
    filled = mathml.math(mathml.expression(formula.tree, mathml.slot(lambda name: name)), block=True)
    root = ElementTree.fromstring(filled)
    assert {e.get("data-quantity") for e in root.iter("mn")} - {None} == set(formula.inputs)
    assert reading.flat(reading.read(reading.mathml_line(root))) == reading.flat(reading.tree(formula.tree))
    symbols = ElementTree.fromstring(mathml.math(mathml.expression(formula.tree)))
    written = "".join(symbols.itertext())
    for name in formula.inputs:
        assert GLOSSARY[name].symbol.replace("_", "") in written


@every_formula
def test_the_symbols_of_a_formula_are_all_different(formula: Formula) -> None:
    """Else its line could not be read back, and `python -m engine formula` could not tell two inputs apart."""
    symbols = [GLOSSARY[name].symbol for name in (*formula.inputs, formula.gives)]
    assert len(set(symbols)) == len(symbols)


def test_the_glossary_has_one_symbol_for_each_quantity() -> None:
    symbols = [entry.symbol for entry in GLOSSARY.values()]
    assert len(set(symbols)) == len(symbols)


def test_glossary_entries_are_whole() -> None:
    for entry in GLOSSARY.values():
        assert entry.name.isidentifier() and entry.name == entry.name.lower()
        assert entry.label.strip() and entry.meaning.strip()
        assert not entry.meaning.endswith(".")


@every_formula
def test_every_number_in_a_body_is_named_or_small_and_whole_and_shown_in_full(formula: Formula) -> None:
    for node in formula.tree.walk():
        if isinstance(node, Number):
            assert node.constant or node.value in (0, 1), f"{formula.id}: {node.value} has no name"
            assert reading.plain(text.digits(node.value, "count")) == node.value


def test_constants_have_name_unit_and_meaning() -> None:
    found = {name: value for name, value in vars(constants).items() if isinstance(value, Constant)}
    assert found
    for name, constant in found.items():
        assert constant.name == name
        assert constant.meaning.strip()
        assert dimensions.measure(constant)


# Any tree, not only those that the formulas happen to have.

SYMBOLS = ("step_time_s", "tp", "batch", "context", "layers")
ONE = Constant("ONE", 1, "1", "carries a unit")
TWO = Constant("TWO", 2, "1", "a named two")
LEAVES = st.one_of(
    st.sampled_from(SYMBOLS).map(Symbol),
    st.integers(-9, 9).map(float).map(Number),
    st.sampled_from([ONE, TWO]).map(lift),
)


def operations(numbers: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    def made(name: str, *operands: st.SearchStrategy[Any]) -> st.SearchStrategy[Expression]:
        return st.tuples(*operands).map(lambda parts: Operation(name, parts))

    two = (numbers, numbers)
    tests = st.one_of(*(made(name, *two) for name in ("less", "at_most", "at_least", "equal")))
    tests = st.one_of(tests, made("negated", tests))
    both = st.one_of(tests, made("both", tests, tests), made("either", tests, tests, tests))
    return st.one_of(
        *(
            made(name, *two)
            for name in (
                "add",
                "subtract",
                "multiply",
                "divide",
                "power",
                "floor_div",
                "ceil_div",
                "ceil_or_never",
                "divide_or_never",
                "log_sum_exp",
                "geometric_root",
            )
        ),
        *(made(name, *two) for name in ("maximum", "minimum")),
        *(
            made(name, numbers)
            for name in (
                "negative",
                "absolute",
                "floor",
                "ceil",
                "sqrt",
                "exp",
                "log",
                "log1p",
                "log2",
                "nearest",
                "harmonic_number",
                "normal_quantile",
            )
        ),
        made("choose_ratio", numbers, numbers, numbers),
        made("where", both, *two),
    )


TREES = st.recursive(LEAVES, operations, max_leaves=12)


@given(TREES)
def test_text_says_any_tree(tree: Expression) -> None:
    assert reading.flat(reading.read(text.line(tree, lambda name: name))) == reading.flat(reading.tree(tree))


@given(TREES)
def test_mathml_says_any_tree(tree: Expression) -> None:
    root = ElementTree.fromstring(mathml.math(mathml.expression(tree, mathml.slot(lambda name: name))))
    assert reading.flat(reading.read(reading.mathml_line(root))) == reading.flat(reading.tree(tree))


@given(TREES, TREES)
def test_a_winner_is_said_with_its_sides(a: Expression, b: Expression) -> None:
    tree = ops.winner(hbm=a, compute=b)
    root = ElementTree.fromstring(mathml.math(mathml.expression(tree, mathml.slot(lambda name: name))))
    for line in (text.line(tree, lambda name: name), reading.mathml_line(root)):
        assert reading.flat(reading.read(line)) == reading.flat(reading.tree(tree))


# Operations: numbers and arrays agree, exactly where they are said to be exact.

ANY = st.floats(-1e9, 1e9)
CASES = {
    "add": (ANY, ANY), "subtract": (ANY, ANY), "multiply": (ANY, ANY), "divide": (ANY, st.floats(1e-3, 1e9)),
    "negative": (ANY,), "maximum": (ANY, ANY), "minimum": (ANY, ANY), "less": (ANY, ANY), "at_most": (ANY, ANY),
    "at_least": (ANY, ANY), "equal": (ANY, ANY), "absolute": (ANY,), "floor": (ANY,), "ceil": (ANY,),
    "total": (ANY, ANY, ANY), "geometric_sum": (st.floats(0, 2), st.integers(0, 64)),
    "share": (ANY, st.one_of(st.just(0.0), st.floats(1e-3, 1e9))),
    "floor_div": (ANY, st.floats(1e-3, 1e9)), "ceil_div": (ANY, st.floats(1e-3, 1e9)),
    "ceil_or_never": (ANY, st.one_of(st.floats(-1e9, 0), st.floats(1e-3, 1e9))),
    "power": (st.floats(1e-3, 1e3), st.floats(-9, 9)), "sqrt": (st.floats(0, 1e9),), "exp": (st.floats(-50, 50),),
    "expm1": (st.floats(-50, 50),), "log": (st.floats(1e-9, 1e9),), "log10": (st.floats(1e-9, 1e9),),
    "log1p": (st.floats(-0.9, 1e9),), "log2": (st.floats(1e-9, 1e9),),
    "divide_or_never": (ANY, st.one_of(st.floats(-1e9, 0), st.floats(1e-3, 1e9))), "nearest": (ANY,),
    "geometric_root": (st.floats(0, 9), st.integers(0, 6)), "harmonic_number": (st.integers(0, 10**6),),
    "choose_ratio": (st.integers(0, 99), st.integers(99, 300), st.integers(0, 64)),
    "normal_quantile": (st.floats(0, 1),), "log_sum_exp": (st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)),
}  # fmt: skip
OTHERS = {"both", "either", "negated", "where", "winner"}


def test_every_operation_is_tried() -> None:
    assert set(ops.RULES) == set(CASES) | OTHERS
    assert set(CASES) >= set(ops.ROUNDED)


@pytest.mark.parametrize("name", CASES)
@given(data=st.data())
def test_an_operation_on_arrays_is_the_one_on_numbers(name: str, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.tuples(*CASES[name]), min_size=1, max_size=4))
    rows.append(
        tuple(abs(rows[0][0]) or 1.0 for _ in CASES[name])
        if name not in ("exp", "expm1", "power", "choose_ratio", "geometric_root")
        else rows[0]
    )
    found = ops.apply(name, *(np.array(column) for column in zip(*rows, strict=True)))
    for got, row in zip(found.tolist(), rows, strict=True):
        single = ops.apply(name, *row)
        assert got == single if name not in ops.ROUNDED else got == pytest.approx(single, rel=4e-16)


@given(st.lists(st.tuples(ANY, ANY, ANY), min_size=1, max_size=4))
def test_choices_on_arrays_are_those_on_numbers(rows: list[tuple[float, float, float]]) -> None:
    rows = [*rows, (1.0, 1.0, 1.0), (2.0, 2.0, 1.0)]
    a, b, c = (np.array(column) for column in zip(*rows, strict=True))

    def chosen(a: Any, b: Any, c: Any) -> list[Any]:
        tests = ops.less(a, b), ops.at_most(b, c), ops.equal(a, b)
        return [ops.both(*tests), ops.either(*tests), ops.negated(tests[0]), ops.where(tests[0], a, c), ops.winner(x=a, y=b, z=c),
                ops.maximum(a, b, c), ops.minimum(a, b, c)]  # fmt: skip

    singles = [chosen(*row) for row in rows]
    for place, column in enumerate(chosen(a, b, c)):
        assert column.tolist() == [single[place] for single in singles]


@given(ANY, st.floats(1e-3, 1e9))
def test_floor_div_is_the_floor_of_the_rounded_quotient(a: float, b: float) -> None:
    assert ops.floor_div(a, b) == math.floor(a / b)
    assert ops.ceil_div(a, b) == math.ceil(a / b)
    assert ops.ceil_div(a, b) - ops.floor_div(a, b) in (0, 1)


def test_floor_div_differs_from_pythons() -> None:
    assert ops.floor_div(1.0, 0.1) == 10.0
    assert 1.0 // 0.1 == 9.0


def test_the_first_side_wins_at_equality() -> None:
    assert ops.winner(hbm=2.0, compute=2.0) == "hbm"
    assert ops.winner(hbm=np.array([2.0, 1.0]), compute=2.0).tolist() == ["hbm", "compute"]
    assert ops.winner(a=1, b=3, c=3) == "b"


# Special functions, against their definitions in exact fractions and against the error function.


def test_the_harmonic_number_is_the_sum_of_the_fractions() -> None:
    exact = Fraction(0)
    for n in range(1, 2001):
        exact += Fraction(1, n)
        assert ops.harmonic_number(float(n)) == pytest.approx(float(exact), rel=4.5e-16)
    assert ops.harmonic_number(0) == 0
    assert ops.harmonic_number(math.inf) == math.inf


@given(st.integers(0, 300), st.integers(1, 300), st.integers(0, 300))
def test_a_ratio_of_binomials_is_that_of_the_whole_numbers(kept: int, whole: int, drawn: int) -> None:
    assume(kept <= whole and drawn <= whole)
    exact = Fraction(math.comb(kept, drawn), math.comb(whole, drawn))
    assert ops.choose_ratio(kept, whole, drawn) == pytest.approx(float(exact), rel=1e-12, abs=1e-300)


@given(st.floats(1e-300, 0.5, exclude_max=True))
def test_the_normal_quantile_undoes_the_distribution(probability: float) -> None:
    value = ops.normal_quantile(probability)
    back = math.erfc(-value / math.sqrt(2)) / 2
    # The tail falls by about exp(-value^2/2): an error in the value counts so much more.
    assert back == pytest.approx(probability, rel=1e-15 * (4 + value * value))
    assert ops.normal_quantile(1 - probability) == pytest.approx(-ops.normal_quantile(probability), rel=1e-6) or (
        probability < 1e-9
    )


def test_the_ends_of_the_normal_quantile_are_infinite() -> None:
    assert [ops.normal_quantile(p) for p in (0.0, 0.5, 1.0)] == [-math.inf, 0.0, math.inf]
    with pytest.raises(ValueError, match="from 0 to 1"):
        ops.normal_quantile(1.5)


def test_a_sum_of_exponentials_does_not_overflow() -> None:
    assert ops.log_sum_exp(1e4, 1e4) == pytest.approx(1e4 + math.log(2), rel=1e-15)
    assert ops.log_sum_exp(-math.inf, 3.0) == 3.0
    assert ops.log_sum_exp(-math.inf, -math.inf) == -math.inf


@given(st.floats(0, 1), st.integers(1, 64))
def test_the_geometric_root_undoes_the_sum(alpha: float, last: int) -> None:
    root = ops.geometric_root(ops.geometric_sum(alpha, last), last)
    assert root == pytest.approx(alpha, abs=1e-15)


def test_the_geometric_root_has_ends() -> None:
    assert ops.geometric_root(0.5, 3) == 0
    assert ops.geometric_root(4, 3) == 1
    assert ops.geometric_root(4.1, 3) == math.inf


def test_a_sum_that_would_never_end_is_refused() -> None:
    with pytest.raises(ValueError, match="a sum has"):
        ops.geometric_sum(0.5, 1e12)
