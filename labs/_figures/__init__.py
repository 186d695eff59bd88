"""Figures, one module per lab; `base` holds what they share."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from labs._figures.base import LabFigure


def figure_for(slug: str, data: Mapping[str, Mapping[str, Any]]) -> LabFigure:
    """The figure of the lab `slug`, on the data of its series."""
    made: LabFigure = importlib.import_module(f"{__name__}.{slug.replace('-', '_')}").Figure(data)
    return made
