"""What must hold for every setting of the lab, over the whole domain of its inputs."""

from math import isclose, isfinite
from typing import Any

import hypothesis
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine import catalogue, trace
from engine.errors import FormulaError, InputError, RidgepointError
from engine.labs import state
from engine.quantities import GLOSSARY
from tests.engine.settings import LAB, TP, settings, values

CLOSE = 1e-12
few = hypothesis.settings(max_examples=25)


def near(a: float, b: float, size: float = 0.0) -> bool:
    return isclose(a, b, rel_tol=CLOSE, abs_tol=CLOSE * size)


def changed(inputs: dict[str, Any], **to: Any) -> dict[str, Any]:
    return values(LAB.parse(inputs | to))


@given(settings())
def test_a_step_is_not_shorter_than_any_of_its_parts(inputs: dict[str, Any]) -> None:
    found = values(inputs)
    parts = ("linear_time_s", "attention_time_s", "linear_hbm_time_s", "linear_compute_time_s", "kv_read_time_s",
             "attention_compute_time_s")  # fmt: skip
    assert all(0 < found[part] <= found["step_time_s"] for part in parts)
    assert near(found["step_time_s"], found["linear_time_s"] + found["attention_time_s"])
    assert found["linear_time_s"] in (found["linear_hbm_time_s"], found["linear_compute_time_s"])
    assert found["attention_time_s"] in (found["kv_read_time_s"], found["attention_compute_time_s"])


@given(settings())
def test_every_number_is_finite_and_of_its_kind(inputs: dict[str, Any]) -> None:
    for name, value in values(inputs).items():
        unit = GLOSSARY[name].unit
        if unit == "word":
            assert value in ("hbm", "compute")
        elif unit == "flag":
            assert isinstance(value, bool)
        else:
            assert isinstance(value, float), name
            assert isfinite(value) or name == "window", name
            assert value >= 0 or name == "memory_free_bytes", name


@given(settings())
def test_the_bottleneck_is_the_slower_side(inputs: dict[str, Any]) -> None:
    found = values(inputs)
    slower = "compute" if found["linear_compute_time_s"] > found["linear_hbm_time_s"] else "hbm"
    assert found["linear_bottleneck"] == slower


@given(settings())
def test_at_the_ridge_batch_both_sides_take_equally_long(inputs: dict[str, Any]) -> None:
    given_values = LAB.given(inputs)
    ridge = values(inputs)["ridge_batch"]
    at_ridge = LAB.plan(inputs).evaluate(given_values | {"batch": ridge})
    assert near(at_ridge["linear_hbm_time_s"], at_ridge["linear_compute_time_s"])
    for factor, side in ((1.001, "compute"), (0.999, "hbm")):
        assert LAB.plan(inputs).evaluate(given_values | {"batch": ridge * factor})["linear_bottleneck"] == side


def test_at_equality_memory_is_the_bottleneck() -> None:
    given_values = LAB.given(LAB.parse({"gpu": "h100-pcie", "batch": 378}))
    found = LAB.plan(LAB.defaults).evaluate(given_values)
    assert found["linear_hbm_time_s"] == found["linear_compute_time_s"]
    assert found["linear_bottleneck"] == "hbm"
    steps = {step.name: step for step in state.trace(LAB, LAB.parse({"gpu": "h100-pcie", "batch": 378})).steps}
    assert steps["linear_time_s"].side.startswith("Both sides are equal; t_HBM")


@given(settings(), st.integers(1, 500_000))
def test_twice_the_batch_is_twice_the_cache_and_the_same_weights(inputs: dict[str, Any], batch: int) -> None:
    one, two = changed(inputs, batch=batch), changed(inputs, batch=2 * batch)
    for name in ("kv_read_bytes", "attention_flops", "linear_flops", "kv_reserved_bytes", "attention_time_s"):
        assert two[name] == 2 * one[name]
    for name in ("linear_weight_bytes", "linear_hbm_time_s", "weight_bytes_per_gpu", "ridge_batch", "cell_bytes"):
        assert two[name] == one[name]
    assert one["step_time_s"] <= two["step_time_s"] <= 2 * one["step_time_s"] * (1 + CLOSE)


@given(settings(), st.integers(1, 1_000_000), st.integers(1, 1_000_000))
def test_a_larger_batch_is_never_faster_for_one_and_never_slower_for_all(
    inputs: dict[str, Any], a: int, b: int
) -> None:
    small, large = (changed(inputs, batch=n) for n in sorted((a, b)))
    assert small["step_time_s"] <= large["step_time_s"]
    assert small["sequence_tokens_per_s"] >= large["sequence_tokens_per_s"]
    assert small["aggregate_tokens_per_s"] <= large["aggregate_tokens_per_s"] * (1 + CLOSE)
    assert small["memory_free_bytes"] >= large["memory_free_bytes"]
    assert small["fits"] >= large["fits"]


@given(settings(), st.integers(1, 10_000_000), st.integers(1, 10_000_000))
def test_a_longer_context_is_never_faster_and_never_leaves_more(inputs: dict[str, Any], a: int, b: int) -> None:
    short, long = (changed(inputs, context=n) for n in sorted((a, b)))
    for name in ("kv_read_bytes", "attention_flops", "attention_time_s", "step_time_s", "blocks_per_sequence"):
        assert short[name] <= long[name], name
    assert short["memory_free_bytes"] >= long["memory_free_bytes"]
    for name in ("linear_time_s", "linear_weight_bytes", "ridge_batch"):
        assert short[name] == long[name]


@given(settings(), st.integers(1, 5_000_000))
def test_twice_the_context_is_twice_the_cache_only_without_windows(inputs: dict[str, Any], context: int) -> None:
    one, two = changed(inputs, context=context), changed(inputs, context=2 * context)
    if not catalogue.model(inputs["model"]).windowed:
        assert two["kv_read_bytes"] == 2 * one["kv_read_bytes"]
        assert two["attention_flops"] == 2 * one["attention_flops"]
    else:
        assert one["kv_read_bytes"] <= two["kv_read_bytes"] <= 2 * one["kv_read_bytes"]
        full, windowed, window = (two[name] for name in ("full_layers", "windowed_layers", "window"))
        read = full * context + windowed * min(context, window)
        assert near(one["kv_read_bytes"] * two["layers"] * context, one["batch"] * one["cell_bytes"] * context * read
                    / one["kv_shards"])  # fmt: skip


@given(settings())
def test_free_and_used_are_the_usable_memory(inputs: dict[str, Any]) -> None:
    found = values(inputs)
    used = found["weight_bytes_per_gpu"] + found["kv_reserved_bytes"] + found["reserve_bytes"]
    usable = found["memory_fraction"] * found["hbm_capacity"]
    assert near(found["memory_free_bytes"] + used, usable, usable + used)
    assert found["fits"] == (found["memory_free_bytes"] >= 0)


@given(settings())
def test_blocks_hold_the_context_and_the_token_of_this_step(inputs: dict[str, Any]) -> None:
    found = values(inputs)
    slots = found["blocks_per_sequence"] * found["block"]
    assert found["context"] + 1 <= slots < found["context"] + 1 + found["block"]
    whole = changed(inputs, block=1)
    assert whole["blocks_per_sequence"] == found["context"] + 1
    assert whole["memory_free_bytes"] >= found["memory_free_bytes"]


@given(settings())
def test_what_is_read_is_not_more_than_what_is_kept(inputs: dict[str, Any]) -> None:
    found = values(inputs)
    assert found["kv_read_bytes"] < found["kv_reserved_bytes"]
    assert found["linear_weight_bytes"] <= found["weight_bytes_per_gpu"]


@given(settings())
def test_rates_are_those_of_the_step(inputs: dict[str, Any]) -> None:
    found = values(inputs)
    assert near(found["sequence_tokens_per_s"] * found["step_time_s"], 1)
    assert near(found["aggregate_tokens_per_s"], found["batch"] * found["sequence_tokens_per_s"])


@given(settings(kv="bf16"))
def test_fp8_keys_and_values_halve_the_cache_and_nothing_else(inputs: dict[str, Any]) -> None:
    bf16, fp8 = values(inputs), changed(inputs, kv="fp8")
    for name in ("cell_bytes", "kv_read_bytes", "kv_reserved_bytes", "kv_read_time_s"):
        assert fp8[name] == bf16[name] / 2
    for name in ("linear_time_s", "attention_flops", "weight_bytes_per_gpu", "ridge_batch"):
        assert fp8[name] == bf16[name]


@given(settings(gpu="h100-sxm", weights="bf16"))
def test_fp8_weights_halve_the_weights_and_nearly_keep_the_ridge(inputs: dict[str, Any]) -> None:
    bf16, fp8 = values(inputs), changed(inputs, weights="fp8")
    for name in ("linear_weight_bytes", "weight_bytes_per_gpu", "linear_hbm_time_s"):
        assert fp8[name] == bf16[name] / 2
    assert fp8["linear_flops"] == bf16["linear_flops"]
    assert isclose(fp8["ridge_batch"], bf16["ridge_batch"], rel_tol=0.02)
    assert fp8["attention_time_s"] == bf16["attention_time_s"]


@given(settings(tp=1))
def test_ranks_share_weights_and_arithmetic_evenly_and_the_cache_up_to_its_heads(inputs: dict[str, Any]) -> None:
    one = values(inputs)
    shape = catalogue.model(inputs["model"]).given()
    for tp in (n for n in TP if shape["query_heads"] % n == 0):
        many = changed(inputs, tp=tp)
        for name in ("linear_weight_bytes", "linear_flops", "attention_flops", "weight_bytes_per_gpu"):
            assert many[name] == one[name] / tp
        heads = max(1, shape["kv_heads"] / tp)  # whole KV heads a rank, one at least
        assert near(many["kv_read_bytes"], one["kv_read_bytes"] * heads / shape["kv_heads"])
        assert near(many["kv_reserved_bytes"], one["kv_reserved_bytes"] * heads / shape["kv_heads"])
        assert near(many["ridge_batch"], one["ridge_batch"])
        assert many["step_time_s"] <= one["step_time_s"]


@pytest.mark.parametrize("slug", catalogue.models())
def test_query_heads_that_do_not_divide_are_refused(slug: str) -> None:
    heads = catalogue.model(slug).given()["query_heads"]
    for tp in TP:
        if heads % tp:
            with pytest.raises(InputError, match=f"tp: .*{tp}.* query heads must divide"):
                LAB.parse({"model": slug, "tp": tp})
        else:
            assert LAB.parse({"model": slug, "tp": tp})["tp"] == tp


@given(settings(model="gemma-2-9b"))
def test_a_window_that_holds_the_context_changes_nothing(inputs: dict[str, Any]) -> None:
    found = changed(inputs, context=min(inputs["context"], 4096))
    assert near(found["kv_read_bytes"], found["batch"] * found["context"] * found["cell_bytes"] / found["kv_shards"])


@given(settings(), st.floats(0.1, 10))
def test_times_scale_with_the_machine(inputs: dict[str, Any], factor: float) -> None:
    given_values = LAB.given(inputs)
    machine = ("hbm_bandwidth", "peak_linear", "peak_attention")
    faster = LAB.plan(inputs).evaluate(given_values | {name: given_values[name] * factor for name in machine})
    found = values(inputs)
    assert near(faster["step_time_s"] * factor, found["step_time_s"])
    assert near(faster["ridge_batch"], found["ridge_batch"])
    assert faster["memory_free_bytes"] == found["memory_free_bytes"]


@given(settings())
def test_a_point_is_on_its_curve(inputs: dict[str, Any]) -> None:
    numpy = pytest.importorskip("numpy")
    axis = numpy.array([1.0, float(inputs["batch"]), 1024.0])
    curve = LAB.plan(inputs).evaluate(LAB.given(inputs) | {"batch": axis})
    found = values(inputs)
    for name in (*LAB.curve.columns, "linear_bottleneck"):
        assert curve[name][1] == found[name]


@given(settings())
def test_limits_say_inside_or_outside_where_they_can_be_tested(inputs: dict[str, Any]) -> None:
    found = state.trace(LAB, inputs)
    states = {limit.text: limit.state for limit in found.limits}
    assert set(states.values()) <= {"inside", "outside", "not checked"}
    assert len(states) == len(found.limits)
    trained = next(state for text, state in states.items() if text.startswith("The context stays within"))
    assert trained == ("inside" if inputs["context"] <= found.values["context_length"] else "outside")
    whole = next(state for text, state in states.items() if text.startswith("Up to the number of KV heads"))
    assert whole == ("inside" if inputs["tp"] <= found.values["kv_heads"] else "outside")


@few
@given(settings(), settings())
def test_any_two_settings_can_stand_side_by_side(a: dict[str, Any], b: dict[str, Any]) -> None:
    said = state.build(LAB, b, a)
    for name in LAB.targets:
        assert said.texts[f"pin.{name}"] == state.build(LAB, a).texts[f"q.{name}"]
        assert said.texts[f"diff.{name}"]
    assert said.flags["pinned"]
    assert all("{" not in text and "nan" not in text.lower().split() for text in said.texts.values())
    assert state.build(LAB, b, b).texts["diff.step_time_s"] == "no change"
    assert (said.texts["pin.inputs"] == "A and B have the same inputs.") == (a == b)


@given(settings())
def test_warnings_stand_where_they_must(inputs: dict[str, Any]) -> None:
    found, flags = values(inputs), state.build(LAB, inputs).flags
    assert flags["warn.context"] == (inputs["context"] > found["context_length"])
    assert flags["warn.fits"] == (found["memory_free_bytes"] < 0)
    assert flags["warn.replicated"] == (inputs["tp"] > found["kv_heads"])
    assert flags["warn.communication"] == (inputs["tp"] > 1)


@pytest.mark.parametrize("preset", LAB.presets, ids=lambda preset: preset.id)
def test_a_preset_is_a_setting(preset: Any) -> None:
    assert state.build(LAB, LAB.parse(preset.inputs)).texts["summary"]


# Plans


def test_a_plan_takes_what_is_given_and_works_out_the_rest() -> None:
    assert trace.evaluate("linear_hbm_time_s", {"linear_weight_bytes": 6.7e9, "hbm_bandwidth": 3.35e12}) == 0.002
    assert trace.evaluate("batch", {"batch": 3.0}) == 3.0
    steps = trace.trace("linear_time_s", {"linear_hbm_time_s": 1.0, "linear_compute_time_s": 2.0}).steps
    assert [step.name for step in steps] == ["linear_time_s"]


def test_what_is_missing_or_misspelt_is_named() -> None:
    with pytest.raises(FormulaError, match="hbm_bandwidth is needed for linear_hbm_time_s, but it is neither given"):
        trace.evaluate("linear_hbm_time_s", {"linear_weight_bytes": 1.0})
    with pytest.raises(FormulaError, match=r"'step_times' is not in the glossary. Did you mean step_time_s\?"):
        trace.evaluate("step_times", {"batch": 1.0})
    with pytest.raises(FormulaError, match=r"'bach' is not in the glossary. Did you mean batch\?"):
        trace.evaluate("step_time_s", {"bach": 1.0})
    with pytest.raises(FormulaError, match="hbm_bandwidth is needed"):
        trace.evaluate("ridge_batch", {"peak_linear": 1.0, "weight_width": 2.0})


def test_a_value_that_does_not_exist_is_an_error_in_words() -> None:
    with pytest.raises(RidgepointError, match=r"linear_hbm_time_s has no value for linear_weight_bytes = 1\.0"):
        trace.evaluate("linear_hbm_time_s", {"linear_weight_bytes": 1.0, "hbm_bandwidth": 0.0})


@given(st.floats(1e-3, 1e9), st.floats(1e-3, 1e9))
def test_the_side_that_won_is_named(a: float, b: float) -> None:
    assume(a != b)
    step = trace.trace("linear_time_s", {"linear_hbm_time_s": a, "linear_compute_time_s": b}).steps[0]
    assert ("t_HBM" if a > b else "t_comp") in step.side
    least = trace.trace("kv_shards", {"tp": a, "kv_heads": b}).steps[0]
    assert ("tp" if a < b else "h_kv") in least.side
