"""Labs that answer the command line in their own way, with a page or without: what the command line needs of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class HeadlessLab(Protocol):
    """A lab whose answer is worked out by a simulator or from a file.

    `report` has the keys of every lab's report: lab, version, inputs, outputs, trace, limits, warnings.
    """

    slug: str
    number: int
    title: str

    def report(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """The answer for what was typed; InputError where it cannot be given."""
        ...

    def text(self, report: Mapping[str, Any]) -> str:
        """A report in words."""
        ...
