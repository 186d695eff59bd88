"""The golden cases, each opened by its address and read off the page as a visitor sees it."""

from typing import Any

import pytest
from playwright.sync_api import expect

from engine import units
from engine.labs import lab as engine_lab
from engine.labs.inputs import Number
from engine.quantities import quantity
from tests.browser.lab import SLUG, Lab, spaced
from tests.engine import cases as golden

LAB = engine_lab(SLUG)
CASES = [case for case in golden.read("batch_step.json") if case["lab"] == SLUG]


def inputs(case: dict[str, Any]) -> dict[str, Any]:
    """A case's inputs as an address writes them."""
    written = {}
    for name, given in case["inputs"].items():
        entry = LAB.input(name)
        number = isinstance(entry, Number)
        written[name] = f"{units.convert(given['value'], given['unit'], entry.unit):g}" if number else given["value"]
    return written


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case_on_the_page(started: Lab, case: dict[str, Any]) -> None:
    started.open(**({"batch": 8} | inputs(case))).settled()
    assert not "".join(started.page.locator("[data-error-for], [data-notices]").all_inner_texts())
    for name, expected in case["outputs"].items():
        assert golden.holds(expected, started.value(name), quantity(name).unit), name
    for name, shown in case.get("shown", {}).items():
        for place in started.page.locator(f'[data-output="{name}"]').all():
            assert spaced(place.evaluate("element => element.textContent")) == shown, name


def test_every_number_stands_everywhere_alike(started: Lab) -> None:
    """Headline, calculation and list of results hold the same text and the same raw number."""
    started.open(batch=16).settled()
    places: dict[str, set[tuple[str, str | None]]] = {}
    for place in started.page.locator("[data-output]").all():
        name = place.get_attribute("data-output") or ""
        text = place.evaluate("element => element.textContent")
        places.setdefault(name, set()).add((text, place.get_attribute("data-value")))
    assert set(LAB.outputs) <= set(places)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
    expect(started.number("step_time_s")).to_have_text("9.61 ms")
