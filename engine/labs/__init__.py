"""The labs as data: one module per lab, found by itself; nothing here knows a screen."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import engine.formulas  # noqa: F401  labs plan with formulas, so these must be entered first
from engine.errors import InputError, nearest
from engine.labs.lab import Lab


@cache
def labs() -> Mapping[str, Lab]:
    """Every lab by slug, in the order of their numbers: each module of this package that has a `LAB`."""
    modules = (importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__))
    found = [module.LAB for module in modules if hasattr(module, "LAB")]
    return MappingProxyType({lab.slug: lab for lab in sorted(found, key=lambda lab: lab.number)})


def lab(slug: str) -> Lab:
    """The lab of that slug, or an error that names the nearest one."""
    if slug not in labs():
        raise InputError("lab", slug, ", ".join(labs()), nearest(slug, labs()))
    return labs()[slug]
