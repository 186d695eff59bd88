"""A formula asked alone, by the glossary's symbols and in base units, where the atlas has no entry for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.atlas.entry import Term
from engine.formula import Formula, Limit
from engine.quantities import quantity


@dataclass(frozen=True)
class Lone:
    """A formula as something that can be asked."""

    formula: Formula
    procedure: None = None
    domain: tuple[Limit, ...] = ()
    limits: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return self.formula.id

    @property
    def title(self) -> str:
        return self.formula.doc

    @property
    def formulas(self) -> tuple[Formula, ...]:
        return (self.formula,)

    @property
    def example(self) -> Mapping[str, Any]:
        return {}

    @property
    def terms(self) -> dict[str, Term]:
        names = dict.fromkeys((*self.formula.inputs, self.formula.gives))
        return {quantity(name).symbol: Term(name, quantity(name).unit) for name in names}
