"""Ridgepoint's model core: formulas, facts and labs in pure Python.

Nothing here knows a screen. numpy is used only where arrays are, and never needed for a single value.
"""

__version__ = "0.1.0"
