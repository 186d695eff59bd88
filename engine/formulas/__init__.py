"""One module per topic, all found by themselves; importing this package enters every formula into the registry."""

import importlib
import pkgutil

for _found in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_found.name}")
