"""A lab as a Panel app: param holds the inputs, one refresh makes the state, Bokeh draws the figure.

On the site the page's own controls and slots are the screen, and this app runs behind them in a worker. With
`panel serve` or in a notebook the same fragments and the same scripts are shown by one Panel component.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import panel as pn
import param

from engine.errors import InputError
from engine.labs import curves, lab, state
from engine.labs.answers import plain
from engine.labs.export import EXPORTS
from engine.labs.inputs import NONE, Choice, Input, Text
from labs import _panels, _views
from labs._figures import figure_for


def _parameter(entry: Input) -> param.Parameter:
    """The input as a parameter: its domain as bounds, its slider's range as soft bounds."""
    if isinstance(entry, Choice):
        return param.Selector(default=entry.default, objects=[value for value, _ in entry.options], label=entry.label)
    if isinstance(entry, Text):
        return param.String(default=entry.default, label=entry.label, doc=entry.help)
    made = param.Integer if entry.integer else param.Number
    upper = None if entry.upper == float("inf") else entry.upper
    numbers = [stop for stop in entry.stops if not isinstance(stop, str)]
    return made(
        default=_set(entry.default),
        allow_None=entry.none is not None,
        bounds=(entry.lower, upper),
        inclusive_bounds=(not entry.lower_open, True),
        softbounds=(numbers[0], numbers[-1]),
        label=entry.label,
        doc=entry.help,
    )


def _set(value: Any) -> Any:
    """An input's value as param holds it: an open number is None there."""
    return None if value == NONE else value


class LabApp:
    """A lab, open: its inputs as parameters, its state, its figure.

    Parameters
    ----------
    slug : str
        The lab's slug, such as "batch-step".
    **inputs
        Inputs that differ from their defaults.

    Attributes
    ----------
    params : param.Parameterized
        Every input; setting one refreshes the state.
    figure : panel.pane.Bokeh
        The figure, which follows the state.
    """

    def __init__(self, slug: str, **inputs: Any) -> None:
        self.lab = lab(slug)
        start = self.lab.parse(inputs)
        fields = {entry.name: _parameter(entry) for entry in self.lab.inputs}
        self.params = type("Inputs", (param.Parameterized,), fields)(
            name=self.lab.title, **{name: _set(value) for name, value in start.items()}
        )
        self.pinned: dict[str, Any] | None = None
        self._figure = figure_for(slug, curves.sources(self.lab, start, None))
        self.figure = pn.pane.Bokeh(self._figure.root, sizing_mode="stretch_width")
        self.params.param.watch(self._refresh, [entry.name for entry in self.lab.inputs])
        self._refresh()

    @property
    def inputs(self) -> dict[str, Any]:
        """Every input as it is set."""
        held = {entry.name: getattr(self.params, entry.name) for entry in self.lab.inputs}
        return {name: NONE if value is None else value for name, value in held.items()}

    def _refresh(self, *_: Any) -> None:
        try:
            self.state = state.build(self.lab, self.inputs, self.pinned)
        except InputError:
            # A combination that may not be: the inputs go back to those that the state and the figure show.
            with param.parameterized.discard_events(self.params):
                self.params.param.update(**{name: _set(value) for name, value in self.state.inputs.items()})
            raise
        data = curves.sources(self.lab, self.inputs, self.pinned)
        self._figure.show(data, self.state.values, self.state.texts)

    def set(
        self, inputs: Mapping[str, Any], pinned: Mapping[str, Any] | None = None, fallback: str = "last"
    ) -> dict[str, Any]:
        """Set every input that can be set, and return the state with a message for each that cannot.

        Parameters
        ----------
        inputs : mapping
            Values, or what was typed; names that are missing keep their values.
        pinned : mapping, optional
            The setting to compare with; None for none.
        fallback : "last" or "default"
            What a refused input gets: the value it had, or its default.
        """
        before = self.lab.defaults if fallback == "default" else self.inputs
        wanted, errors = state.settle(self.lab, inputs, before)
        self.pinned = None if pinned is None else state.settle(self.lab, pinned, self.lab.defaults)[0]
        with param.parameterized.discard_events(self.params):
            self.params.param.update(**{name: _set(value) for name, value in wanted.items()})
        self._refresh()
        self.state = dataclasses.replace(self.state, errors=errors)
        return self.message()

    def message(self) -> dict[str, Any]:
        """The state as data that JSON can hold."""
        values = {name: plain(value) for name, value in self.state.values.items()}
        return dataclasses.asdict(self.state) | {"values": values}

    def judge(self, name: str, answer: Any) -> dict[str, str]:
        """The texts of a verdict on a prediction; an answer that is none says so instead."""
        try:
            found = state.verdict(self.lab, name, answer, self.inputs)
        except InputError as error:
            return {"error": str(error)}
        self._figure.predict(state.place(self.lab, name, answer, self.inputs))
        return dataclasses.asdict(found)

    def export(self, what: str) -> str:
        """The calculation as "text" or "markdown", the figure's data as "csv"."""
        return EXPORTS[what](self.lab, self.inputs)

    def spec(self) -> dict[str, Any]:
        """What the page's scripts must know of this lab."""
        return _views.spec(self.lab)

    def view(self) -> dict[str, Any]:
        """What the page's templates show for the current state."""
        return _views.view(self.lab, self.state, state.trace(self.lab, self.inputs)) | {
            "panel": self.panel(self.inputs)
        }

    def panel(self, inputs: Mapping[str, Any]) -> str | None:
        """The markup of the lab's simulator for parsed inputs; None for a lab without one."""
        return _panels.markup(self.lab, inputs) if self.lab.simulate else None

    def __panel__(self) -> pn.viewable.Viewable:
        # Not at the top: the worker of the site runs without the component, its scripts and its templates.
        from labs._component import LabComponent

        return LabComponent(self)

    def servable(self) -> pn.viewable.Viewable:
        """Mark the lab for `panel serve`."""
        return self.__panel__().servable(title=self.lab.title)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        pn.extension()
        # Nothing is printed below the lab, so Panel need not keep a place for it, which only a notebook can give.
        with pn.config.set(console_output="disable"):
            return self.__panel__()._repr_mimebundle_(include, exclude)


def answer(app: LabApp, message: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a message of the page's scripts, as plain data; the figure's changes travel by themselves.

    Raises
    ------
    ValueError
        For a message of a type that no page sends.
    """
    kind, rev = message["type"], message["rev"]
    if kind == "set":
        shown = app.set(message["inputs"], message.get("pinned"), message.get("fallback", "last"))
        return {"type": "state", "rev": rev, "state": shown}
    if kind == "verify":
        return {"type": "verified", "rev": rev, **verified(app, message["inputs"], message["pinned"])}
    if kind == "panel":
        inputs, errors = state.settle(app.lab, message["inputs"], app.lab.defaults)
        return {"type": "panelled", "rev": rev, "html": app.panel(inputs), "errors": errors}
    if kind == "judge":
        app.set(message["inputs"], app.pinned)
        return {"type": "judged", "rev": rev, "id": message["id"], "texts": app.judge(message["id"], message["answer"])}
    if kind == "export":
        return {"type": "exported", "rev": rev, "what": message["what"], "text": app.export(message["what"])}
    raise ValueError(f"the page sent a message of unknown type {kind!r}")


def verified(app: LabApp, inputs: Mapping[str, Any], pinned: Mapping[str, Any] | None) -> dict[str, Any]:
    """The state of a setting and the figure's data, worked out beside the app, which stays as it is."""
    found = state.build(app.lab, inputs, pinned)
    values = {name: plain(value) for name, value in found.values.items()}
    data = curves.listed(curves.sources(app.lab, inputs, pinned))
    return {"state": dataclasses.asdict(found) | {"values": values}, "data": data}
