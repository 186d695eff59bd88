"""Figures: Bokeh models on named data sources. Colours are roles that the page fills in for its theme.

A glyph's tag `role:NAME` names its colour (see the page's styles); the colours written here are those of the light theme,
for Panel and notebooks. Numbers come from the engine's series, already in the units of the axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from bokeh.models import (
    BasicTickFormatter,
    Column,
    ColumnDataSource,
    DataRange1d,
    FixedTicker,
    GlyphRenderer,
    Label,
    Plot,
    Range1d,
    Span,
)
from bokeh.plotting import figure

from engine.labs.sentences import fill

ROLES = {
    "weights": "#0072B2",
    "kv": "#D55E00",
    "compute": "#009E73",
    "weights-text": "#00659e",
    "kv-text": "#a84a00",
    "compute-text": "#00704f",
    "prediction": "#000000",
    "ink": "#1b1f24",
}


class LabFigure:
    """A figure that follows a state. The page's script does the same from the tags, so a lab's figure only draws.

    - A `ColumnDataSource` named as a series of the lab gets its columns.
    - A tag `at:QUANTITY` puts a span or label where that quantity is.
    - A tag `says:TEMPLATE` writes the template, with `{QUANTITY}` for shown values.
    - The source named `prediction` gets the reader's answer where it has all its columns, named by quantity.
    - A tag `guess:QUANTITY` puts a span where the reader said that quantity is, and hides it otherwise.

    Attributes
    ----------
    root : bokeh model
        What is shown.
    """

    root: Column

    def __init__(self, data: Mapping[str, Mapping[str, Any]]) -> None:
        self.sources = {name: ColumnDataSource(dict(columns), name=name) for name, columns in data.items()}
        self.prediction = ColumnDataSource({name: [] for name in self.predicted}, name="prediction")

    predicted: tuple[str, ...] = ()
    """Quantities of a point that the reader can predict."""

    @cached_property
    def _tagged(self) -> list[tuple[Any, str, str]]:
        """Models with what their tags say, key and argument; found once, since a walk through all models takes long."""
        return [
            (model, *tag.split(":", 1))
            for model in self.root.references()
            for tag in model.tags
            if isinstance(tag, str) and ":" in tag
        ]

    def show(self, data: Mapping[str, Mapping[str, Any]], values: Mapping[str, Any], texts: Mapping[str, str]) -> None:
        """Put the data, the places and the words of a state on the figure."""
        for name, columns in data.items():
            self.sources[name].data = dict(columns)
        words = {name.removeprefix("q."): word for name, word in texts.items()}
        for model, key, argument in self._tagged:
            if key == "at":
                setattr(model, "location" if isinstance(model, Span) else "x", values[argument])
            elif key == "says":
                model.text = fill(argument, words)

    def predict(self, place: Mapping[str, float]) -> None:
        """Mark what the reader said, by quantity."""
        complete = all(name in place for name in self.predicted)
        self.prediction.data = {name: [place[name]] if complete else [] for name in self.predicted}
        for model, key, argument in self._tagged:
            if key == "guess":
                model.update(location=place.get(argument), visible=argument in place)


class BatchStepFigure(LabFigure):
    """Step time and rates against the batch, on two log-log plots with one horizontal axis."""

    predicted = ("batch", "sequence_tokens_per_s")

    def __init__(self, data: Mapping[str, Mapping[str, Any]], first: float, last: float) -> None:
        super().__init__(data)
        self.batches = Range1d(first / 1.15, last * 1.15)
        self.root = Column(children=[self._times(), self._rates()], sizing_mode="stretch_width", spacing=4)

    def _vertical(self, role: str, *tags: str, visible: bool = True) -> Span:
        return Span(
            location=None, dimension="height", line_color=ROLES[role], line_dash="dotdash", line_width=1.5,
            tags=[f"role:{role}", *tags], visible=visible,
        )  # fmt: skip

    def _plot(self, title: str, height: int, bottom: int) -> figure:
        plot = figure(
            height=height, sizing_mode="stretch_width", x_axis_type="log", y_axis_type="log", x_range=self.batches,
            y_range=DataRange1d(range_padding=0.3), toolbar_location=None, tools="", title=title, min_border_left=58,
            min_border_right=12, min_border_top=28, min_border_bottom=bottom, output_backend="canvas",
            outline_line_color=None, border_fill_color=None, background_fill_color=None,
        )  # fmt: skip
        plot.xaxis.ticker = FixedTicker(ticks=[4**k for k in range(6)], minor_ticks=[2**k for k in range(11)])
        plot.xaxis.axis_label = "batch (sequences)"
        plot.yaxis.formatter = BasicTickFormatter(use_scientific=False, precision=3)
        plot.title.text_font_size = "14px"
        plot.axis.axis_label_text_font_style = "normal"
        plot.axis.axis_line_color = None
        plot.xgrid.grid_line_color = None
        plot.grid.grid_line_alpha = 0.6
        return plot

    def _times(self) -> Plot:
        plot = self._plot("One step, in milliseconds", 300, 24)
        curve = self.sources["curve"]
        self._area(plot, "linear", None, "weights", "")
        self._area(plot, "step", "linear", "kv", "/")
        band = self._band(plot, "step_fast", "step_slow")
        lines = [self._line(plot, curve, name, role) for name, role in (("linear", "weights"), ("step", "kv"))]
        lines.append(self._line(plot, self.sources["pinned_curve"], "step", "ink", dash="dashed"))
        self._points(plot, "step", "kv")
        plot.y_range.renderers = [*lines, band]
        self._name(plot, "linear", "weights", "weights-text", 13, "left")
        self._name(plot, "step", "attention", "kv-text", 34)
        self._name(plot, "step_slow", "at 70 to 90 % of the bandwidth", "ink", -12)
        plot.add_layout(self._vertical("compute", "at:ridge_batch"))
        plot.add_layout(self._vertical("prediction", "guess:ridge_batch", visible=False))
        label = Label(
            x=1, y=8, y_units="screen", x_offset=6, text="", text_font_size="12px", text_color=ROLES["compute-text"],
            tags=["role:compute-text", "at:ridge_batch", "says:ridge batch {ridge_batch}"],
        )  # fmt: skip
        plot.add_layout(label)
        plot.xaxis.axis_label = None
        return plot

    def _rates(self) -> Plot:
        plot = self._plot("Tokens a second", 260, 48)
        curve = self.sources["curve"]
        band = self._band(plot, "all_slow", "all_fast")
        lines = [self._line(plot, curve, name, role) for name, role in (("all", "compute"), ("each", "ink"))]
        lines += [
            self._line(plot, self.sources["pinned_curve"], name, "ink", dash="dashed") for name in ("all", "each")
        ]
        self._points(plot, "all", "compute")
        self._points(plot, "each", "ink")
        said = plot.scatter(
            "batch", "sequence_tokens_per_s", source=self.prediction, marker="x", size=13, line_width=3,
            line_color=ROLES["prediction"],
        )  # fmt: skip
        said.glyph.tags = ["role:prediction"]
        plot.y_range.renderers = [*lines, band]
        self._name(plot, "all", "all together", "compute-text", -13)
        self._name(plot, "each", "each reader", "ink", -22)
        plot.add_layout(self._vertical("compute", "at:ridge_batch"))
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

    def _name(self, plot: figure, name: str, words: str, role: str, offset: int, end: str = "right") -> None:
        """A label at one end of a line, written beside it instead of a legend."""
        source, shift = {"right": ("names", -14), "left": ("first_names", 8)}[end]
        label = plot.text(
            "batch", name, source=self.sources[source], text={"value": words}, y_offset=offset, x_offset=shift,
            text_align=end, text_baseline="middle", text_font_size="12px", text_color=ROLES[role],
        )  # fmt: skip
        label.glyph.tags = [f"role:{role}"]
