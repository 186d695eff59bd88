"""What an entry of the atlas is: a calculator, a fact or a rule, with its formulas, symbols, example, limits and sources."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any

import engine
from engine.atlas.answer import Answer, answer
from engine.atlas.topics import TOPICS
from engine.errors import FormulaError, nearest
from engine.formula import Formula, Limit, Source
from engine.procedure import Procedure
from engine.quantities import quantity
from engine.trace import NOT_CHECKED, Plan
from engine.units import unit

KINDS = ("calculator", "fact", "rule")


@dataclass(frozen=True)
class Term:
    """What a symbol of an entry stands for: a glossary name, and the unit in which the command line and page have it."""

    quantity: str
    unit: str


@dataclass(frozen=True)
class Quoted:
    """Where a published sheet has the entry: the sheet and its section."""

    sheet: str
    section: str


@dataclass(frozen=True)
class Stated:
    """A number or word of the field as somebody states it: of a fact, or beside a formula.

    `value` is as stated, such as `0.92` or `"below 70–80"`; `changes` marks what moves with a vendor or release.
    """

    name: str
    value: str | float
    unit: str
    context: str
    source: Source
    changes: bool = False


@dataclass(frozen=True)
class Disputed:
    """A published figure that we could not reproduce: what was quoted, what we get, and why they differ."""

    quantity: str
    quoted: str
    unit: str
    inputs: Mapping[str, Any]
    why: str


@dataclass(frozen=True)
class Entry:
    """One entry.

    Attributes
    ----------
    symbols : mapping
        The entry's own ASCII symbols to glossary names: `"kappa": "draft_length"`, or with the unit in which the entry
        has it, `"beta": ("hbm_bandwidth", "GB/s")`. Inputs first, then results in the order of the formulas.
    formulas : tuple of Formula
        In the order of reading; a later one may take what an earlier one gives.
    procedure : Procedure, optional
        What comes before the formulas where the entry runs over lists step by step.
    example : mapping
        Inputs by symbol, in the units of `symbols`, that the page shows first.
    domain : tuple of Limit
        What inputs must keep to, each with a test: outside it an answer is refused with the limit's sentence.
    limits : tuple of str
        Sentences beside those of the formulas: what the entry as a whole takes for granted.
    source : Source, optional
        Where an entry without a formula comes from.
    """

    id: str
    title: str
    topic: str
    kind: str
    symbols: Mapping[str, str | tuple[str, str]] = field(default_factory=dict)
    formulas: tuple[Formula, ...] = ()
    example: Mapping[str, Any] = field(default_factory=dict)
    domain: tuple[Limit, ...] = ()
    limits: tuple[str, ...] = ()
    quoted: tuple[Quoted, ...] = ()
    facts: tuple[Stated, ...] = ()
    disputed: tuple[Disputed, ...] = ()
    related: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    source: Source | None = None
    changes: bool = False
    procedure: Procedure | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise FormulaError(f"atlas {self.id}: {self.kind!r} is none of {', '.join(KINDS)}")
        if self.topic not in TOPICS:
            raise FormulaError(f"atlas {self.id}: {self.topic!r} is no topic. {nearest(self.topic, TOPICS)}".rstrip())
        calculates = bool(self.formulas or self.procedure)
        if not calculates and self.source is None and not self.facts:
            raise FormulaError(f"atlas {self.id}: an entry without formulas needs a source")
        if not calculates and not self.limits and self.kind != "fact":
            raise FormulaError(f"atlas {self.id}: an entry without formulas needs its limits")
        named = {term.quantity for term in self.terms.values()}
        used = {name for step in self.formulas for name in (*step.inputs, step.gives)}
        if self.procedure:
            used.update(self.procedure.inputs, self.procedure.gives)
        if named != used:
            raise FormulaError(f"atlas {self.id}: symbols and formulas differ in {', '.join(sorted(named ^ used))}")
        if unknown := set(self.example) - set(self.terms):
            raise FormulaError(f"atlas {self.id}: the example has unknown symbols {', '.join(sorted(unknown))}")

    @property
    def terms(self) -> dict[str, Term]:
        """Every symbol with what it stands for."""
        result = {}
        for symbol, stands in self.symbols.items():
            name, shown = (stands, quantity(stands).unit) if isinstance(stands, str) else stands
            if unit(shown).dimension != quantity(name).dimension:
                raise FormulaError(
                    f"atlas {self.id}: {symbol} is shown in {shown}, but {name} is in {quantity(name).unit}"
                )
            result[symbol] = Term(name, shown)
        return result

    @property
    def gives(self) -> tuple[str, ...]:
        """Glossary names of the results."""
        first = self.procedure.gives if self.procedure else ()
        return (*first, *(step.gives for step in self.formulas))

    def answer(self, given: Mapping[str, Any]) -> Answer:
        """Everything that can be worked out from values by symbol or glossary name, in the entry's units."""
        return answer(self, given)

    @property
    def stated(self) -> dict[str, Any]:
        """What is stated where nothing is worked out, as JSON can hold it."""
        facts = [
            {"name": fact.name, "value": fact.value, "unit": fact.unit, "context": fact.context,
             "source": fact.source.text, "checked": fact.source.checked}
            for fact in self.facts
        ]  # fmt: skip
        limits = [{"text": text, "state": NOT_CHECKED} for text in self.limits]
        return {"formula": self.id, "version": engine.__version__, "inputs": {}, "outputs": {}, "trace": [],
                "limits": limits, "warnings": [], "facts": facts}  # fmt: skip

    def plan(self, given: Set[str]) -> Plan:
        """What can be worked out from these glossary names: a given value wins over a worked out one."""
        known = set(given)
        steps = []
        for step in self.formulas:
            if step.gives not in known and known.issuperset(step.inputs):
                steps.append(step)
                known.add(step.gives)
        return Plan(tuple(step.gives for step in steps), tuple(steps))
