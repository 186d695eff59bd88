"""What figures share: Bokeh models on named data sources. Colours are roles that the page fills in for its theme.

A glyph's tag `role:NAME` names its colour (see the page's styles); the colours written here are those of the light theme,
for Panel and notebooks. Numbers come from the engine's series, already in the units of the axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from bokeh.models import Column, ColumnDataSource, GlyphRenderer, Label, Span
from bokeh.plotting import figure

from engine.labs.sentences import fill

ROLES = {
    "weights": "#0072B2",
    "kv": "#D55E00",
    "compute": "#009E73",
    "weights-text": "#00659e",
    "kv-text": "#a84a00",
    "compute-text": "#00704f",
    "reserve": "#767676",
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

    predicted: tuple[str, ...] = ()
    """Quantities of a point that the reader can predict."""

    def __init__(self, data: Mapping[str, Mapping[str, Any]]) -> None:
        self.sources = {name: ColumnDataSource(dict(columns), name=name) for name, columns in data.items()}
        self.prediction = ColumnDataSource({name: [] for name in self.predicted}, name="prediction")
        self.root = Column(children=self.plots(), sizing_mode="stretch_width", spacing=4)

    def plots(self) -> list[figure]:
        """The plots, one below the other."""
        raise NotImplementedError

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


class Drawing:
    """A plot with one column as its horizontal axis, and what our figures draw on it.

    Parameters
    ----------
    sources : mapping of ColumnDataSource
        The figure's.
    x : str
        The column on the horizontal axis.
    title : str
    height, bottom : int
        Pixels of the whole plot, and of them below the frame: 24 with ticks alone, 48 with a label.
    **axes
        What `bokeh.plotting.figure` takes for axes and ranges.
    """

    def __init__(
        self, sources: Mapping[str, ColumnDataSource], x: str, title: str, height: int, bottom: int, **axes: Any
    ) -> None:
        self.sources, self.x = sources, x
        self.plot = figure(
            height=height, sizing_mode="stretch_width", toolbar_location=None, tools="", title=title, min_border_left=58,
            min_border_right=12, min_border_top=28, min_border_bottom=bottom, output_backend="canvas",
            outline_line_color=None, border_fill_color=None, background_fill_color=None, **axes,
        )  # fmt: skip
        self.plot.title.text_font_size = "14px"
        self.plot.axis.axis_label_text_font_style = "normal"
        self.plot.axis.axis_line_color = None
        self.plot.xgrid.grid_line_color = None
        self.plot.grid.grid_line_alpha = 0.6

    def area(self, source: str, low: str | float, high: str, role: str, hatch: str | None = None) -> GlyphRenderer:
        """What lies between two columns, or above a number."""
        area = self.plot.varea(self.x, low, high, source=self.sources[source], fill_color=ROLES[role], fill_alpha=0.18,
                               hatch_pattern=hatch, hatch_color=ROLES[role], hatch_alpha=0.25, hatch_scale=9)  # fmt: skip
        area.glyph.tags = [f"role:{role}"]
        return area

    def line(self, source: str, name: str, role: str, dash: str = "solid") -> GlyphRenderer:
        """A line along a column."""
        line = self.plot.line(
            self.x, name, source=self.sources[source], line_color=ROLES[role], line_width=2, line_dash=dash
        )
        line.glyph.tags = [f"role:{role}"]
        return line

    def points(self, source: str, name: str, role: str, fill: str | float = 1.0) -> None:
        """Dots: small at the table's rows, large at the current point, a dashed ring at the pinned one.

        `fill` is an opacity, or the column that says by 0 which dots are hollow.
        """
        size, width = {"marks": (6, 1.2)}.get(source, (13, 1.5 if source == "pinned" else 2.5))
        dots = self.plot.scatter(
            self.x, name, source=self.sources[source], size=size, line_width=width, line_color=ROLES[role],
            fill_color=ROLES[role], fill_alpha=fill, line_dash="dashed" if source == "pinned" else "solid",
        )  # fmt: skip
        dots.glyph.tags = [f"role:{role}"]

    def name(self, source: str, name: str, words: str, role: str, offset: int, end: str = "right") -> None:
        """A label at one end of a line, written beside it instead of a legend."""
        label = self.plot.text(
            self.x, name, source=self.sources[source], text={"value": words}, y_offset=offset,
            x_offset=8 if end == "left" else -14, text_align=end, text_baseline="middle", text_font_size="12px",
            text_color=ROLES[role],
        )  # fmt: skip
        label.glyph.tags = [f"role:{role}"]

    def vertical(self, role: str, tag: str, visible: bool = True) -> None:
        """A line across the plot at a place that a tag names."""
        span = Span(
            location=None, dimension="height", line_color=ROLES[role], line_dash="dotdash", line_width=1.5,
            tags=[f"role:{role}", tag], visible=visible,
        )  # fmt: skip
        self.plot.add_layout(span)

    def place(self, name: str, words: str, role: str) -> None:
        """A vertical line where a quantity is, with words to its left at the bottom: to the right the frame may end."""
        self.vertical(role, f"at:{name}")
        label = Label(
            x=1, y=8, y_units="screen", x_offset=-6, text="", text_font_size="12px", text_align="right",
            text_color=ROLES[f"{role}-text"],
            tags=[f"role:{role}-text", f"at:{name}", f"says:{words}"],
        )  # fmt: skip
        self.plot.add_layout(label)
