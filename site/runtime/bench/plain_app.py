"""The first lab's figure, sliders and headline as a plain Panel app, for `panel convert`: widgets, panes, one callback."""

import panel as pn

from engine.labs import curves, lab
from engine.labs.state import build
from labs._figures import figure_for

pn.extension()

chosen = lab("batch-step")
drawn = figure_for("batch-step", curves.sources(chosen, chosen.defaults, None))
words = pn.pane.HTML()
sliders = {
    "batch": pn.widgets.IntSlider(name="Batch", start=1, end=1024, value=8),
    "context": pn.widgets.IntSlider(name="Context", start=128, end=131072, step=128, value=8192),
    "memory_fraction": pn.widgets.FloatSlider(name="Memory fraction", start=0.5, end=1, step=0.01, value=0.9),
    "reserve_gb": pn.widgets.FloatSlider(name="Reserve, GB", start=0, end=40, step=0.5, value=4),
    "block": pn.widgets.IntSlider(name="Block size", start=1, end=1024, value=16),
}


def refresh(*_):
    inputs = chosen.defaults | {name: slider.value for name, slider in sliders.items()}
    now = build(chosen, inputs, None)
    drawn.show(curves.sources(chosen, inputs, None), now.values, now.texts)
    entries = (f"<dt>{entry.label}</dt><dd>{now.texts[f'q.{entry.name}']}</dd>" for entry in chosen.headline)
    words.object = f"<dl>{''.join(entries)}</dl>"


for slider in sliders.values():
    slider.param.watch(refresh, "value")
refresh()

pn.Row(
    pn.Column(*sliders.values()), pn.Column(words, pn.pane.Bokeh(drawn.root, sizing_mode="stretch_width"))
).servable()
