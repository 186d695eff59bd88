"""The built site, one browser, and pages under watch."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from builder import browser as program
from builder.build import build
from tests.browser.lab import Lab
from tests.browser.serving import PATH, Site
from tests.browser.watch import Watch

WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
TIMEOUT_MS = 60_000
# A name outside this machine leads nowhere, so that nothing on a network can make a test pass or fail.
ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"

Visit = Callable[..., Page]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the site as it is built now, below a path: another build meanwhile does not pull it away."""
    root = tmp_path_factory.mktemp("host")
    shutil.copytree(build(), root / PATH)
    # A host has one page for addresses that lead nowhere, whatever path the site stands below.
    shutil.copy(root / PATH / "404.html", root)
    return root


@pytest.fixture(scope="session")
def site(built: Path) -> Iterator[Site]:
    served = Site(built)
    yield served
    served.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    executable = program.executable()
    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=[*program.ARGUMENTS, ALONE])
        yield browser
        browser.close()


class Visits:
    """Opens pages, each with a store, a cache and a watch of its own."""

    def __init__(self, chromium: Browser, address: str) -> None:
        self._chromium = chromium
        self._address = address
        self._open: list[tuple[Page, Watch]] = []

    def page(self, address: str = "", **options: Any) -> Page:
        """A page in a new context, as a reader who has never been here; `address` is the host it may talk to."""
        context = self._chromium.new_context(**{"viewport": WIDE, "accept_downloads": True} | options)
        context.set_default_timeout(TIMEOUT_MS)
        watch = Watch(context, address or self._address)
        page = context.new_page()
        self._open.append((page, watch))
        return page

    def watch(self, page: Page) -> Watch:
        return next(watch for opened, watch in self._open if opened is page)

    def check(self) -> None:
        """Fail on whatever the pages did that no page may do."""
        for page, watch in self._open:
            # What the browser has to say is said before it answers.
            page.evaluate("0")
            watch.check()

    def close(self) -> None:
        for page, _ in self._open:
            page.context.close()


@pytest.fixture
def visits(chromium: Browser, site: Site) -> Iterator[Visits]:
    """Pages of this test alone."""
    opened = Visits(chromium, site.address)
    try:
        yield opened
        opened.check()
    finally:
        opened.close()


@pytest.fixture
def lab(visits: Visits, site: Site) -> Lab:
    """The lab's page, not opened yet, for a reader who has never been here."""
    return Lab(visits.page(), site.address)


@pytest.fixture(scope="module")
def _shared(chromium: Browser, site: Site) -> Iterator[tuple[Lab, Visits]]:
    """Starting a lab takes seconds, so the tests of a module share one."""
    opened = Visits(chromium, site.address)
    page = opened.page(permissions=["clipboard-read", "clipboard-write"])
    yield Lab(page, site.address).open(batch=8).settled(), opened
    opened.close()


@pytest.fixture
def started(_shared: tuple[Lab, Visits]) -> Iterator[Lab]:
    """A lab that runs, in its default state, uncovered."""
    lab, opened = _shared
    lab.page.set_viewport_size(WIDE)
    lab.page.emulate_media(media="null", color_scheme="light")
    yield lab.start_over()
    opened.check()
