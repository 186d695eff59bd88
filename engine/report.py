"""Answers of labs as data for machines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import engine
from engine.labs.answers import calculation, measured
from engine.labs.export import warnings
from engine.labs.lab import Lab
from engine.labs.state import trace as lab_trace
from engine.trace import NOT_CHECKED


def lab_report(lab: Lab, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that a lab says for parsed inputs, with what its simulator found where it was asked."""
    found = lab_trace(lab, inputs)
    simulated = lab.simulate(inputs) if lab.simulate else None
    said = calculation(found)
    if simulated:
        said["limits"] += [{"text": limit, "state": NOT_CHECKED} for limit in simulated.limits]
    return {
        "lab": lab.slug,
        "version": engine.__version__,
        "inputs": {entry.name: {"value": entry.data(inputs[entry.name]), "unit": entry.unit} for entry in lab.inputs},
        "outputs": {lab.shown_name(name): measured(name, found.values[name]) for name in lab.outputs},
        **said,
        "warnings": warnings(lab, inputs, found.values) + list(simulated.warnings if simulated else ()),
        **(simulated.data if simulated else {}),
    }
