"""The watch itself: what it must see, it sees; otherwise the other tests would pass in silence."""

import re

import pytest

from tests.browser.conftest import Visits
from tests.browser.lab import Lab
from tests.browser.serving import Site

ELSEWHERE = "http://elsewhere.invalid/x"


@pytest.mark.parametrize(
    ("event", "script", "seen"),
    [
        ("request", f"fetch('{ELSEWHERE}').catch(() => 0)", f"another host: {ELSEWHERE}"),
        ("request", "new Image().src = 'http://127.0.0.1:1/x.png'", "another host: http://127.0.0.1:1/x.png"),
        ("request", f"new Worker('data:text/javascript,fetch(\"{ELSEWHERE}\")')", f"another host: {ELSEWHERE}"),
        ("console", "console.error('broken')", "console error: broken"),
        ("console", "console.warn('bent')", "console warning: bent"),
        ("weberror", "setTimeout(() => { throw new Error('not caught') })", "not caught"),
        ("weberror", "Promise.reject(new Error('not awaited'))", "not awaited"),
    ],
)
def test_trouble_fails_a_test(visits: Visits, site: Site, event: str, script: str, seen: str) -> None:
    # The pages' own policy would stop most of it before it is asked for.
    page = visits.page(bypass_csp=True)
    watch = visits.watch(page)
    page.goto(site.address + "about/")
    watch.check()
    # Of requests, the one that the script makes: the page has some of its own.
    with page.context.expect_event(event, lambda found: event != "request" or found.url in seen):
        page.evaluate(f"() => {{ {script} }}")
    page.goto("about:blank")
    with pytest.raises(AssertionError, match=re.escape(seen)):
        visits.check()


def test_requests_of_the_worker_are_seen(visits: Visits, lab: Lab) -> None:
    with lab.page.context.expect_event("request", lambda request: request.url.endswith(".wasm")):
        lab.open(python="eager")
    assert any("/worker-" in address for address in visits.watch(lab.page).requests)
