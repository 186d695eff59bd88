"""Units: what parses, what it is worth, what is refused, and which labels must match."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import units
from engine.errors import UnitError

AMOUNTS = st.floats(1e-12, 1e15)


@pytest.mark.parametrize(
    ("text", "factor"),
    [
        ("B", 1), ("kB", 1000), ("MB", 10**6), ("GB", 10**9), ("TB", 10**12),
        ("KiB", 1024), ("MiB", 1048576), ("GiB", 1073741824), ("TiB", 1099511627776), ("bit", 0.125),
        ("s", 1), ("ms", 1e-3), ("us", 1e-6), ("µs", 1e-6), ("ns", 1e-9), ("ps", 1e-12),
        ("min", 60), ("h", 3600), ("day", 86400), ("week", 604800), ("1/week", 1 / 604800),
        ("Gbit/s", 125 * 10**6), ("GT/s", 10**9), ("Mtoken", 10**6), ("USD/Mtoken", 1e-6), ("px^2", 1), ("row", 1),
        ("FLOP", 1), ("TFLOP/s", 10**12), ("PFLOP/s", 10**15),
        ("GB/s", 10**9), ("TB/s", 10**12), ("GB/h", 10**9 / 3600), ("B/token", 1), ("token/sequence", 1), ("1", 1),
        ("1/s", 1), ("1/ms", 1000), ("s^2", 1), ("ms^2", 1e-6), ("FLOP/parameter/token", 1), ("B*s", 1), ("GB s", 10**9),
        ("USD/h", 1 / 3600), ("s^-1", 1), ("head", 1), ("element", 1), (" GB ", 10**9), ("GB / s", 10**9),
    ],
)  # fmt: skip
def test_a_unit_holds_so_many_base_units(text: str, factor: float) -> None:
    assert units.unit(text).factor == pytest.approx(factor, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    ["G", "K", "M", "KB", "Kb", "gb", "Gb", "GIB", "T", "GT/S", "mb", "B/S", "sec", "tok/s", "FLOPS", "TFLOPs", "‰", "€",
     "", " ", "/", "B/", "/s", "B//s", "B * / s", "* B", "B^", "B^x", "B^1.5", "B^^2", "B/s/", "2 B", "1e9 B", "B-s", "B·s"],
)  # fmt: skip
def test_what_is_no_unit_is_refused(text: str) -> None:
    with pytest.raises(UnitError, match="not a unit"):
        units.unit(text)


@pytest.mark.parametrize(("text", "near"), [("GBs", "GB"), ("tokens", "token"), ("secuence", "sequence")])
def test_a_misspelt_unit_is_told_the_nearest(text: str, near: str) -> None:
    with pytest.raises(UnitError, match=rf"Did you mean {near}\?"):
        units.unit(text)


def test_gb_and_gib_differ() -> None:
    assert units.convert(1, "GiB", "GB") == 1.073741824
    assert units.convert(80, "GB", "GiB") == pytest.approx(74.505805969)
    assert units.convert(12116.25, "MiB", "B") == 12704808960
    assert units.convert(8, "bit", "B") == 1


@pytest.mark.parametrize(
    ("a", "b"), [("GB", "GB/s"), ("token/s", "sequence/s"), ("B/token", "B"), ("FLOP", "B"), ("s", "1")]
)
def test_what_measures_something_else_is_not_converted(a: str, b: str) -> None:
    with pytest.raises(UnitError, match="not convertible"):
        units.convert(1, a, b)


@given(AMOUNTS, st.sampled_from(["GB", "MiB", "bit"]), st.sampled_from(["kB", "TiB", "B"]))
def test_there_and_back_is_the_same(value: float, a: str, b: str) -> None:
    assert units.convert(units.convert(value, a, b), b, a) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("body", "declared", "may"),
    [
        ("B", "B", True),
        ("B", "s", False),
        ("B/s", "B", False),
        ("B/token", "B", False),  # bytes of one token are not bytes
        ("B token", "B", True),  # the bytes of some tokens are bytes
        ("FLOP sequence/token", "FLOP", False),
        ("sequence/s", "token/s", False),  # labels must match, even where both are counts
        ("token/s", "1/s", True),
        ("token", "1", False),  # a pure count keeps its label
        ("1", "token", False),
        ("sequence", "token", False),
        ("token/block", "token", False),
        ("B^2", "B", False),
        ("1/s", "s", False),
    ],
)
def test_labels_must_match_and_only_fall_away_above_the_line(body: str, declared: str, may: bool) -> None:
    assert units.unit(body).dimension.gives(units.unit(declared).dimension) is may


def test_a_dimension_is_written_as_a_unit() -> None:
    for text in ("1", "B", "B/s", "FLOP/parameter/token", "s^2", "1/s", "B^2/s^3"):
        dimension = units.unit(text).dimension
        assert units.unit(str(dimension)).dimension == dimension
