"""Lab 5: blocks against the number of requests, and unused slots against the size of a block."""

from __future__ import annotations

from bokeh.models import BasicTickFormatter, DataRange1d, FixedTicker, Range1d
from bokeh.plotting import figure

from labs._figures.base import Drawing, LabFigure


class Figure(LabFigure):
    def plots(self) -> list[figure]:
        return [self._blocks(), self._slots()]

    def _blocks(self) -> figure:
        drawing = Drawing(
            self.sources, "requests", "Blocks", 260, 48, x_range=DataRange1d(range_padding=0.02),
            y_range=DataRange1d(range_padding=0.1),
        )  # fmt: skip
        drawing.plot.xaxis.axis_label = "requests"
        drawing.plot.yaxis.formatter = BasicTickFormatter(use_scientific=False)
        drawing.area("curve", "held", "referred", "compute", "/")
        lines = [
            drawing.line("curve", "held", "kv"),
            drawing.line("curve", "referred", "ink"),
            drawing.line("pinned_curve", "held", "ink", "dashed"),
        ]
        drawing.points("pinned", "held", "ink", 0.0)
        drawing.points("now", "held", "kv")
        drawing.plot.y_range.renderers = lines
        drawing.name("names", "held", "held", "kv-text", 20)
        drawing.name("names", "referred", "referred to; hatched what sharing saves", "ink", -14)
        return drawing.plot

    def _slots(self) -> figure:
        drawing = Drawing(
            self.sources, "block", "Slots without a token, in percent of those held", 220, 48, x_axis_type="log",
            x_range=Range1d(1 / 1.15, 128 * 1.15), y_range=DataRange1d(range_padding=0.1),
        )  # fmt: skip
        drawing.plot.xaxis.ticker = FixedTicker(ticks=[2**k for k in range(8)], minor_ticks=[])
        drawing.plot.xaxis.axis_label = "tokens a block"
        drawing.plot.y_range.renderers = [drawing.line("slots", "unused", "reserve")]
        drawing.points("slots_now", "unused", "reserve")
        return drawing.plot
