"""The atlas as data: one module per topic, found by itself, each with its `ENTRIES`; nothing here knows a screen."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from engine.atlas.entry import Entry
from engine.atlas.topics import TOPICS
from engine.errors import FormulaError, InputError, nearest


@cache
def entries() -> Mapping[str, Entry]:
    """Every entry by id, in the order of the topics and of their modules."""
    modules = {found.name for found in pkgutil.iter_modules(__path__)} - {"answer", "entry", "lone", "topics", "values"}
    if strays := modules - set(TOPICS):
        raise FormulaError(f"engine/atlas/{min(strays)}.py is no topic. {nearest(min(strays), TOPICS)}".rstrip())
    result: dict[str, Entry] = {}
    for topic in TOPICS:
        if topic in modules:
            for entry in importlib.import_module(f"{__name__}.{topic}").ENTRIES:
                if entry.id in result:
                    raise FormulaError(f"the atlas has two entries {entry.id!r}")
                result[entry.id] = entry
    return MappingProxyType(result)


def entry(id: str) -> Entry:
    """The entry of that id, or an error that names the nearest one."""
    if id not in entries():
        known = list(entries())
        raise InputError("formula", id, "an id that `python -m engine list formulas` shows", nearest(id, known))
    return entries()[id]
