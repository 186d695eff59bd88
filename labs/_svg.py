"""Small parts of SVG markup: tags, numbers, lines whose width does not stretch."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

UNSEEN = 0.05
"""A point that lies this near to the line between others is left out: a twentieth of a pixel."""
DASHES = {"solid": [], "dashed": [6], "dotted": [2, 4], "dotdash": [2, 4, 6, 4], "dashdot": [6, 4, 2, 4]}

Point = tuple[float, float]


def number(value: float) -> str:
    """A length to a hundredth of a pixel."""
    shown = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def percent(share: float) -> str:
    """A place as a share of the width."""
    return f"{100 * share:.3f}".rstrip("0").rstrip(".") + "%"


def tag(name: str, *content: str, **attributes: str | float | None) -> str:
    """An element. An underscore in an attribute's name is written as a hyphen, none as no attribute."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(value) if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(content)}</{name}>"


def stroke(
    shape: str,
    colour: str,
    width: float,
    *,
    dash: Any = None,
    alpha: float = 1,
    sharp: bool = False,
    join: str | None = None,
) -> str:
    """A line whose width stays as it is where its shape is stretched; a sharp one keeps to the grid of pixels."""
    return tag(
        "path",
        d=shape,
        fill="none",
        stroke=colour,
        stroke_width=width,
        stroke_dasharray=dashes(dash),
        stroke_opacity=None if alpha == 1 else alpha,
        stroke_linejoin=join,
        shape_rendering="crispEdges" if sharp else None,
        vector_effect="non-scaling-stroke",
    )


def dashes(dash: str | Sequence[float] | None) -> str | None:
    """Lengths of dashes, given as such or by the name that Bokeh has for them."""
    lengths = DASHES[dash] if isinstance(dash, str) else dash
    return " ".join(number(length) for length in lengths) if lengths else None


def polyline(points: Sequence[Point]) -> str:
    """The data of a path through points."""
    return "M" + " ".join(f"{number(x)} {number(y)}" for x, y in points)


def runs(*lines: Sequence[Point]) -> Iterator[tuple[list[Point], ...]]:
    """Lines over the same places, cut where one of them has none."""
    rows = zip(*lines, strict=True)
    for whole, together in groupby(rows, key=lambda row: all(math.isfinite(x + y) for x, y in row)):
        if whole:
            yield tuple(list(line) for line in zip(*together, strict=True))


def thin(points: list[Point]) -> list[Point]:
    """The points without those that nobody can see are missing (Douglas and Peucker)."""
    if len(points) < 3:
        return points
    first, last = points[0], points[-1]
    far, index = max((_distance(point, first, last), index) for index, point in enumerate(points[1:-1], 1))
    if far <= UNSEEN:
        return [first, last]
    return [*thin(points[: index + 1]), *thin(points[index:])[1:]]


def _distance(point: Point, first: Point, last: Point) -> float:
    along = (last[0] - first[0], last[1] - first[1])
    away = (point[0] - first[0], point[1] - first[1])
    length = math.hypot(*along)
    return abs(along[0] * away[1] - along[1] * away[0]) / length if length else math.hypot(*away)
