"""Units and dimensions: the only place where 1e9, 1024 or 3600 appear.

Inside, every value is a plain float or array in base units (second, byte, FLOP, currency, and counts). Outside, a value
carries its unit as text and is converted here, once. A *base dimension* is checked in full. A *count* (token, sequence,
parameter, block, request) is a label: it must match in sums, comparisons and below the line, but a quantity that has a
base dimension may drop a count above the line, since the FLOP of eight sequences are just FLOP.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from engine.errors import UnitError, nearest

BASES = ("s", "B", "FLOP", "USD")
COUNTS = ("token", "sequence", "parameter", "block", "request")
PURE_COUNTS = (
    "row", "px", "nat", "rad", "decade", "probability", "step", "kernel", "rank", "replica", "gpu", "expert", "adapter",
    "turn", "frame", "image", "vector", "commit", "index",
)  # fmt: skip
"""What is counted, or has no dimension, and needs no label of its own: the word says what the number is about."""
WORDS = ("flag", "word")
"""Units of values that are no numbers: a truth value and a name."""


@dataclass(frozen=True)
class Dimension:
    """Powers of bases and counts, e.g. {"B": 1, "token": -1}; zero powers are never stored."""

    powers: tuple[tuple[str, float], ...] = ()

    @classmethod
    def of(cls, powers: Mapping[str, float]) -> Dimension:
        return cls(tuple(sorted((name, power) for name, power in powers.items() if power)))

    def times(self, other: Dimension, power: float = 1) -> Dimension:
        """This dimension multiplied by `other` raised to `power`."""
        powers = dict(self.powers)
        for name, exponent in other.powers:
            powers[name] = powers.get(name, 0) + exponent * power
        return Dimension.of(powers)

    @property
    def bases(self) -> dict[str, float]:
        return {name: power for name, power in self.powers if name not in COUNTS}

    @property
    def counts(self) -> dict[str, float]:
        return {name: power for name, power in self.powers if name in COUNTS}

    def gives(self, declared: Dimension) -> bool:
        """Whether a body of this dimension may be declared as `declared` (see the module's rule on counts)."""
        if self.bases != declared.bases:
            return False
        mine, wanted = self.counts, declared.counts
        return all(
            mine.get(name, 0) == wanted.get(name, 0) or (bool(declared.bases) and name not in wanted and mine[name] > 0)
            for name in {*mine, *wanted}
        )

    def __str__(self) -> str:
        above = [f"{n}^{p:g}" if p != 1 else n for n, p in self.powers if p > 0]
        below = [f"{n}^{-p:g}" if p != -1 else n for n, p in self.powers if p < 0]
        return (" ".join(above) or "1") + "".join(f"/{b}" for b in below)


@dataclass(frozen=True)
class Unit:
    """A unit as written, its dimension, and how many base units it holds."""

    text: str
    dimension: Dimension
    factor: float

    def to_base(self, value: float) -> float:
        """`value` of this unit in base units."""
        return value * self.factor

    def from_base(self, value: float) -> float:
        """A value in base units as a number of this unit."""
        return value / self.factor


def _atoms() -> dict[str, tuple[str | None, float, int]]:
    decimal = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
    binary = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
    atoms: dict[str, tuple[str | None, float]] = {name: (name, 1.0) for name in BASES + COUNTS + WORDS}
    atoms |= {"ms": ("s", 1e-3), "us": ("s", 1e-6), "µs": ("s", 1e-6), "ns": ("s", 1e-9), "ps": ("s", 1e-12)}
    atoms |= {"min": ("s", 60.0), "h": ("s", 3600.0), "day": ("s", 86400.0), "week": ("s", 604800.0)}
    atoms |= {f"{prefix}B": ("B", factor) for prefix, factor in (decimal | binary).items()}
    atoms |= {f"{prefix}bit": ("B", factor / 8) for prefix, factor in ({"": 1.0} | decimal).items()}
    atoms |= {f"{prefix}FLOP": ("FLOP", factor) for prefix, factor in decimal.items()}
    atoms |= {f"{prefix}token": ("token", decimal[prefix]) for prefix in ("k", "M")}
    # Pure numbers: what is counted needs no label where nothing can be mixed up with it.
    # A share of a whole is a pure number that is shown in percent.
    atoms["%"] = (None, 0.01)
    atoms |= dict.fromkeys(("1", "share", "count", "element", "layer", "head", *PURE_COUNTS), (None, 1.0))
    # A bus's data sheet states its transfers a second in GT/s.
    atoms |= {"thousand": (None, 1e3), "GT": (None, 1e9)}
    # A pair is a new token that attends to an earlier one: two tokens multiplied.
    return {name: (*entry, 1) for name, entry in atoms.items()} | {"pair": ("token", 1.0, 2)}


ATOMS = _atoms()


@cache
def unit(text: str) -> Unit:
    """The unit written as `text`: atoms joined by a space or `*`, powers by `^`, each `/` divides by the next atom.

    Raises
    ------
    UnitError
        For anything that is not a known unit: a bare "G" and "KB" are refused, since they mean two things.
    """
    if not text.strip():
        raise UnitError("an empty text is not a unit; write '1' for a pure number")
    dimension, factor = Dimension(), 1.0
    terms = re.split(r"(\s*[/*]\s*|\s+)", text.strip())
    for sign, term in zip(["*", *terms[1::2]], terms[::2], strict=True):
        name, hat, exponent = term.partition("^")
        if name not in ATOMS or (hat and not re.fullmatch(r"-?[1-9]", exponent)):
            raise UnitError(f"{text!r} is not a unit: {term!r} is unknown. {nearest(name, ATOMS)}".rstrip())
        power = int(exponent or 1) * (-1 if "/" in sign else 1)
        base, scale, own = ATOMS[name]
        if base is not None:
            dimension = dimension.times(Dimension.of({base: 1}), power * own)
        factor *= scale**power
    return Unit(text, dimension, factor)


def convert(value: float, source: str, target: str) -> float:
    """`value` given in unit `source`, in unit `target`; both must measure the same thing."""
    a, b = unit(source), unit(target)
    if a.dimension != b.dimension:
        raise UnitError(f"{source} measures {a.dimension}, {target} measures {b.dimension}: not convertible")
    return value * a.factor / b.factor
