"""Lab 7: prefill time against the context, the triangle of pairs, and what an agent pays over its turns."""

from __future__ import annotations

from bokeh.models import BasicTickFormatter, DataRange1d, FixedTicker, Range1d
from bokeh.plotting import figure

from labs._figures.base import Drawing, LabFigure

BELOW = 1e-9
"""Below every value: a log axis has no zero for an area to stand on."""


class Figure(LabFigure):
    def plots(self) -> list[figure]:
        return [self._times(), self._triangle(), self._loop()]

    def _times(self) -> figure:
        drawing = Drawing(
            self.sources, "context", "Prefill, in milliseconds", 300, 48, x_axis_type="log", y_axis_type="log",
            x_range=Range1d(128 / 1.15, 2**20 * 1.15), y_range=DataRange1d(range_padding=0.3),
        )  # fmt: skip
        ticks = [2**k for k in (7, 10, 13, 16, 20)]
        drawing.plot.xaxis.ticker = FixedTicker(ticks=ticks, minor_ticks=[2**k for k in range(7, 21)])
        drawing.plot.xaxis.formatter = BasicTickFormatter(use_scientific=False)
        drawing.plot.yaxis.formatter = BasicTickFormatter(use_scientific=False, precision=3)
        drawing.plot.xaxis.axis_label = "context (tokens)"
        drawing.area("curve", BELOW, "tokens", "weights")
        drawing.area("curve", "tokens", "prefill", "kv", "/")
        lines = [
            drawing.line("curve", "tokens", "weights"),
            drawing.line("curve", "prefill", "kv"),
            drawing.line("pinned_curve", "prefill", "ink", "dashed"),
        ]
        drawing.points("marks", "prefill", "kv")
        drawing.points("pinned", "prefill", "ink", 0.0)
        drawing.points("now", "prefill", "kv")
        drawing.plot.y_range.renderers = lines
        drawing.name("names", "tokens", "tokens", "weights-text", 22)
        drawing.name("names", "prefill", "with pairs", "kv-text", -16)
        drawing.place("balance_context", "balance at {balance_context}", "compute")
        drawing.vertical("prediction", "guess:balance_context", visible=False)
        return drawing.plot

    def _triangle(self) -> figure:
        drawing = Drawing(
            self.sources, "place", "Pairs: a token at a place attends to all before it; hatched what is cached", 240, 48,
            x_range=DataRange1d(range_padding=0.02), y_range=DataRange1d(range_padding=0.05),
        )  # fmt: skip
        for axis in (drawing.plot.xaxis, drawing.plot.yaxis):
            axis.formatter = BasicTickFormatter(use_scientific=False)
        drawing.plot.xaxis.axis_label = "place in the context (tokens)"
        drawing.area("triangle", 0, "keys", "kv")
        drawing.area("cached", 0, "keys", "reserve", "/")
        drawing.line("triangle", "keys", "kv")
        drawing.line("cached", "keys", "reserve")
        return drawing.plot

    def _loop(self) -> figure:
        drawing = Drawing(
            self.sources, "turns", "All turns of an agent, in seconds", 240, 48,
            x_range=DataRange1d(range_padding=0.02), y_range=DataRange1d(range_padding=0.1),
        )  # fmt: skip
        drawing.plot.yaxis.formatter = BasicTickFormatter(use_scientific=False, precision=3)
        drawing.plot.xaxis.axis_label = "turns"
        lines = [drawing.line("loop", "resent", "kv"), drawing.line("loop", "cached", "compute")]
        drawing.points("loop_now", "resent", "kv")
        drawing.points("loop_now", "cached", "compute")
        drawing.plot.y_range.renderers = lines
        drawing.name("loop_names", "resent", "without a cache", "kv-text", 100)
        drawing.name("loop_names", "cached", "with a cache", "compute-text", -14)
        return drawing.plot
