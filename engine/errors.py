"""What can go wrong, said so that the reader can mend it."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class RidgepointError(ValueError):
    """Base of every error that this package raises on purpose."""


class UnitError(RidgepointError):
    """A unit that does not parse, or quantities whose dimensions do not fit together."""


class FormulaError(RidgepointError):
    """A formula that may not be: it branches, misspells a name, lacks source or limits, or yields the wrong unit."""


class FactError(RidgepointError):
    """A fact of the catalogue that is not a fact: no unit, no source, no date, an unknown key."""


class InputError(RidgepointError):
    """An input that cannot be used: names the input, the value, what is allowed and the next step.

    Attributes
    ----------
    name, value, allowed, hint : str
        The parts of the message, so that a page can place them beside the control; `problem` where the value is not it.
    """

    def __init__(self, name: str, value: object, allowed: str, hint: str = "", problem: str = "") -> None:
        self.name, self.value, self.allowed, self.hint = name, value, allowed, hint
        problem = problem or f"“{value}” is not allowed"
        super().__init__(f"{name}: {problem}. Allowed: {allowed}.{' ' + hint if hint else ''}")


def nearest(name: str, known: Iterable[str]) -> str:
    """A sentence that offers the nearest known name, or nothing when none is near."""
    names = list(known)
    close = get_close_matches(name, names, 1) or get_close_matches(name.lower(), names, 1, 0.5)
    return f"Did you mean {close[0]}?" if close else ""
