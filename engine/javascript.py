"""The fourth reading: expression trees and plans written out as JavaScript, so that a page answers before Python is up.

What is written here is data for no one to edit: one expression for each formula, in the order of the plan, with the same
operations on the same doubles. Operations in `ops.ROUNDED` may differ in the last place between languages, all others
agree bit for bit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from engine import special
from engine.errors import FormulaError
from engine.ops import ROUNDED, on_lists
from engine.symbols import Expression, Number, Operation, Symbol, Word
from engine.text import is_one
from engine.trace import Plan, depth, element

INFIX = {
    "total": "+", "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "less": "<", "at_most": "<=", "at_least": ">=",
    "equal": "===", "both": "&&", "either": "||",
}  # fmt: skip
CALLS = {
    "maximum": "Math.max",
    "minimum": "Math.min",
    "absolute": "Math.abs",
    "floor": "Math.floor",
    "ceil": "Math.ceil",
    "power": "Math.pow",
    "sqrt": "Math.sqrt",
    "exp": "Math.exp",
    "expm1": "Math.expm1",
    "log": "Math.log",
    "log10": "Math.log10",
    "log1p": "Math.log1p",
    "log2": "Math.log2",
    "geometric_sum": "geometricSum",
    "geometric_root": "geometricRoot",
    "harmonic_number": "harmonicNumber",
    "choose_ratio": "chooseRatio",
    "normal_quantile": "normalQuantile",
    "log_sum_exp": "logSumExp",
    "nearest": "nearest",
}
LIST_CALLS = {
    "maximum": "largest", "minimum": "smallest", "total": "sumOf", "length": "lengthOf", "count_where": "countWhere",
    "running_product": "runningProduct", "differences": "differences", "item": "itemAt", "whole_numbers": "wholeNumbers",
}  # fmt: skip

HELPERS = f"""\
const geometricSum = (alpha, last) => {{
  let total = 1;
  for (let i = 0; i < last; i += 1) total = total * alpha + 1;
  return total;
}};
const geometricRoot = (value, last) => {{
  if (value <= 1) return 0;
  if (value > last + 1) return Infinity;
  let [below, above] = [0, 1];
  for (let i = 0; i < {special.BISECTIONS}; i += 1) {{
    const middle = (below + above) / 2;
    if (geometricSum(middle, last) < value) below = middle;
    else above = middle;
  }}
  return above;
}};
const harmonicNumber = (count) => {{
  if (count <= {special.FIRST_TERMS}) {{
    let total = 0;
    for (let k = Math.floor(count); k > 0; k -= 1) total += 1 / k;
    return total;
  }}
  const square = count * count;
  return Math.log(count) + ({special.EULER!r} + (1 / (2 * count) - (1 / 12 - 1 / (120 * square)) / square));
}};
const chooseRatio = (kept, whole, drawn) => {{
  let product = 1;
  for (let i = 0; i < drawn; i += 1) product *= Math.max(0, kept - i) / (whole - i);
  return product;
}};
const logSumExp = (...values) => {{
  const largest = Math.max(...values);
  if (!Number.isFinite(largest)) return largest;
  let total = 0;
  for (const value of values) total += Math.exp(value - largest);
  return largest + Math.log(total);
}};
const nearest = (value) => {{
  const below = Math.floor(value);
  const above = value - below;
  return above > 0.5 || (above === 0.5 && below % 2 !== 0) ? below + 1 : below;
}};
const normalQuantile = (probability) => {{
  const [middle, near, far] = {json.dumps([special.MIDDLE, special.NEAR, special.FAR])};
  const power = (list, at) => list.reduce((total, part) => total * at + part, 0);
  const rational = ([above, below], at) => power(above, at) / power(below, at);
  const distance = probability - 0.5;
  if (Math.abs(distance) <= 0.425) return distance * rational(middle, 0.180625 - distance * distance);
  const tail = distance < 0 ? probability : 1 - probability;
  if (tail === 0) return distance * Infinity;
  const root = Math.sqrt(-Math.log(tail));
  const size = root <= 5 ? rational(near, root - 1.6) : rational(far, root - 5);
  return distance > 0 ? size : -size;
}};
const each = (action, ...lists) => lists[0].map((_, i) => action(...lists.map((list) => list[i])));
const largest = (list) => Math.max(...list);
const smallest = (list) => Math.min(...list);
const sumOf = (list) => list.reduce((total, element) => total + element, 0);
const lengthOf = (list) => list.length;
const countWhere = (tests) => tests.filter(Boolean).length;
const runningProduct = (list) => list.map((_, i) => list.slice(0, i + 1).reduce((one, other) => one * other));
const differences = (list) => list.slice(1).map((after, i) => after - list[i]);
const itemAt = (list, index) => list[index];
const wholeNumbers = (count) => Array.from({{length: count}}, (_, i) => i);
"""
"""What expressions call beside `Math`, for the head of a script that needs it: the functions of `special`."""


def number(value: float) -> str:
    """A double as JavaScript reads it back exactly."""
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "(-Infinity)"
    shown = repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return f"({shown})" if value < 0 else shown


def expression(tree: Expression, leaf: Callable[[str], str]) -> str:
    """The tree as a JavaScript expression; `leaf` writes a quantity."""
    if isinstance(tree, Operation):
        if on_lists(tree.name, len(tree.children)):
            return f"{LIST_CALLS[tree.name]}({', '.join(expression(child, leaf) for child in tree.children)})"
        if any(map(depth, tree.children)):
            one, lists = element(tree)
            action = expression(one, lambda name: name if name in lists else leaf(name))
            over = ", ".join(expression(found, leaf) for found in lists.values())
            return f"each(({', '.join(lists)}) => {action}, {over})"
    if isinstance(tree, Symbol):
        return leaf(tree.name)
    if isinstance(tree, Number):
        return number(tree.value)
    if isinstance(tree, Word):
        return json.dumps(tree.word)
    assert isinstance(tree, Operation)
    # A named constant of 1 carries a unit only: to multiply by it changes no double.
    children = tree.children
    if tree.name == "multiply":
        children = tuple(child for child in children if not is_one(child)) or children[:1]
        if len(children) == 1:
            return expression(children[0], leaf)
    operands = [expression(child, leaf) for child in children]
    if tree.name in INFIX:
        return f"({f' {INFIX[tree.name]} '.join(operands)})"
    if tree.name == "negative":
        return f"(-{operands[0]})"
    if tree.name == "negated":
        return f"(!{operands[0]})"
    if tree.name == "where":
        return f"({operands[0]} ? {operands[1]} : {operands[2]})"
    if tree.name in ("floor_div", "ceil_div"):
        return f"Math.{tree.name.removesuffix('_div')}({' / '.join(operands)})"
    if tree.name == "ceil_or_never":
        return f"({operands[1]} > 0 ? Math.ceil({' / '.join(operands)}) : Infinity)"
    if tree.name == "divide_or_never":
        return f"({operands[1]} > 0 ? {' / '.join(operands)} : Infinity)"
    if tree.name == "share":
        return f"({operands[1]} === 0 ? 0 : {' / '.join(operands)})"
    if tree.name == "winner":
        names, sides = operands[0::2], operands[1::2]
        best = f"Math.max({', '.join(sides)})"
        tests = "".join(f"{side} === {best} ? {name} : " for name, side in zip(names[:-1], sides[:-1], strict=True))
        return f"({tests}{names[-1]})"
    return f"{CALLS[tree.name]}({', '.join(operands)})"


def point(plan: Plan, given: Iterable[str]) -> str:
    """A function of the given values that returns every quantity of the plan, and the given ones with them.

    The result names every property, so that engines give all results one shape; spreading is many times slower.
    """
    lines = [f"const {step.gives} = {expression(step.tree, _local_or_given(plan))};" for step in plan.formulas]
    results = ", ".join([*(f"{name}: g.{name}" for name in given), *(step.gives for step in plan.formulas)])
    body = "\n    ".join([*lines, f"return {{{results}}};"])
    return f"(g) => {{\n    {body}\n  }}"


def curve(plan: Plan, axis: str, wanted: Iterable[str]) -> str:
    """A function of the given values and a list of values of `axis`: an array for each wanted quantity.

    What does not depend on the axis is worked out once, before the loop.
    """
    moving = {axis}
    for step in plan.formulas:
        if moving.intersection(step.inputs):
            moving.add(step.gives)
    needed = _needed(plan, wanted)
    inside = [step for step in plan.formulas if step.gives in moving and step.gives in needed]
    before = [step for step in plan.formulas if step.gives not in moving and step.gives in needed]

    def leaf(name: str) -> str:
        return axis if name == axis else _local_or_given(plan)(name)

    lines = [f"const {step.gives} = {expression(step.tree, leaf)};" for step in before]
    lines.append("const n = axis.length;")
    lines += [f"const {name}_ = new Float64Array(n);" for name in wanted]
    lines.append("for (let i = 0; i < n; i += 1) {")
    lines.append(f"  const {axis} = axis[i];")
    lines += [f"  const {step.gives} = {expression(step.tree, leaf)};" for step in inside]
    given = {step.gives for step in plan.formulas} | {axis}
    lines += [f"  {name}_[i] = {name if name in given else f'g.{name}'};" for name in wanted]
    lines += ["}", f"return {{{', '.join(f'{name}: {name}_' for name in wanted)}}};"]
    body = "\n    ".join(lines)
    return f"(g, axis) => {{\n    {body}\n  }}"


def test(tree: Expression) -> str:
    """A function of values by name that returns what the tree yields; a name with a point is of a scene of that name."""
    return f"(v) => {expression(tree, lambda name: f'v.{name}')}"


def _local_or_given(plan: Plan) -> Callable[[str], str]:
    made = {step.gives for step in plan.formulas}
    return lambda name: name if name in made else f"g.{name}"


def _needed(plan: Plan, wanted: Iterable[str]) -> set[str]:
    needed = set(wanted)
    for step in reversed(plan.formulas):
        if step.gives in needed:
            needed.update(step.inputs)
    return needed


def rounding(plan: Plan) -> dict[str, float]:
    """Relative bounds on how far two languages may be apart, by quantity; none for what agrees bit for bit.

    Raises
    ------
    FormulaError
        When a library function takes part: its formula must then state a bound from its own conditioning.
    """
    for step in plan.formulas:
        rounded = {node.name for node in step.tree.walk() if isinstance(node, Operation)} & set(ROUNDED)
        if rounded:
            raise FormulaError(f"formula {step.id}: {', '.join(sorted(rounded))} is rounded; no bound is stated for it")
    return {}
