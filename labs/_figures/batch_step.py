"""Lab 1: step time and rates against the batch, on two log-log plots with one horizontal axis."""

from __future__ import annotations

from bokeh.models import BasicTickFormatter, DataRange1d, FixedTicker, Range1d
from bokeh.plotting import figure

from labs._figures.base import ROLES, Drawing, LabFigure

BELOW = 1e-9
"""Below every value: a log axis has no zero for an area to stand on."""


class Figure(LabFigure):
    predicted = ("batch", "sequence_tokens_per_s")

    def plots(self) -> list[figure]:
        self.batches = Range1d(1 / 1.15, 1024 * 1.15)
        return [self._times(), self._rates()]

    def _drawing(self, title: str, height: int, bottom: int) -> Drawing:
        drawing = Drawing(
            self.sources, "batch", title, height, bottom, x_axis_type="log", y_axis_type="log", x_range=self.batches,
            y_range=DataRange1d(range_padding=0.3),
        )  # fmt: skip
        drawing.plot.xaxis.ticker = FixedTicker(ticks=[4**k for k in range(6)], minor_ticks=[2**k for k in range(11)])
        drawing.plot.yaxis.formatter = BasicTickFormatter(use_scientific=False, precision=3)
        return drawing

    def _dots(self, drawing: Drawing, name: str, role: str) -> None:
        drawing.points("marks", name, role, "fits")
        drawing.points("pinned", name, "ink", 0.0)
        drawing.points("now", name, role, "fits")

    def _times(self) -> figure:
        drawing = self._drawing("One step, in milliseconds", 300, 24)
        drawing.area("curve", BELOW, "linear", "weights")
        drawing.area("curve", "linear", "step", "kv", "/")
        band = drawing.area("curve", "step_fast", "step_slow", "ink")
        lines = [
            drawing.line("curve", "linear", "weights"),
            drawing.line("curve", "step", "kv"),
            drawing.line("pinned_curve", "step", "ink", "dashed"),
        ]
        self._dots(drawing, "step", "kv")
        drawing.plot.y_range.renderers = [*lines, band]
        drawing.name("first_names", "linear", "weights", "weights-text", 13, "left")
        drawing.name("names", "step", "attention", "kv-text", 95)
        drawing.name("first_names", "step_slow", "at 70 to 90 %", "ink", -14, "left")
        drawing.place("ridge_batch", "ridge batch {ridge_batch}", "compute")
        drawing.vertical("prediction", "guess:ridge_batch", visible=False)
        return drawing.plot

    def _rates(self) -> figure:
        drawing = self._drawing("Tokens a second", 260, 48)
        band = drawing.area("curve", "all_slow", "all_fast", "ink")
        lines = [
            drawing.line("curve", "all", "compute"),
            drawing.line("curve", "each", "ink"),
            drawing.line("pinned_curve", "all", "ink", "dashed"),
            drawing.line("pinned_curve", "each", "ink", "dashed"),
        ]
        self._dots(drawing, "all", "compute")
        self._dots(drawing, "each", "ink")
        said = drawing.plot.scatter(
            "batch", "sequence_tokens_per_s", source=self.prediction, marker="x", size=13, line_width=3,
            line_color=ROLES["prediction"],
        )  # fmt: skip
        said.glyph.tags = ["role:prediction"]
        drawing.plot.y_range.renderers = [*lines, band]
        drawing.name("names", "all", "all together", "compute-text", -13)
        drawing.name("first_names", "each", "each reader", "ink", 18, "left")
        drawing.vertical("compute", "at:ridge_batch")
        drawing.plot.xaxis.axis_label = "batch (sequences)"
        return drawing.plot
