"""What a lab takes: numbers with a domain and a slider, and choices. Every value comes in through `parse`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine import text, units
from engine.errors import InputError, nearest

LONGEST_TEXT = 4000
"""Characters of a text input; an address must hold it."""

NONE = "none"
"""What may be given for a number that can be left open."""


@dataclass(frozen=True)
class Number:
    """A number that the reader sets.

    Attributes
    ----------
    name : str
        The name on the command line, in the address and in the glossary (unless `gives` says another).
    unit : str
        The unit in which the reader gives it.
    default, lower, upper : float
        In that unit; `lower_open` excludes the lower end itself. The domain in which the model means something.
    stops : tuple of float
        The values a slider stops at, a narrower range than the domain.
    gives : str, optional
        The glossary name that it sets, in base units.
    words : (str, str)
        One and many of what is counted, for "8 sequences".
    none : float, optional
        Where "none" may be given: the number in base units that means the same. It is the slider's last stop.
    """

    name: str
    label: str
    unit: str
    default: float | str
    lower: float
    upper: float
    stops: tuple[float | str, ...]
    help: str
    group: str
    lower_open: bool = False
    integer: bool = False
    gives: str = ""
    words: tuple[str, str] = ("", "")
    none: float | None = None

    @property
    def quantity(self) -> str:
        """The glossary name of the quantity that this input sets."""
        return self.gives or self.name

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        kind = "a whole number" if self.integer else "a number"
        unit = f" {self.unit}" if self.unit not in ("1", "count") and not self.words[0] else ""
        low, high = plain(self.lower), plain(self.upper)
        end = "" if self.none is None else f", or {NONE}"
        if self.lower_open:
            return f"{kind} above {low} and up to {high}{unit}{end}"
        upto = "" if math.isinf(self.upper) else f" to {high}"
        return f"{kind} from {low}{upto}{unit}{end}"

    @property
    def hint(self) -> str:
        """What to do when a value is refused."""
        return f"Leave it out for {plain(self.default)}."

    def parse(self, raw: Any) -> float | str:
        """The value of what was typed, in this input's unit; a whole float is an integer.

        Raises
        ------
        InputError
            When it is not a number of the domain.
        """
        if self.none is not None and str(raw).strip().lower() == NONE:
            return NONE
        value = number(raw)
        fits = value is not None and math.isfinite(value) and self.lower <= value <= self.upper
        if value is None or not fits or (self.lower_open and value == self.lower) or (self.integer and value % 1):
            raise InputError(self.name, raw, self.allowed, self.hint)
        return int(value) if value.is_integer() else value

    def data(self, value: float | str) -> float | str:
        """The value as reports have it."""
        return value

    def base(self, value: float | str) -> float:
        """The value in base units."""
        if isinstance(value, str):
            assert self.none is not None
            return self.none
        return units.unit(self.unit).to_base(value)

    def show(self, value: float | str) -> str:
        """The value in words, with its unit."""
        if isinstance(value, str):
            return value
        shown = text.digits(float(value), "count")
        unit = self.words[value != 1] or self.suffix
        return f"{shown}{text.NBSP}{unit}" if unit else shown

    @property
    def suffix(self) -> str:
        """The unit as it stands behind a number; empty for pure numbers."""
        return "" if self.unit in ("1", "count") else self.unit.replace("us", "µs")


@dataclass(frozen=True)
class Choice:
    """A value out of a list; `options` are (value, label) pairs, shown as a list to open or as buttons in a row."""

    name: str
    label: str
    default: str | int
    options: tuple[tuple[str | int, str], ...]
    help: str
    group: str
    style: str = "buttons"

    unit = None

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        return "one of " + ", ".join(str(value) for value, _ in self.options)

    @property
    def hint(self) -> str:
        """What to do when a value is refused."""
        return f"Leave it out for {self.default}."

    def parse(self, raw: Any) -> str | int:
        """The option that was meant; `8` and `8.0` mean the same option.

        Raises
        ------
        InputError
            When it is none of them.
        """
        value = number(raw)
        for option, _ in self.options:
            if option == (value if isinstance(option, int) else str(raw).strip()):
                return option
        near = nearest(str(raw), [str(option) for option, _ in self.options])
        raise InputError(self.name, raw, self.allowed, near or self.hint)

    def data(self, value: str | int) -> str | int:
        """The value as reports have it."""
        return value

    def show(self, value: str | int) -> str:
        """The option's label."""
        return dict(self.options)[value]


@dataclass(frozen=True)
class Text:
    """Something written in a small language of its own, such as the actions of a simulator; empty by default.

    Attributes
    ----------
    check : callable
        Takes what was typed, returns it in its usual form; raises InputError.
    allowed : str
        What may be written, in words.
    """

    name: str
    label: str
    allowed: str
    check: Callable[[str], str]
    help: str
    group: str
    default: str = ""

    unit = None
    hint = "Leave it out for nothing."

    def parse(self, raw: Any) -> str:
        """What was typed, in its usual form.

        Raises
        ------
        InputError
            When it cannot be read.
        """
        typed = str(raw).strip()
        if len(typed) > LONGEST_TEXT:
            raise InputError(self.name, f"{typed[:20]}…", f"at most {LONGEST_TEXT:,} characters", self.hint)
        return self.check(typed)

    def data(self, value: str) -> str | None:
        """The value as reports have it: nothing where nothing was written."""
        return value or None

    def show(self, value: str) -> str:
        """The text itself."""
        return value or NONE


Input = Number | Choice | Text


def number(raw: Any) -> float | None:
    """A number as people type it: digits, a point, an exponent, commas between thousands; else None."""
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int | float):
        try:
            return float(raw)
        except OverflowError:
            return None
    typed = str(raw).strip().replace(text.MINUS, "-")
    if re.fullmatch(r"[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?", typed):
        typed = typed.replace(",", "")
    return float(typed) if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", typed) else None


def plain(value: float | str) -> str:
    """A bound or default as people write it: 1,000,000 or 0.9."""
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if float(value).is_integer() else repr(value)


def octaves(first: int, last: int, steps: int) -> tuple[float, ...]:
    """Stops from `first` to `last`, a power of two times it, with `steps` even steps in each octave, whole numbers only.

    Every stop is exact, and so it is in any language: no power or logarithm is taken.
    """
    stops: list[float] = []
    low = first
    while low < last:
        stops += [low + low * step / steps for step in range(steps)]
        low *= 2
    return tuple(int(stop) for stop in [*stops, last] if float(stop).is_integer())


def evenly(first: int, last: int, divisor: int) -> tuple[float, ...]:
    """The stops first/divisor, (first + 1)/divisor, … last/divisor."""
    return tuple(stop // divisor if stop % divisor == 0 else stop / divisor for stop in range(first, last + 1))


def symbol(given: Input) -> str:
    """The glossary name whose symbol stands beside this input; empty for a choice without one."""
    return given.quantity if isinstance(given, Number) else ("tp" if given.name == "tp" else "")
