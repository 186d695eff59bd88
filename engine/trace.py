"""Plans: from what is given to what is wanted, as numbers, as curves, and as a calculation with every step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from engine import ops, text
from engine.errors import FormulaError, RidgepointError, nearest
from engine.formula import REGISTRY, Formula, Limit, Source
from engine.quantities import GLOSSARY, quantity
from engine.symbols import Expression, Number, Operation, Symbol, Word

INSIDE, OUTSIDE, NOT_CHECKED = "inside", "outside", "not checked"


def worked_out(step: Formula, values: Mapping[str, Any]) -> Any:
    """What a formula gives for these values.

    Raises
    ------
    RidgepointError
        Where it has no value, such as a quotient by zero.
    """
    try:
        return step.body(*[values[name] for name in step.inputs])
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        taken = ", ".join(f"{name} = {values[name]!r}" for name in step.inputs)
        raise RidgepointError(f"{step.id} has no value for {taken} ({error})") from None


@dataclass(frozen=True)
class Plan:
    """Formulas in the order of their need; each takes what is given or what an earlier one gives."""

    targets: tuple[str, ...]
    formulas: tuple[Formula, ...]

    def evaluate(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Every quantity of the plan, given ones included, for numbers or for arrays of one shape."""
        values = dict(given)
        for step in self.formulas:
            values[step.gives] = worked_out(step, values)
        return values

    def trace(self, given: Mapping[str, Any]) -> Trace:
        """The values, with the steps that lead to them and the limits of every formula used."""
        values = self.evaluate(given)
        steps = tuple(Step(step, values) for step in self.formulas)
        limits = tuple(LimitState(key, said, state(limit, values)) for key, said, limit in self.limits)
        return Trace(values, steps, limits)

    @cached_property
    def limits(self) -> tuple[tuple[str, str, Limit], ...]:
        """Id, sentence and limit of every formula used; a sentence that several formulas share stands once."""
        found: dict[str, tuple[str, str, Limit]] = {}
        for step in self.formulas:
            for place, limit in enumerate(step.limits):
                found.setdefault(limit.text, (f"{step.id}.{place}", limit.text, limit))
        return tuple(found.values())


@dataclass(frozen=True)
class Step:
    """One formula with the values of one calculation."""

    formula: Formula
    values: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self.formula.gives

    @property
    def source(self) -> Source:
        return self.formula.source

    @property
    def value(self) -> Any:
        return self.values[self.name]

    @property
    def line(self) -> str:
        """The formula in symbols."""
        return text.line(self.formula.tree, text.symbol)

    @property
    def substituted(self) -> str:
        """The formula with its numbers and units."""
        return text.line(self.formula.tree, lambda name: text.show(name, self.values[name]))

    @property
    def shown(self) -> str:
        """The result as the reader sees it."""
        return text.show(self.name, self.value)

    @property
    def sentence(self) -> str:
        """Symbol, formula, numbers and result in one line."""
        return f"{quantity(self.name).symbol} = {self.line} = {self.substituted} = {self.shown}"

    @property
    def side(self) -> str:
        """Which operand of a maximum or minimum was taken, in words; empty without one."""
        return " ".join(side(node, self.values) for node in self.formula.tree.walk() if chooses(node))


@dataclass(frozen=True)
class LimitState:
    """A limit of a formula that was used, and whether these inputs keep to it."""

    id: str
    text: str
    state: str


@dataclass(frozen=True)
class Trace:
    """A calculation: every value by name, the steps in order, the limits."""

    values: dict[str, Any]
    steps: tuple[Step, ...]
    limits: tuple[LimitState, ...]


def state(limit: Limit, values: Mapping[str, Any]) -> str:
    """Whether these values keep to a limit, as far as they tell."""
    if limit.holds is None or any(name not in values for name in limit.inputs):
        return NOT_CHECKED
    return INSIDE if limit.holds(*[values[name] for name in limit.inputs]) else OUTSIDE


def interpret(tree: Expression, values: Mapping[str, Any]) -> Any:
    """The value of a tree, worked out by the same operations as the body it was read from."""
    if isinstance(tree, Symbol):
        return values[tree.name]
    if isinstance(tree, Number):
        return tree.value
    if isinstance(tree, Word):
        return tree.word
    assert isinstance(tree, Operation)
    return ops.apply(tree.name, *(interpret(child, values) for child in tree.children))


def depth(tree: Expression) -> int:
    """How deep a list a tree gives: 0 is a number."""
    if isinstance(tree, Symbol):
        # A name with a point is of the scene of a prediction, where everything is a number.
        return GLOSSARY[tree.name].depth if tree.name in GLOSSARY else 0
    return ops.depth(tree.name, list(map(depth, tree.children))) if isinstance(tree, Operation) else 0


def element(tree: Expression) -> tuple[Expression, dict[str, Expression]]:
    """What a list is at each of its places, as a tree, with the lists that this tree's new names run through."""
    lists: dict[str, Expression] = {}

    def at_a_place(node: Expression) -> Expression:
        if not depth(node):
            return node
        if isinstance(node, Operation) and not ops.on_lists(node.name, len(node.children)):
            return Operation(node.name, tuple(map(at_a_place, node.children)))
        name = f"{node.name}_i" if isinstance(node, Symbol) else f"list{len(lists)}_i"
        lists[name] = node
        return Symbol(name)

    return at_a_place(tree), lists


def chooses(node: Expression) -> bool:
    """Whether a node takes one of its operands."""
    return isinstance(node, Operation) and node.name in ("maximum", "minimum") and not any(map(depth, node.children))


def side(node: Expression, values: Mapping[str, Any]) -> str:
    """Which operand a maximum or minimum took, in words."""
    assert isinstance(node, Operation)
    operands = [interpret(child, values) for child in node.children]
    best = operands.index(max(operands) if node.name == "maximum" else min(operands))
    word = "larger" if node.name == "maximum" else "smaller"
    if operands.count(operands[best]) > 1:
        return f"Both sides are equal; {label(node.children[best])} is taken."
    return f"The {word} side is {label(node.children[best])}."


def label(node: Expression) -> str:
    """How an operand is called in a sentence: by symbol and label, or by its line."""
    if isinstance(node, Symbol):
        return f"{text.symbol(node.name)}, the {quantity(node.name).label}"
    return text.line(node, text.symbol)


def formula_for(name: str, using: Mapping[str, str]) -> Formula | None:
    """The formula that gives `name`: the one that `using` names, else the one of that very name."""
    if name in using:
        return REGISTRY[using[name]]
    return next((f for f in REGISTRY.values() if f.gives == name and f.body.__name__ == name), None)


@cache
def _plan(targets: tuple[str, ...], given: frozenset[str], using: tuple[tuple[str, str], ...]) -> Plan:
    chosen = dict(using)
    order: list[Formula] = []
    under_way: list[str] = []

    def need(name: str) -> None:
        if name in given or any(step.gives == name for step in order):
            return
        if name in under_way:
            raise FormulaError(f"{' needs '.join((*under_way, name))}: a circle")
        step = formula_for(name, chosen)
        if step is None:
            quantity(name)
            wanted = f" for {under_way[-1]}" if under_way else ""
            raise FormulaError(f"{name} is needed{wanted}, but it is neither given nor the result of a formula")
        under_way.append(name)
        for dependency in step.inputs:
            need(dependency)
        under_way.pop()
        order.append(step)

    for target in targets:
        need(target)
    return Plan(targets, tuple(order))


def plan(targets: Iterable[str], given: Iterable[str], using: Mapping[str, str] | None = None) -> Plan:
    """The plan that works out `targets` from the names `given`.

    Parameters
    ----------
    targets, given : iterables of glossary names
    using : mapping, optional
        Quantity to formula id, where another formula than the one of the quantity's name is meant.
    """
    names = frozenset(given)
    unknown = [name for name in names if name not in GLOSSARY]
    if unknown:
        raise FormulaError(f"{unknown[0]!r} is not in the glossary. {nearest(unknown[0], GLOSSARY)}".rstrip())
    return _plan(tuple(targets), names, tuple(sorted((using or {}).items())))


def evaluate(target: str, given: Mapping[str, Any], using: Mapping[str, str] | None = None) -> Any:
    """The value of one quantity: a number for numbers, an array for arrays (broadcast as numpy does)."""
    return plan([target], given, using).evaluate(given)[target]


def trace(target: str, given: Mapping[str, Any], using: Mapping[str, str] | None = None) -> Trace:
    """The calculation of one quantity, with every step and every limit."""
    return plan([target], given, using).trace(given)
