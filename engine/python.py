"""Trees written out as Python, with the glossary's names, for whoever takes a formula into a script of their own."""

from __future__ import annotations

from collections.abc import Iterable

from engine import special, text
from engine.formula import Formula
from engine.ops import on_lists
from engine.quantities import quantity
from engine.symbols import Expression, Number, Operation, Symbol, Word
from engine.trace import depth, element

COMPARISONS = {"less": "<", "at_most": "<=", "at_least": ">=", "equal": "=="}
CALLS = {
    "maximum": "max", "minimum": "min", "absolute": "abs", "nearest": "round", "power": "pow", "floor": "floor",
    "ceil": "ceil", "sqrt": "sqrt", "exp": "exp", "expm1": "expm1", "log": "log", "log10": "log10", "log1p": "log1p",
    "log2": "log2", "total": "sum", "length": "len", "count_where": "sum",
}  # fmt: skip
MATH = ("floor", "ceil", "sqrt", "exp", "expm1", "log", "log10", "log1p", "log2", "inf")


def script(formulas: Iterable[Formula]) -> str:
    """The formulas as lines of a script, in their order, in base units; what they import comes first."""
    formulas = tuple(formulas)
    lines = [f"{step.gives} = {expression(step.tree)}  # {quantity(step.gives).unit}" for step in formulas]
    used = {node.name for step in formulas for node in step.tree.walk() if isinstance(node, Operation)}
    needs = {CALLS.get(name, name) for name in used}
    needs |= {need for name, need in (("floor_div", "floor"), ("ceil_div", "ceil")) if name in used}
    needs |= {"ceil", "inf"} if "ceil_or_never" in used else set()
    needs |= {"inf"} if "divide_or_never" in used else set()
    needs |= {"pairwise"} if "differences" in used else set()
    needs |= {"accumulate"} if "running_product" in used else set()
    own = sorted(name for name in used if hasattr(special, name))
    found = [f"from math import {', '.join(sorted(needs.intersection(MATH)))}"] if needs.intersection(MATH) else []
    found += [f"from itertools import {name}" for name in ("accumulate", "pairwise") if name in needs]
    found += ["from operator import mul"] if "running_product" in used else []
    found += [f"from engine.special import {', '.join(own)}"] if own else []
    return "\n".join([*found, *lines])


def _number(value: float) -> str:
    return repr(int(value)) if value.is_integer() and value == float(f"{value:.15g}") else repr(value)


def _on_list(name: str, *operands: str) -> str:
    """An operation that takes a list as a whole, or makes one."""
    if name == "item":
        return f"{operands[0]}[int({operands[1]})]"
    if name == "whole_numbers":
        return f"range(int({operands[0]}))"
    if name == "differences":
        return f"[after - before for before, after in pairwise({operands[0]})]"
    if name == "running_product":
        return f"list(accumulate({operands[0]}, mul))"
    return f"{CALLS[name]}({operands[0]})"


def expression(tree: Expression) -> str:
    """The tree as a Python expression over the glossary's names."""

    def at(node: Expression, least: int) -> str:
        written, level = write(node)
        return f"({written})" if level < least else written

    def write(node: Expression) -> tuple[str, int]:
        if isinstance(node, Symbol):
            return node.name, text.ATOM
        if isinstance(node, Number):
            return _number(node.value), text.SIGN if node.value < 0 else text.ATOM
        if isinstance(node, Word):
            return repr(node.word), text.ATOM
        assert isinstance(node, Operation)
        name, operands = node.name, node.children
        if on_lists(name, len(operands)):
            return _on_list(name, *(at(part, 0) for part in operands)), text.ATOM
        if any(map(depth, operands)):
            one, lists = element(node)
            over = ", ".join(at(found, 0) for found in lists.values())
            return (
                f"[{expression(one)} for {', '.join(lists)} in {f'zip({over})' if len(lists) > 1 else over}]",
                text.ATOM,
            )
        if name in ("add", "total"):
            return " + ".join(at(part, text.SUM) for part in operands), text.SUM
        if name == "subtract":
            return f"{at(operands[0], text.SUM)} - {at(operands[1], text.PRODUCT)}", text.SUM
        if name == "multiply":
            first, *rest = text.factors(node)
            if not rest:
                return write(first)
            return " * ".join([at(first, text.PRODUCT), *(at(part, text.SIGN) for part in rest)]), text.PRODUCT
        if name in text.QUOTIENTS:
            quotient = f"{at(operands[0], text.PRODUCT)} / {at(operands[1], text.SIGN)}"
            if name == "divide":
                return quotient, text.PRODUCT
            test, otherwise = (" > 0", "inf") if name == "divide_or_never" else (" != 0", "0")
            return f"{quotient} if {at(operands[1], text.SUM)}{test} else {otherwise}", 0
        if name == "negative":
            return f"-{at(operands[0], text.SIGN)}", text.SIGN
        if name in COMPARISONS:
            return f"{at(operands[0], text.SUM)} {COMPARISONS[name]} {at(operands[1], text.SUM)}", 0
        if name in ("both", "either"):
            return (" and " if name == "both" else " or ").join(at(part, text.SUM) for part in operands), 0
        if name == "negated":
            return f"not {at(operands[0], text.ATOM)}", 0
        if name == "where":
            return f"{at(operands[1], text.SUM)} if {at(operands[0], 0)} else {at(operands[2], 0)}", 0
        if name in ("floor_div", "ceil_div", "ceil_or_never"):
            quotient = f"{name[: name.index('_')]}({at(operands[0], text.PRODUCT)} / {at(operands[1], text.SIGN)})"
            if name != "ceil_or_never":
                return quotient, text.ATOM
            return f"{quotient} if {at(operands[1], text.SUM)} > 0 else inf", 0
        if name == "winner":
            sides = zip(operands[0::2], operands[1::2], strict=True)
            pairs = ", ".join(f"({at(side, 0)}, {at(word, 0)})" for word, side in sides)
            return f"max({pairs}, key=lambda pair: pair[0])[1]", text.ATOM
        return f"{CALLS.get(name, name)}({', '.join(at(part, 0) for part in operands)})", text.ATOM

    return at(tree, 0)
