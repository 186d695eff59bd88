"""The labs as data: one module per lab, found by itself; nothing here knows a screen."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import engine.formulas  # noqa: F401  labs plan with formulas, so these must be entered first
from engine.errors import InputError, nearest
from engine.labs.headless import HeadlessLab
from engine.labs.lab import Lab


def _found(name: str) -> Mapping[str, Any]:
    modules = (importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__))
    found = [getattr(module, name) for module in modules if hasattr(module, name)]
    return MappingProxyType({lab.slug: lab for lab in sorted(found, key=lambda lab: lab.number)})


@cache
def labs() -> Mapping[str, Lab]:
    """Every lab with a page by slug, in the order of their numbers: each module of this package that has a `LAB`."""
    return _found("LAB")


@cache
def headless() -> Mapping[str, HeadlessLab]:
    """Every lab that answers the command line in its own way: each module of this package that has a `HEADLESS`."""
    return _found("HEADLESS")


def lab(slug: str) -> Lab:
    """The lab of that slug, or an error that names the nearest one."""
    if slug not in labs():
        known = [*labs(), *headless()]
        raise InputError("lab", slug, ", ".join(known), nearest(slug, known))
    return labs()[slug]
