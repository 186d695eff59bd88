"""Lab 4: the longest step and the TTFT against the budget, each beside its deadline."""

from __future__ import annotations

from bokeh.models import BasicTickFormatter, DataRange1d, FixedTicker, Range1d
from bokeh.plotting import figure

from labs._figures.base import Drawing, LabFigure


class Figure(LabFigure):
    def plots(self) -> list[figure]:
        self.budgets = Range1d(16 / 1.15, 8192 * 1.15)
        step = self._against("Longest step, in milliseconds: what a decoding reader waits", "longest", "itl", "kv", 24)
        step.name("names", "itl", "ITL deadline", "ink", -10)
        first = self._against("TTFT of the prompt, in milliseconds", "ttft", "due", "weights", 48)
        first.name("names", "due", "TTFT deadline", "ink", -10)
        first.plot.xaxis.axis_label = "budget (tokens a step)"
        step.place("largest_safe_budget", "safe up to {largest_safe_budget}", "compute")
        first.vertical("compute", "at:largest_safe_budget")
        return [step.plot, first.plot]

    def _against(self, title: str, name: str, deadline: str, role: str, bottom: int) -> Drawing:
        """A time against the budget, with its deadline as a line across."""
        drawing = Drawing(
            self.sources, "budget", title, 258 + bottom, bottom, x_axis_type="log", y_axis_type="log", x_range=self.budgets,
            y_range=DataRange1d(range_padding=0.3),
        )  # fmt: skip
        drawing.plot.xaxis.ticker = FixedTicker(
            ticks=[16 * 4**k for k in range(5)], minor_ticks=[16 * 2**k for k in range(10)]
        )
        drawing.plot.xaxis.formatter = BasicTickFormatter(use_scientific=False)
        drawing.plot.yaxis.formatter = BasicTickFormatter(use_scientific=False, precision=3)
        drawing.plot.y_range.renderers = [
            drawing.line("curve", name, role),
            drawing.line("curve", deadline, "ink", "dashed"),
            drawing.line("pinned_curve", name, "ink", "dotted"),
        ]
        drawing.points("marks", name, role)
        drawing.points("pinned", name, "ink", 0.0)
        drawing.points("now", name, role)
        return drawing
