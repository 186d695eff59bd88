"""Sentences about a state: templates with named values, and fragments that stand only where a test holds.

Both are data, so that every reading of a lab makes the same words from the same numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.dimensions import FLAG
from engine.errors import FormulaError
from engine.formula import read
from engine.symbols import Expression
from engine.trace import interpret

FIELD = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True)
class Fragment:
    """A piece of text with `{name}` for shown values, and a test over glossary names that says when it stands."""

    template: str
    when: Callable[..., Any] | None = None
    tree: Expression | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if self.when is not None:
            _, tree, kind = read(self.when)
            if kind.dimension != FLAG:
                raise FormulaError(f"the test of the sentence {self.template!r} must be a comparison")
            object.__setattr__(self, "tree", tree)

    def stands(self, values: Mapping[str, Any]) -> bool:
        """Whether the text stands for these values."""
        return self.tree is None or bool(interpret(self.tree, values))


@dataclass(frozen=True)
class Warning:
    """A warning for the current inputs: its text stands where the test holds."""

    id: str
    fragment: Fragment


def fill(template: str, words: Mapping[str, str]) -> str:
    """The template with every `{name}` replaced by its word."""

    return FIELD.sub(lambda match: words[match[1]], template)


def join(fragments: tuple[Fragment, ...], values: Mapping[str, Any], words: Mapping[str, str]) -> str:
    """The fragments that stand, filled and joined by spaces."""
    return " ".join(fill(fragment.template, words) for fragment in fragments if fragment.stands(values))
