"""Panels, one module per simulator: markup of what it found, with what a reader can do to it.

A button or block with `data-act="TEXT"` adds TEXT to the lab's text input named by the panel's `data-acts-on`, so that undo,
the address and the command line hold every action.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from engine.labs.lab import Lab


def markup(lab: Lab, inputs: Mapping[str, Any]) -> Markup:
    """The panel of a lab that has a simulator, for parsed inputs."""
    made: Markup = importlib.import_module(f"{__name__}.{lab.slug.replace('-', '_')}").markup(inputs)
    return made
