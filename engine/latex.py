"""LaTeX from trees, for whoever takes a formula into a paper; the same rules for brackets as in a plain line."""

from __future__ import annotations

from engine import text
from engine.quantities import quantity
from engine.symbols import Expression, Number, Operation, Symbol, Word

GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau",
    "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda",
    "Π": "Pi", "Σ": "Sigma", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
"""Names of the letters that symbols use; in LaTeX each has a backslash before it."""

COMPARISONS = {"less": "<", "at_most": r"\le", "at_least": r"\ge", "equal": "="}
BRACKETS = {"f": (r"\lfloor", r"\rfloor"), "c": (r"\lceil", r"\rceil"), "a": ("|", "|")}
FUNCTIONS = {
    "maximum": r"\max", "minimum": r"\min", "exp": r"\exp", "log": r"\ln", "log10": r"\log_{10}", "log2": r"\log_2",
}  # fmt: skip
"""Functions that LaTeX has by name; all others are set upright."""


def equation(gives: str, tree: Expression) -> str:
    """The formula with its left side."""
    return f"{symbol(gives)} = {expression(tree)}"


def symbol(name: str) -> str:
    """The symbol of a quantity: letters alone slant, words stand upright."""
    head, _, index = quantity(name).symbol.partition("_")
    return f"{_letters(head)}_{{{_letters(index)}}}" if index else _letters(head)


def _letters(word: str) -> str:
    if word in GREEK:
        return f"\\{GREEK[word]}"
    return word if len(word) == 1 and word.isascii() else _upright(word)


def _upright(word: str) -> str:
    words = "".join(f"$\\{GREEK[letter]}$" if letter in GREEK else letter for letter in word)
    for sign in ("_", "%", "#", "&"):
        words = words.replace(sign, f"\\{sign}")
    return rf"\text{{{words}}}" if " " in words or "$" in words else rf"\mathrm{{{words}}}"


def _number(value: float) -> str:
    written = text.digits(value, "count").replace(text.MINUS, "-").replace(text.INFINITY, r"\infty")
    mantissa, times, power = written.partition(f" {text.TIMES} 10^")
    return rf"{mantissa} \times 10^{{{power}}}" if times else mantissa.replace(",", r"{,}")


def _around(inner: str, left: str, right: str) -> str:
    return rf"\left{left} {inner} \right{right}"


def expression(tree: Expression) -> str:
    """The tree in LaTeX's mathematics, with the glossary's symbols."""

    def at(node: Expression, least: int) -> str:
        inner, level = write(node)
        return _around(inner, "(", ")") if level < least else inner

    def write(node: Expression) -> tuple[str, int]:
        if isinstance(node, Symbol):
            return symbol(node.name), text.ATOM
        if isinstance(node, Number):
            return _number(node.value), text.SIGN if node.value < 0 else text.ATOM
        if isinstance(node, Word):
            return _upright(node.word), text.ATOM
        assert isinstance(node, Operation)
        name, operands = node.name, node.children
        if name == "add":
            return f"{at(operands[0], text.SUM)} + {at(operands[1], text.SUM)}", text.SUM
        if name == "subtract":
            return f"{at(operands[0], text.SUM)} - {at(operands[1], text.PRODUCT)}", text.SUM
        if name == "multiply":
            parts = text.factors(node)
            if len(parts) == 1:
                return write(parts[0])
            return r" \times ".join(at(part, text.PRODUCT) for part in parts), text.PRODUCT
        if name in text.QUOTIENTS:
            return rf"\frac{{{at(operands[0], 0)}}}{{{at(operands[1], 0)}}}", text.SIGN
        if name == "negative":
            return f"-{at(operands[0], text.SIGN)}", text.SIGN
        if name == "power":
            return f"{{{at(operands[0], text.ATOM)}}}^{{{at(operands[1], 0)}}}", text.SIGN
        if name == "sqrt":
            return rf"\sqrt{{{at(operands[0], 0)}}}", text.ATOM
        if name in COMPARISONS:
            return f"{at(operands[0], text.SUM)} {COMPARISONS[name]} {at(operands[1], text.SUM)}", 0
        if name in ("both", "either"):
            sign = r" \land " if name == "both" else r" \lor "
            return sign.join(at(part, text.SUM) for part in operands), 0
        if name == "negated":
            return rf"\lnot {at(operands[0], text.ATOM)}", 0
        if name == "item":
            return rf"{at(operands[0], text.ATOM)}\left[{at(operands[1], 0)}\right]", text.ATOM
        if name == "total" and len(operands) == 1:
            return rf"\sum {at(operands[0], text.ATOM)}", text.SIGN
        if name == "choose_ratio":
            kept, whole, drawn = (at(part, 0) for part in operands)
            return rf"\frac{{\binom{{{kept}}}{{{drawn}}}}}{{\binom{{{whole}}}{{{drawn}}}}}", text.SIGN
        if name == "where":
            test, then, otherwise = (at(part, 0) for part in operands)
            cases = rf"{then} & \text{{where }} {test} \\ {otherwise} & \text{{else}}"
            return rf"\begin{{cases}} {cases} \end{{cases}}", text.ATOM
        if name == "winner":
            pairs = zip(operands[0::2], operands[1::2], strict=True)
            sides = [rf"{at(a, text.ATOM)}\; {at(b, text.PRODUCT)}" for a, b in pairs]
            return rf"\text{{the larger of }} {', '.join(sides)}", 0
        if name in ("floor", "ceil", "absolute", "floor_div", "ceil_div", "ceil_or_never"):
            inner = [at(part, 0) for part in operands]
            quotient = rf"\frac{{{inner[0]}}}{{{inner[1]}}}" if len(inner) > 1 else inner[0]
            return _around(quotient, *BRACKETS[name[0]]), text.ATOM
        arguments = _around(", ".join(at(part, 0) for part in operands), "(", ")")
        called = FUNCTIONS.get(name) or rf"\operatorname{{{text.FUNCTIONS[name].replace('_', ' ')}}}"
        return f"{called}{arguments}", text.ATOM

    return at(tree, 0)
