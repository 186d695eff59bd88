"""A figure as plain markup: what a page shows at its first paint, before BokehJS draws the same figure in its place.

Curves are stretched to the width of the page and all else stands at a share of it, so one picture serves every width.
It needs no script and no style attribute: colours are the page's custom properties, named by the models' tags
`role:NAME` as they are for the page's scripts, and the little layout there is stands in the page's styles.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any, ClassVar

from bokeh.models import Axis, Column, GlyphRenderer, Grid, Label, Line, Model, Plot, Scatter, Span, Text, VArea

from labs._axes import Ticks, column, font, room, scale, ticks
from labs._svg import Point, dashes, number, percent, polyline, runs, stroke, tag, thin

WIDE = 1000
"""Width of a frame in the units of what is stretched."""
HALF = "translate(.5 .5)"
"""BokehJS draws half a pixel lower and further right than it computes, for sharp lines."""
ANCHORS = {"left": None, "center": "middle", "right": "end"}
LOOK = ("font", "font_size", "font_style", "align", "baseline")
INK, GRID = "var(--ink)", "var(--grid)"

Piece = tuple[bool, str]
"""Markup inside a frame, and whether it is stretched."""


def stretched(markup: str) -> Piece:
    return True, markup


def placed(markup: str) -> Piece:
    return False, markup


def picture(figure: Column) -> str:
    """The figure's plots, one below the other. A model that it cannot draw is an error: a picture is whole or not there."""
    last = figure.children[-1]
    plots = [
        _Drawing(plot, f"picture-{index}").markup(0 if plot is last else figure.spacing)
        for index, plot in enumerate(figure.children, 1)
    ]
    # Not read out: the sentence below the figure and its table say the same.
    return tag("div", *plots, class_="drawn", aria_hidden="true")


class _Drawing:
    """One plot: its frame, and what is drawn in and around it."""

    def __init__(self, plot: Plot, name: str) -> None:
        if plot.above or plot.right or len(plot.below) != 1 or len(plot.left) != 1:
            raise NotImplementedError("a plot with other axes than one below and one on the left")
        self.plot, self.name = plot, name
        self.x, self.y = scale(plot, True), scale(plot, False)
        (self.below,), (self.left,) = plot.below, plot.left
        self.below_ticks, self.left_ticks = ticks(self.below, self.x), ticks(self.left, self.y)
        self.below_room = room(self.below, self.below_ticks, True)
        self.left_room = room(self.left, self.left_ticks, False)
        written = font(plot.title.text_font_size)
        self.top = self._margin("top", written.ascent + written.descent + plot.title.standoff if plot.title.text else 0)
        self.edge = self._margin("left", self.left_room.whole)
        self.height = plot.height - self.top - self._margin("bottom", self.below_room.whole)

    def _margin(self, side: str, taken: float) -> float:
        least = getattr(self.plot, f"min_border_{side}")
        return max(taken, self.plot.min_border or 0 if least is None else least)

    def markup(self, gap: float) -> str:
        """The plot with a gap below it: a box for the vertical axis, the frame, and a box for what is left free."""
        height = self.plot.height + gap
        return tag(
            "div",
            tag("svg", tag("g", *self._beside(), transform=HALF), width=self.edge, height=height),
            tag("svg", tag("g", *self._frame(), *self._around(), transform=HALF), class_="drawn-frame", height=height),
            tag("svg", width=self._margin("right", 0), height=height),
            class_="drawn-plot",
        )

    def _across(self, value: float) -> float:
        return WIDE * self.x.at(value)

    def _down(self, value: float) -> float:
        return self.height * (1 - self.y.at(value))

    def _points(self, renderer: GlyphRenderer, name: str) -> list[Point]:
        places = zip(column(renderer, "x"), column(renderer, name), strict=True)
        return [(self._across(x), self._down(y)) for x, y in places]

    # Inside the frame

    def _frame(self) -> Iterator[str]:
        """Runs of what is stretched and of what is not, in the order in which they cover each other."""
        for wide, pieces in groupby(self._pieces(), key=lambda piece: piece[0]):
            box = {"viewBox": f"0 0 {WIDE} {number(self.height)}", "preserveAspectRatio": "none"} if wide else {}
            yield tag("svg", *(markup for _, markup in pieces), y=self.top, width="100%", height=self.height, **box)

    def _pieces(self) -> Iterator[Piece]:
        grids = [model for model in self.plot.center if isinstance(model, Grid)]
        notes = [model for model in self.plot.center if not isinstance(model, Grid)]
        for model in [*grids, *self.plot.renderers, *notes]:
            if model.visible:
                kind = type(model.glyph if isinstance(model, GlyphRenderer) else model)
                if kind not in self.DRAWN:
                    raise NotImplementedError(f"a picture of {kind.__name__}")
                if not isinstance(model, GlyphRenderer) or column(model, "x"):
                    yield from self.DRAWN[kind](self, model)

    def _grid(self, grid: Grid) -> Iterator[Piece]:
        if grid.grid_line_color:
            if grid.dimension == 1:
                lines = [f"M0 {_pixel(self._down(place))}H{WIDE}" for place in self.left_ticks.major]
            else:
                lines = [f"M{number(self._across(v))} 0V{number(self.height)}" for v in self.below_ticks.major]
            yield stretched(
                stroke("".join(lines), GRID, grid.grid_line_width, alpha=grid.grid_line_alpha, sharp=True),
            )

    def _line(self, renderer: GlyphRenderer) -> Iterator[Piece]:
        glyph = renderer.glyph
        shape = "".join(polyline(thin(points)) for (points,) in runs(self._points(renderer, "y")))
        look = {"dash": glyph.line_dash, "alpha": glyph.line_alpha, "join": glyph.line_join}
        yield stretched(stroke(shape, _colour(glyph, "line_color"), glyph.line_width, **look))

    def _area(self, renderer: GlyphRenderer) -> Iterator[Piece]:
        glyph = renderer.glyph
        between = runs(self._points(renderer, "y1"), self._points(renderer, "y2"))
        shape = "".join(polyline([*thin(first), *reversed(thin(second))]) + "Z" for first, second in between)
        hatch = column(renderer, "hatch_pattern")[0]
        name = f"{self.name}-{self.plot.renderers.index(renderer)}" if hatch else None
        fill = _colour(glyph, "fill_color")
        yield stretched(tag("path", id=name, d=shape, fill=fill, fill_opacity=glyph.fill_alpha))
        if name:
            yield placed(self._hatch(renderer, name))

    def _hatch(self, renderer: GlyphRenderer, name: str) -> str:
        """The hatching of an area: a rectangle of it that is cut to the area, as stretching would spread the lines."""
        pattern, alpha, size = (column(renderer, f"hatch_{what}")[0] for what in ("pattern", "alpha", "scale"))
        if pattern != "/":
            raise NotImplementedError(f"the hatching {pattern!r}")
        colour, whole, quarter = _colour(renderer.glyph, "hatch_color"), number(size), size / 4
        # BokehJS draws the first of its three lines three times, the second twice.
        lines = [
            tag(
                "path",
                d=f"M{number(at * quarter + 0.5)} {whole}l{number(2 * quarter)}-{whole}",
                stroke=colour,
                stroke_opacity=1 - (1 - alpha) ** times,
            )
            for at, times in ((-1, 3), (1, 2), (3, 1))
        ]
        # Its pattern begins where the whole plot does.
        start = {"x": -self.edge % size, "y": -self.top % size, "patternUnits": "userSpaceOnUse"}
        area = tag("use", href=f"#{name}", transform=f"scale({1 / WIDE:g} {1 / self.height:.6f})")
        return (
            tag("pattern", *lines, id=f"{name}-hatch", width=size, height=size, **start)
            + tag("clipPath", area, id=f"{name}-cut", clipPathUnits="objectBoundingBox")
            + tag("rect", width="100%", height=self.height, fill=f"url(#{name}-hatch)", clip_path=f"url(#{name}-cut)")
        )

    def _dots(self, renderer: GlyphRenderer) -> Iterator[Piece]:
        """Dots, each filled as far as its column says: without a fill it is a ring."""
        looks = zip(*(column(renderer, name) for name in ("marker", "size", "fill_alpha")), strict=True)
        dots = [
            _dot(x, y, *look)
            for (x, y), look in zip(self._points(renderer, "y"), looks, strict=True)
            if math.isfinite(x + y)
        ]
        yield placed(
            tag(
                "g",
                *dots,
                fill=_colour(renderer.glyph, "fill_color"),
                stroke=_colour(renderer.glyph, "line_color"),
                stroke_width=column(renderer, "line_width")[0],
                stroke_dasharray=dashes(column(renderer, "line_dash")[0]),
            )
        )

    def _texts(self, renderer: GlyphRenderer) -> Iterator[Piece]:
        names = ("text", "x_offset", "y_offset", *(f"text_{what}" for what in LOOK))
        rows = zip(*(column(renderer, name) for name in names), strict=True)
        colour = _colour(renderer.glyph, "text_color")
        for (x, y), (words, right, lower, *look) in zip(self._points(renderer, "y"), rows, strict=True):
            if math.isfinite(x + y):
                yield placed(_words(words, _share(x, right), y + lower, colour, look))

    def _span(self, span: Span) -> Iterator[Piece]:
        if span.location is None:
            return
        ends: dict[str, str | float]
        if span.dimension == "height":
            place = percent(self.x.at(span.location))
            ends = {"x1": place, "x2": place, "y2": self.height}
        else:
            y = self._down(span.location)
            ends = {"x2": "100%", "y1": y, "y2": y}
        look = {"stroke_width": span.line_width, "stroke_dasharray": dashes(span.line_dash)}
        yield placed(tag("line", stroke=_colour(span, "line_color"), **look, **ends))

    def _label(self, label: Label) -> Iterator[Piece]:
        if label.x_units != "data":
            raise NotImplementedError("a label that does not stand at a place of the horizontal axis")
        x = self._across(label.x)
        y = self._down(label.y) if label.y_units == "data" else self.height - label.y
        look = _look(label, "text")
        words = _words(label.text, _share(x, label.x_offset), y - label.y_offset, _colour(label, "text_color"), look)
        yield placed(words)

    DRAWN: ClassVar[dict[type[Model], Callable[[_Drawing, Any], Iterator[Piece]]]] = {
        Grid: _grid,
        Line: _line,
        VArea: _area,
        Scatter: _dots,
        Text: _texts,
        Span: _span,
        Label: _label,
    }

    # Around the frame

    def _around(self) -> Iterator[str]:
        """The title and the horizontal axis."""
        title, axis, space = self.plot.title, self.below, self.below_room
        if title.text:
            at = {"left": 0, "center": WIDE / 2, "right": WIDE}[title.align]
            look = [*_look(title, "text")[:3], title.align, "bottom"]
            yield _words(title.text, _share(at), self.top - title.standoff / 2, INK, look)
        foot = self.top + self.height
        box = {"width": "100%", "height": 1, "viewBox": f"0 0 {WIDE} 1", "preserveAspectRatio": "none"}
        lines = _tick_lines(
            axis,
            self.below_ticks,
            f"M0 0H{WIDE}",
            lambda value, inner, outer: f"M{number(self._across(value))} {number(-inner)}V{number(outer)}",
        )
        yield tag("svg", *lines, y=foot, overflow="visible", **box)
        y = foot + space.ticks + axis.major_label_standoff
        look = [*_look(axis, "major_label_text")[:3], "center", "top"]
        for value, words in zip(self.below_ticks.major, self.below_ticks.labels, strict=True):
            yield _words(words, _share(self._across(value)), y, INK, look)
        if axis.axis_label:
            y = foot + space.ticks + space.labels + axis.axis_label_standoff
            look = [*_look(axis, "axis_label_text")[:3], "center", "top"]
            yield _words(axis.axis_label, _share(WIDE / 2), y, INK, look)

    def _beside(self) -> Iterator[str]:
        """The vertical axis, in a box that ends where the frame begins."""
        axis, space, edge = self.left, self.left_room, self.edge
        yield from _tick_lines(
            axis,
            self.left_ticks,
            f"M{number(edge)} {number(self.top)}v{number(self.height)}",
            lambda value, inner, outer: (
                f"M{number(edge + inner)} {_pixel(self.top + self._down(value))}H{number(edge - outer)}"
            ),
        )
        x = edge - space.ticks - axis.major_label_standoff
        look = [*_look(axis, "major_label_text")[:3], "right", "middle"]
        for value, words in zip(self.left_ticks.major, self.left_ticks.labels, strict=True):
            yield _words(words, {"x": x}, self.top + self._down(value), INK, look)
        if axis.axis_label:
            x = edge - space.ticks - space.labels - axis.axis_label_standoff
            look = [*_look(axis, "axis_label_text")[:3], "center", "bottom"]
            turned = f"translate({number(x)} {number(self.top + self.height / 2)})rotate(-90)"
            yield tag("g", _words(axis.axis_label, {}, 0, INK, look), transform=turned)


def _tick_lines(axis: Axis, there: Ticks, rule: str, line: Callable[[float, float, float], str]) -> Iterator[str]:
    """The line of an axis and its ticks, as far as they have a colour."""
    if axis.axis_line_color:
        yield stroke(rule, INK, axis.axis_line_width, sharp=True)
    for kind, values in (("major", there.major), ("minor", there.minor)):
        if getattr(axis, f"{kind}_tick_line_color"):
            inner, outer = getattr(axis, f"{kind}_tick_in"), getattr(axis, f"{kind}_tick_out")
            shape = "".join(line(value, inner, outer) for value in dict.fromkeys(values))
            yield stroke(shape, INK, getattr(axis, f"{kind}_tick_line_width"), sharp=True)


def _dot(x: float, y: float, marker: str, size: float, alpha: float) -> str:
    at = percent(x / WIDE)
    if marker == "circle":
        return tag("circle", cx=at, cy=y, r=size / 2, fill_opacity=None if alpha == 1 else float(alpha))
    if marker == "x":
        arm = number(size / 2 * math.sqrt(0.5))
        return tag(
            "svg", tag("path", d=f"M-{arm}-{arm}L{arm} {arm}M-{arm} {arm}L{arm}-{arm}"), x=at, y=y, overflow="visible"
        )
    raise NotImplementedError(f"the marker {marker!r}")


def _share(x: float, right: float = 0) -> dict[str, str | float | None]:
    """A place of the frame, and how many pixels to the right of it."""
    return {"x": percent(x / WIDE), "dx": right or None}


def _look(model: Model, prefix: str) -> list[str]:
    return [getattr(model, f"{prefix}_{what}", "") for what in LOOK]


def _words(words: str, at: dict[str, Any], y: float, colour: str, look: Iterable[str]) -> str:
    family, size, style, align, baseline = look
    written = font(size)
    up, down = written.body(words)
    return tag(
        "text",
        html.escape(words, quote=False),
        **at,
        y=y + {"top": up, "middle": (up - down) / 2, "bottom": -down}[baseline],
        fill=colour,
        font_family=family,
        font_size=written.size,
        font_weight="bold" if "bold" in style else None,
        font_style="italic" if "italic" in style else None,
        text_anchor=ANCHORS[align],
    )


def _colour(model: Model, name: str) -> str:
    """A colour of a model: its role's in the page, else the literal one."""
    for given in model.tags:
        if isinstance(given, str) and given.startswith("role:"):
            return f"var(--{given.removeprefix('role:')})"
    found = getattr(model, name)
    return str(getattr(found, "value", found) or "none")


def _pixel(y: float) -> int:
    """The line of pixels on which BokehJS draws."""
    return math.floor(y + 0.5)
