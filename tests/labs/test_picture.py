"""The figure at the first paint: the same data at the same places as BokehJS draws them, in markup that needs nothing."""

import gzip
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import pairwise

import pytest
from bokeh.models import BasicTickFormatter, Column, ColumnDataSource, DataRange1d, FixedTicker, Label, Range1d, Span
from bokeh.plotting import figure

from labs import _axes
from labs._app import LabApp
from labs._picture import picture
from labs._svg import thin


def small(*, log: bool = True, fits: tuple[float, ...] = (1.0, 0.0, 1.0)) -> Column:
    """Three points on axes whose places are known by hand.

    The plot is 250 pixels high. Its title takes 13 + 3 + 10 pixels above the frame, its axis 6 + 5 + 8 + 3 below it: the
    frame is 202 high.
    """
    source = ColumnDataSource({"x": [1.0, 10.0, 100.0], "y": [1.0, 10.0, 1000.0], "fits": list(fits)}, name="curve")
    kind = "log" if log else "linear"
    plot = figure(
        height=250,
        x_axis_type=kind,
        y_axis_type=kind,
        x_range=Range1d(1, 100),
        y_range=Range1d(1, 10_000),
        toolbar_location=None,
        title="A & B",
        min_border_left=70,
        min_border_right=12,
    )
    plot.title.text_font_size = "14px"
    plot.xaxis.ticker = FixedTicker(ticks=[1, 10, 100])
    plot.axis.formatter = BasicTickFormatter(use_scientific=False)
    line = plot.line("x", "y", source=source, line_color="red", line_width=2, line_dash="dashed")
    line.glyph.tags = ["role:kv"]
    dots = plot.scatter("x", "y", source=source, size=8, fill_alpha="fits", line_color="red", fill_color="red")
    dots.glyph.tags = ["role:kv"]
    plot.add_layout(Span(location=10, dimension="height", line_color="black", tags=["role:compute"]))
    plot.add_layout(Label(x=10, y=8, y_units="screen", x_offset=6, text="ten < eleven", text_font_size="12px"))
    return Column(children=[plot], spacing=4)


def parts(markup: str, name: str) -> list[ET.Element]:
    return list(ET.fromstring(markup).iter(name))


def numbers(text: str) -> list[float]:
    return [float(found) for found in re.findall(r"-?[\d.]+", text)]


def drawn_line(markup: str, colour: str = "kv") -> list[float]:
    (found,) = [p for p in parts(markup, "path") if p.get("stroke") == f"var(--{colour})" and p.get("fill") == "none"]
    return numbers(found.get("d", ""))


@pytest.fixture(scope="module")
def batch_step() -> str:
    return picture(LabApp("batch-step").figure.object)


def test_points_stand_where_the_axes_say() -> None:
    # On two decades across 1,000 units and four decades up 202 pixels.
    assert drawn_line(picture(small())) == [0, 202, 500, 151.5, 1000, 50.5]


def test_linear_axes() -> None:
    # (10 - 1) / 99 of the width; (10 - 1) / 9,999 and (1,000 - 1) / 9,999 of the height.
    assert drawn_line(picture(small(log=False))) == [0, 202, 90.91, 201.82, 1000, 181.82]


def test_dots_are_filled_as_their_column_says() -> None:
    dots = parts(picture(small(fits=(1.0, 0.0, 1.0))), "circle")
    assert [(d.get("cx"), d.get("cy"), d.get("fill-opacity")) for d in dots] == [
        ("0%", "202", None),
        ("50%", "151.5", "0"),
        ("100%", "50.5", None),
    ]
    assert {d.get("r") for d in dots} == {"4"}


def test_span_and_label_stand_at_their_value() -> None:
    markup = picture(small())
    (span,) = parts(markup, "line")
    assert (span.get("x1"), span.get("x2"), span.get("y2"), span.get("stroke")) == (
        "50%",
        "50%",
        "202",
        "var(--compute)",
    )
    (label,) = [t for t in parts(markup, "text") if t.text == "ten < eleven"]
    # Its descenders, 3 pixels, stand on the eighth pixel from below.
    assert (label.get("x"), label.get("dx"), label.get("y")) == ("50%", "6", "191")


def test_frame_leaves_the_room_that_bokehjs_leaves() -> None:
    frame = parts(picture(small()), "div")[1]
    left, middle, right = list(frame)
    assert [part.get("width") for part in (left, middle, right)] == ["70", None, "12"]
    assert {part.get("height") for part in (left, middle, right)} == {"250"}
    assert {(s.get("y"), s.get("height")) for s in middle[0] if s.get("overflow") is None and s.tag == "svg"} == {
        ("26", "202")
    }


def test_ticks_have_their_words() -> None:
    words = [t.text for t in parts(picture(small()), "text")]
    assert [w for w in words if w and w.isdigit()] == ["1", "10", "100", "1000", "10000", "1", "10", "100"]
    assert "A & B" in words


def test_data_range_has_the_padding_of_bokehjs() -> None:
    plot = small().children[0]
    # Three decades from 1 to 1,000, and 20 % of three more: 0.3 decades on each side.
    plot.y_range = DataRange1d(range_padding=0.2, renderers=[plot.renderers[0]])
    found = _axes.scale(plot, across=False)
    assert (found.start, found.end) == (pytest.approx(10**-0.3), pytest.approx(10**3.3))


def test_linear_ticks_are_round() -> None:
    plot = small(log=False).children[0]
    found = _axes.ticks(plot.yaxis[0], _axes.Scale(0, 1, log=False))
    assert found.labels == ["0", "0.2", "0.4", "0.6", "0.8", "1"]


def test_values_without_a_place_leave_a_gap() -> None:
    column = small()
    source = column.children[0].renderers[0].data_source
    source.data = {"x": [1, 2, 10, 50, 100], "y": [1, 10, 0, float("inf"), 10], "fits": [1] * 5}
    markup = picture(column)
    assert not re.search(r"\b(nan|inf)\b", markup)
    assert len(parts(markup, "circle")) == 3


def test_thinned_line_stays_within_a_twentieth_of_a_pixel() -> None:
    full = [(float(x), 0.0004 * x * x) for x in range(0, 1001, 5)]
    kept = thin(full)
    assert len(kept) < len(full) / 3
    for (x0, y0), (x1, y1) in pairwise(kept):
        between = [y0 + (y1 - y0) * (x - x0) / (x1 - x0) - y for x, y in full if x0 <= x <= x1]
        assert max(map(abs, between)) <= 0.07


def test_models_without_a_picture_are_named() -> None:
    column = small()
    column.children[0].segment([1], [1], [2], [2])
    with pytest.raises(NotImplementedError, match="Segment"):
        picture(column)


def test_batch_step_is_complete(batch_step: str) -> None:
    words = {t.text for t in parts(batch_step, "text")}
    assert words >= {
        "One step, in milliseconds", "Tokens a second", "batch (sequences)", "weights", "attention",
        "at 70 to 90 %", "all together", "each reader", "1", "4", "16", "64", "256", "1024", "1000",
    }  # fmt: skip
    assert any(w and w.startswith("ridge batch 2") for w in words)
    # Eleven rows of the table and the current point, on three curves.
    assert len(parts(batch_step, "circle")) == 3 * (11 + 1)
    for colour in ("weights", "kv", "compute", "ink"):
        assert drawn_line(_lines_alone(batch_step), colour)


def _lines_alone(markup: str) -> str:
    """Only the curves: what is not sharp, not filled and not hatched."""
    found = [p for p in parts(markup, "path") if p.get("stroke-linejoin")]
    return "<g>" + "".join(ET.tostring(p, "unicode") for p in found) + "</g>"


def test_batch_step_shows_the_data(batch_step: str) -> None:
    app = LabApp("batch-step")
    times = app.figure.object.children[0]
    x, y = _axes.scale(times, True), _axes.scale(times, False)
    line = drawn_line(_lines_alone(batch_step), "kv")
    shown = list(zip(line[::2], line[1::2], strict=True))
    source = next(r.data_source for r in times.renderers if r.data_source.name == "curve")
    ends = [(source.data["batch"][k], source.data["step"][k]) for k in (0, -1)]
    # 300 px less 28 above the frame and 24 below it.
    expected = [(1000 * x.at(batch), 248 * (1 - y.at(step))) for batch, step in ends]
    assert [shown[0], shown[-1]] == [pytest.approx(place, abs=0.01) for place in expected]


def test_nothing_stands_outside(batch_step: str) -> None:
    for element in ET.fromstring(batch_step).iter():
        for name in ("x", "x1", "x2", "cx"):
            if (value := element.get(name, "")).endswith("%"):
                assert 0 <= float(value[:-1]) <= 100
        for name in ("y", "y1", "y2", "cy"):
            assert 0 <= float(element.get(name, 0)) <= 304
        # Curves are cut at the frame, as a nested box does unless told otherwise.
        assert element.get("overflow") is None or element.get("height") == "1"


def attributes(markup: str) -> Iterator[str]:
    for element in ET.fromstring(markup).iter():
        yield from element.attrib


def test_needs_no_style_no_script_and_little_room(batch_step: str) -> None:
    names = set(attributes(batch_step))
    assert "style" not in names
    assert not [name for name in names if name.startswith("on")]
    assert not parts(batch_step, "script") + parts(batch_step, "style")
    ids = [e.get("id") for e in ET.fromstring(batch_step).iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    assert len(gzip.compress(batch_step.encode())) < 4000


def test_is_the_same_every_time(batch_step: str) -> None:
    assert picture(LabApp("batch-step").figure.object) == batch_step


def test_colours_are_the_pages(batch_step: str) -> None:
    for element in ET.fromstring(batch_step).iter():
        for name in ("fill", "stroke"):
            assert re.fullmatch(r"none|var\(--[a-z-]+\)|url\(#[\w-]+\)", element.get(name, "none"))
