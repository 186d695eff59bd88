"""`panel serve` shows the same lab: controls, figure, calculation."""

import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from builder.paths import ROOT
from tests.browser.conftest import Visits
from tests.browser.lab import Lab, spaced


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where `panel serve labs/batch_step.py` shows the lab."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-u",
        "-m",
        "panel",
        "serve",
        "labs/batch_step.py",
        "--address",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        said = []
        for line in process.stdout or ():
            said.append(line)
            if "running at" in line:
                break
        else:
            pytest.fail("".join(said))
        yield f"http://127.0.0.1:{port}/batch_step"
        # Asked to end, it may wait for ever; it has nothing to lose.
        process.kill()


@pytest.fixture(scope="module")
def visits(chromium: Browser, address: str) -> Iterator[Visits]:
    opened = Visits(chromium, address)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def served(visits: Visits, address: str) -> Lab:
    page = visits.page()
    page.goto(address)
    lab = Lab(page, address)
    expect(lab.number("step_time_s")).to_have_text("7.04 ms")
    return lab


def test_same_controls(visits: Visits, served: Lab) -> None:
    for name in ("batch", "context", "memory_fraction", "reserve_gb", "block"):
        expect(served.slider(name)).to_be_visible()
        expect(served.box(name)).to_be_visible()
    for name in ("model", "gpu"):
        expect(served.control(name).locator("select")).to_be_visible()
    expect(served.preset("sixteen")).to_be_visible()
    visits.check()


def test_slider_moves_numbers_figure_and_calculation(visits: Visits, served: Lab) -> None:
    expect(served.figure.locator("canvas").first).to_be_visible()
    before = served.figure.screenshot()
    served.press("batch", *["ArrowRight"] * 8)
    expect(served.number("sequence_tokens_per_s")).to_have_text("104 tok/s")
    expect(served.summary).to_contain_text("batch 16")
    expect(served.page.locator('#step-step_time_s [data-output="step_time_s"]')).to_have_text("9.61 ms")
    assert "5.13 ms" in spaced(served.page.locator("#step-step_time_s").inner_text())
    served.settled()
    assert served.figure.screenshot() != before
    visits.check()


def test_number_box_answers_in_words(visits: Visits, served: Lab) -> None:
    served.type("batch", "lots")
    expect(served.error("batch")).to_contain_text("a whole number from 1 to 1,000,000")
    served.type("batch", "1")
    expect(served.number("sequence_tokens_per_s")).to_have_text("208 tok/s")
    visits.check()


def test_prediction_is_judged(visits: Visits, served: Lab) -> None:
    served.action("reset").click()
    served.settled()
    field = served.prediction("double-batch").get_by_label("Your prediction")
    field.fill("71")
    field.press("Enter")
    expect(served.prediction("double-batch").locator('[data-judged="mistake"]')).to_contain_text(
        "once for each sequence"
    )
    visits.check()


def test_pin(visits: Visits, served: Lab) -> None:
    served.action("reset").click()
    served.action("pin").click()
    served.preset("sixteen").click()
    expect(served.page.locator('[data-slot="pin.sequence_tokens_per_s"]')).to_have_text("142 tok/s")
    expect(served.page.locator('.pins [data-slot="q.sequence_tokens_per_s"]')).to_have_text("104 tok/s")
    visits.check()
