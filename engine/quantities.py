"""The glossary: every name that a formula may take or give, with one symbol, one unit and one meaning.

A symbol is written as plain text, `t_HBM` for a letter with an index. Two quantities that can stand on one page have
two symbols.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine import units
from engine.errors import FormulaError, nearest


@dataclass(frozen=True)
class Quantity:
    """One entry: `unit` is the base unit of every value inside the engine; `label` stands beside a number on screen.

    `depth` is 0 for a number, 1 for a list of numbers, 2 for a list of lists. The symbol of a list ends in the index i.
    """

    name: str
    symbol: str
    unit: str
    label: str
    meaning: str
    depth: int = 0

    @property
    def dimension(self) -> units.Dimension:
        return units.unit(self.unit).dimension


GLOSSARY: dict[str, Quantity] = {}


def define(name: str, symbol: str, unit: str, label: str, meaning: str, depth: int = 0) -> None:
    """Enter a quantity; a name or unit that is already or not at all known is an error."""
    if name in GLOSSARY:
        raise FormulaError(f"the glossary has {name!r} already")
    units.unit(unit)
    GLOSSARY[name] = Quantity(name, symbol, unit, label, meaning, depth)


def quantity(name: str) -> Quantity:
    """The entry `name`; a misspelt name is told the nearest right one."""
    if name not in GLOSSARY:
        raise FormulaError(f"{name!r} is not in the glossary. {nearest(name, GLOSSARY)}".rstrip())
    return GLOSSARY[name]
