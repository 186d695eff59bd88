"""Shared prefixes in closed form: golden cases, and counts compared with counting block by block."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine.formulas  # enters the formulas
from engine import trace
from engine.quantities import quantity
from tests.engine import cases as golden
from tests.engine.cases import holds

assert engine.formulas
DEFAULTS = {"requests": 4, "prefix": 50, "private": 30, "block": 16, "sharing": True}
OUTPUTS = (
    "shared_blocks", "private_blocks_per_request", "physical_blocks", "logical_blocks", "saved_blocks",
    "private_tail_prefix_tokens", "held_tokens", "unused_slots", "unused_fraction", "reused_tokens", "released_blocks",
)  # fmt: skip
SETTINGS = st.fixed_dictionaries(
    {
        "requests": st.integers(1, 9),
        "prefix": st.integers(0, 70),
        "private": st.integers(0, 70),
        "block": st.integers(1, 20),
        "sharing": st.booleans(),
    }
).filter(lambda given: given["prefix"] + given["private"] > 0)


def calculation(**given: Any) -> trace.Trace:
    values = {name: float(value) for name, value in (DEFAULTS | given).items()}
    return trace.plan(OUTPUTS, values).trace(values)


@pytest.mark.parametrize("case", golden.read("prefix_ownership.json"), ids=lambda case: case["name"])
def test_cases(case: dict[str, Any]) -> None:
    found = calculation(**case["inputs"]).values
    for name, expected in case["outputs"].items():
        assert holds(expected, found[name], quantity(name).unit), (name, expected, found[name])


@given(SETTINGS)
def test_blocks_are_those_that_are_counted_one_by_one(setting: dict[str, Any]) -> None:
    """Every block by its place: its tokens all common, some common, or all own."""
    found = calculation(**setting).values
    block, prefix, length = setting["block"], setting["prefix"], setting["prefix"] + setting["private"]
    blocks = [range(first, min(first + block, length)) for first in range(0, length, block)]
    common = [b for b in blocks if setting["sharing"] and len(b) == block and b[-1] < prefix]
    own = blocks[len(common) :]
    requests = setting["requests"]
    assert found["shared_blocks"] == len(common)
    assert found["private_blocks_per_request"] == len(own)
    assert found["physical_blocks"] == len(common) + requests * len(own)
    assert found["logical_blocks"] == requests * len(blocks)
    assert found["saved_blocks"] == (requests - 1) * len(common)
    assert found["private_tail_prefix_tokens"] == sum(place < prefix for b in own for place in b)
    slots = block * (len(common) + requests * len(own))
    unused = slots - sum(map(len, common)) - requests * sum(map(len, own))
    assert found["unused_slots"] == unused
    assert found["unused_fraction"] == unused / slots
    assert found["held_tokens"] + found["unused_slots"] == slots


@given(SETTINGS)
def test_sharing_never_takes_more_blocks(setting: dict[str, Any]) -> None:
    apart, shared = (calculation(**(setting | {"sharing": how})).values for how in (False, True))
    assert shared["physical_blocks"] <= apart["physical_blocks"] == apart["logical_blocks"] == shared["logical_blocks"]
    assert apart["saved_blocks"] == apart["shared_blocks"] == apart["reused_tokens"] == 0
    assert apart["private_tail_prefix_tokens"] == setting["prefix"]


@given(SETTINGS)
def test_counts_are_whole_and_never_negative(setting: dict[str, Any]) -> None:
    found = calculation(**setting).values
    for name in OUTPUTS:
        assert found[name] >= 0
        assert name == "unused_fraction" or found[name] == int(found[name])
    assert found["unused_fraction"] < 1


@pytest.mark.parametrize(("edited", "left"), [(0, 0), (15, 0), (16, 1), (20, 1), (47, 2), (48, 3), (49, 3)])
def test_an_edit_leaves_the_blocks_before_its_own(edited: int, left: int) -> None:
    """By hand for 3 shared blocks of 16: token 20 stands in the second one, so the first alone is left."""
    assert trace.evaluate("surviving_blocks", {"shared_blocks": 3, "edited": edited, "block": 16}) == left


@pytest.mark.parametrize(
    ("setting", "state"),
    [
        ({}, "inside"),
        ({"prefix": 64, "private": 0}, "outside"),
        ({"prefix": 64, "private": 0, "requests": 1}, "inside"),
        ({"prefix": 64, "private": 0, "sharing": False}, "inside"),
        ({"prefix": 65, "private": 0}, "inside"),
        ({"prefix": 64, "private": 1}, "inside"),
    ],
)
def test_a_prompt_that_is_cached_in_full_is_outside_the_form(setting: dict[str, Any], state: str) -> None:
    said = {limit.text: limit.state for limit in calculation(**setting).limits}
    assert [how for words, how in said.items() if words.startswith("Every prompt goes on")] == [state]
