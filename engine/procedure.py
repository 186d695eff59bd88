"""Procedures: what runs over lists step by step, such as a streaming softmax, and so is no tree.

A procedure is ordinary Python that decides which formulas run on which values; its trace is the list of those steps. So
here too, what is shown is made from what computes. Only Python runs procedures.

```python
@procedure(gives=("normaliser",), formulas=(running_maximum, …), source=Source(…), limits=[Limit("…")])
def online_softmax(run, logits):
    for logit in logits:
        largest = run(running_maximum, previous_maximum=largest, logit=logit)
```
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import FormulaError, RidgepointError
from engine.formula import Formula, Limit, Source
from engine.quantities import quantity
from engine.trace import Step, worked_out


@dataclass(frozen=True)
class Event:
    """A step that is no formula, such as taking a hash: what was done, with which values, and what came of it."""

    name: str
    line: str
    substituted: str
    value: Any
    source: Source
    side: str = ""


class Run:
    """One run of a procedure: works out formulas, and keeps every step."""

    def __init__(self, owner: Procedure) -> None:
        self.owner = owner
        self.steps: list[Step | Event] = []

    def __call__(self, formula: Formula, **values: Any) -> Any:
        """What the formula gives for these values."""
        if formula not in self.owner.formulas:
            raise FormulaError(f"procedure {self.owner.id}: {formula.id} is not among its formulas")
        found = worked_out(formula, values)
        self.steps.append(Step(formula, values | {formula.gives: found}))
        return found

    def event(self, name: str, line: str, substituted: str, value: Any) -> Any:
        """Keep a step that is no formula."""
        self.steps.append(Event(quantity(name).name, line, substituted, value, self.owner.source))
        return value


@dataclass(frozen=True, eq=False)
class Procedure:
    """What a procedure takes and gives, by glossary names, and the formulas that it runs."""

    id: str
    inputs: tuple[str, ...]
    gives: tuple[str, ...]
    formulas: tuple[Formula, ...]
    body: Callable[..., Mapping[str, Any]]
    source: Source
    limits: tuple[Limit, ...]

    @property
    def doc(self) -> str:
        return inspect.cleandoc(self.body.__doc__ or "")

    def run(self, given: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Step | Event, ...]]:
        """The results by glossary name, and every step.

        Raises
        ------
        RidgepointError
            Where it has no value, such as for lists of different lengths.
        """
        run = Run(self)
        try:
            found = dict(self.body(run, *(given[name] for name in self.inputs)))
        except RidgepointError:
            raise
        except (ZeroDivisionError, OverflowError, ValueError) as error:
            raise RidgepointError(f"{self.id} has no value for these inputs ({error})") from None
        return found, tuple(run.steps)


def procedure(
    *, gives: Sequence[str], formulas: Sequence[Formula], source: Source, limits: Sequence[Limit]
) -> Callable[[Callable[..., Mapping[str, Any]]], Procedure]:
    """Make a function a procedure: its first parameter is the run, the others are glossary names.

    Parameters
    ----------
    gives : sequence of str
        Glossary names of its results.
    formulas : sequence of Formula
        What it may run.
    source : Source
        Where it comes from.
    limits : sequence of Limit
        At least one: where it stops to hold.
    """
    if not isinstance(source, Source):
        raise FormulaError(f"a procedure needs a Source, not {source!r}")
    if not limits:
        raise FormulaError("a procedure needs its limits: at least one Limit")

    def enter(body: Callable[..., Mapping[str, Any]]) -> Procedure:
        inputs = tuple(inspect.signature(body).parameters)[1:]
        for name in (*inputs, *gives):
            quantity(name)
        return Procedure(body.__name__, inputs, tuple(gives), tuple(formulas), body, source, tuple(limits))

    return enter
