"""Result files: the figures of valid ones, the reaction to broken ones, and every surprise that tools are known for."""

import json
import re
from collections.abc import Callable
from math import isclose
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import bench_files
from engine.bench_files import BenchFileError, Run, json_scan, open_file, read, table
from engine.errors import InputError
from engine.simulators.goodput import Contract, tally, window
from tests.engine.bench_cases import BENCH, held, sglang, vllm, written

EXPECTED = json.loads((BENCH / "expected.json").read_text("utf-8"))
BROKEN = json.loads((BENCH / "broken.json").read_text("utf-8"))
CONTRACTS = {
    name: Contract(*(float("inf") if limit is None else limit / 1000 for limit in limits.values()))
    for name, limits in EXPECTED["contracts"].items()
}


@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize("file", EXPECTED["files"])
def test_figures_of_valid_files(file: str, contract: str) -> None:
    found = open_file(str(BENCH / "valid" / file))
    assert len(found.runs) == len(EXPECTED["files"][file]["runs"])
    for number, expected in enumerate(EXPECTED["files"][file]["runs"], 1):
        _, run = found.choose(number)
        assert (run.tool, run.e2e_from) == (expected["tool"], expected["e2e_from"])
        wanted, counted, over = expected["contracts"][contract], tally(run, CONTRACTS[contract]), window(run)
        assert run.input_tokens is not None
        prompts = sum(tokens for tokens, ok in zip(run.input_tokens, run.completed, strict=True) if ok)
        assert {
            "requests": counted.requests, "completed": counted.completed, "good": counted.good,
            "unmeasured": counted.unmeasured, "good_with_zero_tokens": counted.empty,
            "missed": {"ttft": counted.missed_ttft, "tpot": counted.missed_tpot, "e2e": counted.missed_e2e},
        } == {key: wanted[key] for key in
              ("requests", "completed", "good", "unmeasured", "good_with_zero_tokens", "missed")}  # fmt: skip
        rates = {
            "window_s": over.seconds,
            "goodput_requests_per_s": counted.good / over.seconds,
            "throughput_requests_per_s": counted.completed / over.seconds,
            "attainment": counted.good / counted.requests,
            "attainment_of_completed": counted.good / counted.completed,
            "output_tokens_per_s": counted.tokens / over.seconds,
            "input_tokens_per_s": prompts / over.seconds,
            "total_tokens_per_s": (prompts + counted.tokens) / over.seconds,
            "good_output_tokens_per_s": counted.good_tokens / over.seconds,
        }
        for name, value in rates.items():
            assert isclose(value, wanted[name], rel_tol=1e-9), name


def test_only_one_valid_file_needs_a_warning() -> None:
    warned = {file: open_file(str(BENCH / "valid" / file)) for file in EXPECTED["files"]}
    said = {file: found.said(len(found.runs)) for file, found in warned.items()}
    assert [file for file, warnings in said.items() if warnings] == ["vllm_2025_10_failures.json"]
    assert "1 request" in said["vllm_2025_10_failures.json"][0] and "failed" in said["vllm_2025_10_failures.json"][0]


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case["file"])
def test_reaction_to_broken_files(case: dict[str, Any]) -> None:
    try:
        found = open_file(str(BENCH / case["file"]))
        said = " ".join(found.said(found.choose()[0]))
        reaction = "accept_with_warning" if said else "accept"
    except BenchFileError as error:
        reaction, said = "refuse", str(error)
        assert "Allowed: " in said and case["file"].split("/")[1] in said
    assert reaction in (case["expect"], case.get("also_ok")), said
    for part in case["must_mention"]:
        assert re.search(part, said), (part, said)


def test_files_with_the_same_requests_in_other_dress_are_read_alike() -> None:
    names = ("mixed_header_units.csv", "semicolon_decimal_comma.csv", "extra_columns.csv", "bom.json", "utf16le.json")
    counts = [tally(open_file(str(BENCH / "broken" / name)).choose()[1], CONTRACTS["chat"]) for name in names]
    assert len(set(counts)) == 1


# Surprises, each in a few requests


def test_a_pretty_file_and_runs_without_a_line_between_them_are_read() -> None:
    pretty = read(written(vllm(), indent=2), "a.json").choose()[1]
    assert tally(pretty, CONTRACTS["chat"]) == tally(held(vllm()).choose()[1], CONTRACTS["chat"])
    glued = json.dumps(vllm()) + json.dumps(vllm(duration=8.0)) + "\r\n"
    assert [run.duration for run in read(glued.encode(), "a.json").runs if isinstance(run, Run)] == [4.0, 8.0]


def test_the_last_run_that_can_be_used_is_the_default_and_any_can_be_asked_for() -> None:
    found = held(sglang(), sglang(duration=8.0), sglang(ttfts=...))
    assert found.choose()[0] == 2 and found.choose(1)[1].duration == 4.0
    assert "run 3 of 3" in found.said(2)[0] and "line 3" in found.said(2)[0]
    with pytest.raises(BenchFileError, match="ttfts"):
        found.choose(3)
    with pytest.raises(InputError, match=r"from 1 to 3"):
        found.choose(4)


@pytest.mark.parametrize("word", [float("inf"), float("-inf"), float("nan")])
def test_bare_words_are_harmless_in_a_summary_and_an_error_in_a_list(word: float) -> None:
    assert held(vllm(burstiness=word, request_rate=word)).choose()[1].duration == 4.0
    for key, value in (("ttfts", [0.25, word, 0.0]), ("itls", [[0.1, word], [0.2], []])):
        with pytest.raises(BenchFileError, match=key):
            held(vllm(**{key: value}))
    with pytest.raises(BenchFileError, match="duration"):
        held(vllm(duration=word))


def test_an_error_inside_an_answer_is_completed_and_never_good() -> None:
    """SGLang writes the requested length, a TTFT of 0, no ITLs and an empty error for it."""
    run = held(sglang(ttfts=[0.0] * 3, itls=[[]] * 3, output_lens=[1000] * 3, errors=[""] * 3, completed=3,
                      mean_ttft_ms=0.0, total_output_tokens=3000)).choose()[1]  # fmt: skip
    counted = tally(run, CONTRACTS["chat"])
    assert (counted.completed, counted.good, counted.unmeasured) == (3, 0, 3)


def test_failures_in_the_middle_of_an_answer_keep_what_they_had_and_do_not_count() -> None:
    run = held(vllm(ttfts=[0.25, 0.5, 0.125], itls=[[0.125, 0.125], [0.25], [0.5]])).choose()[1]
    counted = tally(run, CONTRACTS["ttft_only"])
    assert (counted.requests, counted.completed, counted.good, counted.tokens) == (3, 2, 2, 5)


def test_what_has_no_error_and_no_token_is_failed_as_far_as_the_file_says_so() -> None:
    found = held(vllm(errors=["", "", ""]))
    assert found.choose()[1].completed == bytearray([1, 1, 0]) and "1 request" in found.said(1)[0]
    for completed in (1, 4, 1.5):
        with pytest.raises(BenchFileError, match="completed"):
            held(vllm(errors=["", "", ""], completed=completed))
    assert held(vllm(errors=["", "", ""], completed=3)).choose()[1].completed == bytearray([1, 1, 1])
    assert held(vllm(completed=...)).choose()[1].completed == bytearray([1, 1, 0])


def test_without_errors_every_request_must_have_completed() -> None:
    assert sum(held(vllm(errors=..., completed=3)).choose()[1].completed) == 3
    with pytest.raises(BenchFileError, match="errors"):
        held(vllm(errors=...))


def test_e2e_is_the_stored_one_by_any_tools_name_else_put_together() -> None:
    for key, tool in (("latencies", "vllm"), ("e2els", "trtllm")):
        run = held(vllm(**{key: [0.75, 1.0, 0.0]})).choose()[1]
        assert (run.tool, run.e2e_from, list(run.e2e)) == (tool, key, [0.75, 1.0, 0.0])
    run = held(vllm()).choose()[1]
    assert list(run.e2e) == [0.5, 0.75, 0.0] and list(run.tpot) == [0.125, 0.25, 0.0]
    assert "TTFT plus all ITLs" in run.notes[0]
    with pytest.raises(BenchFileError, match=r"latencies\[1\].*before its first token"):
        held(vllm(latencies=[0.75, 0.25, 0.0]))


def test_latencies_alone_are_a_summary() -> None:
    gone = dict.fromkeys(("ttfts", "itls", "output_lens"), ...)
    with pytest.raises(BenchFileError, match="--save-detailed"):
        held(vllm(**gone, latencies=[0.5, 0.75, 0.0], queue_times=[0.0] * 3))


def test_goodput_of_the_file_under_either_key() -> None:
    assert held(vllm()).choose()[1].goodput == ("request_goodput", None)
    assert held(vllm(request_goodput=0.5)).choose()[1].goodput == ("request_goodput", 0.5)
    assert held(vllm(request_goodput=..., **{"request_goodput:": 0})).choose()[1].goodput == ("request_goodput:", 0.0)
    assert held(vllm(request_goodput=...)).choose()[1].goodput is None
    odd = held(vllm(request_goodput="many"))
    assert odd.choose()[1].goodput == ("request_goodput", None) and "many" in odd.said(1)[0]


def test_vllms_benchmark_of_an_sglang_server_is_vllms_file() -> None:
    assert held(vllm(backend="sglang")).choose()[1].tool == "vllm"


def test_lists_that_nobody_needs_may_hold_anything() -> None:
    found = held(vllm(server_ttfts=[None, 0.1, None], start_times=[None, 1, 2], queue_times="none"))
    assert found.choose()[1].arrival is None and "start_times[0]" in found.said(1)[0]


@pytest.mark.parametrize(
    ("changed", "parts"),
    [
        ({"ttfts": [0.25, True, 0.0]}, ["ttfts[1]", "request 2", "true"]),
        ({"ttfts": [0.25, [0.5], 0.0]}, ["ttfts[1]", "list"]),
        ({"ttfts": [0.25, {"a": "]"}, 0.0]}, ["ttfts[1]", "dict"]),
        ({"ttfts": [0.25, "], [", 0.0]}, ["ttfts[1]", "text"]),
        ({"ttfts": [0.25, 1e300, 0.0]}, ["ttfts[1]", "too large"]),
        ({"ttfts": "0.25"}, ["ttfts", "no list"]),
        ({"ttfts": {"0": 0.25}}, ["ttfts", "no list"]),
        ({"ttfts": None}, ["ttfts", "no list"]),
        ({"itls": [0.1, 0.2, 0.3]}, ["itls[0]", "where a list should be"]),
        ({"itls": [[0.1], None, []]}, ["itls[1]", "null"]),
        ({"itls": [[0.1], [0.1, "0.2"], []]}, ["itls[1]", "0.2"]),
        ({"output_lens": [3, 2.5, 0]}, ["output_lens[1]", "2.5", "whole numbers"]),
        ({"errors": [""]}, ["errors", "1 entry", "3"]),
        ({"start_times": [1.0, 2.0]}, ["start_times", "2 entries", "3"]),
        ({"start_times": [100.0, 101.0, 105.0]}, ["start_times", "5 s", "duration of 4 s"]),
        ({"duration": "4"}, ["duration", "no number"]),
        ({"duration": 0.5}, ["itls", "E2E", "duration"]),
        ({"duration": -1}, ["duration", "-1"]),
        ({"completed": "two"}, ["completed", "no number"]),
    ],
)  # fmt: skip
def test_a_file_that_contradicts_itself_is_refused(changed: dict[str, Any], parts: list[str]) -> None:
    with pytest.raises(BenchFileError) as refused:
        held(vllm(**changed))
    assert refused.value.line == 1
    for part in (*parts, "results.json, line 1", "Allowed: "):
        assert part in str(refused.value)


def test_no_duration_leaves_arrivals_or_a_given_window() -> None:
    run = held(vllm(duration=...)).choose()[1]
    assert window(run).seconds == 102.0 - 100.0 and window(run, 9.0).seconds == 9.0
    with pytest.raises(InputError, match="window_s"):
        window(held(vllm(duration=..., start_times=...)).choose()[1])


def test_means_and_totals_that_differ_are_told() -> None:
    assert "mean of the list" in held(vllm(mean_ttft_ms=350.0)).said(1)[0]
    assert "total_output_tokens is 9" in held(vllm(total_output_tokens=9)).said(1)[0]


@pytest.mark.parametrize("cut", range(1, 400, 7))
def test_a_file_that_is_cut_anywhere_is_refused_with_its_line(cut: int) -> None:
    text = written(vllm())
    with pytest.raises(BenchFileError) as refused:
        read(text[:-cut], "cut.json")
    assert "line 1" in str(refused.value)
    after = read(text[:-cut] + b"\n" + text, "cut.jsonl")
    assert after.choose()[0] == 2 and "line 1" in after.said(2)[0]


@pytest.mark.parametrize(
    ("data", "parts"),
    [
        (b"", ["empty"]),
        (b" \n\t", ["empty"]),
        (b"\xef\xbb\xbf", ["empty"]),
        (b"\x1f\x8b\x08\x00", ["gzip"]),
        (b"PK\x03\x04rest", ["Excel"]),
        (b"\xff\xfe{\x00x", ["cut or damaged"]),
        (b"{\x00}\x00", ["UTF-16"]),
        (b"<html>", ["web page"]),
        (b"[1, 2", ["list that does not end"]),
        (b"[]", ["jq"]),
        (b"[" * 100_000, ["list"]),
        (b'{"a":' * 100_000, ["nested too deeply"]),
        (b'{"ttfts": ' + b"1" * 5000 + b"}", ["line 1"]),
        (b'{"ttfts": [1], "ttfts": [2]}', ["stands twice"]),
        (b'{"ttfts": [1,,2]}', ["no valid JSON"]),
        (b'{"ttfts": [1,]}', ["no valid JSON"]),
        (b"{ttfts: [1]}", ["key in quotes"]),
        (b'{"ttfts" [1]}', ["':'"]),
        (b'{"a": 1 "b": 2}', ["','"]),
        (b"null", ["ttft"]),
        (b'{"benchmarks": []}', ["GuideLLM", "CSV"]),
        (b'{"experiments": []}', ["genai-perf"]),
        (b'{"metadata": {}, "metrics": {}}', ["AIPerf"]),
        (b'{"total_input_sequences": 4}', ["embedding"]),
        (b'{"a": 1}', ["no request"]),
        (b'[{"ttft_s": 1, "end_to_end_latency_s": 2}]', ["LLMPerf"]),
        (b"metric_name,timestamp,metric_value\n", ["k6"]),
        (b"Type,Name,Request Count,Failure Count\n", ["Locust"]),
    ],
)
def test_what_is_no_result_is_told_what_it_is(data: bytes, parts: list[str]) -> None:
    with pytest.raises(BenchFileError) as refused:
        read(data, "x")
    for part in (*parts, "Allowed: "):
        assert part in str(refused.value)


def test_what_a_file_says_cannot_steer_a_terminal() -> None:
    with pytest.raises(BenchFileError) as refused:
        held(vllm(ttfts=["\x1b[31m" + "x" * 500, 0.5, 0.0]))
    assert str(refused.value).isprintable() and len(str(refused.value)) < 400


def test_a_size_that_is_too_large_is_refused_with_the_size_and_the_alternative() -> None:
    with pytest.raises(BenchFileError, match="it has") as refused:
        bench_files.check_size(10**9, "big.json", bench_files.LARGEST_IN_A_BROWSER)
    assert "1.00\u00a0GB" in str(refused.value) and "python -m engine lab goodput file=big.json" in str(refused.value)
    with pytest.raises(BenchFileError, match="generated_texts"):
        bench_files.check_size(10**10, "big.json")
    with pytest.raises(BenchFileError, match="it has"):
        read(written(vllm()), "a.json", largest=100)


def test_a_path_that_cannot_be_read_is_told() -> None:
    for path in (str(BENCH / "none.json"), str(BENCH), "a\0b", ""):
        with pytest.raises(BenchFileError, match="cannot be read"):
            open_file(path)


# Tables

HEAD = "arrival_s,ttft_s,e2e_s,output_tokens,ok\n"


def rows(text: str) -> Run:
    return read(text.encode(), "t.csv").choose()[1]


def test_columns_in_any_order_under_any_of_their_names() -> None:
    run = rows(
        "Completion Tokens,Request Latency (ms),success,Start-Time [s],Time to First Token (us)\n9,900,TRUE,5,500000\n"
    )
    assert (run.ttft[0], run.e2e[0], run.tokens[0], run.arrival and run.arrival[0]) == (0.5, 0.9, 9, 5)
    assert run.completed == b"\1"


def test_milliseconds_are_divided_so_that_equality_holds() -> None:
    for ms in (7, 9, 33.3, 450.7):
        run = rows(f"ttft_ms,e2e_ms,output_tokens\n{ms},{ms},1\n")
        assert tally(run, Contract(ttft=ms / 1000)).good == 1


def test_words_for_success_and_for_all_else() -> None:
    for word in ("ok", "OK", "true", "1", "success", "Completed", "200", "yes"):
        assert rows(f"{HEAD}0,1,2,3,{word}\n").completed == b"\1"
    run = rows(f"{HEAD}0,1,2,3,ok\n0,,,,timeout\n0,,,,\n")
    assert run.completed == b"\1\0\0" and "timeout" in run.notes[-1]


@pytest.mark.parametrize(
    ("text", "line", "parts"),
    [
        (f"{HEAD}0,1,2,3,ok\n\n0,x,2,3,ok\n", 4, ["ttft_s", "“x”"]),
        (f"{HEAD}0,nan,2,3,ok\n", 2, ["ttft_s", "nan"]),
        (f"{HEAD}0,inf,2,3,ok\n", 2, ["ttft_s", "inf"]),
        (f"{HEAD}0,1_0,2,3,ok\n", 2, ["ttft_s", "1_0"]),
        (f"{HEAD}0,1e,2,3,ok\n", 2, ["ttft_s", "1e"]),
        (f"{HEAD}0,1e300,2,3,ok\n", 2, ["ttft_s", "too large"]),
        (f"{HEAD}0,-1,2,3,ok\n", 2, ["ttft_s", "negative"]),
        (f"{HEAD}0,١,2,3,ok\n", 2, ["ttft_s", "no number"]),
        (f"{HEAD}0,,2,3,ok\n", 2, ["ttft_s", "empty", "completed"]),
        (f"{HEAD}0,1,2,3.5,ok\n", 2, ["output_tokens", "whole"]),
        (f"{HEAD}0,1,2,-3,ok\n", 2, ["output_tokens", "negative"]),
        (f"{HEAD}0,2,1,3,ok\n", 2, ["e2e", "before its first token"]),
        (f"{HEAD}0,1,2,3\n", 2, ["4 fields", "5"]),
        (f'{HEAD}0,1,2,3,"o\nk"\n0,1,2\n', 4, ["3 fields"]),
        (f'{HEAD}0,1,2,3,"ok\n', 2, ["no CSV"]),
        (f'{HEAD}0,"1,5",2,3,ok\n', 2, ["ttft_s", "1,5"]),
        ("ttft_s;e2e_s;output_tokens\n1.234,5;2;3\n", 2, ["ttft_s", "1.234,5"]),
        ("ttft_s,e2e_s,output_tokens\n,2,3\n", 2, ["ttft_s", "column ok"]),
        ("ttft,e2e_s,output_tokens\n1,2,3\n", 1, ["ttft", "unit", "ttft_ms"]),
        ("ttft_s,ttft_ms,e2e_s,output_tokens\n1,1,2,3\n", 1, ["ttft_ms", "already"]),
        ("ttft_s,output_tokens\n1,2\n", 1, ["e2e", "tpot"]),
        ("ttft_s,e2e_s,output_token\n1,2,3\n", 1, ["output_tokens", "Did you mean output_token?"]),
        ("sep=;\nttft_s;e2e_s;output_tokens\nx;2;3\n", 3, ["ttft_s", "“x”"]),
    ],
)
def test_a_cell_that_cannot_be_used_is_named_with_its_line(text: str, line: int, parts: list[str]) -> None:
    with pytest.raises(BenchFileError) as refused:
        rows(text)
    assert refused.value.line == line
    for part in parts:
        assert part in str(refused.value)


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_pieces_of_any_size_give_the_same(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [BENCH / "valid" / name for name in EXPECTED["files"]]
    whole = [tally(open_file(str(file)).choose()[1], CONTRACTS["chat"]) for file in files]
    monkeypatch.setattr(json_scan, "PIECE", size)
    monkeypatch.setattr(table, "ROWS", size)
    assert [tally(open_file(str(file)).choose()[1], CONTRACTS["chat"]) for file in files] == whole
    for bad in ("null_in_ttfts.json", "negative_itl.json", "ttfts_are_strings.json"):
        with pytest.raises(BenchFileError, match=r"request (8|10|1) "):
            open_file(str(BENCH / "broken" / bad))


def test_a_million_requests_are_read_with_progress() -> None:
    count = 1_000_000
    line = "0.25,0.05,2,ok\n"
    shares: list[float] = []
    found = read(
        ("ttft_s,tpot_s,output_tokens,ok\n" + line * (count - 1) + "0,0,0,no\n").encode(), "big.csv", shares.append
    )
    counted = tally(found.choose()[1], CONTRACTS["chat"])
    assert (counted.requests, counted.completed, counted.good) == (count, count - 1, count - 1)
    assert len(shares) > 10 and shares == sorted(shares) and shares[-1] == 1


# Whatever comes: runs, or one error in words.


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_bytes_lead_to_another_error(data: bytes) -> None:
    answered(lambda: read(data, "x"))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 10**30) | st.floats() | st.text(max_size=5) | st.just("]]"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*vllm(), "latencies", "e2els", "request_goodput:"]), VALUES, max_size=3))
def test_no_values_lead_to_another_error(changed: dict[str, Any]) -> None:
    answered(lambda: held(vllm(**changed)))


@given(
    st.lists(st.lists(st.sampled_from(["0", "1", "2.5", "", "ok", "-1", "x", "1,5", '"', "1e400", "\n"]), max_size=6))
)
def test_no_cells_lead_to_another_error(cells: list[list[str]]) -> None:
    for separator in (",", ";"):
        text = HEAD.replace(",", separator) + "\n".join(separator.join(row) for row in cells)
        answered(lambda text=text: rows(text))


def answered(reading: Callable[[], Any]) -> None:
    try:
        reading()
    except BenchFileError as error:
        assert "Allowed: " in str(error)
