"""Python beside the page's own formulas: it checks them, takes over where they are wrong, and may fail to start."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Visits
from tests.browser.lab import Lab
from tests.browser.serving import Site

PYODIDE_GIVES_UP = r"503|not ok|wasm instantiation|standard library|pyodide\.asm\.js"
"""What the browser and Pyodide write to the console on the way."""
CHECKED = "Python has checked these numbers."
# Everything that a start needs; each may be what a network withholds.
PARTS = [
    r"/worker-",
    r"/pyodide\.js",
    r"/pyodide\.asm\.wasm",
    r"/python_stdlib\.zip",
    r"/python-\w+\.pack",
    r"/labs-\w+\.pack",
]


def asked_for_python(visits: Visits, page: Page) -> bool:
    return any("/worker-" in address for address in visits.watch(page).requests)


def test_python_checks_what_the_page_shows(lab: Lab) -> None:
    lab.open("batch=16&context=4096&kv=fp8&python=eager")
    expect(lab.status).to_have_text(CHECKED)
    # 4.4804 ms + 16 x 0.32052 / 4 ms
    expect(lab.number("step_time_s")).to_have_text("5.76 ms")


def test_python_starts_after_the_first_action(visits: Visits, lab: Lab) -> None:
    lab.open(batch=8)
    expect(lab.figure.locator("canvas").first).to_be_visible()
    assert not asked_for_python(visits, lab.page)
    lab.press("batch", "ArrowRight")
    expect(lab.status).to_have_text(CHECKED)
    assert asked_for_python(visits, lab.page)


def test_python_on_demand_waits_for_the_button(visits: Visits, lab: Lab) -> None:
    lab.open("batch=8&python=demand").press("batch", *["ArrowRight"] * 8)
    expect(lab.number("sequence_tokens_per_s")).to_have_text("104 tok/s")
    assert not asked_for_python(visits, lab.page)
    lab.page.get_by_role("button", name="Check these numbers with Python").click()
    expect(lab.status).to_have_text(CHECKED)


def test_the_default_state_can_be_checked(lab: Lab) -> None:
    lab.open().page.get_by_role("button", name="Check these numbers with Python").click()
    expect(lab.status).to_have_text(CHECKED)


def test_what_is_set_while_python_starts_is_checked_too(lab: Lab, site: Site) -> None:
    with site.gate.hold(r"\.pack$"):
        lab.open("batch=8&python=eager")
        expect(lab.status).to_have_text("Python is starting, to check these numbers.")
        lab.press("batch", *["ArrowRight"] * 8).radio("kv", "fp8").check()
        expect(lab.number("sequence_tokens_per_s")).to_have_text("142 tok/s")
        lab.action("pin").click()
        lab.type("context", "4096")
    expect(lab.status).to_have_text(CHECKED)
    expect(lab.number("step_time_s")).to_have_text("5.76 ms")


def test_python_takes_over_where_the_page_is_wrong(visits: Visits, lab: Lab) -> None:
    visits.watch(lab.page).allow("Python and the page differ")

    def bend(route: Route) -> None:
        answer = route.fetch()
        text = answer.text()
        # The H100's bandwidth, a third too high.
        assert text.count("3350000000000") > 0
        route.fulfill(response=answer, body=text.replace("3350000000000", "4350000000000"))

    lab.page.route("**/assets/batch-step-*.js", bend)
    lab.open("batch=8&python=eager").press("batch", "ArrowRight")
    expect(lab.status).to_contain_text("Python answers now")
    lab.type("batch", "16")
    expect(lab.number("sequence_tokens_per_s")).to_have_text("104 tok/s")
    expect(lab.summary).to_contain_text("104")
    expect(lab.status).to_contain_text("Please report it")


@pytest.mark.parametrize("part", PARTS)
def test_failed_start_is_said_in_words_and_the_page_goes_on(visits: Visits, lab: Lab, site: Site, part: str) -> None:
    visits.watch(lab.page).allow(PYODIDE_GIVES_UP)
    with site.gate.refuse(part):
        lab.open("batch=8&python=eager")
        expect(lab.status).to_contain_text("Python could not start")
        expect(lab.status).to_contain_text("could not be loaded")
        lab.press("batch", *["ArrowRight"] * 8)
        expect(lab.number("sequence_tokens_per_s")).to_have_text("104 tok/s")
        expect(lab.figure.locator("canvas").first).to_be_visible()
        expect(lab.summary).to_contain_text("batch 16")
        # That nothing checks these numbers holds for those that follow, too.
        expect(lab.status).to_contain_text("Python could not start")


def test_failed_start_can_be_tried_again(visits: Visits, lab: Lab, site: Site) -> None:
    visits.watch(lab.page).allow(PYODIDE_GIVES_UP)
    with site.gate.refuse(r"\.pack$"):
        lab.open("batch=16&python=eager")
        expect(lab.status).to_contain_text("Python could not start")
    lab.page.get_by_role("button", name="Check these numbers with Python").click()
    expect(lab.status).to_have_text(CHECKED)
