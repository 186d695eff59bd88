"""What makes a function a formula: one body, read by numbers, symbols and dimensions, with its source and limits.

```python
@formula(source=Source("…", "https://…", "2026-11-29"), limits=[Limit("…")])
def linear_hbm_time_s(linear_weight_bytes, hbm_bandwidth):
    return linear_weight_bytes / hbm_bandwidth
```

The function's name is what it gives and its parameters are what it takes, all of them names of the glossary. At import
it is read with symbols (its tree) and with dimensions (its unit), and refused when it cannot be.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import engine.glossary  # noqa: F401  its entries must be there before a body is read
from engine import constants, ops
from engine.dimensions import FLAG, Measure, measure
from engine.errors import FormulaError, RidgepointError
from engine.quantities import quantity
from engine.symbols import Constant, Expression, Number, Symbol, lift

JUMPS = frozenset(dis.hasjrel) | frozenset(dis.hasjabs)


@dataclass(frozen=True)
class Source:
    """Where a formula comes from: document and section, address, and the day somebody read it there."""

    text: str
    url: str
    checked: str

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise FormulaError("a source needs a text: document and section")
        try:
            checked = date.fromisoformat(self.checked)
        except ValueError:
            raise FormulaError(f"the source {self.text!r}: {self.checked!r} is not a day such as 2026-01-31") from None
        if checked > date.today():
            raise FormulaError(f"the source {self.text!r} was checked in the future: {self.checked}")


def definition(why: str, checked: str) -> Source:
    """The source of a definition: exact, because it says what a name means, or follows from counting."""
    if not why.strip():
        raise FormulaError("a definition says why it is exact")
    return Source(f"Definition: {why}", "", checked)


@dataclass(frozen=True)
class Limit:
    """A sentence that says where a formula holds, and where possible a test over glossary names that is true there."""

    text: str
    holds: Callable[..., Any] | None = None
    tree: Expression | None = field(init=False, default=None)
    inputs: tuple[str, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise FormulaError("a limit needs a sentence")
        if self.holds is not None:
            inputs, tree, kind = read(self.holds)
            if kind.dimension != FLAG or kind.depth:
                raise FormulaError(f"the test of the limit {self.text!r} must be a comparison")
            object.__setattr__(self, "inputs", inputs)
            object.__setattr__(self, "tree", tree)


@dataclass(frozen=True, eq=False)
class Formula:
    """A formula that passed all readings.

    Attributes
    ----------
    id : str
        The key on the command line and in the atlas; the name of what it gives unless stated.
    gives : str
        The glossary name of its result.
    inputs : tuple of str
        Glossary names, in the order of the body's parameters.
    body : callable
        Takes floats or numpy arrays in base units.
    tree : Expression
        The body read with symbols.
    """

    id: str
    gives: str
    inputs: tuple[str, ...]
    body: Callable[..., Any]
    tree: Expression
    source: Source
    limits: tuple[Limit, ...]

    @property
    def doc(self) -> str:
        return inspect.cleandoc(self.body.__doc__ or "")


REGISTRY: dict[str, Formula] = {}
"""Every formula by its id."""


def read(body: Callable[..., Any]) -> tuple[tuple[str, ...], Expression, Measure]:
    """The glossary names a body takes, its tree, and the measure of its result.

    Raises
    ------
    FormulaError
        When a parameter is not in the glossary or the body branches.
    UnitError
        When dimensions do not fit together.
    """
    parameters = inspect.signature(body).parameters.values()
    if any(p.kind is not p.POSITIONAL_OR_KEYWORD or p.default is not p.empty for p in parameters):
        raise FormulaError(f"{body.__name__}: parameters are plain glossary names, without defaults")
    inputs = tuple(p.name for p in parameters)
    measures = [Measure(quantity(name).dimension, depth=quantity(name).depth) for name in inputs]
    # A caught exception is a branch without a jump.
    if body.__code__.co_exceptiontable or any(code in JUMPS for code in body.__code__.co_code[::2]):
        raise FormulaError(f"{body.__name__}: the body branches; use where, maximum or minimum from engine.ops")
    tree = lift(body(*map(Symbol, inputs)))
    unused = set(inputs) - tree.names()
    if unused:
        raise FormulaError(f"{body.__name__}: takes {', '.join(sorted(unused))} but does not use it")
    kind = measure(body(*measures))
    _check_names(body)
    return inputs, tree, kind


def _check_names(body: Callable[..., Any]) -> None:
    """Refuse what a body takes from around it, but operations and numbers: a helper could branch where nobody looks."""
    found = {name: body.__globals__.get(name) for name in body.__code__.co_names}
    modules = [value for value in found.values() if value in (ops, constants)]
    foreign = [
        name
        for name, value in found.items()
        if not (
            value in modules
            or isinstance(value, int | float | Constant)
            or getattr(value, "__module__", None) == ops.__name__
            or any(hasattr(module, name) for module in modules)
        )
    ]
    foreign += body.__code__.co_freevars
    if foreign:
        raise FormulaError(
            f"{body.__name__}: uses {', '.join(foreign)}; a body takes only its inputs, numbers and operations of engine.ops"
        )


def formula(
    *,
    source: Source,
    limits: Sequence[Limit],
    id: str | None = None,
    gives: str | None = None,
) -> Callable[[Callable[..., Any]], Formula]:
    """Make a function a formula and enter it; see the module's text.

    Parameters
    ----------
    source : Source
        Where it comes from; `definition(...)` for a definition.
    limits : sequence of Limit
        At least one: where the formula stops to hold.
    id, gives : str, optional
        The key and the glossary name of the result, where they differ from the function's name.
    """
    if not isinstance(source, Source):
        raise FormulaError(f"a formula needs a Source, not {source!r}")
    if not limits or not all(isinstance(limit, Limit) for limit in limits):
        raise FormulaError("a formula needs its limits: at least one Limit")

    def enter(body: Callable[..., Any]) -> Formula:
        name = gives or body.__name__
        key = id or body.__name__
        try:
            wanted = quantity(name)
            inputs, tree, kind = read(body)
        except RidgepointError as error:
            raise type(error)(f"formula {key}: {error}") from None
        if not kind.dimension.gives(wanted.dimension):
            raise FormulaError(f"formula {key}: yields {kind.dimension}, but {name} is in {wanted.unit}")
        if kind.depth != wanted.depth:
            shapes = ("a number", "a list", "a list of lists")
            raise FormulaError(f"formula {key}: yields {shapes[kind.depth]}, but {name} is {shapes[wanted.depth]}")
        bare = [n.value for n in tree.walk() if isinstance(n, Number) and not n.constant and n.value not in (0, 1)]
        if bare:
            raise FormulaError(f"formula {key}: the number {bare[0]:g} has no name; give it one in engine.constants")
        if key in REGISTRY:
            raise FormulaError(f"formula {key}: there is one of this id already")
        made = Formula(key, name, inputs, body, tree, source, tuple(limits))
        REGISTRY[key] = made
        return made

    return enter
