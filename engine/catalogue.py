"""The catalogue: models and accelerators as facts, each with value, unit, kind, source and the day it was checked.

Facts live in `engine/data/*.toml`, one fact a sub-table. What is not a whole fact is refused when the file is read, by
a message that names the file, the fact, what is wrong and what is allowed, so that no number without an origin gets in.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from importlib import resources
from math import inf, isfinite
from types import MappingProxyType
from typing import Any

from engine import units
from engine.errors import FactError, InputError, UnitError, nearest

KINDS = ("datasheet", "config", "measured", "derived")
NEEDED_KEYS = ("value", "unit", "kind", "source", "checked")
KEYS = (*NEEDED_KEYS, "note")

SHAPE = MappingProxyType(
    {
        "layers": "layer",
        "hidden_width": "element",
        "intermediate_width": "element",
        "query_heads": "head",
        "kv_heads": "head",
        "head_width": "element",
        "vocabulary": "1",
        "tied": "flag",
        "qkv_bias": "flag",
        "qk_norm": "flag",
        "norms_per_layer": "1",
        "mlp_matrices": "1",
        "windowed_layers": "layer",
        "full_layers": "layer",
        "context_length": "token",
    }
)
"""Facts of every model that formulas take, each with a unit of the dimension it must have."""

MODEL_FACTS = MappingProxyType({"name": "word", "family": "word", **SHAPE, "published_parameters": "parameter"})
MODEL_OPTIONS = MappingProxyType({"window": "token"})

PEAKS = MappingProxyType({"bf16": "peak_bf16_dense", "fp8": "peak_fp8_dense"})
"""The fact that holds the dense peak of a precision; a device without the arithmetic has no such fact."""

GPU_FACTS = MappingProxyType(
    {
        "name": "word",
        "vendor": "word",
        "form": "word",
        "peak_bf16_dense": "FLOP/s",
        "hbm_bandwidth": "B/s",
        "hbm_capacity": "B",
    }
)
GPU_OPTIONS = MappingProxyType({"peak_fp8_dense": "FLOP/s", "link_bandwidth": "B/s"})


@dataclass(frozen=True)
class Fact:
    """A value as its source states it, and where and when that was."""

    value: bool | int | float | str
    unit: str
    kind: str
    source: str
    checked: date
    note: str = ""

    @property
    def base(self) -> float | str:
        """The value in base units: a word stays a word, a truth value becomes 0 or 1 (formulas multiply by it)."""
        if isinstance(self.value, str):
            return self.value
        return int(self.value) if isinstance(self.value, bool) else units.unit(self.unit).to_base(self.value)

    @property
    def number(self) -> float:
        """`base` of a fact that is not a word."""
        base = self.base
        if isinstance(base, str):
            raise TypeError(f"{base!r} is a word, not a number")
        return base


@dataclass(frozen=True)
class Model:
    """A language model of the catalogue."""

    slug: str
    name: str
    facts: Mapping[str, Fact]

    @property
    def windowed(self) -> bool:
        """Whether any layer keeps only its window."""
        return self.facts["windowed_layers"].number > 0

    def given(self) -> dict[str, float]:
        """The shape under the glossary's names, in base units; without windowed layers the window is infinite."""
        shape = {name: self.facts[name].number for name in SHAPE}
        return shape | {"window": self.facts["window"].number if self.windowed else inf}


@dataclass(frozen=True)
class Gpu:
    """An accelerator of the catalogue, in one form."""

    slug: str
    name: str
    facts: Mapping[str, Fact]

    @property
    def precisions(self) -> tuple[str, ...]:
        """The precisions in which the device computes."""
        return tuple(precision for precision, fact in PEAKS.items() if fact in self.facts)

    def peak(self, precision: str) -> Fact:
        """The dense peak in `precision`; refused where the device has no such arithmetic."""
        if precision not in self.precisions:
            raise InputError(
                "weights",
                precision,
                " or ".join(self.precisions) + f" on {self.slug}",
                f"The {self.name} has no {precision} peak: choose another precision or another GPU."
                if precision in PEAKS
                else nearest(precision, PEAKS),
            )
        return self.facts[PEAKS[precision]]

    def given(self, weights: str = "bf16") -> dict[str, float]:
        """Rates and capacity under the glossary's names, in base units, for `weights` of that precision.

        Attention multiplies in BF16, whatever the weights are stored in.
        """
        rates = {name: self.facts[name].number for name in ("hbm_bandwidth", "hbm_capacity")}
        return rates | {"peak_linear": self.peak(weights).number, "peak_attention": self.peak("bf16").number}


@cache
def models() -> Mapping[str, Model]:
    """Every model by slug, in the catalogue's order."""
    return MappingProxyType(read_models(_text("models.toml"), "engine/data/models.toml"))


@cache
def gpus() -> Mapping[str, Gpu]:
    """Every accelerator by slug, in the catalogue's order."""
    return MappingProxyType(read_gpus(_text("hardware.toml"), "engine/data/hardware.toml"))


def model(slug: str) -> Model:
    """The model of that slug, or an error that names the nearest one."""
    return models()[_known("model", slug, models())]


def gpu(slug: str) -> Gpu:
    """The accelerator of that slug, or an error that names the nearest one."""
    return gpus()[_known("gpu", slug, gpus())]


def read_models(text: str, file: str, today: date | None = None) -> dict[str, Model]:
    """The models of a TOML text; `file` is the name that messages use, `today` the last day a check may have."""
    result = {}
    for slug, facts in _facts(text, file, MODEL_FACTS, MODEL_OPTIONS, today).items():
        _check_layers(f"{file}: {slug}", facts)
        result[slug] = Model(slug, str(facts["name"].value), facts)
    return result


def read_gpus(text: str, file: str, today: date | None = None) -> dict[str, Gpu]:
    """The accelerators of a TOML text, as `read_models`."""
    tables = _facts(text, file, GPU_FACTS, GPU_OPTIONS, today)
    return {slug: Gpu(slug, str(facts["name"].value), facts) for slug, facts in tables.items()}


def _text(name: str) -> str:
    # Resources, not paths: the package may be read from an archive.
    return resources.files("engine").joinpath("data", name).read_text("utf-8")


def _known(name: str, slug: str, known: Mapping[str, Any]) -> str:
    if slug not in known:
        raise InputError(name, slug, ", ".join(known), nearest(str(slug), known))
    return slug


def _facts(
    text: str, file: str, needed: Mapping[str, str], optional: Mapping[str, str], today: date | None
) -> dict[str, Mapping[str, Fact]]:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FactError(f"{file}: not TOML: {error}") from None
    allowed = {**needed, **optional}
    result: dict[str, Mapping[str, Fact]] = {}
    for slug, table in tables.items():
        place = f"{file}: {slug}"
        if not isinstance(table, dict):
            raise FactError(f"{place}: {table!r} is not a table of facts.")
        _check_names(place, "fact", table, needed, allowed)
        units_of = {name: unit for name, unit in allowed.items() if name in table}
        facts = {name: _fact(f"{place}.{name}", table[name], unit, today) for name, unit in units_of.items()}
        result[slug] = MappingProxyType(facts)
    return result


def _fact(place: str, entry: object, unit: str, today: date | None) -> Fact:
    if not isinstance(entry, dict):
        raise FactError(f"{place}: a bare {entry!r} is not a fact. Write a table with {', '.join(NEEDED_KEYS)}.")
    _check_names(place, "key", entry, NEEDED_KEYS, KEYS)
    for key in ("unit", "kind", "source", "note"):
        text = entry.get(key, "none")
        if not isinstance(text, str) or not text.strip():
            raise FactError(f"{place}.{key}: {text!r} is not allowed. Allowed: a text that is not empty.")
    if entry["kind"] not in KINDS:
        raise FactError(f"{place}.kind: {entry['kind']!r} is not allowed. Allowed: {', '.join(KINDS)}.")
    _check_date(place, entry["checked"], today or date.today())
    _check_unit(place, entry["unit"], unit)
    _check_value(place, entry["value"], unit)
    return Fact(**entry)


def _check_names(place: str, what: str, names: Mapping[str, Any], needed: Any, allowed: Any) -> None:
    for name in names:
        if name not in allowed:
            hint = nearest(name, allowed)
            raise FactError(f"{place}: unknown {what} {name!r}. Allowed: {', '.join(allowed)}. {hint}".rstrip())
    if missing := [name for name in needed if name not in names]:
        raise FactError(f"{place}: missing {what} {', '.join(missing)}. Needed: {', '.join(needed)}.")


def _check_date(place: str, checked: object, today: date) -> None:
    # A datetime is a date in Python, but a check has no hour.
    if not isinstance(checked, date) or isinstance(checked, datetime):
        raise FactError(f"{place}.checked: {checked!r} is not allowed. Allowed: a date such as 2026-01-31, unquoted.")
    if checked > today:
        raise FactError(f"{place}.checked: {checked} is in the future. Allowed: a day up to {today}.")


def _check_unit(place: str, text: str, unit: str) -> None:
    try:
        dimension = units.unit(text).dimension
    except UnitError as error:
        raise FactError(f"{place}.unit: {error} Allowed: {unit} or a multiple of it.") from None
    if dimension != units.unit(unit).dimension:
        raise FactError(f"{place}.unit: {text!r} is not allowed. Allowed: {unit} or a multiple of it.")


def _check_value(place: str, value: object, unit: str) -> None:
    if unit == "word":
        fits, allowed = isinstance(value, str) and bool(value.strip()), "a text that is not empty"
    elif unit == "flag":
        fits, allowed = isinstance(value, bool), "true or false"
    elif units.unit(unit).dimension.bases:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        fits, allowed = number and isfinite(value) and value > 0, "a number above 0"  # type: ignore[operator, arg-type]
    else:
        fits = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        allowed = "a whole number, 0 or above"
    if not fits:
        raise FactError(f"{place}.value: {value!r} is not allowed. Allowed: {allowed}.")


def _check_layers(place: str, facts: Mapping[str, Fact]) -> None:
    layers, windowed, full = (facts[name].number for name in ("layers", "windowed_layers", "full_layers"))
    if windowed + full != layers:
        raise FactError(f"{place}: windowed_layers + full_layers is {windowed:g} + {full:g}, not {layers:g} layers.")
    if (windowed > 0) != ("window" in facts):
        raise FactError(f"{place}: a model states window when it has windowed_layers, and only then.")
