"""A choice between yes and no, typed in any of the usual ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.labs.inputs import Choice

ON, OFF = "true", "false"


@dataclass(frozen=True)
class Switch(Choice):
    """A choice of `true` and `false`, in any case, or 1 and 0."""

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        return "true or false, or 1 or 0"

    def parse(self, raw: Any) -> str | int:
        """The option that was meant.

        Raises
        ------
        InputError
            When it is neither.
        """
        typed = str(raw).strip().lower()
        return super().parse({"1": ON, "0": OFF}.get(typed, typed))

    def data(self, value: str | int) -> str | int:
        """The value as reports have it: a truth value."""
        return value == ON
