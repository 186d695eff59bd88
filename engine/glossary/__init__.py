"""The glossary's entries, one module per topic, all found by themselves; `engine.quantities` says what an entry is."""

import importlib
import pkgutil

for _found in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_found.name}")
