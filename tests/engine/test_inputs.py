"""Inputs: what is taken, what is refused and how a bad address is settled, one input at a time."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.labs import lab, labs, state
from engine.labs.inputs import Choice, Number, evenly, octaves
from tests.engine.settings import LAB, settings

NUMBERS = [entry for entry in LAB.inputs if isinstance(entry, Number)]
CHOICES = [entry for entry in LAB.inputs if isinstance(entry, Choice)]


def test_the_lab_has_the_inputs_and_defaults_that_are_promised() -> None:
    assert LAB.defaults == {
        "batch": 8, "context": 8192, "model": "llama-3-8b", "gpu": "h100-sxm", "weights": "bf16", "kv": "bf16", "tp": 1,
        "memory_fraction": 0.9, "reserve_gb": 4, "block": 16,
    }  # fmt: skip
    assert LAB.parse({}) == LAB.defaults
    domains = {n.name: (n.lower, n.lower_open, n.upper) for n in NUMBERS}
    assert domains == {
        "batch": (1, False, 1_000_000), "context": (1, False, 10_000_000), "memory_fraction": (0, True, 1),
        "reserve_gb": (0, False, float("inf")), "block": (1, False, 1024),
    }  # fmt: skip
    ends = {n.name: (n.stops[0], n.stops[-1]) for n in NUMBERS}
    assert ends == {"batch": (1, 1024), "context": (128, 131072), "memory_fraction": (0.5, 1), "reserve_gb": (0, 20),
                    "block": (1, 1024)}  # fmt: skip


@pytest.mark.parametrize("entry", NUMBERS, ids=lambda entry: entry.name)
def test_stops_rise_are_in_the_domain_and_hold_the_default(entry: Number) -> None:
    assert list(entry.stops) == sorted(set(entry.stops))
    assert [entry.parse(stop) for stop in entry.stops] == list(entry.stops)
    assert entry.default in entry.stops
    assert all(isinstance(stop, int) for stop in entry.stops if float(stop).is_integer())


def test_stops_by_octaves_and_evenly() -> None:
    assert octaves(1, 8, 2) == (1, 2, 3, 4, 6, 8)
    assert octaves(128, 512, 4) == (128, 160, 192, 224, 256, 320, 384, 448, 512)
    assert evenly(0, 4, 2) == (0, 0.5, 1, 1.5, 2)
    assert evenly(50, 52, 100) == (0.5, 0.51, 0.52)


@pytest.mark.parametrize("entry", NUMBERS, ids=lambda entry: entry.name)
@given(raw=st.one_of(st.floats(), st.integers(), st.booleans(), st.none(), st.text(max_size=8)))
def test_a_number_is_in_its_domain_or_refused_by_name(entry: Number, raw: Any) -> None:
    try:
        value = entry.parse(raw)
    except InputError as error:
        assert error.name == entry.name and entry.allowed in str(error)
        return
    assert entry.lower <= value <= entry.upper and value != float("inf")
    assert not (entry.lower_open and value == entry.lower)
    assert isinstance(value, int) or not (entry.integer or value.is_integer())
    assert entry.parse(value) == entry.parse(str(value)) == entry.parse(repr(float(value))) == value


@pytest.mark.parametrize("entry", CHOICES, ids=lambda entry: entry.name)
@given(
    raw=st.one_of(st.text(max_size=8), st.integers(), st.floats(), st.none(), st.booleans(), st.lists(st.integers()))
)
def test_a_choice_is_an_option_or_refused_by_name(entry: Choice, raw: Any) -> None:
    try:
        value = entry.parse(raw)
    except InputError as error:
        assert error.name == entry.name and entry.allowed in str(error)
        return
    assert value in dict(entry.options) and type(value) is type(entry.default)
    assert not isinstance(raw, bool)


@pytest.mark.parametrize("entry", CHOICES, ids=lambda entry: entry.name)
def test_each_option_is_taken_in_every_way_it_is_written(entry: Choice) -> None:
    for option, label in entry.options:
        assert entry.parse(option) == entry.parse(str(option)) == entry.parse(f" {option} ") == option
        assert entry.show(option) == label
    if entry.name == "tp":
        assert entry.parse("8.0") == entry.parse(8.0) == entry.parse("8") == 8


RAW = st.dictionaries(
    st.one_of(st.sampled_from([entry.name for entry in LAB.inputs]), st.text(max_size=5)),
    st.one_of(st.text(max_size=8), st.sampled_from(["8", "fp8", "a10", "qwen2.5-7b", "llama-3-8b", "16", "0.5", "0"])),
    max_size=8,
)


@given(RAW)
def test_a_bad_address_is_settled_for_the_bad_inputs_alone(raw: dict[str, str]) -> None:
    inputs, errors = state.settle(LAB, raw, LAB.defaults)
    assert inputs.keys() == LAB.defaults.keys()
    assert LAB.parse(inputs) == inputs
    assert errors.keys() <= raw.keys() or errors.keys() <= {*raw, "tp", "weights"}
    for name, asked in raw.items():
        if name not in errors:
            assert inputs[name] == LAB.input(name).parse(asked)
    for name, message in errors.items():
        assert message.startswith(f"{name}: ") and "Allowed: " in message
        if name in inputs:
            assert inputs[name] == LAB.defaults[name]


@pytest.mark.parametrize(
    ("raw", "wrong", "kept"),
    [
        ({"batch": "0", "context": "4096"}, ["batch"], {"batch": 8, "context": 4096}),
        ({"gpu": "a10", "weights": "fp8"}, ["weights"], {"gpu": "a10", "weights": "bf16"}),
        ({"model": "qwen2.5-7b", "tp": "8"}, ["tp"], {"model": "qwen2.5-7b", "tp": 1}),
        ({"model": "qwen2.5-7b", "tp": "8", "gpu": "a10", "weights": "fp8", "batch": "x"}, ["batch", "tp", "weights"],
         {"model": "qwen2.5-7b", "gpu": "a10", "tp": 1, "weights": "bf16", "batch": 8}),
        ({"bacth": "16"}, ["bacth"], {"batch": 8}),
        ({"batch": "16"}, [], {"batch": 16}),
    ],
)  # fmt: skip
def test_an_address_like_this_is_settled_like_this(raw: dict[str, str], wrong: list[str], kept: dict[str, Any]) -> None:
    inputs, errors = state.settle(LAB, raw, LAB.defaults)
    assert sorted(errors) == sorted(wrong)
    assert {name: inputs[name] for name in kept} == kept


@given(settings())
def test_given_is_in_base_units(inputs: dict[str, Any]) -> None:
    given_values = LAB.given(inputs)
    assert given_values["reserve_bytes"] == inputs["reserve_gb"] * 1e9
    assert given_values["batch"] == inputs["batch"]
    assert given_values["weight_width"] == {"bf16": 2, "fp8": 1}[inputs["weights"]]
    assert given_values["kv_width"] == {"bf16": 2, "fp8": 1}[inputs["kv"]]
    assert all(isinstance(value, float) for value in given_values.values())


def test_labs_are_found_by_slug() -> None:
    assert lab("batch-step") is LAB
    assert [found.number for found in labs().values()] == sorted(found.number for found in labs().values())
    with pytest.raises(InputError, match=r"Did you mean batch-step\?"):
        lab("batch_step")
