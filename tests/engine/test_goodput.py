"""Lab 6: golden cases, the rule by events, its properties, the authored traces and what the command line says."""

import json
import math
import subprocess
import sys
from array import array
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.__main__ import main
from engine.bench_files import Run
from engine.bench_files.run import per_token
from engine.errors import InputError
from engine.labs.goodput import HEADLESS
from engine.simulators import goodput
from engine.simulators.goodput import Contract, Tally, events, near, percentiles, rank, replay, tally, window
from engine.simulators.goodput_traces import PLANS, authored
from tests.engine import cases as golden
from tests.engine.bench_cases import BENCH, vllm, written
from tests.engine.cases import holds, spaced

ROOT = Path(engine.__file__).parent.parent
VALID = BENCH / "valid"
OUTPUTS = {
    "requests": "request", "completed": "request", "good": "request", "throughput_requests_per_s": "request/s",
    "goodput_requests_per_s": "request/s", "attainment": "1", "window_s": "s", "throughput_tokens_per_s": "token/s",
    "goodput_tokens_per_s": "token/s",
}  # fmt: skip


def made(rows: list[tuple[float, float, int, bool]]) -> Run:
    """A run of (TTFT, time a token, tokens, completed)."""
    ttft, tokens = array("d", (row[0] for row in rows)), array("d", (row[2] for row in rows))
    e2e = array("d", (row[0] + row[1] * max(0, row[2] - 1) for row in rows))
    return Run(
        "csv", ttft, array("d", map(per_token, ttft, e2e, tokens)), e2e, tokens, bytearray(row[3] for row in rows),
        array("d", range(len(rows))), None, None, "column",
    )  # fmt: skip


# Few values, so that equality with a limit, ties and zeros are common.
TIMES = st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.5, 1.0])
REQUESTS = st.lists(st.tuples(TIMES, TIMES, st.integers(0, 4), st.booleans()), min_size=1, max_size=40)
CONTRACTS = st.builds(Contract, *[st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0, 2.0, math.inf])] * 3)


@pytest.mark.parametrize("case", golden.read("goodput.json"), ids=lambda case: case["name"])
def test_golden(case: dict[str, Any], tmp_path: Path) -> None:
    assert case["arithmetic"]
    file = tmp_path / "case.csv"
    file.write_text(case["csv"], "utf-8")
    found = HEADLESS.report({"file": str(file), **case["inputs"]})["outputs"]
    for name, expected in case["outputs"].items():
        assert found[name]["unit"] == expected["unit"]
        assert holds(expected, found[name]["value"], found[name]["unit"]), (name, expected, found[name])


# The rule


@given(REQUESTS, CONTRACTS)
def test_replaying_the_events_gives_what_is_counted_at_once(rows: list[Any], contract: Contract) -> None:
    run = made(rows)
    trace = list(events(run, contract))
    assert [event.request for event in trace] == list(range(1, len(rows) + 1))
    assert replay(trace) == tally(run, contract)


@given(REQUESTS, CONTRACTS)
def test_arrays_judge_as_numbers_do(rows: list[Any], contract: Contract) -> None:
    pytest.importorskip("numpy")
    run = made(rows)
    plain = (tally(run, contract), percentiles(run, contract), near(run, contract))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(goodput, "LARGE", 1)
        goodput.columns.cache_clear()
        assert goodput.columns(run) is not None
        assert (tally(run, contract), percentiles(run, contract), near(run, contract)) == plain
    goodput.columns.cache_clear()


@given(REQUESTS, CONTRACTS)
def test_the_rule_as_it_is_said(rows: list[Any], contract: Contract) -> None:
    run = made(rows)
    for event, ttft, tpot, e2e, tokens, done in zip(
        events(run, contract), run.ttft, run.tpot, run.e2e, run.tokens, run.completed, strict=True
    ):
        late = [
            name
            for name, value, limit in zip(goodput.LIMITS, (ttft, tpot, e2e), contract, strict=True)
            if value > limit
        ]
        assert list(event.missed) == (late if done else [])
        assert event.unmeasured == bool(done and tokens >= 1 and ttft == 0)
        assert event.good == bool(done and not late and not event.unmeasured)
        assert event.empty == (event.good and tokens == 0)
        assert (event.verdict == "good") == event.good


@given(REQUESTS, CONTRACTS)
def test_good_requests_are_some_of_the_completed_ones(rows: list[Any], contract: Contract) -> None:
    counted = tally(made(rows), contract)
    assert 0 <= counted.good <= counted.completed <= counted.requests == len(rows)
    assert counted.good_tokens <= counted.tokens
    assert counted.good / counted.requests <= 1
    assert counted.good + counted.missed_ttft + counted.missed_tpot + counted.missed_e2e + counted.unmeasured >= (
        counted.completed
    )


@given(REQUESTS, CONTRACTS, CONTRACTS)
def test_looser_limits_never_make_fewer_good(rows: list[Any], one: Contract, two: Contract) -> None:
    run, looser = made(rows), Contract(*map(max, one, two))
    assert tally(run, looser).good >= max(tally(run, one).good, tally(run, two).good)


@given(REQUESTS, CONTRACTS, st.randoms(use_true_random=False))
def test_the_order_of_requests_does_not_matter(rows: list[Any], contract: Contract, chance: Any) -> None:
    run = made(rows)
    order = list(range(len(rows)))
    chance.shuffle(order)
    other = replace(
        made([rows[place] for place in order]), arrival=array("d", (run.arrival[p] for p in order if run.arrival))
    )
    assert tally(other, contract) == tally(run, contract)
    assert percentiles(other, contract) == percentiles(run, contract)
    if len(rows) > 1:
        assert window(other) == window(run)


@given(REQUESTS, CONTRACTS, st.sampled_from([50, 90, 95, 99, 100]))
def test_the_percentile_contract_and_the_contract_of_each_request(
    rows: list[Any], contract: Contract, percent: int
) -> None:
    counted, ranked = tally(made(rows), contract), percentiles(made(rows), contract, percent)
    if not counted.completed:
        assert not any(found.met for found in ranked.values())
        return
    met = all(found.met for found in ranked.values())
    if counted.good >= rank(counted.completed, percent) and not counted.unmeasured:
        assert met
    if met and ranked and "ttft" in ranked:
        # Each limit is missed by at most so many, and no two need to miss it together.
        missed = len(ranked) * (counted.completed - rank(counted.completed, percent))
        assert counted.good >= counted.completed - missed
    for found in ranked.values():
        assert found.met or not found.met_with_failed


def test_both_percentiles_just_met_leave_as_few_as_nine_in_ten() -> None:
    rows = [(0.6, 0.01, 2, True)] * 5 + [(0.1, 0.06, 2, True)] * 5 + [(0.1, 0.01, 2, True)] * 90
    contract = Contract(0.5, 0.05)
    assert all(found.met for found in percentiles(made(rows), contract).values())
    assert tally(made(rows), contract).good == 90
    assert not percentiles(made([*rows, (0.6, 0.01, 2, True)]), contract)["ttft"].met


def test_a_percentile_is_the_nearest_rank() -> None:
    rows = [(0.01 * place, 0.0, 1, True) for place in range(1, 21)]
    assert percentiles(made(rows), Contract(ttft=1))["ttft"].value == 0.01 * 19  # 95 % of 20 are 19
    assert [rank(20, 95), rank(21, 95), rank(1, 95), rank(100, 95), rank(1000, 99)] == [19, 20, 1, 95, 990]


def test_failed_requests_can_break_a_percentile_contract() -> None:
    found = percentiles(made([(0.1, 0.0, 1, True)] * 90 + [(0.0, 0.0, 0, False)] * 10), Contract(ttft=0.5))["ttft"]
    assert found.met and not found.met_with_failed


def test_requests_within_a_nanosecond_of_a_limit_are_listed() -> None:
    rows = [(0.5, 0.0, 1, True), (0.5 + 9e-10, 0.0, 1, True), (0.5 + 2e-9, 0.0, 1, True), (0.5, 0.0, 1, False)]
    found = near(made(rows), Contract(ttft=0.5))
    assert [(number, name) for number, name, _ in found] == [(1, "ttft"), (2, "ttft")]
    assert found[0][2] == 0 and found[1][2] > 0


def test_the_state_is_moved_by_one_event_at_a_time() -> None:
    run = made([(0.1, 0.01, 3, True), (0.0, 0.0, 0, False), (0.9, 0.2, 2, True), (0.0, 0.1, 5, True)])
    trace = list(events(run, Contract(0.5, 0.05)))
    assert [event.verdict for event in trace] == [
        "good", "failed", "missed ttft and tpot", "missed tpot, not measured",
    ]  # fmt: skip
    state = Tally()
    for count, event in enumerate(trace, 1):
        state = goodput.apply(state, event)
        assert state == replay(trace[:count]) and state.requests == count


# Windows


def test_which_window_is_used() -> None:
    run = made([(0.5, 0.1, 11, True), (0.0, 0.0, 0, False)])
    assert window(run, 3.0) == (3.0, "as given")
    assert window(replace(run, duration=7.0)) == (7.0, "the duration in the file")
    assert window(run)[0] == pytest.approx(1.5)  # arrivals 0 and 1; the first ends at 1.5, the failed one counts at 1
    assert window(made([(0.5, 0.0, 1, True), (0.0, 0.0, 0, False)]))[0] == 1.0
    with pytest.raises(InputError, match="window_s"):
        window(made([(0.0, 0.0, 0, True)]))
    with pytest.raises(InputError, match="window_s"):
        window(replace(run, arrival=None))


# The authored traces


def test_the_traces_are_those_of_their_rule() -> None:
    """By hand for the first request of `steady`: x = 48,271, then 48,271² mod 2,147,483,647 = 182,605,794."""
    run = authored("steady")
    prompt, answer = 100 + 48_271 % 801, 20 + 182_605_794 % 201
    assert run.input_tokens is not None and (run.input_tokens[0], run.tokens[0]) == (prompt, answer)
    assert run.ttft[0] == (20_000 + 200 * prompt) / 1e6
    assert [len(authored(name)) for name in PLANS] == [240, 240, 150, 600]
    # 48,271 mod 801 is 211, so the prompt has 311 tokens and takes 82.2 ms.
    assert run.ttft[0] == 0.0822


def test_what_the_traces_teach() -> None:
    found = {name: HEADLESS.report({"trace": name})["outputs"] for name in PLANS}
    good = {name: outputs["goodput_requests_per_s"]["value"] for name, outputs in found.items()}
    through = {name: outputs["throughput_requests_per_s"]["value"] for name, outputs in found.items()}
    assert through["overloaded"] > 1.5 * through["steady"] and good["overloaded"] < good["steady"] / 5
    assert math.isclose(through["bursty"], through["steady"], rel_tol=0.05) and good["bursty"] < good["steady"] / 2
    assert 0.5 < found["mixed"]["attainment"]["value"] < 0.8
    assert found["overloaded"]["completed"]["value"] < found["overloaded"]["requests"]["value"]


# The lab


def test_a_report_has_what_every_lab_reports_and_its_own() -> None:
    found = HEADLESS.report({"trace": "bursty"})
    assert list(found)[:7] == ["lab", "version", "inputs", "outputs", "trace", "limits", "warnings"]
    assert {name: output["unit"] for name, output in found["outputs"].items()} == OUTPUTS
    assert found["inputs"]["ttft_ms"] == {"value": 500, "unit": "ms"}
    assert found["inputs"]["e2e_ms"] == {"value": "none", "unit": "ms"}
    assert found["inputs"]["trace"] == {"value": "bursty", "unit": None}
    values = {name: output["value"] for name, output in found["outputs"].items()}
    for step in found["trace"]:
        assert {"name", "symbol", "formula", "substituted", "value", "unit", "source"} == set(step)
        assert values[step["name"]] == step["value"]
    assert len(found["events"]) == values["requests"]
    assert sum(event["verdict"] == "good" for event in found["events"]) == values["good"]
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("file", sorted(VALID.iterdir()), ids=lambda file: file.name)
def test_every_valid_file_is_answered_in_words_and_as_data(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--json"], [], ["ttft_ms=none", "tpot_ms=none"], ["e2e_ms=5000", "window_s=100"]):
        assert main(["lab", "goodput", f"file={file}", *words]) == 0
        out = capsys.readouterr().out
        assert out.rstrip().endswith("}") if words == ["--json"] else "Percentile contract" in out or "no limit" in out


def test_the_files_own_goodput_stands_beside_ours_with_the_reason() -> None:
    edge = {"file": str(VALID / "vllm_2026_02_start_times_usage_chunk.json")}
    found = HEADLESS.report(edge | {"ttft_ms": "none", "tpot_ms": "none", "e2e_ms": 5000})
    own = found["judgement"]["file_goodput"]
    assert own["value"] == pytest.approx(4.14759204236816) and own["ours"] == pytest.approx(4.234000209917497)
    assert any("clock a little later" in reason for reason in own["reasons"])
    said = HEADLESS.text(found)
    assert "4.14759" in said and "4.234" in said and "are not in the file" in said
    same = {"file": str(VALID / "vllm_2025_03_goodput_colon.json"), "e2e_ms": 15000}
    own = HEADLESS.report(same)["judgement"]["file_goodput"]
    assert own["key"] == "request_goodput:" and own["value"] == own["ours"] == pytest.approx(2.8594978770543973)
    none = HEADLESS.report({"file": str(VALID / "vllm_2025_10_failures.json")})["judgement"]["file_goodput"]
    assert none["value"] is None and "null" in none["words"][0]


def test_equality_is_met_and_told() -> None:
    found = HEADLESS.report({"file": str(VALID / "vllm_2026_10_exact_limits.json"), "e2e_ms": 15000})
    assert found["outputs"]["good"]["value"] == 14
    assert {entry["request"] for entry in found["judgement"]["near_limits"]} == {1, 8, 9}
    assert any("nanosecond" in warning for warning in found["warnings"])


def test_run_number_and_window_are_reported() -> None:
    two = str(VALID / "sglang_appended_two_runs.jsonl")
    last, first = HEADLESS.report({"file": two}), HEADLESS.report({"file": two, "run": "1"})
    assert (last["inputs"]["run"]["value"], last["outputs"]["requests"]["value"]) == (2, 36)
    assert (first["inputs"]["run"]["value"], first["outputs"]["requests"]["value"]) == (1, 20)
    assert first["judgement"]["window_from"] == "the duration in the file"
    assert "Window: as given" in HEADLESS.text(HEADLESS.report({"file": two, "window_s": 10}))


def test_what_is_strange_is_warned_of(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_bytes(written(vllm(ttfts=[0.0] * 3, itls=[[]] * 3, output_lens=[5, 0, 0], total_output_tokens=5)))
    found = HEADLESS.report({"file": str(file)})
    assert any("not measured" in warning for warning in found["warnings"])
    assert any("without a token" in warning for warning in found["warnings"])
    assert found["judgement"]["unmeasured"] == 1 and found["judgement"]["good_without_tokens"] == 1


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("trace=stedy", ["trace", "stedy", "Did you mean steady?"]),
        ("trace=steady file=a.json", ["trace", "a file is given too"]),
        ("file=nowhere.json", ["nowhere.json", "cannot be read", "Check the path"]),
        ("ttft_ms=-1", ["ttft_ms", "-1", "a number from 0", "none"]),
        ("ttft_ms=fast", ["ttft_ms", "fast", "none"]),
        ("window_s=0", ["window_s", "0", "above 0"]),
        ("run=0", ["run", "0", "from 1"]),
        ("run=2", ["run", "2", "1 run"]),
        ("ttft=200", ["ttft", "Did you mean ttft_ms?"]),
    ],
)
def test_a_bad_word_is_answered_by_one_message(words: str, parts: list[str], capsys: Any) -> None:
    assert main(["lab", "goodput", *words.split()]) == 2
    out = capsys.readouterr()
    assert not out.out and out.err.count("\n") == 1
    for part in parts:
        assert part in spaced(out.err), out.err


def test_the_command_that_an_answer_ends_with_gives_that_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "goodput", "trace=mixed", "ttft_ms=200"]) == 0
    out = capsys.readouterr().out
    command = out.rstrip().splitlines()[-1].removeprefix("python -m engine ")
    assert main(command.split()) == 0 and capsys.readouterr().out == out


def test_a_bare_python_answers_without_numpy() -> None:
    words = ["lab", "goodput", f"file={VALID / 'csv_ms.csv'}", "ttft_ms=200", "tpot_ms=25", "e2e_ms=5000", "--json"]
    done = subprocess.run([sys.executable, "-S", "-m", "engine", *words], cwd=ROOT, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["outputs"]["good"]["value"] == 27


def test_a_large_run_is_judged_with_arrays_and_its_events_are_left_out(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    file = tmp_path / "large.csv"
    file.write_text("ttft_s,tpot_s,output_tokens\n" + "0.25,0.05,2\n0.75,0.05,2\n" * goodput.LARGE, "utf-8")
    found = HEADLESS.report({"file": str(file), "window_s": 1})
    assert found["outputs"]["attainment"]["value"] == 0.5 and found["events"] == []
