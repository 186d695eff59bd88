"""The catalogue: published counts are met exactly, hardware facts are dense, and what is no fact is refused."""

import json
from dataclasses import FrozenInstanceError
from datetime import date
from math import inf
from pathlib import Path

import pytest

from engine import catalogue, trace
from engine import formulas as formulas  # enters the formulas
from engine.errors import FactError, InputError
from engine.quantities import GLOSSARY

GOLDEN = json.loads(Path(__file__).parent.joinpath("golden", "models.json").read_text("utf-8"))["models"]
PARTS = {
    "embedding": "embedding_parameters",
    "attention": "attention_parameters",
    "attention_bias": "attention_bias_parameters",
    "mlp": "mlp_parameters",
    "norms": "norm_parameters",
    "qk_norm": "qk_norm_parameters",
    "head": "head_parameters",
}
TODAY = date(2026, 11, 29)


def test_catalogue_has_the_models_and_gpus_of_the_labs() -> None:
    assert list(catalogue.models()) == list(GOLDEN)
    assert list(catalogue.gpus()) == [
        "a100-40gb-sxm", "a100-40gb-pcie", "a100-80gb-sxm", "a100-80gb-pcie", "h100-sxm", "h100-pcie", "h200-sxm",
        "b200", "l4", "l40s", "a10", "rtx-4090", "mi300x",
    ]  # fmt: skip


@pytest.mark.parametrize("slug", GOLDEN)
def test_computed_parameters_equal_the_published_count(slug: str) -> None:
    model = catalogue.model(slug)
    total = trace.evaluate("total_parameters", model.given())
    assert total == GOLDEN[slug]["published"] == model.facts["published_parameters"].base


@pytest.mark.parametrize("slug", GOLDEN)
def test_parts_and_streamed_weights_equal_the_counted_tensors(slug: str) -> None:
    values = trace.plan(["total_parameters", "linear_parameters"], catalogue.model(slug).given()).evaluate(
        catalogue.model(slug).given()
    )
    assert {part: values[name] for part, name in PARTS.items()} == GOLDEN[slug]["parts"]
    assert values["linear_parameters"] == GOLDEN[slug]["streamed_batch1"]


@pytest.mark.parametrize("slug", GOLDEN)
def test_kv_bytes_of_a_token_equal_the_published_shape(slug: str) -> None:
    given = catalogue.model(slug).given() | {"kv_width": 2}
    whole = trace.evaluate("cell_bytes", given)
    assert whole == GOLDEN[slug]["kv_bytes_per_token_bf16"]
    assert whole == trace.evaluate("full_cell_bytes", given) + trace.evaluate("windowed_cell_bytes", given)


def test_given_names_are_glossary_names() -> None:
    for model in catalogue.models().values():
        assert model.given().keys() <= GLOSSARY.keys()
    for gpu in catalogue.gpus().values():
        assert gpu.given().keys() <= GLOSSARY.keys()


@pytest.mark.parametrize(
    ("slug", "context"),
    [
        ("llama-3-8b", 8192),
        ("llama-3-70b", 8192),
        ("llama-3.1-405b", 131072),
        ("llama-3.2-1b", 131072),
        ("llama-3.2-3b", 131072),
        ("qwen2.5-7b", 131072),
        ("qwen3-4b", 40960),
        ("qwen3-14b", 40960),
        ("qwen3-32b", 40960),
        ("mistral-7b-v0.3", 32768),
        ("gemma-2-9b", 8192),
        ("phi-3-mini", 4096),
    ],
)
def test_context_length_is_that_of_the_published_config(slug: str, context: int) -> None:
    assert catalogue.model(slug).given()["context_length"] == context


def test_windowed_models() -> None:
    windowed = {slug: model.given() for slug, model in catalogue.models().items() if model.windowed}
    assert {slug: (g["windowed_layers"], g["full_layers"], g["window"]) for slug, g in windowed.items()} == {
        "gemma-2-9b": (21, 21, 4096),
        "phi-3-mini": (32, 0, 2047),
    }
    llama = catalogue.model("llama-3-8b")
    assert not llama.windowed
    assert llama.given()["window"] == inf


@pytest.mark.parametrize(
    ("slug", "bf16", "fp8", "bandwidth", "capacity"),
    [
        ("a100-40gb-sxm", 312e12, None, 1.555e12, 40e9),
        ("a100-40gb-pcie", 312e12, None, 1.555e12, 40e9),
        ("a100-80gb-sxm", 312e12, None, 2.039e12, 80e9),
        ("a100-80gb-pcie", 312e12, None, 1.935e12, 80e9),
        ("h100-sxm", 989.4e12, 1978.9e12, 3.35e12, 80e9),
        ("h100-pcie", 756e12, 1513e12, 2.0e12, 80e9),
        ("h200-sxm", 989.4e12, 1978.9e12, 4.8e12, 141e9),
        ("b200", 2250e12, 4500e12, 8e12, 180e9),
        ("l4", 121e12, 242.5e12, 300e9, 24e9),
        ("l40s", 362.05e12, 733e12, 864e9, 48e9),
        ("a10", 125e12, None, 600e9, 24e9),
        ("rtx-4090", 165.2e12, 330.3e12, 1.008e12, 24e9),
        ("mi300x", 1307.4e12, 2614.9e12, 5.3e12, 192e9),
    ],
)
def test_dense_peaks_and_memory(slug: str, bf16: float, fp8: float | None, bandwidth: float, capacity: float) -> None:
    gpu = catalogue.gpu(slug)
    assert gpu.given() == {
        "hbm_bandwidth": bandwidth, "hbm_capacity": capacity, "peak_linear": bf16, "peak_attention": bf16,
    }  # fmt: skip
    if fp8 is None:
        assert gpu.precisions == ("bf16",)
    else:
        assert gpu.given("fp8") == gpu.given() | {"peak_linear": fp8}


def test_dense_fp8_is_about_twice_dense_bf16() -> None:
    """A ratio of one or four would mean that a sparse figure slipped in on one side."""
    for gpu in catalogue.gpus().values():
        if "fp8" in gpu.precisions:
            assert gpu.peak("fp8").number / gpu.peak("bf16").number == pytest.approx(2, rel=0.02)


def test_a_precision_without_a_peak_is_refused() -> None:
    with pytest.raises(InputError, match=r"weights: “fp8” .*Allowed: bf16 on a100-80gb-sxm\. .*no fp8 peak"):
        catalogue.gpu("a100-80gb-sxm").given("fp8")
    with pytest.raises(InputError, match=r"Did you mean fp8\?"):
        catalogue.gpu("h100-sxm").given("fp4")


def test_an_unknown_slug_names_the_nearest() -> None:
    with pytest.raises(InputError, match=r"model: “llama3-8b” .* Did you mean llama-3-8b\?"):
        catalogue.model("llama3-8b")
    with pytest.raises(InputError, match=r"gpu: “H100” .* Did you mean h100-sxm\?"):
        catalogue.gpu("H100")


def test_facts_cannot_be_changed() -> None:
    fact = catalogue.gpu("h100-sxm").facts["hbm_bandwidth"]
    with pytest.raises(FrozenInstanceError):
        fact.value = 1  # type: ignore[misc]
    with pytest.raises(TypeError):
        catalogue.gpus()["h100-sxm"].facts["hbm_bandwidth"] = fact  # type: ignore[index]


def fact(value: str, unit: str, more: str = "") -> str:
    return f'{{ value = {value}, unit = "{unit}", kind = "datasheet", source = "A sheet", checked = 2026-11-29{more} }}'


WHOLE = {
    "name": fact('"Card"', "word"),
    "vendor": fact('"Maker"', "word"),
    "form": fact('"PCIe"', "word"),
    "peak_bf16_dense": fact("100", "TFLOP/s"),
    "hbm_bandwidth": fact("1", "TB/s"),
    "hbm_capacity": fact("24", "GB"),
}


def card(**changes: str) -> str:
    return "[card]\n" + "\n".join(f"{name} = {entry}" for name, entry in (WHOLE | changes).items())


def test_a_whole_card_is_read() -> None:
    gpu = catalogue.read_gpus(card(), "x.toml", TODAY)["card"]
    assert (gpu.name, gpu.facts["hbm_capacity"].base) == ("Card", 24e9)


SPEED = "hbm_bandwidth"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({SPEED: "3.35"}, r"x\.toml: card\.hbm_bandwidth: a bare 3\.35 is not a fact\. .*value, unit, kind, source"),
        ({SPEED: fact("1", "TB/s", ', sourec = "x"')}, r"unknown key 'sourec'\. Allowed: .*Did you mean source\?"),
        ({SPEED: '{ value = 1, unit = "TB/s", kind = "config" }'}, r"missing key source, checked"),
        ({SPEED: fact("1", "")}, r"hbm_bandwidth\.unit: '' is not allowed"),
        ({SPEED: fact("1", "TBps")}, r"hbm_bandwidth\.unit: 'TBps' is not a unit: .* Allowed: B/s or a multiple"),
        ({SPEED: fact("1", "G")}, r"'G' is not a unit"),
        ({SPEED: fact("1", "GB")}, r"hbm_bandwidth\.unit: 'GB' is not allowed\. Allowed: B/s"),
        ({SPEED: fact('"fast"', "TB/s")}, r"hbm_bandwidth\.value: 'fast' is not allowed\. Allowed: a number above 0"),
        ({SPEED: fact("true", "TB/s")}, r"value: True is not allowed"),
        ({SPEED: fact("0", "TB/s")}, r"value: 0 is not allowed\. Allowed: a number above 0"),
        ({SPEED: fact("nan", "TB/s")}, r"value: nan is not allowed"),
        ({SPEED: fact("inf", "TB/s")}, r"value: inf is not allowed"),
        ({SPEED: fact("1", "TB/s", ', note = ""')}, r"note: '' is not allowed"),
        ({SPEED: fact("1", "TB/s").replace("datasheet", "hearsay")}, r"kind: 'hearsay' .* Allowed: datasheet"),
        ({SPEED: fact("1", "TB/s").replace("A sheet", " ")}, r"source: ' ' is not allowed"),
        ({SPEED: fact("1", "TB/s").replace("11-29", "11-30")}, r"-30 is in the future\. Allowed: a day up to 2026"),
        ({SPEED: fact("1", "TB/s").replace("2026-11-29", '"2026-11-29"')}, r"checked: '2026-11-29' is not allowed"),
        ({SPEED: fact("1", "TB/s").replace("11-29", "11-29T10:00:00")}, r"Allowed: a date such as"),
        ({"peak_bf16_sparse": fact("200", "TFLOP/s")}, r"unknown fact 'peak_bf16_sparse'.* mean peak_bf16_dense\?"),
        ({"form": fact("1", "word")}, r"form\.value: 1 is not allowed\. Allowed: a text"),
    ],
)  # fmt: skip
def test_what_is_no_fact_is_refused(changes: dict[str, str], message: str) -> None:
    with pytest.raises(FactError, match=message):
        catalogue.read_gpus(card(**changes), "x.toml", TODAY)


def test_a_missing_fact_and_a_broken_file_are_refused() -> None:
    with pytest.raises(FactError, match=r"x\.toml: card: missing fact form"):
        catalogue.read_gpus("\n".join(line for line in card().splitlines() if "form" not in line), "x.toml", TODAY)
    with pytest.raises(FactError, match=r"x\.toml: card: 1 is not a table"):
        catalogue.read_gpus("card = 1", "x.toml", TODAY)
    with pytest.raises(FactError, match=r"x\.toml: not TOML"):
        catalogue.read_gpus("[card", "x.toml", TODAY)


def shape(**changes: str) -> str:
    entries = {name: fact("true" if unit == "flag" else "4", unit) for name, unit in catalogue.SHAPE.items()}
    entries |= {
        "name": fact('"M"', "word"), "family": fact('"m"', "word"), "published_parameters": fact("9", "parameter"),
        "windowed_layers": fact("0", "layer"),
    }  # fmt: skip
    return "[m]\n" + "\n".join(f"{name} = {entry}" for name, entry in (entries | changes).items())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layers": fact("4.0", "layer")}, r"m\.layers\.value: 4\.0 is not allowed\. Allowed: a whole number"),
        ({"tied": fact("1", "flag")}, r"m\.tied\.value: 1 is not allowed\. Allowed: true or false"),
        ({"context_length": fact("4", "1")}, r"m\.context_length\.unit: '1' is not allowed\. Allowed: token"),
        ({"full_layers": fact("3", "layer")}, r"is 0 \+ 3, not 4 layers"),
        ({"window": fact("9", "token")}, r"states window when it has windowed_layers, and only then"),
        ({"full_layers": fact("3", "layer"), "windowed_layers": fact("1", "layer")}, r"states window when"),
    ],
)
def test_a_model_that_contradicts_itself_is_refused(changes: dict[str, str], message: str) -> None:
    assert catalogue.read_models(shape(), "x.toml", TODAY)["m"].given()["tied"] == 1
    with pytest.raises(FactError, match=message):
        catalogue.read_models(shape(**changes), "x.toml", TODAY)
