"""A lab's state: from inputs to every number and word that a reader sees, for any screen.

Texts are keyed by slot: `q.NAME` a quantity, `input.NAME` an input, `fact.ID`, `limit.ID`, `warn.ID`, `table.R.C`,
`predict.ID.…`, `pin.NAME` and `diff.NAME`, `side.NAME`, `summary`, `command`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engine import text
from engine.errors import FormulaError, InputError
from engine.labs.inputs import Choice
from engine.labs.lab import Lab
from engine.labs.predictions import From, Prediction, Verdict, judge, parse
from engine.labs.sentences import fill, join
from engine.quantities import quantity
from engine.trace import Trace


@dataclass(frozen=True)
class State:
    """What a screen shows for one setting.

    Attributes
    ----------
    inputs : mapping
        Every input, in its own unit.
    values : mapping
        Every quantity in base units.
    texts, flags : mapping
        Words by slot; and whether a slot is shown.
    errors : mapping
        Messages by input name, for what was asked and not taken.
    """

    inputs: dict[str, Any]
    values: dict[str, Any]
    texts: dict[str, str]
    flags: dict[str, bool]
    errors: dict[str, str] = field(default_factory=dict)


def settle(lab: Lab, raw: Mapping[str, Any], fallback: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Every input as asked for in `raw`, or as in `fallback` where that cannot be, with a message for each such name."""
    values, errors = dict(fallback), {}
    for name, asked in raw.items():
        try:
            values[name] = lab.input(name).parse(asked)
        except InputError as error:
            errors[name] = str(error)
    for _ in lab.inputs:  # a combination that is refused names one input at a time
        try:
            lab.given(values)
            break
        except InputError as error:
            values[error.name] = lab.input(error.name).default
            errors[error.name] = str(error)
    return values, errors


class Words(dict[str, str]):
    """Shown values by name for templates, each made when it is first asked for: most scenes need only a few."""

    def __init__(self, lab: Lab, inputs: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        super().__init__(
            {entry.name: entry.show(inputs[entry.name]) for entry in lab.inputs if isinstance(entry, Choice)}
        )
        self._values = values

    def __missing__(self, name: str) -> str:
        if name not in self._values:
            raise FormulaError(f"a sentence names {name!r}, which is no value of this lab")
        self[name] = text.show(name, self._values[name])
        return self[name]


class SceneWords(dict[str, str]):
    """Words of several scenes: `scene.name`, and bare names for the first scene."""

    def __init__(self, scenes: Mapping[str, Words]) -> None:
        super().__init__()
        self._scenes = scenes

    def __missing__(self, name: str) -> str:
        scene, _, key = name.rpartition(".")
        words = self._scenes[scene] if scene else next(iter(self._scenes.values()))
        return words[key]


def trace(lab: Lab, inputs: Mapping[str, Any]) -> Trace:
    """The calculation for parsed inputs, its steps in the order of the lab's sections."""
    found = lab.plan(inputs).trace(lab.given(inputs))
    steps = {step.formula: step for step in found.steps}
    ordered = (formula for _, formulas in lab.rows for formula in formulas)
    return replace(found, steps=tuple(steps[formula] for formula in ordered if formula in steps))


def build(lab: Lab, inputs: Mapping[str, Any], pinned: Mapping[str, Any] | None = None) -> State:
    """The state for parsed inputs, with the pinned setting beside it where there is one."""
    calculation = trace(lab, inputs)
    values = calculation.values
    said = Words(lab, inputs, values)
    texts = {f"q.{name}": text.show(name, value) for name, value in values.items()}
    texts |= {f"q.{shown}": said[name] for name, shown in lab.names.items()}
    texts |= {f"input.{entry.name}": entry.show(inputs[entry.name]) for entry in lab.inputs}
    texts |= {f"side.{step.name}": step.side for step in calculation.steps}
    texts |= {f"limit.{limit.id}": limit.state for limit in calculation.limits}
    texts["summary"] = join(lab.summary, values, said)
    texts["command"] = command(lab, inputs)
    used = {step.formula.id for step in calculation.steps}
    flags = {f"step.{formula.id}": formula.id in used for _, formulas in lab.rows for formula in formulas}
    for place, (_, formulas) in enumerate(lab.rows):
        flags[f"section.{place}"] = any(formula.id in used for formula in formulas)
    for warning in lab.warnings:
        flags[f"warn.{warning.id}"] = warning.fragment.stands(values)
        texts[f"warn.{warning.id}"] = fill(warning.fragment.template, said)
    for fact in lab.facts:
        shown = fact.shown(inputs)
        texts[f"fact.{fact.id}"] = shown.pop("text")
        texts |= {f"fact.{fact.id}.{part}": word for part, word in shown.items()}
    for row, cells in enumerate(table(lab, inputs)):
        texts |= {f"table.{row}.{column}": cell for column, cell in enumerate(cells)}
    for prediction in lab.predictions:
        ask(lab, prediction, inputs, texts, flags)
    flags["pinned"] = pinned is not None
    if pinned is not None:
        compare(lab, inputs, values, pinned, texts)
    return State(dict(inputs), values | {shown: values[name] for name, shown in lab.names.items()}, texts, flags)


def table(lab: Lab, inputs: Mapping[str, Any]) -> list[list[str]]:
    """The figure in words: one row for each of the curve's `rows`."""
    plan, given, curve = lab.plan(inputs), lab.given(inputs), lab.curve
    rows = []
    for value in curve.rows:
        values = plan.evaluate(given | {curve.input: value})
        rows.append([text.show(name, values[name]) for name in (curve.input, *curve.columns)])
    return rows


def scenes(lab: Lab, prediction: Prediction, inputs: Mapping[str, Any]) -> tuple[dict[str, Any], SceneWords]:
    """Values and words of all scenes of a prediction, named `scene.quantity`; input names stand for the first scene's.

    Raises
    ------
    InputError
        When a scene is not possible with the current inputs.
    """
    values: dict[str, Any] = {}
    said: dict[str, Words] = {}
    for name, scene in prediction.scenes.items():
        start = lab.defaults if scene.fixed else dict(inputs)
        changed = {key: to.value(start) if isinstance(to, From) else to for key, to in scene.changes.items()}
        setting = start | changed
        given = lab.given(setting)
        given |= {key: given[key] * factor for key, factor in scene.factors.items()}
        found = lab.plan(setting).evaluate(given)
        values |= {f"{name}.{key}": value for key, value in found.items()}
        said[name] = Words(lab, setting, found)
    return values, SceneWords(said)


def ask(
    lab: Lab, prediction: Prediction, inputs: Mapping[str, Any], texts: dict[str, str], flags: dict[str, bool]
) -> None:
    """The prompt and the model's answer, or why it cannot be asked with these inputs."""
    slot = f"predict.{prediction.id}"
    try:
        values, said = scenes(lab, prediction, inputs)
    except InputError as error:
        flags[slot] = False
        texts |= {
            f"{slot}.prompt": f"This cannot be asked with these inputs. {error}",
            f"{slot}.answer": "",
            f"{slot}.step": "",
        }
        return
    flags[slot] = True
    texts[f"{slot}.prompt"] = fill(prediction.prompt, said)
    texts[f"{slot}.answer"] = prediction.shown(prediction.answer.value(values))
    texts[f"{slot}.step"] = fill(prediction.decided, said)


def verdict(lab: Lab, name: str, raw: Any, inputs: Mapping[str, Any]) -> Verdict:
    """The reader's answer to the prediction `name` beside the model's."""
    prediction = next((p for p in lab.predictions if p.id == name), None)
    if prediction is None:
        raise InputError("prediction", name, ", ".join(p.id for p in lab.predictions))
    given = parse(prediction, raw)
    return judge(prediction, given, *scenes(lab, prediction, inputs))


def place(lab: Lab, name: str, raw: Any, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Where a numeric answer stands in the figure: its quantity, and the curve's input in the last scene.

    Empty where the answer is no number of the figure.
    """
    prediction = next(p for p in lab.predictions if p.id == name)
    if prediction.kind != "numeric":
        return {}
    values, _ = scenes(lab, prediction, inputs)
    last = list(prediction.scenes)[-1]
    return {lab.curve.input: values[f"{last}.{lab.curve.input}"], prediction.gives: parse(prediction, raw)}


def compare(
    lab: Lab, inputs: Mapping[str, Any], values: Mapping[str, Any], pinned: Mapping[str, Any], texts: dict[str, str]
) -> None:
    """The pinned setting A beside the current one B: A's numbers and the differences."""
    other = lab.plan(pinned).evaluate(lab.given(pinned))
    for name in lab.targets:
        texts[f"pin.{name}"] = text.show(name, other[name])
        texts[f"diff.{name}"] = text.difference(other[name], values[name], quantity(name).unit)
    changed = [entry for entry in lab.inputs if pinned[entry.name] != inputs[entry.name]]
    texts["pin.inputs"] = (
        "; ".join(f"{e.label}: {e.show(pinned[e.name])} → {e.show(inputs[e.name])}" for e in changed)
        or "A and B have the same inputs."
    )


def command(lab: Lab, inputs: Mapping[str, Any]) -> str:
    """The command line that gives the same numbers."""
    return " ".join(["python -m engine lab", lab.slug, *(f"{name}={value}" for name, value in inputs.items())])
