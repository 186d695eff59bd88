"""Predictions: every setting has an answer, mistakes are known by their number, and the right answer never is one."""

from math import isfinite
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import FormulaError, InputError
from engine.labs import predictions, state
from engine.labs.predictions import CLOSE, Answer, Mistake, Prediction, Scene, factor
from tests.engine.cases import spaced
from tests.engine.settings import LAB, settings

NUMERIC = [p for p in LAB.predictions if p.kind == "numeric"]
CHOSEN = [p for p in LAB.predictions if p.kind != "numeric"]


def possible(prediction: Prediction, inputs: dict[str, Any]) -> bool:
    """Whether every scene can be: a GPU without FP8 arithmetic has no FP8 scene."""
    try:
        state.scenes(LAB, prediction, inputs)
    except InputError:
        return False
    return True


def test_there_are_three_or_more_of_more_than_one_kind() -> None:
    assert len(LAB.predictions) >= 3
    assert len({p.kind for p in LAB.predictions}) >= 2
    assert {p.id for p in NUMERIC} and len({p.id for p in LAB.predictions}) == len(LAB.predictions)


@given(settings())
def test_each_prompt_has_an_answer_in_words(inputs: dict[str, Any]) -> None:
    said = state.build(LAB, inputs)
    for prediction in LAB.predictions:
        slot = f"predict.{prediction.id}"
        assert said.flags[slot] == possible(prediction, inputs)
        assert said.texts[f"{slot}.prompt"]
        if said.flags[slot]:
            for part in ("prompt", "answer", "step"):
                words = said.texts[f"{slot}.{part}"]
                assert words and "{" not in words and "∞" not in words
            assert said.texts[f"{slot}.prompt"].endswith("?")


@given(settings())
def test_only_a_gpu_without_fp8_has_a_prompt_without_answer(inputs: dict[str, Any]) -> None:
    without = inputs["gpu"] in ("a100-40gb-sxm", "a100-40gb-pcie", "a100-80gb-sxm", "a100-80gb-pcie", "a10")
    assert [p.id for p in LAB.predictions if not possible(p, inputs)] == (["fp8-ridge"] if without else [])


@pytest.mark.parametrize("prediction", NUMERIC, ids=lambda p: p.id)
@given(settings(), st.floats(0.97, 1.03))
def test_the_right_answer_is_never_a_mistake(prediction: Prediction, inputs: dict[str, Any], off: float) -> None:
    values, _ = state.scenes(LAB, prediction, inputs)
    right = prediction.answer.value(values)
    assert isfinite(right) and right > 0
    exact = state.verdict(LAB, prediction.id, repr(right), inputs)
    assert (exact.verdict, exact.mistake) == ("On the spot.", "")
    assert exact.yours == exact.answer
    assert state.verdict(LAB, prediction.id, repr(right * off), inputs).mistake == ""
    assert exact.step


@pytest.mark.parametrize("prediction", NUMERIC, ids=lambda p: p.id)
@given(settings(), st.floats(0.97, 1.03))
def test_the_number_of_a_mistake_is_known(prediction: Prediction, inputs: dict[str, Any], off: float) -> None:
    values, _ = state.scenes(LAB, prediction, inputs)
    right = prediction.answer.value(values)
    wrong = {m.text: m.answer.value(values) for m in prediction.mistakes if m.answer}
    for said, number in wrong.items():
        typed = number * off
        if not (isfinite(number) and number > 0) or factor(typed, right) <= CLOSE:
            continue
        nearest = min(wrong, key=lambda other: factor(typed, wrong[other]))
        verdict = state.verdict(LAB, prediction.id, repr(typed), inputs)
        assert verdict.mistake == nearest
        assert verdict.mistake == said or factor(wrong[nearest], typed) <= factor(number, typed)
        assert ("above" in verdict.verdict) == (typed > right) or verdict.verdict == "On the spot."


@pytest.mark.parametrize("prediction", CHOSEN, ids=lambda p: p.id)
@given(settings())
def test_options_are_valid_and_one_is_right(prediction: Prediction, inputs: dict[str, Any]) -> None:
    options = dict(prediction.options)
    assert len(options) == len(prediction.options) >= 2
    assert all(m.option in options and m.answer is None for m in prediction.mistakes)
    if not possible(prediction, inputs):
        return
    verdicts = {option: state.verdict(LAB, prediction.id, option, inputs) for option in options}
    right = [option for option, verdict in verdicts.items() if verdict.verdict.startswith("Right")]
    assert len(right) == 1
    assert verdicts[right[0]].mistake == ""
    for option, verdict in verdicts.items():
        assert verdict.yours == options[option] and verdict.answer == options[right[0]]
        named = any(m.option == option for m in prediction.mistakes)
        assert bool(verdict.mistake) == (named and option != right[0])


@pytest.mark.parametrize("raw", ["", "many", "0", "-5", "nan", "inf", "1e999", None, True, "1,2", "104 tok/s"])
def test_what_is_no_answer_is_refused_in_words(raw: Any) -> None:
    with pytest.raises(InputError, match=r"prediction: .* Allowed: a number above 0"):
        state.verdict(LAB, "double-batch", raw, LAB.defaults)


@pytest.mark.parametrize("raw", ["", "It stays", None, 1, ["stays"], {}])
def test_what_is_no_option_is_refused_in_words(raw: Any) -> None:
    with pytest.raises(InputError, match=r"prediction: .* Allowed: It halves, It stays about where it is, It doubles"):
        state.verdict(LAB, "fp8-ridge", raw, LAB.defaults)


def test_an_unknown_prediction_is_told_the_known_ones() -> None:
    with pytest.raises(InputError, match="Allowed: double-batch, ridge"):
        state.verdict(LAB, "doubled", "1", LAB.defaults)


@pytest.mark.parametrize(
    ("typed", "said"),
    [("104.07", "On the spot."), ("104", "On the spot."), ("100", "Within 1.04×: below the model's answer."),
     ("208", "Within 2.00×: above the model's answer."), ("1e6", "Within 9,609×: above the model's answer.")],
)  # fmt: skip
def test_distance_is_said_as_a_factor(typed: str, said: str) -> None:
    assert spaced(state.verdict(LAB, "double-batch", typed, LAB.defaults).verdict) == said


def test_numbers_may_have_commas() -> None:
    assert predictions.parse(NUMERIC[0], "1,104.5") == 1104.5


@given(st.floats(1e-9, 1e9), st.floats(1e-9, 1e9))
def test_the_distance_is_the_same_both_ways(a: float, b: float) -> None:
    assert factor(a, b) == factor(b, a) >= 1
    assert factor(a, a) == 1
    assert factor(a, 0) == factor(-1, b) == float("inf")


def made(**parts: Any) -> Prediction:
    whole = {"id": "x", "kind": "choice", "prompt": "?", "scenes": {"now": Scene()}, "decided": ".", "step": "tp",
             "answer": Answer(lambda now: now.tp), "options": (("a", "A"), ("b", "B"))}  # fmt: skip
    return Prediction(**(whole | parts))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"kind": "numeric", "gives": "tokens"}, "not in the glossary"),
        ({"options": (("a", "A"),)}, "at least two options"),
        ({"answer": Answer(lambda then: then.tp)}, "then.tp is of no scene"),
        ({"kind": "guess"}, "kind"),
        ({"mistakes": (Mistake("No.", option="c"),)}, "'c' is no option"),
        ({"kind": "numeric", "gives": "tp", "mistakes": (Mistake("No."),)}, "needs the answer it gives"),
        ({"kind": "numeric", "gives": "tp", "mistakes": (Mistake("No.", Answer(lambda then: then.tp)),)}, "no scene"),
    ],
)
def test_a_prompt_whose_parts_do_not_fit_is_refused(parts: dict[str, Any], message: str) -> None:
    predictions.check(made())
    with pytest.raises(FormulaError, match=message):
        predictions.check(made(**parts))


def test_an_answer_may_not_branch_or_misspell() -> None:
    with pytest.raises(FormulaError, match="by hand"):
        Answer(lambda now, then: now.tp if now.tp > then.tp else then.tp)
    with pytest.raises(FormulaError, match=r"Did you mean step_time_s\?"):
        Answer(lambda now: now.step_times)
