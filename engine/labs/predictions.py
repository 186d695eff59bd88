"""Predictions: a question about scenes that the engine computes, never a stored answer.

A scene is the current inputs with some changed. Answers, the answers of common mistakes, and the option that is right
are bodies over the scenes' quantities, read with symbols like any formula: `lambda now, then: now.step_time_s / 2`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from engine import text
from engine.errors import FormulaError, InputError
from engine.labs import inputs
from engine.labs.sentences import fill
from engine.quantities import quantity
from engine.symbols import Expression, Symbol, lift
from engine.trace import interpret

KINDS = ("numeric", "choice", "direction")

CLOSE = 1.04
"""A number within this factor of a mistake's answer, and not of the right one, is taken for that mistake."""


class _Scene:
    """Stands for a scene in a body: its attributes are the symbols of that scene's quantities."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, quantity_name: str) -> Symbol:
        quantity(quantity_name)
        return Symbol(f"{self._name}.{quantity_name}")


@dataclass(frozen=True)
class Answer:
    """A body over scenes, e.g. `lambda now, then: then.sequence_tokens_per_s`."""

    body: Callable[..., Any]
    tree: Expression = field(init=False)

    def __post_init__(self) -> None:
        scenes = [_Scene(name) for name in inspect.signature(self.body).parameters]
        object.__setattr__(self, "tree", lift(self.body(*scenes)))

    def value(self, values: Mapping[str, Any]) -> Any:
        """The answer for the values of all scenes, named `scene.quantity`."""
        return interpret(self.tree, values)


@dataclass(frozen=True)
class From:
    """A body over inputs, for a scene that changes one: `lambda batch: batch * 2`."""

    body: Callable[..., Any]
    tree: Expression = field(init=False)

    def __post_init__(self) -> None:
        names = inspect.signature(self.body).parameters
        object.__setattr__(self, "tree", lift(self.body(*map(Symbol, names))))

    def value(self, inputs: Mapping[str, Any]) -> Any:
        """The changed input, for the current inputs."""
        return interpret(self.tree, inputs)


@dataclass(frozen=True)
class Scene:
    """The current inputs with `changes`, each to a fixed value or to one worked out `From` the current inputs.

    `fixed` starts from the defaults instead of the current inputs; `factors` multiply given quantities.
    """

    changes: Mapping[str, Any] = field(default_factory=dict)
    fixed: bool = False
    factors: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Mistake:
    """A common wrong way: for a number the answer it gives, for a choice the option; and its name, kindly put."""

    text: str
    answer: Answer | None = None
    option: str = ""


@dataclass(frozen=True)
class Prediction:
    """A prompt.

    Attributes
    ----------
    kind : one of `KINDS`
    prompt, decided : str
        Templates over input names and `scene.quantity`; `decided` is the sentence with the step that decides.
    gives : str
        The glossary name in whose unit a numeric answer is given.
    answer : Answer
        The number, or the id of the right option.
    step : str
        The quantity whose step of the calculation decides.
    """

    id: str
    kind: str
    prompt: str
    scenes: Mapping[str, Scene]
    answer: Answer
    decided: str
    step: str
    gives: str = ""
    options: tuple[tuple[str, str], ...] = ()
    mistakes: tuple[Mistake, ...] = ()

    def shown(self, answer: Any) -> str:
        """An answer as the reader sees it."""
        if self.kind == "numeric":
            return text.show(self.gives, answer)
        return dict(self.options)[answer]


@dataclass(frozen=True)
class Verdict:
    """What is said when prediction and model stand side by side."""

    verdict: str
    yours: str
    answer: str
    mistake: str
    step: str


def judge(prediction: Prediction, given: Any, values: Mapping[str, Any], words: Mapping[str, str]) -> Verdict:
    """Compare an answer as `parse` gives it with the model's, for the values and words of all scenes."""
    right = prediction.answer.value(values)
    step = fill(prediction.decided, words)
    if prediction.kind != "numeric":
        named = next((m.text for m in prediction.mistakes if m.option == given and given != right), "")
        verdict = "Right: so says the model." if given == right else "The model says otherwise."
        return Verdict(verdict, prediction.shown(given), prediction.shown(right), fill(named, words), step)
    ratio = factor(given, right)
    mistake = ""
    if ratio > CLOSE:
        near = [(factor(given, m.answer.value(values)), m.text) for m in prediction.mistakes if m.answer]
        mistake = next((fill(said, words) for distance, said in sorted(near) if distance <= CLOSE), "")
    shown = text.digits(ratio, "3g") if ratio < 100 else text.digits(ratio, "0f")
    if ratio <= 1.005:
        verdict = "On the spot."
    else:
        verdict = f"Within {shown}{text.TIMES}: {'above' if given > right else 'below'} the model's answer."
    return Verdict(verdict, prediction.shown(given), prediction.shown(right), mistake, step)


def factor(a: float, b: float) -> float:
    """How many times the larger is the smaller: the distance on a log scale."""
    return max(a / b, b / a) if a > 0 and b > 0 else float("inf")


def parse(prediction: Prediction, raw: Any) -> Any:
    """The answer as a base value or an option id.

    Raises
    ------
    InputError
        When it is neither a number above 0 nor one of the options.
    """
    if prediction.kind == "numeric":
        number = inputs.number(raw)
        if number is None or not 0 < number < float("inf"):
            raise InputError("prediction", raw, "a number above 0", "Type your best guess, or skip.")
        return number
    if raw not in [option for option, _ in prediction.options]:
        raise InputError("prediction", raw, ", ".join(label for _, label in prediction.options), "Choose one, or skip.")
    return raw


def check(prediction: Prediction) -> None:
    """Refuse a prompt whose parts do not fit together."""

    def refuse(what: str) -> NoReturn:
        raise FormulaError(f"prediction {prediction.id}: {what}")

    options = [option for option, _ in prediction.options]
    if prediction.kind not in KINDS:
        refuse(f"the kind {prediction.kind!r} is none of {', '.join(KINDS)}")
    if prediction.kind == "numeric":
        quantity(prediction.gives)
    elif len(options) < 2:
        refuse("a choice needs at least two options")
    for mistake in prediction.mistakes:
        if prediction.kind == "numeric" and mistake.answer is None:
            refuse(f"the mistake {mistake.text!r} needs the answer it gives")
        if prediction.kind != "numeric" and mistake.option not in options:
            refuse(f"{mistake.option!r} is no option")
    answers = [prediction.answer, *(mistake.answer for mistake in prediction.mistakes if mistake.answer)]
    for node in (node for answer in answers for node in answer.tree.walk()):
        if isinstance(node, Symbol) and node.name.partition(".")[0] not in prediction.scenes:
            refuse(f"{node.name} is of no scene")
