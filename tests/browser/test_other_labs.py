"""The other labs, after the first one in the same visit: each is checked by its own Python, and simulators are acted on."""

import pytest
from playwright.sync_api import expect

from engine.labs import labs
from tests.browser.conftest import Visits
from tests.browser.lab import Lab
from tests.browser.serving import Site

CHECKED = "Python has checked these numbers."
OTHERS = [slug for slug in labs() if slug != "batch-step"]


def other(lab: Lab, site: Site, slug: str) -> Lab:
    """The page of another lab in the same tab, with the first one's files kept by the browser."""
    found = Lab(lab.page, site.address)
    found.address = f"{site.address}labs/{slug}/"
    return found


@pytest.mark.parametrize("slug", OTHERS)
def test_each_lab_of_a_visit_is_checked_by_its_own_python(lab: Lab, site: Site, slug: str) -> None:
    lab.open("batch=8&python=eager")
    expect(lab.status).to_have_text(CHECKED)
    # The service worker answers for the worker's script from now on.
    lab.page.wait_for_function("async () => (await caches.keys()).includes('ridgepoint')")
    found = other(lab, site, slug)
    setting = {name: value for name, value in labs()[slug].defaults.items() if value != ""}
    found.open(**setting, python="eager")
    expect(found.status).to_have_text(CHECKED)


def test_the_numbers_of_the_lab_on_context_are_those_of_its_contract(lab: Lab, site: Site) -> None:
    found = other(lab, site, "context-growth").open(context=32768, cached=16384, output=256)
    expect(found.output("pairs").first).to_have_text("402,661,376")
    expect(found.output("prefill_time_s").first).to_have_text("932.15 ms")


def test_a_reader_finishes_a_request_and_takes_it_back(visits: Visits, lab: Lab, site: Site) -> None:
    found = other(lab, site, "prefix-ownership").open(requests=4)
    blocks = found.page.locator(".block")
    expect(blocks.filter(has_text="cached")).to_have_count(0)
    found.page.get_by_role("button", name="Finish 1").click()
    # By hand: the 2 blocks of request 1 alone stay in the cache; the 3 shared ones keep three owners.
    expect(blocks.filter(has_text="cached")).to_have_count(2)
    expect(found.page.locator(".block.shared")).to_have_count(3)
    found.page.wait_for_url("**actions=finish%3A1**")
    found.action("undo").click()
    expect(blocks.filter(has_text="cached")).to_have_count(0)
