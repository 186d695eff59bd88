"""The view of a lab: plain data for the templates, made from the engine's lab and a state of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

import engine
from engine import mathml
from engine.formula import Formula, Source
from engine.labs import labs
from engine.labs.answers import plain
from engine.labs.inputs import Choice, Input, Number, Text, symbol
from engine.labs.lab import Lab, ShownFact
from engine.labs.predictions import Prediction
from engine.labs.state import State
from engine.quantities import quantity
from engine.trace import Trace

TEMPLATES = Path(__file__).parent / "templates"
ADDRESS = re.compile(r"https?://\S+")


@cache
def environment() -> jinja2.Environment:
    """The templates of a lab's body."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )


def body(view: Mapping[str, Any], *, on_page: bool) -> str:
    """The whole lab as markup, without the page around it."""
    return environment().get_template("lab_body.html").render(view=view, on_page=on_page)


def view(lab: Lab, state: State, calculation: Trace) -> dict[str, Any]:
    """Everything that the templates show for one state."""
    texts, flags = state.texts, state.flags
    return {
        "slug": lab.slug,
        "number": lab.number,
        "count": 8,
        "title": lab.title,
        "question": lab.question,
        "lede": lab.lede,
        "description": lab.description,
        "version": engine.__version__,
        "derivation_href": "derivation/",
        "lead_input": lab.curve.input,
        "readout": [line.name for line in lab.headline[:2]],
        "groups": [
            {"title": group, "controls": [control(entry, state) for entry in lab.inputs if entry.group == group]}
            for group in lab.groups
        ],
        "inputs": [{"name": e.name, "label": e.label, "text": texts[f"input.{e.name}"]} for e in lab.inputs],
        "presets": [{"id": preset.id, "label": preset.label} for preset in lab.presets],
        "headline": [
            output(lab, line.name, state) | {"label": line.label, "meaning": line.meaning} for line in lab.headline
        ],
        "outputs": [output(lab, name, state) for name in lab.outputs],
        "command": texts["command"],
        "predictions": [prompt(prediction, texts, flags) for prediction in lab.predictions],
        "sections": [
            {
                "id": place,
                "title": section.title,
                "open": not section.folded,
                "shown": flags[f"section.{place}"],
                "steps": [step(lab, formula, state) for formula in formulas],
            }
            for place, (section, formulas) in enumerate(lab.rows)
        ],
        "limits": [{"id": limit.id, "text": limit.text, "state": limit.state} for limit in calculation.limits],
        "warnings": [{"id": w.id, "text": texts[f"warn.{w.id}"], "shown": flags[f"warn.{w.id}"]} for w in lab.warnings],
        "inside": lab.inside,
        "outside": lab.outside,
        "facts": [fact(shown, texts) for shown in lab.facts],
        "made_up": [
            {"name": e.name, "label": e.label, "text": texts[f"input.{e.name}"]}
            for e in lab.inputs
            if isinstance(e, Number)
        ],
        "table": table(lab, texts),
        "summary": texts["summary"],
    }


def control(entry: Input, state: State) -> dict[str, Any]:
    """One control, with its position or its options."""
    value = state.inputs[entry.name]
    name = symbol(entry)
    common = {
        "name": entry.name,
        "label": entry.label,
        "symbol": mathml.math(mathml.symbol(name)) if name else None,
        "help": entry.help,
        "text": str(value),
        "unit": None,
        "stops_count": None,
        "position": None,
        "options": None,
        "aria": None,
    }
    if isinstance(entry, Choice):
        options = [{"value": v, "label": label, "checked": v == value} for v, label in entry.options]
        style = "select" if entry.style == "list" else "segmented"
        return common | {"kind": "choice", "style": style, "options": options}
    if isinstance(entry, Text):
        return common | {"kind": "text", "style": "text"}
    return common | {
        "kind": "number",
        "style": "slider",
        "unit": entry.words[1] or entry.suffix or None,
        "stops_count": len(entry.stops),
        "position": position(entry, value),
        "aria": state.texts[f"input.{entry.name}"],
    }


def position(entry: Number, value: float | str) -> int:
    """The stop nearest to a value."""
    if value in entry.stops:
        return entry.stops.index(value)
    return min(range(len(entry.stops)), key=lambda place: distance(entry.stops[place], value))


def distance(stop: float | str, value: float | str) -> float:
    """How far a value is from a stop; "none" is far from every number."""
    return float("inf") if isinstance(stop, str) or isinstance(value, str) else abs(stop - value)


def output(lab: Lab, name: str, state: State) -> dict[str, Any]:
    """A result: its text, and its raw value in base units."""
    return {
        "name": lab.shown_name(name),
        "label": quantity(name).label,
        "text": state.texts[f"q.{name}"],
        "value": plain(state.values[name]),
    }


def prompt(prediction: Prediction, texts: Mapping[str, str], flags: Mapping[str, bool]) -> dict[str, Any]:
    """A prediction's prompt and answer."""
    slot = f"predict.{prediction.id}"
    return {
        "id": prediction.id,
        "kind": prediction.kind,
        "prompt": texts[f"{slot}.prompt"],
        "asked": flags[slot],
        "unit": UNITS.get(quantity(prediction.gives).unit, "") if prediction.gives else None,
        "options": [{"value": value, "label": label} for value, label in prediction.options] or None,
        "answer": texts[f"{slot}.answer"],
        "step": texts[f"{slot}.step"],
        "decides": prediction.step,
    }


UNITS = {"token/s": "tok/s", "sequence": "sequences"}
"""How the unit of an answer stands beside its box."""


def step(lab: Lab, formula: Formula, state: State) -> dict[str, Any]:
    """One row of the calculation. A row that these inputs do not need is there, hidden, with empty numbers."""
    number = mathml.slot(lambda name: state.texts.get(f"q.{name}", ""))
    return {
        "id": formula.id,
        "gives": formula.gives,
        "name": lab.shown_name(formula.gives),
        "label": quantity(formula.gives).label,
        "symbol": mathml.math(mathml.symbol(formula.gives)),
        "formula": mathml.math(mathml.expression(formula.tree)),
        "substituted": mathml.math(mathml.expression(formula.tree, number)),
        "text": state.texts.get(f"q.{formula.gives}", ""),
        "value": plain(state.values.get(formula.gives, "")),
        "side": state.texts.get(f"side.{formula.gives}", ""),
        "shown": state.flags[f"step.{formula.id}"],
        "source": source(formula.source),
        "atlas_href": None,
    }


def source(found: Source) -> dict[str, Any]:
    """A formula's source."""
    return {"text": found.text, "url": found.url or None, "checked": found.checked}


def fact(shown: ShownFact, texts: Mapping[str, str]) -> dict[str, Any]:
    """A fact, where it comes from, and when that was checked."""
    slot = f"fact.{shown.id}"
    parts = {part: texts[f"{slot}.{part}"] for part in ("kind", "source", "checked")}
    return {"id": shown.id, "label": shown.label, "text": texts[slot], **parts}


def table(lab: Lab, texts: Mapping[str, str]) -> dict[str, Any]:
    """The figure as a table."""
    names = (lab.curve.input, *lab.curve.columns)
    rows = [[texts[f"table.{row}.{column}"] for column in range(len(names))] for row in range(len(lab.curve.rows))]
    axis = lab.input(lab.curve.input).label.lower()
    return {
        "caption": f"The figure's curves against the {axis}, all other inputs as set",
        "columns": [quantity(name).label.capitalize() for name in names],
        "rows": rows,
    }


def spec(lab: Lab) -> dict[str, Any]:
    """What the page's scripts must know of the inputs; every number is finite or null."""
    return {
        "slug": lab.slug,
        "version": engine.__version__,
        "number": lab.number,
        "inputs": [input_spec(entry) for entry in lab.inputs],
        "presets": [{"id": p.id, "label": p.label, "inputs": lab.defaults | dict(p.inputs)} for p in lab.presets],
        "predictions": [
            {"id": p.id, "kind": p.kind, "options": [value for value, _ in p.options] or None} for p in lab.predictions
        ],
        "labs": list(labs()),
    }


def input_spec(entry: Input) -> dict[str, Any]:
    """One input for scripts."""
    common = {
        "name": entry.name,
        "label": entry.label,
        "unit": entry.unit,
        "default": entry.default,
        "allowed": entry.allowed,
    }
    if isinstance(entry, Choice):
        options = [{"value": value, "label": label} for value, label in entry.options]
        return common | {"kind": "choice", "options": options, "stops": None}
    if isinstance(entry, Text):
        return common | {"kind": "text", "options": None, "stops": None}
    return common | {
        "kind": "number",
        "integer": entry.integer,
        "lower": entry.lower,
        "upper": None if entry.upper == float("inf") else entry.upper,
        "lower_open": entry.lower_open,
        "none": entry.none is not None,
        "stops": list(entry.stops),
        "options": None,
    }
