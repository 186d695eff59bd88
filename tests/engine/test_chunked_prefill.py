"""Lab 4: golden cases, closed forms beside counting step by step, the line through measured steps, what is refused."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.__main__ import answer, main
from engine.errors import InputError
from engine.formulas import line_fit
from engine.labs.prefill_deadline import HEADLESS, INPUTS, OUTPUTS
from engine.trace import evaluate
from tests.engine import cases as golden
from tests.engine.cases import holds, spaced

CASES = golden.read("prefill_deadline.json")


def outputs(**inputs: Any) -> dict[str, Any]:
    return {name: entry["value"] for name, entry in HEADLESS.report(inputs)["outputs"].items()}


def as_expected(expected: dict[str, Any], value: Any, unit: str | None) -> bool:
    if isinstance(expected["value"], list):
        every = zip(expected["value"], value, strict=True)
        return all(as_expected(expected | {"value": wanted}, found, unit) for wanted, found in every)
    if "unit" not in expected or expected["value"] is None:
        return type(value) is type(expected["value"]) and value == expected["value"]
    return holds(expected, value, unit or "1")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_lab(case: dict[str, Any]) -> None:
    found = HEADLESS.report(case["inputs"])["outputs"]
    for name, expected in case["outputs"].items():
        assert as_expected(expected, found[name]["value"], found[name]["unit"]), (name, expected, found[name])


def test_every_output_has_a_case() -> None:
    known = {name for case in CASES for name in case["outputs"]}
    assert known >= set(outputs(queue="0:1:1", pairs="1:1,2:2"))


def test_half_the_budget_takes_1_3_times_as_long() -> None:
    assert outputs(budget=256)["ttft_s"] / outputs()["ttft_s"] == pytest.approx(1.3, abs=0.005)


def test_a_budget_as_large_as_the_decodes_never_finishes() -> None:
    found = outputs(decoding=64, budget=64)
    assert found.pop("starved") is True
    assert found.pop("largest_safe_chunk") == 1029
    assert set(found.values()) == {None}
    assert outputs(decoding=64, budget=65)["iterations"] == 8000


def steps_of(prompt: int, chunk: int) -> list[int]:
    taken = []
    while prompt:
        taken.append(min(chunk, prompt))
        prompt -= taken[-1]
    return taken


@given(
    prompt=st.integers(1, 5000),
    decoding=st.integers(0, 200),
    budget=st.integers(1, 600),
    itl=st.integers(1, 60),
    ttft=st.integers(1, 900),
    base=st.integers(0, 20),
    per_token=st.integers(1, 200),
    per_decode=st.integers(0, 200),
)
def test_closed_forms_are_what_the_steps_add_up_to(
    prompt: int, decoding: int, budget: int, itl: int, ttft: int, base: int, per_token: int, per_decode: int
) -> None:
    """In exact whole microseconds, so that limits met at equality are met."""
    found = outputs(
        prompt=prompt, decoding=decoding, budget=budget, itl_ms=itl, ttft_ms=ttft, base_ms=base, per_token_us=per_token,
        per_decode_us=per_decode,
    )  # fmt: skip
    safe = [n for n in range(1, 60_001) if 1000 * base + per_token * n + per_decode * decoding <= 1000 * itl]
    assert found["largest_safe_chunk"] == (safe[-1] if safe else 0)
    assert found["starved"] == (budget <= decoding)
    assume(budget > decoding)
    steps = [1000 * base + per_token * n + per_decode * decoding for n in steps_of(prompt, budget - decoding)]
    assert found["chunk_tokens"] == budget - decoding
    assert found["iterations"] == len(steps)
    assert found["longest_step_s"] * 1e6 == pytest.approx(max(steps), rel=1e-12)
    assert found["ttft_s"] * 1e6 == pytest.approx(sum(steps), rel=1e-12)
    assert found["meets_itl"] == (max(steps) <= 1000 * itl)
    assert found["meets_ttft"] == (sum(steps) <= 1000 * ttft)


@given(n=st.integers(1, 3000), decoding=st.integers(0, 200), per_token=st.integers(1, 400))
def test_a_chunk_that_just_fits_is_safe_and_met(n: int, decoding: int, per_token: int) -> None:
    """The deadline is the very time of the step: 1e-9 of a token must be enough for what doubles lose."""
    time_us = 5000 + per_token * n + 60 * decoding
    shared = {"prompt": n, "decoding": decoding, "per_token_us": per_token, "budget": n + decoding}
    found = outputs(**shared, itl_ms=time_us / 1000, ttft_ms=time_us / 1000)
    assert found["largest_safe_chunk"] == n
    assert found["meets_itl"] and found["meets_ttft"]
    late = outputs(**shared, itl_ms=(time_us - 1) / 1000, ttft_ms=(time_us - 1) / 1000)
    assert not late["meets_itl"] and not late["meets_ttft"]


PAIRS = st.lists(
    st.tuples(st.integers(1, 5000), st.integers(1, 100_000)), min_size=2, max_size=8, unique_by=lambda pair: pair[0]
)


@given(PAIRS)
def test_the_line_is_the_one_of_exact_normal_equations(pairs: list[tuple[int, int]]) -> None:
    """Times in microseconds as fractions: count x sum of products - product of sums, over the same of the tokens."""
    count, n, t = len(pairs), sum(p[0] for p in pairs), sum(p[1] for p in pairs)
    slope = Fraction(count * sum(a * b for a, b in pairs) - n * t, count * sum(a * a for a, _ in pairs) - n * n)
    start = (t - slope * n) / count
    moments = line_fit.moments([(a, b / 1e6) for a, b in pairs])
    using = {"time_per_token": "time_per_token_fitted", "time_per_step": "time_per_step_fitted"}
    found = [evaluate(name, moments, using) * 1e6 for name in ("time_per_token", "time_per_step")]
    largest = max(b for _, b in pairs)
    assert found == pytest.approx([float(slope), float(start)], rel=1e-9, abs=1e-9 * largest)
    left = line_fit.residuals([(a, b / 1e6) for a, b in pairs], found[1] / 1e6, found[0] / 1e6)
    assert sum(left) == pytest.approx(0, abs=1e-9)
    assert [r * 1e6 for r in left] == pytest.approx(
        [float(b - start - slope * a) for a, b in pairs], abs=1e-6 * largest
    )


def test_a_line_through_nothing_at_no_tokens_is_taken_although_doubles_are_below() -> None:
    assert -1e-15 < outputs(pairs="1000:0.009,2000:0.018,3000:0.027")["fitted_base_s"] < 0


def test_warnings_say_what_is_wrong() -> None:
    def said(**inputs: Any) -> str:
        return spaced(" ".join(HEADLESS.report(inputs)["warnings"]))

    assert said() == ""
    assert "the prompt never starts. Raise the budget above 64." in said(decoding=64, budget=64)
    assert "The longest step takes 87.56 ms, more than the ITL deadline of 60.00 ms." in said(budget=2048, itl_ms=60)
    assert "A step takes 6.92 ms without any prompt" in said(itl_ms=6)
    assert "437.64 ms, more than its deadline of 400.00 ms" in said(ttft_ms=400)
    assert "goes through any two pairs" in said(pairs="512:0.026,1024:0.046")
    assert "no measured step is so long" in said(pairs="100:0.009,200:0.013,300:0.02")
    # The second prompt has come when the first step ends, and fills the next two.
    assert "Prompt 1 was passed over in 2 steps" in said(queue="0:8000:900,1:960:900", policy="shortest")


@pytest.mark.parametrize(
    ("inputs", "name", "words"),
    [
        ({"queue": "0:8000"}, "queue", "Entry 1 has 2 of 3 parts"),
        ({"queue": "0:8000:500,"}, "queue", "Entry 2 has 1 of 3 parts"),
        ({"queue": "0:80.5:500"}, "queue", "It is the tokens of entry 1"),
        ({"queue": "0:1:1,-1:5:5"}, "queue", "It is the arrival of entry 2"),
        ({"queue": "0:8,000:500"}, "queue", "Entry 1 has 2 of 3 parts"),
        ({"queue": "0:5:nan"}, "queue", "TTFT deadline of entry 1"),
        ({"queue": "0:1:1" * 1000}, "queue", "at most 4,000 characters"),
        ({"pairs": "512:0.026"}, "pairs", "at least two with different tokens"),
        ({"pairs": "512:0.026,512:0.027"}, "pairs", "at least two with different tokens"),
        ({"pairs": "512:0,1024:1"}, "pairs", "a number above 0"),
        ({"pairs": "512:0.046,1024:0.026"}, "pairs", "longer ones take longer"),
        ({"pairs": "8000:1,16000:3"}, "pairs", "not at −1.00 s"),
        ({"queue": "0:8000000:1", "budget": 33}, "budget", "at most 20,000 steps"),
        ({"policy": "lifo"}, "policy", "one of fcfs, shortest, edf"),
        ({"per_token_us": 0}, "per_token_us", "above 0"),
        ({"budgets": 1}, "budgets", "Did you mean budget?"),
    ],
)
def test_what_cannot_be_is_refused_in_words(inputs: dict[str, Any], name: str, words: str) -> None:
    with pytest.raises(InputError) as refused:
        HEADLESS.report(inputs)
    assert refused.value.name == name
    assert words in spaced(str(refused.value))


def test_the_report_is_json_with_every_input_and_the_trace() -> None:
    found = json.loads(answer(["lab", "prefill-deadline", "queue=0:8000:500, 20 : 300 : 200.0", "--json"]))
    assert list(found["inputs"]) == [entry.name for entry in INPUTS]
    assert list(found["outputs"])[: len(OUTPUTS)] == list(OUTPUTS)
    assert [step["name"] for step in found["trace"]][-1] == "starved"
    assert {limit["state"] for limit in found["limits"]} <= {"inside", "outside", "not checked"}
    assert found["inputs"]["queue"]["value"] == "0:8000:500,20:300:200"
    # Two prompts submitted, 18 steps, two first tokens.
    assert len(found["events"]) == 22


def test_the_report_in_words_names_starvation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "prefill-deadline", "queue=0:8000:500", "budget=32"]) == 0
    said = spaced(capsys.readouterr().out)
    assert "Decodes take the whole budget: prompt 1 never starts." in said
    assert "TTFT: never" in said
    assert main(["lab", "prefill-deadline", "queue=0:8000:500", "budget"]) == 2
