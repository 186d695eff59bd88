"""The special functions of the closed list in `ops`, on plain numbers; each loop is the same in `javascript.HELPERS`."""

from __future__ import annotations

import math

LONGEST_SUM = 2**20
"""Terms that a sum may have; more would keep a reader waiting."""
FIRST_TERMS = 256
"""So many terms of the harmonic series are added one by one; beyond, its expansion is exact to the last place."""
EULER = 0.57721566490153286061
BISECTIONS = 60


def terms(count: float) -> int:
    """So many terms as a whole number, or a ValueError where a loop over them would be too long."""
    if not 0 <= count <= LONGEST_SUM:
        raise ValueError(f"a sum has 0 to {LONGEST_SUM} terms, not {count:g}")
    return int(count)


def geometric_sum(alpha: float, last: float) -> float:
    """1 + alpha + … + alpha^last by Horner's rule, from the last power down."""
    total = 1.0
    for _ in range(terms(last)):
        total = total * alpha + 1.0
    return total


def geometric_root(value: float, last: float) -> float:
    """The least alpha in [0, 1] at which the geometric sum reaches `value`, by bisection; infinity where none does."""
    if value <= 1:
        return 0.0
    if value > last + 1:
        return math.inf
    below, above = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (below + above) / 2
        if geometric_sum(middle, last) < value:
            below = middle
        else:
            above = middle
    return above


def harmonic_number(count: float) -> float:
    """1 + 1/2 + … + 1/count, the small terms first."""
    if count <= FIRST_TERMS:
        total = 0.0
        for k in range(terms(count), 0, -1):
            total += 1 / k
        return total
    # Euler and Maclaurin's expansion; the next term, 1/(252 n^6), is below half a unit in the last place.
    square = count * count
    return math.log(count) + (EULER + (1 / (2 * count) - (1 / 12 - 1 / (120 * square)) / square))


def choose_ratio(kept: float, whole: float, drawn: float) -> float:
    """C(kept, drawn) / C(whole, drawn) as a product of ratios, so that no factorial overflows."""
    product = 1.0
    for i in range(terms(drawn)):
        product *= max(0.0, kept - i) / (whole - i)
    return product


def log_sum_exp(*values: float) -> float:
    """log of the sum of exponentials, all taken relative to the largest."""
    largest = max(values)
    if math.isinf(largest):
        return float(largest)
    total = 0.0
    for value in values:
        total += math.exp(value - largest)
    return largest + math.log(total)


# Wichura 1988, algorithm AS 241 (PPND16): numerators and denominators of rational functions, from the highest power
# down, for the middle, the near tails and the far tails.
MIDDLE = (
    (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
     13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608),
    (5226.495278852545925, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
     5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0),
)  # fmt: skip
NEAR = (
    (7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
     3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734),
    (1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
     0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0),
)  # fmt: skip
FAR = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
     0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772),
    (2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
     0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0),
)  # fmt: skip


def _rational(parts: tuple[tuple[float, ...], tuple[float, ...]], at: float) -> float:
    above, below = 0.0, 0.0
    for a, b in zip(*parts, strict=True):
        above, below = above * at + a, below * at + b
    return above / below


def normal_quantile(probability: float) -> float:
    """The standard normal quantile: minus infinity at 0, infinity at 1.

    Raises
    ------
    ValueError
        Outside 0 to 1.
    """
    if not 0 <= probability <= 1:
        raise ValueError(f"a probability is from 0 to 1, not {probability:g}")
    distance = probability - 0.5
    if abs(distance) <= 0.425:
        return distance * _rational(MIDDLE, 0.180625 - distance * distance)
    tail = probability if distance < 0 else 1 - probability
    if tail == 0:
        return math.copysign(math.inf, distance)
    root = math.sqrt(-math.log(tail))
    size = _rational(NEAR, root - 1.6) if root <= 5 else _rational(FAR, root - 5)
    return size if distance > 0 else -size
