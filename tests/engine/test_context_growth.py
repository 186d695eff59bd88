"""Lab 7: golden cases, and counts compared with counting one by one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import units
from engine.errors import InputError
from engine.labs import lab, state
from engine.report import lab_report
from tests.engine import cases as golden
from tests.engine.cases import holds

LAB = lab("context-growth")
SMALL = st.integers(1, 60)


def values(**inputs: Any) -> dict[str, Any]:
    parsed = LAB.parse(inputs)
    return LAB.plan(parsed).evaluate(LAB.given(parsed))


@pytest.mark.parametrize("case", golden.read("context_growth.json"), ids=lambda case: case["name"])
def test_lab(case: dict[str, Any]) -> None:
    found = lab_report(LAB, LAB.parse(case["inputs"]))["outputs"]
    for name, expected in case["outputs"].items():
        assert units.unit(found[name]["unit"]).dimension == units.unit(expected["unit"]).dimension
        assert holds(expected, found[name]["value"], found[name]["unit"]), (name, expected, found[name])


@given(context=SMALL, cached=st.integers(0, 60), window=st.none() | SMALL, output=st.integers(0, 60))
def test_pairs_and_keys_are_those_that_are_counted_one_by_one(
    context: int, cached: int, window: int | None, output: int
) -> None:
    cached = min(cached, context)
    found = values(context=context, cached=cached, window=window or "none", output=output)
    # A token at place p attends to itself and the p - 1 before it, or to its window.
    reach = [min(place, window or place) for place in range(1, context + output + 1)]
    assert found["pairs"] == sum(reach[cached:context])
    assert found["decode_keys"] == sum(reach[context:])
    assert found["saved_pairs"] == sum(range(1, context + 1)) - sum(reach[cached:context])


@given(turns=SMALL, added=st.integers(1, 200))
def test_an_agent_pays_what_its_turns_pay_one_by_one(turns: int, added: int) -> None:
    found = values(turns=turns, added=added)
    prefills = [values(context=turn * added)["prefill_time_s"] for turn in range(1, turns + 1)]
    assert found["resent_tokens"] == sum(turn * added for turn in range(1, turns + 1))
    assert found["resent_loop_time_s"] == pytest.approx(sum(prefills), rel=1e-12)
    continued = [
        values(context=turn * added, cached=(turn - 1) * added)["prefill_time_s"] for turn in range(1, turns + 1)
    ]
    assert found["cached_loop_time_s"] == pytest.approx(sum(continued), rel=1e-12)


def test_counts_are_exact_at_the_longest_context() -> None:
    longest = 2**26
    found = values(context=longest, cached=1)
    assert int(found["full_pairs"]) == longest * (longest + 1) // 2
    assert int(found["pairs"]) == longest * (longest + 1) // 2 - 1


@pytest.mark.parametrize(
    "inputs", [{"cached": 8193}, {"context": 2**26, "output": 1}, {"window": 0}, {"context": 2**26 + 1}]
)
def test_what_cannot_be_is_refused(inputs: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        LAB.parse(inputs)


def test_the_answers_of_the_predictions() -> None:
    # 8,192 to 16,384 tokens by hand: 16,384 x 40.6 us + 134,225,920 x 663 ps = 754.18 ms, over 354.84 ms.
    answers = {
        "double": ("2.1", "4", "as if attention"),
        "agent": ("10.5", "20", "every turn sent the final transcript"),
        "balance": ("122,473", "61237", "half the context on average"),
    }
    for name, (right, wrong, mistake) in answers.items():
        said = state.verdict(LAB, name, wrong, LAB.defaults)
        assert said.answer.startswith(right)
        assert said.mistake, (name, mistake)
    assert state.verdict(LAB, "half-cached", "half", LAB.defaults).answer == "About a quarter"


def test_derived_constants_are_those_of_the_model_and_the_gpu() -> None:
    found = values(constants="derived", efficiency=1, model="llama-3-8b", gpu="h100-sxm")
    # 2 x 7,504,658,432 weights and 2 x 2 x 32 layers x 32 heads x 128 elements, over 989.4 TFLOP/s.
    assert found["time_per_token"] == pytest.approx(15_009_316_864 / 989.4e12, rel=1e-12)
    assert found["time_per_pair"] == pytest.approx(524_288 / 989.4e12, rel=1e-12)
    assert found["time_per_key"] == pytest.approx(131_072 / 3.35e12, rel=1e-12)
