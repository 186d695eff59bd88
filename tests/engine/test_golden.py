"""Golden cases of labs, quantities and predictions: the expected values come from outside."""

from typing import Any

import pytest

from engine import text, trace, units
from engine.labs import state
from engine.labs.inputs import Number
from engine.quantities import quantity
from tests.engine import cases as golden
from tests.engine.cases import holds, spaced
from tests.engine.settings import LAB, values


def cases(file: str) -> Any:
    return pytest.mark.parametrize("case", golden.read(file), ids=lambda case: case["name"])


def setting(case: dict[str, Any]) -> dict[str, Any]:
    """The parsed inputs of a case, each converted from the unit that the case writes."""
    raw = {}
    for name, given in case["inputs"].items():
        entry = LAB.input(name)
        raw[name] = (
            units.convert(given["value"], given["unit"], entry.unit) if isinstance(entry, Number) else given["value"]
        )
    return LAB.parse(raw)


@cases("batch_step.json")
def test_lab(case: dict[str, Any]) -> None:
    found = values(setting(case))
    for name, expected in case["outputs"].items():
        assert holds(expected, found[name], quantity(name).unit), (name, expected, found[name])
    for name, shown in case.get("shown", {}).items():
        assert spaced(text.show(name, found[name])) == shown


@cases("quantities.json")
def test_quantity(case: dict[str, Any]) -> None:
    given = {n: units.convert(g["value"], g["unit"], quantity(n).unit) for n, g in case["given"].items()}
    for name, expected in case["outputs"].items():
        found = trace.evaluate(name, given)
        assert holds(expected, found, quantity(name).unit), (name, expected, found)


@cases("predictions.json")
def test_prediction(case: dict[str, Any]) -> None:
    verdict = state.verdict(LAB, case["prediction"], case["given"], setting(case))
    assert spaced(verdict.answer) == case["answer"]
    assert case["mistake"] in verdict.mistake
    assert bool(verdict.mistake) == bool(case["mistake"])
    assert all(piece in spaced(verdict.step) for piece in case.get("decided", []))


def test_every_output_of_the_lab_has_a_case() -> None:
    expected = {name for case in golden.read("batch_step.json") for name in case["outputs"]}
    assert expected >= set(LAB.outputs)


def test_every_prediction_and_every_mistake_has_a_case() -> None:
    cases = golden.read("predictions.json")
    for prediction in LAB.predictions:
        said = [case["mistake"] for case in cases if case["prediction"] == prediction.id]
        assert "" in said, f"{prediction.id}: no case with the right answer"
        for mistake in prediction.mistakes:
            assert any(words and words in mistake.text for words in said), f"{prediction.id}: {mistake.text}"
