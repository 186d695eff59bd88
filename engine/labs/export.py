"""What a reader takes away: the calculation as text and Markdown, the figure's data as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

import engine
from engine import text
from engine.labs.lab import Lab
from engine.labs.sentences import fill
from engine.labs.state import Words, command, trace
from engine.quantities import quantity
from engine.trace import NOT_CHECKED, Step, Trace


def warnings(lab: Lab, inputs: Mapping[str, Any], values: Mapping[str, Any]) -> list[str]:
    """The warnings that stand for these inputs."""
    said = Words(lab, inputs, values)
    return [fill(w.fragment.template, said) for w in lab.warnings if w.fragment.stands(values)]


def _parts(lab: Lab, inputs: Mapping[str, Any]) -> tuple[Trace, str, list[str], list[str]]:
    calculation = trace(lab, inputs)
    settings = "; ".join(f"{entry.label} {entry.show(inputs[entry.name])}" for entry in lab.inputs)
    limits = [
        limit.text if limit.state == NOT_CHECKED else f"{limit.text} (here: {limit.state})"
        for limit in calculation.limits
    ]
    return calculation, settings, limits, warnings(lab, inputs, calculation.values)


def as_text(lab: Lab, inputs: Mapping[str, Any]) -> str:
    """The calculation in plain text, step by step, with its inputs, warnings and limits."""
    calculation, settings, limits, warned = _parts(lab, inputs)
    steps = {step.formula.id: step for step in calculation.steps}
    lines = [lab.title, settings, ""]
    for section, formulas in lab.rows:
        sentences = [f"  {steps[f.id].sentence}" for f in formulas if f.id in steps]
        lines += [section.title, *sentences, ""] if sentences else []
    lines += ["Warnings", *(f"  {warning}" for warning in warned), ""] if warned else []
    lines += [
        "Limits",
        *(f"  {limit}" for limit in limits),
        "",
        f"Ridgepoint {engine.__version__}",
        command(lab, inputs),
    ]
    return "\n".join(lines) + "\n"


def simulated(lab: Lab, inputs: Mapping[str, Any]) -> str:
    """What the lab's simulator found, in plain text; empty where it was not asked."""
    found = lab.simulate(inputs) if lab.simulate else None
    if found is None:
        return ""
    parts = [
        *found.chapters,
        ("Warnings of the simulation", found.warnings),
        ("Limits of the simulation", found.limits),
    ]
    return "\n".join(line for title, entries in parts if entries for line in (title, *(f"  {e}" for e in entries), ""))


def as_markdown(lab: Lab, inputs: Mapping[str, Any]) -> str:
    """The calculation as Markdown, with a table for each section."""
    calculation, settings, limits, warned = _parts(lab, inputs)
    steps = {step.formula.id: step for step in calculation.steps}
    lines = [f"## {lab.title}", "", settings, ""]
    for section, formulas in lab.rows:
        found = [steps[f.id] for f in formulas if f.id in steps]
        if found:
            lines += [f"### {section.title}", "", "| | formula | with numbers | result |", "|---|---|---|---|"]
            lines += [*map(_table_row, found), ""]
    lines += ["### Warnings", "", *(f"- {warning}" for warning in warned), ""] if warned else []
    lines += ["### Limits", "", *(f"- {limit}" for limit in limits), ""]
    lines += [f"Ridgepoint {engine.__version__}: `{command(lab, inputs)}`"]
    return "\n".join(lines) + "\n"


def _table_row(step: Step) -> str:
    cells = (text.symbol(step.name), step.line, step.substituted, step.shown)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def as_csv(lab: Lab, inputs: Mapping[str, Any]) -> str:
    """The figure's curves, one row for each value on the horizontal axis, in base units; the setting in the first lines."""
    curve, plan, given = lab.curve, lab.plan(inputs), lab.given(inputs)
    names = (curve.input, *curve.columns)
    out = io.StringIO()
    out.write(f"# {lab.title}; Ridgepoint {engine.__version__}\n# {command(lab, inputs)}\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(f"{name} [{quantity(name).unit}]" for name in names)
    for value in sorted({*curve.grid, float(inputs[curve.input])}):
        values = plan.evaluate(given | {curve.input: value})
        writer.writerow(_cell(values[name]) for name in names)
    return out.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return int(value) if isinstance(value, float) and value.is_integer() else value


EXPORTS = {"text": as_text, "markdown": as_markdown, "csv": as_csv}
"""The exports by name."""
