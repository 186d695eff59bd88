"""A page whose own formulas did not arrive: Python answers, and until it does, nothing that is set gets lost."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visits
from tests.browser.lab import Lab
from tests.browser.serving import Site

PYODIDE_GIVES_UP = r"503|not ok|wasm instantiation|standard library|pyodide\.asm\.js"
"""What the browser and Pyodide write to the console on the way."""
STARTING = "The model is starting; what you set now is kept."


@pytest.fixture
def alone(visits: Visits, lab: Lab, site: Site) -> Iterator[Lab]:
    """The lab's page without its own formulas."""
    visits.watch(lab.page).allow("503")
    with site.gate.refuse(r"/assets/batch-step-\w+\.js"):
        yield lab


def test_python_answers(alone: Lab) -> None:
    alone.open(batch=16).settled()
    expect(alone.number("sequence_tokens_per_s")).to_have_text("104 tok/s")
    before = alone.figure.screenshot()
    alone.press("batch", *["ArrowRight"] * 8).settled()
    expect(alone.box("batch")).to_have_value("24")
    # 4.4804 ms + 24 x 0.32052 ms
    expect(alone.number("step_time_s")).to_have_text("12.17 ms")
    assert alone.figure.screenshot() != before


def test_early_input_is_kept_and_applied(alone: Lab, site: Site) -> None:
    with site.gate.hold(r"\.pack$"):
        alone.open()
        alone.press("batch", *["ArrowRight"] * 7)
        alone.type("context", "4096")
        alone.radio("kv", "fp8").check()
        alone.press("batch", "ArrowRight")
        expect(alone.status).to_contain_text(STARTING)
        field = alone.prediction("double-batch").get_by_label("Your prediction")
        field.fill("71")
        field.press("Enter")
        expect(alone.prediction("double-batch")).to_contain_text("Your prediction is kept")
        # The state shown is still complete: that of the defaults.
        expect(alone.number("sequence_tokens_per_s")).to_have_text("142 tok/s")
        alone.action("undo").click()
        alone.action("redo").click()
    alone.settled()
    expect(alone.box("batch")).to_have_value("16")
    expect(alone.box("context")).to_have_value("4096")
    expect(alone.radio("kv", "fp8")).to_be_checked()
    # 4.4804 ms + 16 x 0.32052 / 4 ms
    expect(alone.number("step_time_s")).to_have_text("5.76 ms")
    expect(alone.prediction("double-batch").locator('[data-judged="yours"]')).to_have_text("71 tok/s")


@pytest.mark.parametrize("part", [r"/worker-", r"/pyodide\.js", r"\.pack$"])
def test_failed_start_is_said_in_words_and_can_be_tried_again(
    visits: Visits, alone: Lab, site: Site, part: str
) -> None:
    visits.watch(alone.page).allow(PYODIDE_GIVES_UP)
    with site.gate.refuse(part):
        alone.open(batch=16)
        expect(alone.status).to_contain_text("could not be loaded")
        expect(alone.status).to_contain_text("can be read all the same")
        expect(alone.number("sequence_tokens_per_s")).to_have_text("142 tok/s")
        expect(alone.page.locator("#step-step_time_s")).to_be_visible()
        expect(alone.summary).to_contain_text("batch 8")
        alone.press("batch", *["ArrowRight"] * 8)
        expect(alone.box("batch")).to_have_value("24")
    if part == r"\.pack$":
        alone.status.get_by_role("button", name="Try again").click()
        alone.settled()
        expect(alone.number("step_time_s")).to_have_text("12.17 ms")
        expect(alone.status).to_be_empty()
