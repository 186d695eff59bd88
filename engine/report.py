"""Answers of labs and formulas as data for machines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import engine
from engine.formula import Formula
from engine.labs.answers import calculation, measured, plain
from engine.labs.export import warnings
from engine.labs.inputs import Number
from engine.labs.lab import Lab
from engine.labs.state import trace as lab_trace
from engine.quantities import quantity
from engine.trace import plan


def lab_report(lab: Lab, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that a lab says for parsed inputs."""
    found = lab_trace(lab, inputs)
    units = {entry.name: entry.unit for entry in lab.inputs if isinstance(entry, Number)}
    return {
        "lab": lab.slug,
        "version": engine.__version__,
        "inputs": {name: {"value": plain(value), "unit": units.get(name)} for name, value in inputs.items()},
        "outputs": {lab.shown_name(name): measured(name, found.values[name]) for name in lab.outputs},
        **calculation(found),
        "warnings": warnings(lab, inputs, found.values),
        **simulation(lab, inputs),
    }


def simulation(lab: Lab, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What the lab's simulator found; nothing for a lab without one."""
    if lab.simulate is None:
        return {}
    found = lab.simulate(inputs)
    results = {name: {"value": plain(value), "unit": unit} for name, (value, unit) in found.outputs.items()}
    return {"simulation": results, "events": list(found.events)}


def formula_report(formula: Formula, given: Mapping[str, float]) -> dict[str, Any]:
    """A formula's answer for base values by glossary name, under its symbols and its glossary names."""
    found = plan([formula.gives], given, {formula.gives: formula.id}).trace(given)
    result = measured(formula.gives, found.values[formula.gives])
    symbol = formula.aliases.get(formula.gives, quantity(formula.gives).symbol)
    return {
        "formula": formula.id,
        "version": engine.__version__,
        "inputs": {name: measured(name, value) for name, value in given.items()},
        "outputs": {symbol: result, formula.gives: result},
        **calculation(found),
        "warnings": [limit.text for limit in found.limits if limit.state == "outside"],
    }
