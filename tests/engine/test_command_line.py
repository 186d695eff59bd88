"""The command line: what it answers, what it refuses and in which words, on a Python without any package."""

import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.__main__ import answer, main
from engine.atlas import entries
from engine.formula import REGISTRY
from engine.labs.answers import plain
from engine.quantities import GLOSSARY, quantity
from tests.engine import cases as golden
from tests.engine.cases import spaced
from tests.engine.rows import rows
from tests.engine.settings import LAB, settings, values

ROOT = Path(engine.__file__).parent.parent
Answer = tuple[int, str, str]


def run(*words: str, python: tuple[str, ...] = ("-S",), **more: Any) -> subprocess.CompletedProcess[str]:
    """A real run from the project's root, on a Python that finds no package but its own library."""
    bare = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run([sys.executable, *python, "-m", "engine", *words], cwd=ROOT, env=bare, encoding="utf-8",
                          capture_output=True, timeout=60, **more)  # fmt: skip


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command line in this process: exit code, output, message."""

    def asked(*words: str) -> Answer:
        code = main(words)
        out = capsys.readouterr()
        return code, out.out, out.err

    return asked


def as_json(given: Answer) -> dict[str, Any]:
    code, out, err = given
    assert (code, err) == (0, "")

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(out, parse_constant=refuse)


def test_a_bare_python_answers_without_numpy() -> None:
    done = run("lab", "batch-step", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    outputs = json.loads(done.stdout)["outputs"]
    assert outputs["step_time_s"] == {"value": pytest.approx(0.0070445526734328355, rel=1e-15), "unit": "s"}
    traced = run("lab", "batch-step", "--json", python=("-X", "importtime"))
    imported = {line.split("|")[-1].strip() for line in traced.stderr.splitlines()}
    assert "engine.trace" in imported
    assert not {m for m in imported if m.partition(".")[0] in ("numpy", "panel", "bokeh", "param", "pandas", "jinja2")}


def test_json_of_a_lab_has_the_shape_that_is_promised(ask: Any) -> None:
    found = as_json(ask("lab", "batch-step", "batch=16", "--json"))
    assert list(found) == ["lab", "version", "inputs", "outputs", "trace", "limits", "warnings"]
    assert found["lab"] == "batch-step" and found["version"] == engine.__version__
    assert found["inputs"]["batch"] == {"value": 16, "unit": "sequence"}
    assert set(found["inputs"]) == {
        "model", "gpu", "weights", "kv", "tp", "batch", "context", "memory_fraction", "reserve_gb", "block",
    }  # fmt: skip
    assert found["inputs"]["model"] == {"value": "llama-3-8b", "unit": None}
    assert found["inputs"]["reserve_gb"] == {"value": 4, "unit": "GB"}
    assert list(found["outputs"]) == [
        "linear_weight_bytes", "linear_flops", "linear_hbm_time_s", "linear_compute_time_s", "linear_time_s",
        "linear_bottleneck", "kv_read_bytes", "attention_flops", "attention_time_s", "step_time_s",
        "aggregate_tokens_per_s", "sequence_tokens_per_s", "memory_free_bytes", "fits",
    ]  # fmt: skip
    assert found["outputs"]["linear_bottleneck"] == {"value": "hbm", "unit": None}
    assert found["outputs"]["fits"] == {"value": True, "unit": None}
    assert {name: entry["unit"] for name, entry in found["outputs"].items()} == {
        name: None if quantity(name).unit in ("word", "flag") else quantity(name).unit for name in LAB.outputs
    }
    for step in found["trace"]:
        assert {"name", "symbol", "formula", "substituted", "value", "unit", "source"} <= set(step)
        assert step["symbol"] == GLOSSARY[step["name"]].symbol
    assert {limit["state"] for limit in found["limits"]} <= {"inside", "outside", "not checked"}
    assert all(set(limit) == {"text", "state"} for limit in found["limits"])
    assert found["warnings"] == []


@pytest.mark.parametrize("case", golden.read("batch_step.json"), ids=lambda case: case["name"])
def test_the_command_line_gives_every_golden_case(case: dict[str, Any], ask: Any) -> None:
    words = [f"{name}={given['value']}" for name, given in case["inputs"].items()]
    outputs = as_json(ask("lab", "batch-step", *words, "--json"))["outputs"]
    for name, expected in case["outputs"].items():
        if name in outputs:
            assert golden.holds(expected, outputs[name]["value"], quantity(name).unit)


@given(settings())
def test_json_holds_the_values_of_the_engine(inputs: dict[str, Any]) -> None:
    found = json.loads(answer(["lab", "batch-step", *(f"{n}={v}" for n, v in inputs.items()), "--json"]))
    assert {name: entry["value"] for name, entry in found["inputs"].items()} == inputs
    whole = values(inputs)
    assert {name: entry["value"] for name, entry in found["outputs"].items()} == {n: whole[n] for n in LAB.outputs}
    assert {step["name"]: step["value"] for step in found["trace"]} == {
        s["name"]: whole[s["name"]] for s in found["trace"]
    }
    for entry in [*found["inputs"].values(), *found["outputs"].values(), *found["trace"]]:
        assert not isinstance(entry["value"], float) or not entry["value"].is_integer()


def test_text_of_a_lab_holds_the_figures_that_are_promised(ask: Any) -> None:
    code, out, err = ask("lab", "batch-step")
    assert (code, err) == (0, "")
    for shown in golden.read("batch_step.json")[0]["shown"].values():
        assert shown in spaced(out)


def test_warnings_are_in_words(ask: Any) -> None:
    found = as_json(ask("lab", "batch-step", "context=8193", "tp=16", "batch=1000", "weights=fp8", "--json"))
    said = spaced(" ".join(found["warnings"]))
    assert "8,193 exceeds the model's 8,192" in said
    assert "TP 16 exceeds the 8 KV heads: they are replicated" in said
    assert "does not fit" in said
    assert found["outputs"]["fits"]["value"] is False
    assert "outside" in {limit["state"] for limit in found["limits"]}


def test_a_formula_takes_the_symbols_of_the_sheets_and_the_names_of_the_glossary(ask: Any) -> None:
    for words in (("L=32", "h_kv=8", "d_h=128", "b=2"), ("L_=32", "h_kv_=8", "d_h=128.0", "b=2e0"),
                  ("layers=32", "kv_heads=8", "head_width=128", "kv_width=2")):  # fmt: skip
        for name in ("kv_cell_size", "cell_bytes"):
            found = as_json(ask("formula", name, *words, "--json"))
            assert {"formula", "inputs", "outputs", "trace", "limits", "warnings"} <= set(found)
            assert found["formula"] == "kv_cell_size"
            assert found["outputs"]["k"] == {"value": 131072, "unit": "B/token"}
            assert found["trace"][-1]["value"] == 131072


@pytest.mark.parametrize("key", sorted(REGISTRY.keys() - entries().keys()))
def test_every_formula_answers_by_symbol_and_by_name(key: str, ask: Any) -> None:
    formula = REGISTRY[key]
    numbers = {name: json.dumps(value) for name, value in rows(formula)[-1].items()}
    by_name = as_json(ask("formula", key, *(f"{n}={v}" for n, v in numbers.items()), "--json"))
    symbols = {GLOSSARY[n].symbol: v for n, v in numbers.items()}
    assert as_json(ask("formula", key, *(f"{s}={v}" for s, v in symbols.items()), "--json")) == by_name
    assert by_name["outputs"][formula.gives]["value"] == plain(formula.body(**rows(formula)[-1]))
    assert len(by_name["trace"]) == 1 and len(by_name["limits"]) == len(formula.limits)
    code, out, err = ask("formula", key, *(f"{n}={v}" for n, v in numbers.items()))
    assert (code, err) == (0, "") and formula.doc in out and formula.source.text in out


def test_infinity_is_the_text_inf(ask: Any) -> None:
    words = ("batch=2", "context=5", "window=inf", "full_cell_bytes=1", "windowed_cell_bytes=1", "kv_shards=1")
    found = as_json(ask("formula", "kv_read_bytes_windowed", *words, "--json"))
    assert found["inputs"]["window"]["value"] == "inf"
    assert found["outputs"]["kv_read_bytes"]["value"] == 20
    found = as_json(ask("formula", "linear_time_s", "linear_hbm_time_s=inf", "linear_compute_time_s=1", "--json"))
    assert found["outputs"]["linear_time_s"]["value"] == "inf"
    found = as_json(ask("lab", "batch-step", "reserve_gb=1e308", "--json"))
    assert found["outputs"]["memory_free_bytes"]["value"] == "-inf"
    assert found["outputs"]["fits"]["value"] is False


def test_what_is_not_a_number_never_appears(ask: Any) -> None:
    code, out, err = ask("formula", "linear_hbm_time_s", "linear_weight_bytes=inf", "hbm_bandwidth=inf", "--json")
    assert (code, out) == (2, "") and "not a number" in err
    code, out, err = ask("formula", "linear_hbm_time_s", "linear_weight_bytes=1", "hbm_bandwidth=0")
    assert (code, out) == (2, "") and "has no value for linear_weight_bytes = 1.0, hbm_bandwidth = 0.0" in err


def test_numbers_are_read_as_people_type_them(ask: Any) -> None:
    for typed in ("1000", "1,000", "1e3", "1000.0", "+1000", " 1000 ", "1000."):
        assert as_json(ask("lab", "batch-step", f"batch={typed}", "--json"))["inputs"]["batch"]["value"] == 1000
    assert as_json(ask("lab", "batch-step", "tp=8.0", "--json"))["inputs"]["tp"]["value"] == 8
    assert (
        as_json(ask("lab", "batch-step", "memory_fraction=.5", "--json"))["inputs"]["memory_fraction"]["value"] == 0.5
    )


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("lab batch-step batch=0", ["batch", "0", "a whole number from 1 to 1,000,000", "8"]),
        ("lab batch-step batch=1000001", ["batch", "1000001", "1,000,000"]),
        ("lab batch-step batch=-1", ["batch", "-1", "from 1"]),
        ("lab batch-step batch=1.5", ["batch", "1.5", "a whole number"]),
        ("lab batch-step batch=", ["batch", "a whole number"]),
        ("lab batch-step batch=many", ["batch", "many", "a whole number"]),
        ("lab batch-step batch=nan", ["batch", "nan", "a whole number"]),
        ("lab batch-step batch=inf", ["batch", "inf", "a whole number"]),
        ("lab batch-step batch=1e999", ["batch", "1e999", "a whole number"]),
        ("lab batch-step batch=1_000", ["batch", "1_000", "a whole number"]),
        ("lab batch-step batch=1,00", ["batch", "1,00", "a whole number"]),
        ("lab batch-step batch=0x10", ["batch", "0x10", "a whole number"]),
        ("lab batch-step batch=true", ["batch", "true", "a whole number"]),
        ("lab batch-step context=10000001", ["context", "10000001", "10,000,000"]),
        ("lab batch-step memory_fraction=0", ["memory_fraction", "0", "above 0 and up to 1"]),
        ("lab batch-step memory_fraction=1.01", ["memory_fraction", "1.01", "up to 1"]),
        ("lab batch-step memory_fraction=90%", ["memory_fraction", "90%", "up to 1"]),
        ("lab batch-step reserve_gb=-1", ["reserve_gb", "-1", "a number from 0", "GB"]),
        ("lab batch-step reserve_gb=4GB", ["reserve_gb", "4GB", "a number from 0"]),
        ("lab batch-step block=1025", ["block", "1025", "1 to 1,024"]),
        ("lab batch-step tp=3", ["tp", "3", "1, 2, 4, 8, 16, 32"]),
        ("lab batch-step tp=64", ["tp", "64", "32"]),
        ("lab batch-step model=qwen2.5-7b tp=8", ["tp", "8", "1, 2, 4", "28 query heads"]),
        ("lab batch-step model=llama-3-8B", ["model", "llama-3-8B", "llama-3-8b", "Did you mean llama-3-8b?"]),
        ("lab batch-step model=gpt-4", ["model", "gpt-4", "qwen3-4b"]),
        ("lab batch-step gpu=H100", ["gpu", "H100", "Did you mean h100-"]),
        ("lab batch-step gpu=h100sxm", ["gpu", "h100sxm", "Did you mean h100-sxm?"]),
        ("lab batch-step weights=fp16", ["weights", "fp16", "bf16, fp8", "Did you mean"]),
        ("lab batch-step weights=fp8 gpu=a100-80gb-sxm", ["weights", "fp8", "bf16 on a100-80gb-sxm", "no fp8 peak"]),
        ("lab batch-step gpu=a10 weights=fp8", ["weights", "fp8", "bf16 on a10", "another GPU"]),
        ("lab batch-step bacth=8", ["bacth", "batch, context", "Did you mean batch?"]),
        ("lab batch-step Batch=8", ["Batch", "Did you mean batch?"]),
        ("lab batch-step reserve=8", ["reserve", "Did you mean reserve_gb?"]),
        ("lab batch-step v=1", ["v", "batch, context"]),
        ("lab batch-step 16", ["16", "name=value", "batch=16"]),
        ("lab batch-step =16", ["=16", "name=value"]),
        ("lab batch-step --batch 16", ["--batch", "name=value"]),
        ("lab batch-step batch=8 batch=8", ["batch", "each name once"]),
        ("lab batchstep", ["lab", "batchstep", "batch-step", "Did you mean batch-step?"]),
        ("lab", ["lab", "a name", "list labs"]),
        ("labs", ["command", "labs", "lab, formula, list", "Did you mean lab?"]),
        ("list gpu", ["list", "gpu", "gpus", "Did you mean gpus?"]),
        ("list labs models", ["list", "labs models", "one kind"]),
        ("formula", ["formula", "list formulas"]),
        ("formula kv_cel_size L=1", ["formula", "kv_cel_size", "Did you mean kv_cell_size?"]),
        ("formula kv_cell_size L=32 h_kv=8", ["head_width", "missing", "d_h", "b"]),
        ("formula kv_cell_size L=32 h_kv=8 d_h=128 b=2 c=3", ["c", "no such input", "layers"]),
        ("formula kv_cell_size l=32", ["l", "no such input", "L"]),
        ("formula kv_cell_size layer=32", ["layer", "Did you mean layers?"]),
        ("formula kv_cell_size L=many", ["L", "many", "a number in layer"]),
        ("formula kv_cell_size L=1e999", ["L", "1e999", "a number in layer"]),
        ("formula kv_cell_size L=1 layers=1", ["layers", "each quantity once"]),
        ("formula kv_cell_size 32", ["32", "name=value"]),
        ("model - --json", ["command", "model", "lab, formula, list"]),
    ],
)  # fmt: skip
def test_a_bad_word_is_answered_by_one_message(words: str, parts: list[str], ask: Any) -> None:
    code, out, err = ask(*words.split(" "))
    assert (code, out) == (2, "")
    assert err.count("\n") == 1 and err.endswith("\n")
    for part in parts:
        assert part in spaced(err), f"{part!r} is not in {err!r}"


@pytest.mark.parametrize(
    "word", ["", " ", "\n", "batch=\n8\x1b[31m9", "b\x1b]0;x\x07=1", "\udcff=\udcff", "=", "batch=8\u20289"]
)
def test_whatever_is_typed_the_message_is_one_plain_line(word: str, ask: Any) -> None:
    code, out, err = ask("lab", "batch-step", word)
    assert (code, out) == (2, "")
    assert err.endswith("\n") and err[:-1].isprintable() and len(err) > 20


def test_a_real_run_ends_with_two_and_one_line_on_standard_error() -> None:
    done = run("lab", "batch-step", "contxt=8")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and "Did you mean context?" in done.stderr


def test_help_version_and_lists(ask: Any) -> None:
    for words in ((), ("-h",), ("--help",)):
        code, out, _ = ask(*words)
        assert code == 0 and out.startswith("usage: python -m engine lab SLUG")
    assert ask("--version") == (0, f"{engine.__version__}\n", "")
    listed = as_json(ask("list", "--json"))
    assert set(listed) == {"labs", "formulas", "models", "gpus"}
    assert listed["labs"]["batch-step"] == LAB.title
    assert set(listed["formulas"]) == set(REGISTRY) | set(entries())
    assert list(listed["formulas"])[: len(entries())] == list(entries())
    assert {"h100-sxm", "mi300x"} <= set(listed["gpus"]) and "llama-3-8b" in listed["models"]
    for kind, titles in listed.items():
        code, out, _ = ask("list", kind)
        assert code == 0 and all(key in out for key in titles)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_ends_in_words() -> None:
    bare = [sys.executable, "-S", "-m", "engine", "list"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(bare, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, encoding="utf-8", timeout=60)
    assert done.returncode == 1 and done.stderr.startswith("standard output: ") and done.stderr.count("\n") == 1


def test_a_reader_that_goes_away_is_no_error() -> None:
    started = subprocess.Popen([sys.executable, "-S", "-m", "engine", "list", "--json"], cwd=ROOT,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    assert started.stdout and started.stderr
    started.stdout.close()
    assert started.wait(timeout=60) == 0
    assert started.stderr.read() == b""
    started.stderr.close()


def test_the_command_that_an_answer_ends_with_gives_that_answer(ask: Any) -> None:
    _, out, _ = ask("lab", "batch-step", "batch=3", "model=gemma-2-9b", "memory_fraction=0.85", "reserve_gb=2.5")
    command = out.rstrip().splitlines()[-1]
    assert command.startswith("python -m engine lab batch-step ")
    assert ask(*command.removeprefix("python -m engine ").split())[1] == out


# Whatever is typed: an answer, or one message; never a traceback.

NAMES = [*(entry.name for entry in LAB.inputs), "L", "h_kv", "d_h", "b", "bach", "", "--json", "v"]
VALUES = st.one_of(
    st.sampled_from(["8", "0", "-1", "1e9", "1e400", "-0", "nan", "inf", "bf16", "fp8", "h100-sxm", "llama-3-8b", "", " ",
                     "1,000", "١٢", "１２", "²", "true", "None", "8" * 400, "0." + "0" * 400 + "1", "1e-400"]),
    st.integers().map(str), st.floats().map(repr), st.text(max_size=12),
)  # fmt: skip
WORDS = st.one_of(
    st.tuples(st.sampled_from(NAMES), VALUES).map("=".join),
    st.sampled_from(["lab", "formula", "list", "batch-step", "kv_cell_size", "models", "--json", "-h", "--version"]),
    st.text(max_size=20),
)
COMMANDS = st.one_of(
    st.lists(WORDS, max_size=6),
    st.lists(WORDS, max_size=6).map(lambda rest: ["lab", "batch-step", *rest]),
    st.tuples(st.sampled_from(sorted(REGISTRY)), st.lists(WORDS, max_size=4)).map(lambda p: ["formula", p[0], *p[1]]),
)


@hypothesis.settings(max_examples=200)
@given(COMMANDS)
def test_no_words_lead_to_a_traceback(words: list[str]) -> None:
    check(words)


@hypothesis.settings(max_examples=200)
@given(st.sampled_from(sorted(REGISTRY)), st.data())
def test_no_numbers_lead_a_formula_to_a_traceback(key: str, data: st.DataObject) -> None:
    figures = st.one_of(st.floats(allow_nan=False).map(repr), st.sampled_from(["0", "-0", "inf", "5e-324", "1.7e308"]))
    check(["formula", key, *(f"{name}={data.draw(figures)}" for name in REGISTRY[key].inputs)])


def check(words: list[str]) -> None:
    for more in ([], ["--json"]):
        out, err = StringIO(), StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main([*words, *more])
        if code:
            assert code == 2 and not out.getvalue()
            assert err.getvalue()[:-1].isprintable() and err.getvalue().endswith("\n")
        else:
            assert out.getvalue() and not err.getvalue()
            if more and out.getvalue().startswith("{"):
                json.loads(out.getvalue(), parse_constant=pytest.fail)
