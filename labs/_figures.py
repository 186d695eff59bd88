"""Figures: Bokeh models on named data sources. Colours are roles that the page fills in for its theme.

A glyph's tag `role:NAME` names its colour (see the page's styles); the colours written here are those of the light theme,
for Panel and notebooks. Numbers come from the engine's series, already in the units of the axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bokeh.models import Column, ColumnDataSource, DataRange1d, FixedTicker, GlyphRenderer, Label, Plot, Range1d, Span
from bokeh.plotting import figure

ROLES = {
    "weights": "#0072B2",
    "kv": "#D55E00",
    "compute": "#009E73",
    "prediction": "#000000",
    "ink": "#1b1f24",
}


class BatchStepFigure:
    """Step time and rates against the batch, on two log-log plots with one horizontal axis.

    Attributes
    ----------
    sources : mapping of ColumnDataSource
        By the names of the lab's series, and `prediction` for what the reader said.
    root : Column
        The Bokeh model to show.
    """

    def __init__(self, data: Mapping[str, Mapping[str, Any]], first: float, last: float) -> None:
        self.sources = {name: ColumnDataSource(dict(columns), name=name) for name, columns in data.items()}
        self.sources["prediction"] = ColumnDataSource({"batch": [], "each": []}, name="prediction")
        self.batches = Range1d(first / 1.15, last * 1.15, name="batches")
        self.ridge = [self._vertical("compute", "ridge") for _ in range(2)]
        self.guess = self._vertical("prediction", "guess")
        self.ridge_label = Label(
            x=1, y=8, y_units="screen", x_offset=6, text="", text_font_size="12px", name="ridge-label", tags=["role:compute"],
            text_color=ROLES["compute"],
        )  # fmt: skip
        self.root = Column(children=[self._times(), self._rates()], sizing_mode="stretch_width", spacing=4)

    def show(self, data: Mapping[str, Mapping[str, Any]], ridge: float, ridge_words: str) -> None:
        """Put new data and the ridge batch on the figure."""
        for name, columns in data.items():
            self.sources[name].data = dict(columns)
        for span in self.ridge:
            span.location = ridge
        self.ridge_label.x = ridge
        self.ridge_label.text = ridge_words

    def predict(self, batch: float | None, each: float | None, place: float | None) -> None:
        """Mark what the reader said: a rate at a batch, or a place on the horizontal axis; None takes a mark away."""
        said = batch is not None and each is not None
        self.sources["prediction"].data = {"batch": [batch] if said else [], "each": [each] if said else []}
        self.guess.location = place
        self.guess.visible = place is not None

    def _vertical(self, role: str, name: str) -> Span:
        return Span(
            location=None, dimension="height", line_color=ROLES[role], line_dash="dotdash", line_width=1.5, name=name,
            tags=[f"role:{role}"], visible=name != "guess",
        )  # fmt: skip

    def _plot(self, title: str, height: int) -> figure:
        plot = figure(
            height=height, sizing_mode="stretch_width", x_axis_type="log", y_axis_type="log", x_range=self.batches,
            y_range=DataRange1d(range_padding=0.12), toolbar_location=None, tools="", title=title, min_border_left=58,
            min_border_right=12, output_backend="canvas", outline_line_color=None,
        )  # fmt: skip
        plot.xaxis.ticker = FixedTicker(ticks=[4**k for k in range(6)], minor_ticks=[2**k for k in range(11)])
        plot.xaxis.axis_label = "batch (sequences)"
        plot.title.text_font_size = "14px"
        plot.axis.axis_label_text_font_style = "normal"
        plot.axis.axis_line_color = None
        plot.xgrid.grid_line_color = None
        plot.grid.grid_line_alpha = 0.6
        return plot

    def _times(self) -> Plot:
        plot = self._plot("One step, in milliseconds", 300)
        curve = self.sources["curve"]
        self._area(plot, "linear", None, "weights", "")
        self._area(plot, "step", "linear", "kv", "/")
        band = self._band(plot, "step_fast", "step_slow")
        lines = [self._line(plot, curve, name, role) for name, role in (("linear", "weights"), ("step", "kv"))]
        lines.append(self._line(plot, self.sources["pinned_curve"], "step", "ink", dash="dashed"))
        self._points(plot, "step", "kv")
        plot.y_range.renderers = [*lines, band]
        self._name(plot, "linear", "weights", "weights", 14)
        self._name(plot, "step", "attention", "kv", 14)
        self._name(plot, "step_slow", "at 70 to 90 % of the bandwidth", "ink", -6)
        plot.add_layout(self.ridge[0])
        plot.add_layout(self.ridge_label)
        plot.add_layout(self.guess)
        plot.xaxis.axis_label = None
        return plot

    def _rates(self) -> Plot:
        plot = self._plot("Tokens a second", 260)
        curve = self.sources["curve"]
        band = self._band(plot, "all_slow", "all_fast")
        lines = [self._line(plot, curve, name, role) for name, role in (("all", "compute"), ("each", "ink"))]
        lines += [self._line(plot, self.sources["pinned_curve"], name, "ink", dash="dashed") for name in ("all", "each")]
        self._points(plot, "all", "compute")
        self._points(plot, "each", "ink")
        said = plot.scatter(
            "batch", "each", source=self.sources["prediction"], marker="x", size=13, line_width=3,
            line_color=ROLES["prediction"],
        )  # fmt: skip
        said.glyph.tags = ["role:prediction"]
        plot.y_range.renderers = [*lines, band]
        self._name(plot, "all", "all together", "compute", -8)
        self._name(plot, "each", "each reader", "ink", -8)
        plot.add_layout(self.ridge[1])
        return plot

    def _area(self, plot: figure, top: str, bottom: str | None, role: str, hatch: str) -> None:
        # Below every value: a log axis has no zero to stand on.
        low: Any = bottom or 1e-9
        area = plot.varea("batch", low, top, source=self.sources["curve"], fill_color=ROLES[role], fill_alpha=0.18,
                          hatch_pattern=hatch or None, hatch_color=ROLES[role], hatch_alpha=0.25, hatch_scale=9)  # fmt: skip
        area.glyph.tags = [f"role:{role}"]

    def _band(self, plot: figure, low: str, high: str) -> GlyphRenderer:
        band = plot.varea("batch", low, high, source=self.sources["curve"], fill_color=ROLES["ink"], fill_alpha=0.14)
        band.glyph.tags = ["role:ink"]
        return band

    def _line(self, plot: figure, source: ColumnDataSource, name: str, role: str, dash: str = "solid") -> GlyphRenderer:
        line = plot.line("batch", name, source=source, line_color=ROLES[role], line_width=2, line_dash=dash)
        line.glyph.tags = [f"role:{role}"]
        return line

    def _points(self, plot: figure, name: str, role: str) -> None:
        """Dots at the table's rows, the current point and the pinned one; not filled where the setting does not fit."""
        for source, size, width in (("marks", 6, 1.2), ("pinned", 13, 1.5), ("now", 13, 2.5)):
            color = ROLES["ink" if source == "pinned" else role]
            dots = plot.scatter("batch", name, source=self.sources[source], size=size, line_width=width, line_color=color,
                                fill_color=color, fill_alpha="fits" if source != "pinned" else 0.0)  # fmt: skip
            dots.glyph.tags = [f"role:{'ink' if source == 'pinned' else role}"]
            if source == "pinned":
                dots.glyph.line_dash = "dashed"

    def _name(self, plot: figure, name: str, words: str, role: str, offset: int) -> None:
        """A label at the right end of a line, written along it instead of a legend."""
        label = plot.text(
            "batch", name, source=self.sources["names"], text={"value": words}, y_offset=offset,
            x_offset=-4, text_align="right", text_baseline="middle", text_font_size="12px", text_color=ROLES[role],
        )  # fmt: skip
        label.glyph.tags = [f"role:{role}"]
