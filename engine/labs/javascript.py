"""A lab written out for the page: its plans as functions, its choices as tables, its sentences as templates.

The page's script builds the same state from this as `state.build` does here. Only labs that are all formulas can be
written so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

import engine
from engine import text, units
from engine.errors import InputError
from engine.formula import Formula
from engine.javascript import CALLS, HELPERS, curve, point, rounding, test
from engine.labs.inputs import Choice, Input, Number, Text
from engine.labs.lab import Lab
from engine.labs.predictions import Answer, From, Prediction, Scene
from engine.labs.sentences import Fragment
from engine.quantities import GLOSSARY, quantity
from engine.symbols import Expression, Operation
from engine.trace import Plan, chooses, label


class Code(str):
    """JavaScript that stands in the script as it is."""


def written(value: Any) -> str:
    """Data as JavaScript: JSON, with code where code is, and infinity."""
    if isinstance(value, Code):
        return value
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(key))}: {written(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(written, value)) + "]"
    if value == float("inf"):
        return "Infinity"
    return json.dumps(int(value) if isinstance(value, float) and value.is_integer() else value, ensure_ascii=False)


def script(lab: Lab) -> str:
    """The script of a lab: it sets `ridgepointLab`, which the page's script reads."""
    entries = ",\n  ".join(f"{key}: {written(value)}" for key, value in model(lab).items())
    head = "// Written by the build from the engine's formulas; change them there."
    helpers = HELPERS if any(f"{name}(" in entries for name in CALLS.values() if "." not in name) else ""
    return f"{head}\n{helpers}globalThis.ridgepointLab = {{\n  {entries}\n}};\n"


def model(lab: Lab) -> dict[str, Any]:
    """What the script holds, as data and code."""
    plans, chosen = variants(lab)
    given = sorted(lab.given(lab.defaults) | {entry.quantity: 0 for entry in lab.inputs if isinstance(entry, Number)})
    names = {*given, *(step.gives for plan in plans for step in plan.formulas)}
    names |= {prediction.gives for prediction in lab.predictions if prediction.gives}
    used = {step.id: step for plan in plans for step in plan.formulas}
    return {
        "slug": lab.slug,
        "title": lab.title,
        "version": engine.__version__,
        "scales": text.SCALES,
        "quantities": {name: {"symbol": GLOSSARY[name].symbol, "unit": GLOSSARY[name].unit} for name in sorted(names)},
        "inputs": [input_data(entry) for entry in lab.inputs],
        "tables": [table(lab, entry.inputs, entry.gives) for entry in lab.tables],
        "plans": [plan_data(lab, plan, given) for plan in plans],
        "chosen": chosen,
        "formulas": {key: formula_data(step) for key, step in used.items()},
        "sections": [[section.title, [formula.id for formula in formulas]] for section, formulas in lab.rows],
        "summary": [fragment(part) for part in lab.summary],
        "warnings": [{"id": warning.id, **fragment(warning.fragment)} for warning in lab.warnings],
        "predictions": [prediction_data(prediction) for prediction in lab.predictions],
        "facts": [{"id": fact.id, **table(lab, fact.inputs, lambda *v, f=fact: f.shown(dict(zip(f.inputs, v, strict=True))))}
                  for fact in lab.facts],
        "targets": lab.targets,
        "names": lab.names,
        "rules": [{"input": rule.input, "holds": Code(test(rule.holds.tree)), "allowed": rule.allowed} for rule in lab.rules],
        "bounds": {name: bound for plan in plans for name, bound in rounding(plan).items()},
        "curve": curve_data(lab),
    }  # fmt: skip


def variants(lab: Lab) -> tuple[list[Plan], dict[str, Any]]:
    """The different plans, and which of them each combination of choosing inputs takes."""
    names = list(dict.fromkeys(name for table in lab.tables if table.using for name in table.inputs))
    plans: list[Plan] = []
    entries = {}
    for key, values in combinations(lab, names):
        setting = lab.defaults | values
        plan = lab.plan(setting)
        if plan not in plans:
            plans.append(plan)
        entries[key] = {"plan": plans.index(plan), "worked": list(lab.using(setting))}
    return plans, {"inputs": names, "kinds": kinds(lab, names), "entries": entries}


def combinations(lab: Lab, names: Iterable[str]) -> Iterable[tuple[str, dict[str, Any]]]:
    """Every combination of the options of some choices, with its key: the values joined by bars."""
    for parts in product(*(lab.options(name).items() for name in names)):
        yield "|".join(key for key, _ in parts), dict(zip(names, (value for _, value in parts), strict=True))


def table(lab: Lab, inputs: tuple[str, ...], gives: Any) -> dict[str, Any]:
    """A look-up by choices: what each combination gives, and which are refused with which words."""
    entries, refused = {}, {}
    for key, values in combinations(lab, inputs):
        try:
            entries[key] = dict(gives(*values.values()))
        except InputError as error:
            refused[key] = {"name": error.name, "text": str(error)}
    return {"inputs": inputs, "kinds": kinds(lab, inputs), "entries": entries, "refused": refused}


def kinds(lab: Lab, names: Iterable[str]) -> list[str]:
    """Whether each input is a choice or a number."""
    return ["choice" if isinstance(lab.input(name), Choice) else "number" for name in names]


def input_data(entry: Input) -> dict[str, Any]:
    """An input: how it is parsed, shown, and turned into a base value."""
    common = {
        "name": entry.name,
        "label": entry.label,
        "default": entry.default,
        "allowed": entry.allowed,
        "hint": entry.hint,
    }
    if isinstance(entry, Choice):
        return common | {"kind": "choice", "options": entry.options}
    if isinstance(entry, Text):
        return common | {"kind": "text"}
    return common | {
        "kind": "number", "gives": entry.quantity, "factor": units.unit(entry.unit).factor, "unit": entry.suffix,
        "words": entry.words, "lower": entry.lower, "upper": entry.upper, "lowerOpen": entry.lower_open,
        "integer": entry.integer, "none": entry.none,
    }  # fmt: skip


def plan_data(lab: Lab, plan: Plan, given: Iterable[str]) -> dict[str, Any]:
    """A plan: its functions for a point and for curves, its formulas, its limits."""
    wanted: dict[str, dict[str, None]] = {}
    for series in lab.curve.series:
        wanted.setdefault(series.axis or lab.curve.input, {}).update(
            dict.fromkeys(column.quantity for column in series.columns.values())
        )
    return {
        "formulas": [step.id for step in plan.formulas],
        "point": Code(point(plan, [name for name in given if name not in {step.gives for step in plan.formulas}])),
        "curves": {axis: Code(curve(plan, axis, names)) for axis, names in wanted.items()},
        "limits": [
            {
                "id": key,
                "text": words,
                "inputs": limit.inputs,
                "holds": Code(test(limit.tree)) if limit.tree is not None else None,
            }
            for key, words, limit in plan.limits
        ],
    }


def formula_data(step: Formula) -> dict[str, Any]:
    """A formula: its line in symbols, its line with places for numbers, and the sides of its maxima and minima."""
    return {
        "gives": step.gives,
        "line": text.line(step.tree, text.symbol),
        "numbers": text.line(step.tree, lambda name: f"{{{name}}}"),
        "sides": [side_data(node) for node in step.tree.walk() if chooses(node)],
    }


def side_data(node: Expression) -> dict[str, Any]:
    """A maximum or minimum: its operands, and how each is called when it is taken."""
    assert isinstance(node, Operation)
    return {
        "word": "larger" if node.name == "maximum" else "smaller",
        "operands": [Code(test(child)) for child in node.children],
        "labels": [label(child) for child in node.children],
    }


def fragment(part: Fragment) -> dict[str, Any]:
    """A template and when it stands."""
    return {"template": part.template, "when": Code(test(part.tree)) if part.tree is not None else None}


def answer(found: Answer | None) -> Code | None:
    """An answer as a function of the scenes' values."""
    return Code(test(found.tree)) if found is not None else None


def prediction_data(prediction: Prediction) -> dict[str, Any]:
    """A prediction: its scenes, its answer and the mistakes, all as functions."""
    mistakes = [{"text": m.text, "option": m.option, "answer": answer(m.answer)} for m in prediction.mistakes]
    return {
        "id": prediction.id, "kind": prediction.kind, "prompt": prediction.prompt, "decided": prediction.decided,
        "gives": prediction.gives, "options": prediction.options, "answer": answer(prediction.answer),
        "mistakes": mistakes, "scenes": {name: scene_data(scene) for name, scene in prediction.scenes.items()},
    }  # fmt: skip


def scene_data(scene: Scene) -> dict[str, Any]:
    """A scene: fixed values and functions of the inputs."""
    changes = {name: Code(test(to.tree)) if isinstance(to, From) else to for name, to in scene.changes.items()}
    return {"fixed": scene.fixed, "changes": changes, "factors": scene.factors}


def curve_data(lab: Lab) -> dict[str, Any]:
    """What the figure and its table run over; a column is its quantity, the size of its unit, and its band."""
    found = lab.curve
    series = [
        {
            "name": entry.name,
            "over": entry.over,
            "axis": entry.axis or found.input,
            "grid": entry.grid or None,
            "columns": {name: [c.quantity, units.unit(c.unit).factor, c.band] for name, c in entry.columns.items()},
        }
        for entry in found.series
    ]
    return {
        "input": found.input, "unit": quantity(found.input).unit, "grid": found.grid, "rows": found.rows,
        "columns": found.columns, "marks": found.marks, "bandOf": found.band_of, "series": series,
    }  # fmt: skip
