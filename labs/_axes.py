"""Axes as BokehJS lays them out: where a range ends, where ticks stand, what they say and how much room they take.

A picture drawn without BokehJS must not move when BokehJS takes its place, so these follow its rules, not one's taste.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from bokeh.core.property.vectorization import Field
from bokeh.models import (
    Axis,
    BasicTickFormatter,
    ContinuousTicker,
    DataRange1d,
    FixedTicker,
    GlyphRenderer,
    LogScale,
    LogTicker,
    LogTickFormatter,
    Plot,
)

DIGIT = 0.556
"""Width of a digit of Helvetica and its metric twins, in font sizes."""
PADDING = 3
"""Room that BokehJS leaves beside the words of an axis, in pixels."""


@dataclass(frozen=True)
class Font:
    """A size of Helvetica: what lies above and below the baseline, and how high a capital is, in whole pixels."""

    size: float

    @property
    def ascent(self) -> int:
        return round(0.905 * self.size)

    @property
    def descent(self) -> int:
        return round(0.212 * self.size)

    @property
    def capital(self) -> int:
        return math.ceil(0.688 * self.size)

    def body(self, words: str) -> tuple[int, int]:
        """What counts as the text's height, above and below the baseline: numbers have no descenders."""
        return (self.capital, 0) if set(words) <= set("0123456789,.+-−e") else (self.ascent, self.descent)


def font(size: str) -> Font:
    """The font of a model's size, which must be in pixels."""
    return Font(float(size.removesuffix("px")))


@dataclass(frozen=True)
class Scale:
    """One direction of a plot's frame."""

    start: float
    end: float
    log: bool

    def at(self, value: float) -> float:
        """Where a value is, from 0 at the start to 1 at the end; not a number where the axis has no place for it."""
        if not math.isfinite(value) or (self.log and value <= 0):
            return math.nan
        if self.log:
            return math.log(value / self.start) / math.log(self.end / self.start)
        return (value - self.start) / (self.end - self.start)


def column(renderer: GlyphRenderer, name: str) -> list[Any]:
    """A property of a glyph for every point of its source, whether it is one value for all or a column."""
    data = renderer.data_source.data
    count = min((len(values) for values in data.values()), default=0)
    glyph = renderer.glyph
    found = glyph.lookup(name).get_value(glyph)
    return list(data[found.field]) if isinstance(found, Field) else [getattr(found, "value", found)] * count


def scale(plot: Plot, across: bool) -> Scale:
    """The horizontal scale of a plot, or the vertical one."""
    bounds = plot.x_range if across else plot.y_range
    log = isinstance(plot.x_scale if across else plot.y_scale, LogScale)
    data = isinstance(bounds, DataRange1d)
    start, end = _data_range(plot, bounds, across, log) if data else (bounds.start, bounds.end)
    return Scale(float(start), float(end), log)


def _data_range(plot: Plot, bounds: DataRange1d, across: bool, log: bool) -> tuple[float, float]:
    values = list(_values(plot, bounds, across, log))
    if not values:
        raise ValueError(f"nothing to show on the {'horizontal' if across else 'vertical'} axis of “{plot.title.text}”")
    low, high = ((math.log10(v) if log else v) for v in (min(values), max(values)))
    span = (high - low) * (1 + bounds.range_padding) if high > low else bounds.default_span + 0.001 * log
    ends = ((low + high - span) / 2, (low + high + span) / 2)
    return (10 ** ends[0], 10 ** ends[1]) if log else ends


def _values(plot: Plot, bounds: DataRange1d, across: bool, log: bool) -> Iterator[float]:
    renderers = plot.renderers if bounds.renderers in ("auto", []) else bounds.renderers
    for renderer in renderers:
        properties = renderer.glyph.properties()
        for name in ("x",) if across else ("y", "y1", "y2"):
            if name in properties and (renderer.visible or not bounds.only_visible):
                yield from (v for v in column(renderer, name) if math.isfinite(v) and (v > 0 or not log))


@dataclass(frozen=True)
class Ticks:
    """The places of the ticks of an axis, and what stands at the major ones."""

    major: list[float]
    minor: list[float]
    labels: list[str]


def ticks(axis: Axis, along: Scale) -> Ticks:
    """The ticks of an axis, with their labels."""
    low, high = along.start, along.end
    if isinstance(axis.ticker, FixedTicker):
        major, minor = list(axis.ticker.ticks), list(axis.ticker.minor_ticks)
    elif isinstance(axis.ticker, LogTicker) and math.log10(high / low) >= 2:
        major, minor = _powers(axis.ticker, low, high)
    else:
        major, minor = _steps(axis.ticker, low, high)
    major, minor = ([v for v in values if low <= v <= high] for values in (major, minor))
    return Ticks(major, minor, _labels(axis, major))


def _powers(ticker: LogTicker, low: float, high: float) -> tuple[list[float], list[float]]:
    first, last = math.ceil(math.log10(low) - 1e-6), math.floor(math.log10(high) + 1e-6)
    every = max(math.ceil((last - first) / 9), 1)
    major = [10.0**k for k in range(first, last + 1, every)]
    offsets = [10.0**every / ticker.num_minor_ticks * (k + 1) for k in range(ticker.num_minor_ticks)]
    before = [major[0] * offset / offsets[-1] for offset in offsets]
    return major, before + [tick * offset for tick in major for offset in offsets]


def _steps(ticker: ContinuousTicker, low: float, high: float) -> tuple[list[float], list[float]]:
    wanted = ticker.desired_num_ticks
    magnitude = 10.0 ** math.floor(math.log10((high - low) / wanted))
    mantissas = [ticker.mantissas[-1] / 10, *ticker.mantissas, ticker.mantissas[0] * 10]
    step = min((m * magnitude for m in mantissas), key=lambda s: abs(wanted - (high - low) / s))
    numbers = range(math.floor(low / step), math.ceil(high / step) + 1)
    major = [n * step for n in numbers if n or not isinstance(ticker, LogTicker)]
    part = step / ticker.num_minor_ticks
    return major, [n * step + k * part for n in numbers for k in range(ticker.num_minor_ticks)]


def _labels(axis: Axis, places: Sequence[float]) -> list[str]:
    formatter = axis.formatter
    if isinstance(formatter, LogTickFormatter):
        exponents = [round(math.log10(place)) for place in places]
        if all(a != b for a, b in pairwise(exponents)):
            raise NotImplementedError("labels as powers of ten: give the axis a BasicTickFormatter")
        formatter = BasicTickFormatter()
    if formatter.use_scientific and any(not 1e-3 < abs(place) < 1e5 for place in places if place):
        raise NotImplementedError("labels with exponents: give the axis a formatter without them")
    digits = [formatter.precision] if isinstance(formatter.precision, int) else range(3, 16)
    for precision in digits:
        shown = [_fixed(place, precision) for place in places]
        if all(a != b for a, b in pairwise(shown)):
            break
    return shown


def _fixed(value: float, digits: int) -> str:
    shown = f"{value:.{digits}f}"
    return (shown.rstrip("0").rstrip(".") if "." in shown else shown).replace("-", "−")


@dataclass(frozen=True)
class Room:
    """How far an axis reaches out of the frame, in pixels, from the frame: its ticks, then labels, then its name."""

    ticks: float
    labels: float
    name: float

    @property
    def whole(self) -> int:
        return round(self.ticks + self.labels + self.name)


def room(axis: Axis, there: Ticks, across: bool) -> Room:
    """What an axis takes below the frame, or left of it."""
    written = font(axis.major_label_text_font_size)
    if across:
        size = max((sum(written.body(words)) for words in there.labels), default=0)
    else:
        size = max(map(len, there.labels), default=0) * DIGIT * written.size
    name = font(axis.axis_label_text_font_size).body(axis.axis_label or "")
    return Room(
        axis.major_tick_out if there.major else axis.minor_tick_out,
        axis.major_label_standoff + size + PADDING if size else 0,
        axis.axis_label_standoff + sum(name) + PADDING if axis.axis_label else 0,
    )
