"""Formulas as LaTeX and as Python: what a reader copies says and computes the same as the body."""

import math
from typing import Any

import pytest

from engine import latex, python
from engine.formula import REGISTRY, Formula
from engine.labs import labs
from engine.symbols import Number, Operation, Symbol
from tests.engine.rows import rows, value

labs()
FORMULAS = list(REGISTRY.values())


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.id)
def test_python_computes_what_the_body_does(formula: Formula) -> None:
    code = compile(python.script([formula]), formula.id, "exec")
    for inputs in rows(formula)[:20]:
        wanted = value(formula, inputs)
        if wanted is None:
            continue
        names = dict(inputs)
        exec(code, names)
        found = names[formula.gives]
        # Products may be multiplied in another order.
        same = found == wanted or close(found, wanted)
        assert same, (inputs, found, wanted)


def close(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, tuple):
        return len(found) == len(wanted) and all(map(close, found, wanted))
    return isinstance(wanted, float) and math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-6)


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.id)
def test_latex_holds_every_symbol_and_closes_what_it_opens(formula: Formula) -> None:
    written = latex.equation(formula.gives, formula.tree)
    assert written.startswith(f"{latex.symbol(formula.gives)} = ")
    assert all(latex.symbol(name) in written for name in formula.inputs)
    assert written.count("{") == written.count("}")
    assert written.count(r"\left") - written.count(r"\leftarrow") == written.count(r"\right")
    assert written.isascii(), written


LAYERS, HEADS, SHARE = Symbol("layers"), Symbol("kv_heads"), Symbol("hbm_bandwidth")


@pytest.mark.parametrize(
    ("tree", "expected", "script"),
    [
        (LAYERS * (HEADS + 1), r"L \times \left( h_{\mathrm{kv}} + 1 \right)", "layers * (kv_heads + 1)"),
        (LAYERS - (HEADS - 1), r"L - \left( h_{\mathrm{kv}} - 1 \right)", "layers - (kv_heads - 1)"),
        (LAYERS / SHARE, r"\frac{L}{\beta}", "layers / hbm_bandwidth"),
        (LAYERS / (HEADS / SHARE), r"\frac{L}{\frac{h_{\mathrm{kv}}}{\beta}}", "layers / (kv_heads / hbm_bandwidth)"),
        (Operation("power", (LAYERS + 1, Number(2.0))), r"{\left( L + 1 \right)}^{2}", "pow(layers + 1, 2)"),
        (Operation("ceil_div", (LAYERS, HEADS)), r"\left\lceil \frac{L}{h_{\mathrm{kv}}} \right\rceil", "ceil(layers / kv_heads)"),
        (Operation("where", (Operation("less", (LAYERS, HEADS)), LAYERS, HEADS)),
         r"\begin{cases} L & \text{where } L < h_{\mathrm{kv}} \\ h_{\mathrm{kv}} & \text{else} \end{cases}",
         "layers if layers < kv_heads else kv_heads"),
        (Operation("maximum", (LAYERS, Number(12345.0))), r"\max\left( L, 12{,}345 \right)", "max(layers, 12345)"),
    ],
)  # fmt: skip
def test_how_trees_are_written(tree: Operation, expected: str, script: str) -> None:
    assert latex.expression(tree) == expected
    assert python.expression(tree) == script
