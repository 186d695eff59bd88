"""Panels, one module per simulator: markup of what it found, with what a reader can do to it.

A button or block with `data-act="TEXT"` adds TEXT to the lab's text input named by the panel's `data-acts-on`, so that undo,
the address and the command line hold every action.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from engine.errors import InputError
from engine.labs.lab import Lab


def markup(lab: Lab, inputs: Mapping[str, Any]) -> Markup:
    """The panel of a lab that has a simulator, for parsed inputs."""
    panel = importlib.import_module(f"{__name__}.{lab.slug.replace('-', '_')}")
    try:
        made: Markup = panel.markup(inputs)
    except InputError as error:
        return Markup("<p>{}</p>").format(str(error))
    return made
