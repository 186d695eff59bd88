"""Lab 4 as a page: its predictions, a budget without room, the queue under every order, what its panel says."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.labs import lab, state
from engine.labs.prefill_deadline import HEADLESS, LAB, runs
from engine.labs.samples import samples
from tests.engine.cases import spaced


def shown(**inputs: Any) -> state.State:
    return state.build(LAB, LAB.parse(inputs))


def answers(**inputs: Any) -> dict[str, str]:
    texts = shown(**inputs).texts
    return {p.id: spaced(texts[f"predict.{p.id}.answer"]) for p in LAB.predictions}


def test_the_page_and_the_command_line_say_the_same_where_the_prompt_is_computed() -> None:
    for inputs in samples(LAB, 200):
        values = shown(**inputs).values
        found = HEADLESS.report({**inputs, "queue": ""})["outputs"]
        for name in LAB.outputs:
            if not values["starved"] or name in ("starved", "largest_safe_chunk"):
                assert found[name]["value"] == values[name], (name, inputs)


def test_predictions() -> None:
    assert answers() == {
        "half": "1.300", "starved": "Never, as long as these sequences decode", "order": "Both", "safe": "1,077",
    }  # fmt: skip
    assert answers(ttft_ms=450)["order"] == "The second alone"
    assert "Twice would be right" in state.verdict(LAB, "half", "2", LAB.defaults).mistake
    assert "leaves out the decodes" in state.verdict(LAB, "safe", "1125", LAB.defaults).mistake


@given(
    prompt=st.integers(2, 3000),
    decoding=st.integers(0, 100),
    budget=st.integers(1, 400),
    ttft=st.integers(5, 900),
)
def test_which_of_two_meets_its_deadline_is_what_the_queue_finds(
    prompt: int, decoding: int, budget: int, ttft: int
) -> None:
    """The prediction's closed form beside the simulator: the shorter of two prompts that come together goes first."""
    short = -(-prompt // 20)
    inputs = {"prompt": prompt, "decoding": decoding, "budget": budget, "ttft_ms": ttft}
    queue = f"0:{prompt}:{ttft},0:{short}:{ttft / 5}"
    found = runs(LAB.parse(inputs | {"queue": queue, "policy": "shortest"}))["shortest"].state
    says = {(True, True): "Both", (True, False): "The first alone", (False, True): "The second alone"}
    assert answers(**inputs)["order"] == says.get((found.met(0), found.met(1)), "Neither")


def test_without_room_the_page_says_never_and_nothing_fails() -> None:
    found = shown(decoding=64, budget=64)
    assert found.values["ttft_s"] == found.values["iterations"] == float("inf")
    assert not found.values["meets_ttft"]
    assert found.values["longest_step_s"] == found.values["decode_step_s"]
    assert "the prompt never starts" in found.texts["summary"]
    assert found.flags["warn.starved"] and not found.flags["warn.ttft"]
    run = runs(LAB.parse({"decoding": 64, "budget": 64}))["fcfs"]
    assert run.state.starved == {0}


def test_decodes_that_take_no_time_are_refused_where_steps_take_none() -> None:
    with pytest.raises(InputError, match="a step takes time"):
        LAB.parse({"base_ms": 0, "per_decode_us": 0})
    assert LAB.parse({"base_ms": 0, "per_decode_us": 0, "decoding": 0})


def test_the_largest_safe_budget_is_the_last_that_keeps_the_deadline() -> None:
    safe = int(shown().values["largest_safe_budget"])
    assert shown(budget=safe).values["meets_itl"]
    assert not shown(budget=safe + 1).values["meets_itl"]


def test_without_a_queue_the_prompt_is_alone_in_it() -> None:
    for run in runs(LAB.defaults).values():
        assert len(run.steps) == shown().values["iterations"]
        assert run.state.ttft_s[0] == pytest.approx(shown().values["ttft_s"])


def test_the_lab_is_found_with_its_page() -> None:
    assert lab("prefill-deadline") is LAB
