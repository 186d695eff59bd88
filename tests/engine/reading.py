"""A reader of formula lines and of MathML that shares no code with the engine: text to nested tuples, and to numbers.

A node is a number, a name, or a tuple of an operation and its operands. `flat` brings nodes to one form in which sums
and products have no order of brackets, so that a tree and what was read from its text can be compared.
"""

import itertools
import math
import re
import statistics
from collections.abc import Callable, Mapping
from typing import Any
from xml.etree import ElementTree

from engine.symbols import Expression, Number, Operation, Symbol, Word

NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?: × 10\^−?\d+)?"
TOKEN = re.compile(rf"((?:{NUMBER}|∞)(?:\u00a0[A-Za-zµ/%]+)?|[^\W\d]\w*|[-+×/^(),⌊⌋⌈⌉|<≤≥=−\[\]∑])")
COMPARISONS = {"<": "less", "≤": "at_most", "≥": "at_least", "=": "equal"}
FUNCTIONS = {"max": "maximum", "min": "minimum", "ln": "log", "exp": "exp", "log10": "log10", "sqrt": "sqrt",
             "expm1": "expm1", "log1p": "log1p", "log2": "log2", "round": "nearest", "harmonic": "harmonic_number",
             "probit": "normal_quantile", "choose": "choose", "sum": "total"}  # fmt: skip
FUNCTIONS |= {name: name for name in ("geometric_sum", "geometric_root", "log_sum_exp", "length", "running_product",
                                     "differences", "whole_numbers")}  # fmt: skip
FUNCTIONS["count"] = "count_where"
PAIRS = {"⌊": ("⌋", "floor"), "⌈": ("⌉", "ceil"), "|": ("|", "absolute")}


class Reader:
    """Reads one line by recursive descent."""

    def __init__(self, line: str) -> None:
        self.tokens = TOKEN.findall(line)
        assert re.sub(r"\s", "", "".join(self.tokens)) == re.sub(r"\s", "", line), f"unread signs in {line!r}"
        self.place = 0

    @property
    def next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, *expected: str) -> str:
        token = self.next
        assert token and (not expected or token in expected), f"{token!r} where {expected} should be in {self.tokens}"
        self.place += 1
        return token

    def whole(self) -> Any:
        node = self.statement()
        assert not self.next, f"{self.next!r} is left over of {self.tokens}"
        return node

    def statement(self) -> Any:
        if self.next == "the":
            return self.winner()
        if self.next == "not":
            self.take()
            return ("negated", self.atom())
        node = self.sum()
        if self.next in COMPARISONS:
            return (COMPARISONS[self.take()], node, self.sum())
        if self.next in ("and", "or"):
            word, parts = self.next, [node]
            while self.next == word:
                self.take()
                parts.append(self.sum())
            return ("both" if word == "and" else "either", *parts)
        if self.next == "where":
            self.take()
            test = self.statement()
            self.take(",")
            self.take("else")
            return ("where", test, node, self.sum())
        return node

    def winner(self) -> Any:
        for word in ("the", "larger", "of"):
            self.take(word)
        parts: list[Any] = [("word", self.take()), self.product()]
        while self.next == ",":
            self.take()
            parts += [("word", self.take()), self.product()]
        return ("winner", *parts)

    def sum(self) -> Any:
        node = self.product()
        while self.next in ("+", "−"):
            node = ("add" if self.take() == "+" else "subtract", node, self.product())
        return node

    def product(self) -> Any:
        node = self.signed()
        while self.next in ("×", "/"):
            node = ("multiply" if self.take() == "×" else "divide", node, self.signed())
        return node

    def signed(self) -> Any:
        if self.next == "−":
            self.take()
            return ("negative", self.signed())
        node = self.atom()
        while self.next == "[":
            self.take()
            node = ("item", node, self.statement())
            self.take("]")
        if self.next == "^":
            self.take()
            return ("power", node, self.atom())
        return node

    def atom(self) -> Any:
        token = self.take()
        if token == "∑":
            return ("total", self.atom())
        if token == "(":
            node = self.statement()
            self.take(")")
            return node
        if token in PAIRS:
            end, name = PAIRS[token]
            node = self.statement()
            self.take(end)
            return (name, node)
        if token in FUNCTIONS:
            self.take("(")
            operands = [self.statement()]
            while self.next == ",":
                self.take()
                operands.append(self.statement())
            self.take(")")
            return (FUNCTIONS[token], *operands)
        assert token[0].isalnum() or token[0] == "∞", f"{token!r} begins nothing in {self.tokens}"
        return ("shown", token) if token[0].isdigit() or token[0] == "∞" else token


def read(line: str) -> Any:
    """The node that a line of text says."""
    return Reader(line).whole()


def plain(token: str) -> float:
    """A shown number without unit."""
    mantissa, _, power = token.replace(",", "").replace("−", "-").partition(" × 10^")
    return float(f"{mantissa}e{power or 0}")


def tree(node: Expression) -> Any:
    """A tree of the engine as a node; constants of 1, which only carry a unit, are left out of products."""
    if isinstance(node, Symbol):
        return node.name
    if isinstance(node, Word):
        return ("word", node.word)
    if isinstance(node, Number):
        return ("negative", -node.value) if node.value < 0 else node.value
    assert isinstance(node, Operation)
    if node.name == "multiply":
        every = _factors(node)
        kept = [f for f in every if not (isinstance(f, Number) and f.constant and f.value == 1)] or every[:1]
        return tree(kept[0]) if len(kept) == 1 else ("multiply", *map(tree, kept))
    parts = [tree(child) for child in node.children]
    if node.name in ("floor_div", "ceil_div", "ceil_or_never"):
        return (node.name.split("_")[0], ("divide", *parts))
    if node.name == "choose_ratio":
        return ("divide", ("choose", parts[0], parts[2]), ("choose", parts[1], parts[2]))
    # A share is written as the fraction that it is.
    return ("divide" if node.name in ("share", "divide_or_never") else node.name, *parts)


def _factors(node: Expression) -> list[Expression]:
    if isinstance(node, Operation) and node.name == "multiply":
        return [factor for child in node.children for factor in _factors(child)]
    return [node]


def flat(node: Any) -> Any:
    """The node with sums and products as lists of their signed terms and of their factors."""
    if not isinstance(node, tuple):
        return node
    name, *parts = node
    if name == "shown":
        return plain(parts[0])
    parts = [flat(part) for part in parts]
    if name in ("add", "subtract"):
        terms = [*_terms(parts[0]), *((s * (1 if name == "add" else -1), t) for s, t in _terms(parts[1]))]
        return ("sum", *terms)
    if name == "multiply":
        return ("product", *(f for p in parts for f in (p[1:] if isinstance(p, tuple) and p[0] == "product" else (p,))))
    return (name, *parts)


def _terms(node: Any) -> list[Any]:
    return list(node[1:]) if isinstance(node, tuple) and node[0] == "sum" else [(1, node)]


def value(node: Any, values: Mapping[str, Any]) -> Any:
    """The number, truth value or word of a node."""
    if isinstance(node, str):
        return values[node]
    if not isinstance(node, tuple):
        return node
    name, *parts = node
    if name == "shown":
        return plain(parts[0])
    if name == "word":
        return parts[0]
    of = [value(part, values) for part in parts]
    if name == "winner":
        largest = max(of[1::2])
        return next(word for word, size in zip(of[0::2], of[1::2], strict=True) if size == largest)
    if name in LISTS:
        return LISTS[name](*of)
    if name in WHOLE and len(of) == 1:
        return WHOLE[name](of[0])
    if name == "whole_numbers":
        return tuple(map(float, range(int(of[0]))))
    sizes = {len(part) for part in of if isinstance(part, tuple)}
    if sizes:
        places = range(sizes.pop())
        return tuple(single(name, [part[i] if isinstance(part, tuple) else part for part in of]) for i in places)
    return single(name, of)


LISTS: dict[str, Callable[..., Any]] = {
    "item": lambda elements, index: elements[int(index)],
    "length": len,
    "count_where": sum,
    "differences": lambda e: tuple(after - before for before, after in itertools.pairwise(e)),
    "running_product": lambda e: tuple(math.prod(e[: place + 1]) for place in range(len(e))),
}
WHOLE: dict[str, Callable[..., Any]] = {"maximum": max, "minimum": min, "total": lambda e: sum(e[1:], e[0])}


def single(name: str, of: list[Any]) -> Any:
    """An operation on numbers."""
    return {
        "add": lambda: of[0] + of[1], "subtract": lambda: of[0] - of[1], "multiply": lambda: of[0] * of[1],
        "divide": lambda: of[0] / of[1], "negative": lambda: -of[0], "power": lambda: of[0] ** of[1],
        "maximum": lambda: max(of), "minimum": lambda: min(of), "absolute": lambda: abs(of[0]),
        "floor": lambda: math.floor(of[0]), "ceil": lambda: math.ceil(of[0]),
        "less": lambda: of[0] < of[1], "at_most": lambda: of[0] <= of[1], "at_least": lambda: of[0] >= of[1],
        "equal": lambda: of[0] == of[1], "both": lambda: all(of), "either": lambda: any(of),
        "where": lambda: of[1] if of[0] else of[2], "negated": lambda: not of[0],
        "nearest": lambda: round(of[0]), "log2": lambda: math.log2(of[0]),
        "harmonic_number": lambda: sum(1 / k for k in range(1, int(of[0]) + 1)),
        "choose": lambda: math.comb(int(of[0]), int(of[1])),
        "normal_quantile": lambda: statistics.NormalDist().inv_cdf(of[0]),
        "log_sum_exp": lambda: math.log(sum(map(math.exp, of))),
        "total": lambda: sum(of[1:], of[0]), "geometric_sum": lambda: sum(of[0] ** i for i in range(int(of[1]) + 1)),
        "sqrt": lambda: math.sqrt(of[0]), "exp": lambda: math.exp(of[0]), "log": lambda: math.log(of[0]),
        "log10": lambda: math.log10(of[0]), "expm1": lambda: math.expm1(of[0]), "log1p": lambda: math.log1p(of[0]),
    }[name]()  # fmt: skip


def mathml_line(element: ElementTree.Element) -> str:
    """MathML as a line of text, with the brackets that its layout stands for and no others."""
    parts = [mathml_line(child) for child in element]
    if element.tag == "mfrac":
        if element.get("linethickness") == "0":
            return f"choose({parts[0]}, {parts[1]})"
        return f"(({parts[0]}) / ({parts[1]}))"
    if element.tag == "msup":
        base = element[0]
        while base.tag == "mrow" and len(base) == 1:
            base = base[0]
        assert base.tag not in ("mfrac", "msup"), "a power of a fraction or of a power needs brackets to be read"
        return f"{parts[0]}^({parts[1]})"
    if element.tag == "msqrt":
        return f"sqrt({parts[0]})"
    if element.tag == "msub":
        return "_".join(parts)
    assert element.tag in ("mrow", "math", "mi", "mn", "mo", "mtext"), element.tag
    return (element.text or "").replace("\u00a0", " ") + " ".join(parts)
