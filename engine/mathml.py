"""MathML from trees: readable without scripts, and with its numbers marked so that they can be filled in again."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from engine import text
from engine.quantities import quantity
from engine.symbols import Expression, Number, Operation, Symbol, Word


def symbol(name: str) -> str:
    """The symbol of a quantity: a letter with an index, each a variable when it is one letter."""
    head, _, index = quantity(name).symbol.partition("_")
    body = f"<mi>{escape(head)}</mi>"
    if not index:
        return body
    below = f"<mi>{index}</mi>" if len(index) == 1 else f"<mtext>{escape(index)}</mtext>"
    return f"<msub>{body}{below}</msub>"


def slot(value: Callable[[str], str]) -> Callable[[str], str]:
    """A leaf that writes a quantity's number, as `value` gives it, into an element that names the quantity."""
    return lambda name: f'<mn data-quantity="{name}">{escape(value(name))}</mn>'


def _operator(sign: str) -> str:
    return f"<mo>{escape(sign)}</mo>"


def _row(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


def _brackets(inner: str, left: str = "(", right: str = ")") -> str:
    return _row(f'<mo stretchy="true">{left}</mo>', inner, f'<mo stretchy="true">{right}</mo>')


def _choose(whole: str, drawn: str) -> str:
    return _brackets(f'<mfrac linethickness="0">{_row(whole)}{_row(drawn)}</mfrac>')


def _listed(parts: list[str], sign: str) -> str:
    return _operator(sign).join(parts)


def expression(tree: Expression, leaf: Callable[[str], str] = symbol) -> str:
    """The tree as presentation MathML; `leaf` writes a quantity: its symbol, or a slot for its number."""

    def at(node: Expression, least: int) -> str:
        inner, level = write(node)
        return _brackets(inner) if level < least else inner

    def write(node: Expression) -> tuple[str, int]:
        if isinstance(node, Symbol):
            return leaf(node.name), text.ATOM
        if isinstance(node, Number):
            return f"<mn>{text.digits(node.value, 'count')}</mn>", text.SIGN if node.value < 0 else text.ATOM
        if isinstance(node, Word):
            return f"<mtext>{escape(node.word)}</mtext>", text.ATOM
        assert isinstance(node, Operation)
        name, operands = node.name, node.children
        if name == "add":
            return _row(at(operands[0], text.SUM), _operator("+"), at(operands[1], text.SUM)), text.SUM
        if name == "subtract":
            return _row(at(operands[0], text.SUM), _operator(text.MINUS), at(operands[1], text.PRODUCT)), text.SUM
        if name == "multiply":
            parts = text.factors(node)
            if len(parts) == 1:
                return write(parts[0])
            return _row(_listed([at(part, text.PRODUCT) for part in parts], text.TIMES)), text.PRODUCT
        if name in text.QUOTIENTS:
            return f"<mfrac>{_row(at(operands[0], 0))}{_row(at(operands[1], 0))}</mfrac>", text.SIGN
        if name == "negative":
            return _row(_operator(text.MINUS), at(operands[0], text.SIGN)), text.SIGN
        if name == "power":
            return f"<msup>{_row(at(operands[0], text.ATOM))}{_row(at(operands[1], 0))}</msup>", text.SIGN
        if name == "sqrt":
            return f"<msqrt>{at(operands[0], 0)}</msqrt>", text.ATOM
        if name in text.COMPARISONS:
            return _row(at(operands[0], text.SUM), _operator(text.COMPARISONS[name]), at(operands[1], text.SUM)), 0
        if name in ("both", "either"):
            word = "and" if name == "both" else "or"
            return f"<mtext>{text.NBSP}{word}{text.NBSP}</mtext>".join(at(part, text.SUM) for part in operands), 0
        if name == "negated":
            return _row(f"<mtext>not{text.NBSP}</mtext>", at(operands[0], text.ATOM)), 0
        if name == "item":
            return _row(at(operands[0], text.ATOM), _brackets(at(operands[1], 0), "[", "]")), text.ATOM
        if name == "total" and len(operands) == 1:
            return _row(_operator("∑"), at(operands[0], text.ATOM)), text.SIGN
        if name == "choose_ratio":
            kept, whole, drawn = (at(part, 0) for part in operands)
            return f"<mfrac>{_choose(kept, drawn)}{_choose(whole, drawn)}</mfrac>", text.SIGN
        if name == "where":
            parts3 = (at(operands[1], text.SUM), at(operands[0], 0), at(operands[2], text.SUM))
            where, otherwise = f"<mtext>{text.NBSP}where{text.NBSP}</mtext>", f"<mtext>, else{text.NBSP}</mtext>"
            return _row(parts3[0], where, parts3[1], otherwise, parts3[2]), 0
        if name == "winner":
            pairs = zip(operands[0::2], operands[1::2], strict=True)
            sides = [_row(at(a, text.ATOM), f"<mtext>{text.NBSP}</mtext>", at(b, text.PRODUCT)) for a, b in pairs]
            return _row(f"<mtext>the larger of{text.NBSP}</mtext>", _listed(sides, ",")), 0
        if name in ("floor", "ceil", "absolute", "floor_div", "ceil_div", "ceil_or_never"):
            left, right = text.BRACKETS[name[0]]
            inner = [_row(at(part, 0)) for part in operands]
            return _brackets(f"<mfrac>{''.join(inner)}</mfrac>" if len(inner) > 1 else inner[0], left, right), text.ATOM
        arguments = _listed([at(part, 0) for part in operands], ",")
        return _row(f"<mi>{text.FUNCTIONS[name]}</mi>", _brackets(arguments)), text.ATOM

    return at(tree, 0)


def math(inner: str, block: bool = False) -> str:
    """A complete MathML element around `inner`."""
    display = ' display="block"' if block else ""
    return f"<math{display}>{inner}</math>"
