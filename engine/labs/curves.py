"""The figure's data: every series of a lab as columns of doubles, one evaluation of the plan for each whole column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine import units
from engine.labs.lab import Lab, Series


def sources(lab: Lab, inputs: Mapping[str, Any], pinned: Mapping[str, Any] | None) -> dict[str, dict[str, Any]]:
    """Columns by series and name, as float64 arrays of one length within a series; empty where nothing is pinned."""
    return {series.name: columns(lab, series, inputs, pinned) for series in lab.curve.series}


def columns(lab: Lab, series: Series, inputs: Mapping[str, Any], pinned: Mapping[str, Any] | None) -> dict[str, Any]:
    """The columns of one series."""
    import numpy as np

    setting = pinned if series.over.startswith("pinned") else inputs
    if setting is None:
        return {name: np.zeros(0) for name in series.columns}
    curve, given, plan = lab.curve, lab.given(setting), lab.plan(setting)
    ranges = {"grid": curve.grid, "rows": curve.rows, "start": curve.grid[:1], "end": curve.grid[-1:]}
    places = ranges.get(series.over.removeprefix("pinned "), (setting[curve.input],))
    axis = np.array(places, dtype=float)
    found: dict[float, dict[str, Any]] = {}
    result = {}
    for name, column in series.columns.items():
        if column.band not in found:
            found[column.band] = plan.evaluate(
                given | {curve.input: axis, curve.band_of: given[curve.band_of] * column.band}
            )
        value = units.unit(column.unit).from_base(found[column.band][column.quantity])
        result[name] = np.broadcast_to(np.asarray(value, dtype=float), axis.shape).copy()
    return result
