"""What an entry answers: results from whatever was given, in the entry's own symbols and units, with every step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import engine
from engine.atlas import values
from engine.errors import InputError, RidgepointError, nearest
from engine.formula import Formula, Limit
from engine.labs.answers import calculation, plain
from engine.procedure import Procedure
from engine.quantities import quantity
from engine.trace import NOT_CHECKED, OUTSIDE, LimitState, Plan, Step, Trace, state, worked_out
from engine.units import WORDS
from engine.vectors import Vector, vector

if TYPE_CHECKING:
    from engine.atlas.entry import Term


class Asked(Protocol):
    """What can be asked: an entry of the atlas, or a formula alone."""

    @property
    def id(self) -> str: ...
    @property
    def terms(self) -> Mapping[str, Term]: ...
    @property
    def formulas(self) -> tuple[Formula, ...]: ...
    @property
    def procedure(self) -> Procedure | None: ...
    @property
    def example(self) -> Mapping[str, Any]: ...
    @property
    def domain(self) -> tuple[Limit, ...]: ...
    @property
    def limits(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class Answer:
    """An answer: what was given, by symbol in the units of the entry, and the calculation in base units."""

    asked: Asked
    given: Mapping[str, Any]
    trace: Trace
    warnings: tuple[str, ...]

    @property
    def inputs(self) -> dict[str, dict[str, Any]]:
        """What was given with its unit, by symbol and by glossary name."""
        terms = self.asked.terms
        return _under_both_names((symbol, terms[symbol], value) for symbol, value in self.given.items())

    @property
    def outputs(self) -> dict[str, dict[str, Any]]:
        """What was worked out with its unit, by symbol and by glossary name."""
        terms = self.asked.terms.items()
        given = {self.asked.terms[symbol].quantity for symbol in self.given}
        found = {name: value for name, value in self.trace.values.items() if name not in given}
        return _under_both_names(
            (symbol, term, values.from_base(found[term.quantity], term.unit))
            for symbol, term in terms
            if term.quantity in found
        )

    @property
    def data(self) -> dict[str, Any]:
        """The whole answer as JSON can hold it."""
        return {
            "formula": self.asked.id,
            "version": engine.__version__,
            "inputs": self.inputs,
            "outputs": self.outputs,
            **calculation(self.trace),
            "warnings": list(self.warnings),
        }


def _under_both_names(found: Iterable[tuple[str, Term, Any]]) -> dict[str, dict[str, Any]]:
    result = {}
    for symbol, term, value in found:
        # A share is a pure number; only screens show it in percent.
        unit = None if term.unit in WORDS else term.unit.replace("share", "1")
        result[symbol] = result[term.quantity] = {"value": plain(value), "unit": unit}
    return result


def answer(asked: Asked, raw: Mapping[str, Any]) -> Answer:
    """Everything that can be worked out; what is given wins over what could be.

    Parameters
    ----------
    asked : Asked
        An entry, or a formula alone.
    raw : mapping
        Values as typed or as numbers, by symbol (a trailing underscore is optional) or by glossary name, in the units of
        the entry.

    Raises
    ------
    InputError
        For a name that is unknown, a value outside the domain, or when nothing can be worked out.
    """
    terms = asked.terms
    given = _given(asked, raw)
    base = {terms[symbol].quantity: values.to_base(value, terms[symbol].unit) for symbol, value in given.items()}
    _keep_to_domain(asked, given, base)
    found = dict(base)
    steps: list[Any] = []  # a Step each, or an Event, which reads alike
    used: list[Formula] = []
    failed: list[RidgepointError] = []
    taken: set[str] = set()
    procedure = asked.procedure
    if procedure and found.keys() >= set(procedure.inputs) and not base.keys() >= set(procedure.gives):
        results, ran = procedure.run(found)
        plain(Vector(results.values()))
        found = results | found
        steps += ran
        taken.update(procedure.inputs)
    for formula in asked.formulas:
        if formula.gives in found or not found.keys() >= set(formula.inputs):
            continue
        try:
            found[formula.gives] = plain_number(formula, found)
        except RidgepointError as error:
            failed.append(error)
            continue
        steps.append(Step(formula, found))
        used.append(formula)
        taken.update(formula.inputs)
    if not steps:
        raise failed[0] if failed else _missing(asked, found)
    _keep_to_domain(asked, given, found)
    limits = _limits(asked, used, found)
    warnings = [limit.text for limit in limits if limit.state == OUTSIDE]
    warnings += [f"{error}." for error in failed]
    warnings += [
        f"{symbol} was given, but nothing that could be worked out takes it."
        for symbol in given
        if terms[symbol].quantity not in taken and not _is_result(asked, terms[symbol].quantity)
    ]
    return Answer(asked, given, Trace(found, tuple(steps), limits), tuple(warnings))


def plain_number(formula: Formula, found: Mapping[str, Any]) -> Any:
    """What a formula gives, or an error in words where that is not a number."""
    value = worked_out(formula, found)
    try:
        plain(value)
    except RidgepointError as error:
        taken = ", ".join(f"{name} = {found[name]!r}" for name in formula.inputs)
        raise RidgepointError(f"{formula.id} has no value for {taken} ({error})") from None
    return value


def _is_result(asked: Asked, name: str) -> bool:
    gives = [formula.gives for formula in asked.formulas]
    return name in gives or (asked.procedure is not None and name in asked.procedure.gives)


def _given(asked: Asked, raw: Mapping[str, Any]) -> dict[str, Any]:
    """The values by symbol, in the units of the entry."""
    names = {symbol: symbol for symbol in asked.terms}
    for symbol, term in asked.terms.items():
        names.setdefault(term.quantity, symbol)
    for symbol in asked.terms:
        for other in (symbol.rstrip("_"), symbol.rstrip("_") + "_"):
            names.setdefault(other, symbol)
    given: dict[str, Any] = {}
    by_quantity: dict[str, str] = {}
    for name, value in raw.items():
        if name not in names:
            known = ", ".join(f"{symbol} ({term.quantity})" for symbol, term in asked.terms.items())
            raise InputError(name, values.shortened(value), known, nearest(name, names), "there is no such input")
        term = asked.terms[names[name]]
        if term.quantity in by_quantity:
            hint = f"{term.quantity} was given as {by_quantity[term.quantity]} before."
            raise InputError(name, values.shortened(value), "each quantity once", hint)
        by_quantity[term.quantity] = name
        given[names[name]] = values.read(name, value, quantity(term.quantity), term.unit)
    return given


def _keep_to_domain(asked: Asked, given: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Refuse what is outside the domain, as far as the values found so far tell."""
    for limit in asked.domain:
        try:
            outside = state(limit, found) == OUTSIDE
        except (ZeroDivisionError, OverflowError, ValueError):
            outside = True
        if outside:
            symbols = [symbol for symbol, term in asked.terms.items() if term.quantity in limit.inputs]
            symbol = next((symbol for symbol in symbols if symbol in given), symbols[0])
            term = asked.terms[symbol]
            value = given.get(symbol, values.from_base(found[term.quantity], term.unit))
            hint = f"Try {symbol}={_typed(asked.example[symbol])}." if symbol in asked.example else f"Change {symbol}."
            raise InputError(symbol, values.shortened(plain(value)), limit.text.rstrip("."), hint)


def _limits(asked: Asked, used: Iterable[Formula], found: Mapping[str, Any]) -> tuple[LimitState, ...]:
    of_formulas = Plan((), tuple(used)).limits
    own = asked.procedure.limits if asked.procedure else ()
    tested = [*of_formulas, *((f"{asked.id}.{i}", limit.text, limit) for i, limit in enumerate((*own, *asked.domain)))]
    states = {text: LimitState(key, text, state(limit, found)) for key, text, limit in tested}
    for place, text in enumerate(asked.limits):
        states.setdefault(text, LimitState(f"{asked.id}.own.{place}", text, NOT_CHECKED))
    return tuple(states.values())


def _typed(value: Any) -> str:
    return values.shortened(str(plain(vector(value))).replace(" ", ""))


def _missing(asked: Asked, found: Mapping[str, Any]) -> RidgepointError:
    """What to give next, for the formula that lacks least."""
    called = {term.quantity: symbol for symbol, term in asked.terms.items()}
    wanted = [(f.gives, f.inputs) for f in asked.formulas if f.gives not in found]
    wanted += [(asked.procedure.gives[0], asked.procedure.inputs)] if asked.procedure else []
    if not wanted:
        return RidgepointError(f"{asked.id}: there is nothing to work out, every result was given. Leave one out.")
    gives, inputs = min(wanted, key=lambda pair: len(set(pair[1]) - found.keys()))
    missing = [name for name in inputs if name not in found]
    needs = ", ".join(f"{called[name]} ({name})" for name in missing)
    example = " ".join(f"{symbol}={_typed(value)}" for symbol, value in asked.example.items())
    hint = f"{asked.id} needs {needs} for {called[gives]}." + (f" Such as: {example}." if example else "")
    return InputError(called[missing[0]], None, "name=value for each", hint, "it is missing")
