"""After one visit the lab works without a network, also when it is opened again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visits
from tests.browser.lab import Lab
from tests.browser.serving import Site

KEPT = """async (parts) => {
  const addresses = (await (await caches.open('ridgepoint')).keys()).map(({url}) => url);
  const loaded = performance.getEntriesByType('resource').map(({name}) => name);
  return parts.every((part) => addresses.some((address) => address.includes(part)))
    && loaded.every((name) => addresses.includes(name.replace(/[?#].*$/, '')));
}"""
"""Whether files with these parts in their names are kept, and everything that the page loaded by itself."""


@pytest.fixture
def host(built: Path) -> Iterator[Site]:
    """A host of its own, which a test can take away."""
    served = Site(built)
    yield served
    served.stop()


@pytest.fixture
def away(visits: Visits, host: Site) -> Lab:
    return Lab(visits.page(host.address), host.address)


def test_slider_moves_and_reload_works_without_a_network(visits: Visits, away: Lab, host: Site) -> None:
    page = away.open(batch=8).page
    page.wait_for_function(KEPT, arg=["labs/batch-step/", "/lab-", "/batch-step-", "/bokeh-", "/site-"])
    host.stop()
    page.context.set_offline(True)
    visits.watch(page).allow("Failed to load resource|ERR_|worker|fetch")
    away.press("batch", *["ArrowRight"] * 8)
    expect(away.number("sequence_tokens_per_s")).to_have_text("104 tok/s")
    # Browsers allow few writes a second, so the address follows a moment later.
    page.wait_for_url("**batch=16**")

    page.reload()
    expect(away.box("batch")).to_have_value("16")
    expect(away.figure.locator("canvas").first).to_be_visible()
    away.press("batch", *["ArrowLeft"] * 8)
    expect(away.number("sequence_tokens_per_s")).to_have_text("142 tok/s")
    # Other inputs in the address are the same page.
    away.open(batch=16, kv="fp8")
    expect(away.output("kv_read_bytes")).to_have_text("8.59 GB")


def test_python_works_without_a_network_once_it_has_run(visits: Visits, away: Lab, host: Site) -> None:
    page = away.open("batch=8&python=eager").page
    expect(away.status).to_have_text("Python has checked these numbers.")
    page.wait_for_function(
        KEPT, arg=["labs/batch-step/", "/worker-", ".wasm", "/python-", "/labs-", "python_stdlib.zip"]
    )
    host.stop()
    visits.watch(page).allow("Failed to load resource|ERR_")
    away.open("batch=16&python=eager")
    expect(away.status).to_have_text("Python has checked these numbers.")
    expect(away.number("sequence_tokens_per_s")).to_have_text("104 tok/s")


def test_forgetting_takes_the_kept_files_too(away: Lab) -> None:
    # Otherwise the click would start Python, whose files would be kept again.
    page = away.open("batch=8&python=demand").page
    page.wait_for_function(KEPT, arg=["labs/batch-step/", "/lab-"])
    page.get_by_role("button", name="Forget them").click()
    expect(page.get_by_role("button", name="Forgotten")).to_be_visible()
    assert page.evaluate("caches.keys()") == []
