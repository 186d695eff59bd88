"""The figure's data: every series of a lab as columns of doubles, one evaluation of the plan for each whole column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine import units
from engine.labs.answers import plain
from engine.labs.lab import Lab, Series


def sources(lab: Lab, inputs: Mapping[str, Any], pinned: Mapping[str, Any] | None) -> dict[str, dict[str, Any]]:
    """Columns by series and name, as float64 arrays of one length within a series; empty where nothing is pinned."""
    return {series.name: columns(lab, series, inputs, pinned) for series in lab.curve.series}


def listed(data: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, list[Any]]]:
    """The same columns as data that JSON can hold: infinity by its name."""
    return {name: {key: [plain(value) for value in column.tolist()] for key, column in series.items()}
            for name, series in data.items()}  # fmt: skip


def columns(lab: Lab, series: Series, inputs: Mapping[str, Any], pinned: Mapping[str, Any] | None) -> dict[str, Any]:
    """The columns of one series."""
    import numpy as np

    setting = pinned if series.over.startswith("pinned") else inputs
    if setting is None:
        return {name: np.zeros(0) for name in series.columns}
    curve, given, plan = lab.curve, lab.given(setting), lab.plan(setting)
    name, grid = series.axis or curve.input, series.grid or curve.grid
    now = given[name]
    ranges = {"grid": grid, "rows": curve.rows, "start": grid[:1], "end": grid[-1:], "to now": (0.0, now)}
    axis = np.array(ranges.get(series.over.removeprefix("pinned "), (now,)), dtype=float)
    found: dict[float, dict[str, Any]] = {}
    result = {}
    for key, column in series.columns.items():
        if column.band not in found:
            band = {curve.band_of: given[curve.band_of] * column.band} if column.band != 1 else {}
            found[column.band] = plan.evaluate(given | band | {name: axis})
        value = units.unit(column.unit).from_base(found[column.band][column.quantity])
        result[key] = np.broadcast_to(np.asarray(value, dtype=float), axis.shape).copy()
    return result
