"""Visits of a browser to a folder of pages, timed by runtime/probe.js, weighed by the server, each in a new profile."""

import statistics
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from builder import browser, cache, progress
from builder.paths import RUNTIME
from builder.serve import Handler, Server

PROBE = RUNTIME / "probe.js"
MOVES = 20
SECONDS = 300
QUIET_SECONDS = 1.5
# What a page loads for Python, below the folder of assets.
PYTHON = ("*.pack", "worker-*", "pyodide-*")

Figures = dict[str, float]


class Counted(Server):
    """Notes what it sends: the file's address and the bytes of the answer's body."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, handler=CountingHandler)
        self.sent: list[tuple[str, int]] = []

    def megabytes(self, *, without_python: bool) -> float:
        return sum(size for path, size in self.sent if not (without_python and is_of_python(path))) / 1e6


class CountingHandler(Handler):
    def send_header(self, keyword: str, value: str) -> None:
        if keyword == "Content-Length" and isinstance(self.server, Counted) and self.command == "GET":
            self.server.sent.append((self.path.split("?")[0], int(value)))
        super().send_header(keyword, value)


def visit(folder: Path, address: str, *, boots: bool, returns: bool) -> Figures:
    """A first visit with moves on it, and a second visit.

    Parameters
    ----------
    folder : path
        What is served.
    address : str
        Of the page, relative to the folder.
    boots : bool
        Whether the page answers before its Python runs, which is then moved on while it starts.
    returns : bool
        Whether the page is visited again.
    """
    with _browsing(folder) as (page, server):
        page.add_init_script(path=PROBE)
        found = _open(page, server.address + address)
        # Python that starts after the first move, and is on its way when the move has been noticed, was not needed for it.
        found["megabytes"] = server.megabytes(without_python=boots)
        if boots:
            page.evaluate("probe.act()")
            _wait(page, lambda: any(fnmatch(path, "*/worker-*") for path, _ in server.sent), "start Python")
            found["booting"] = statistics.median(page.evaluate("probe.movesUntilPythonRuns()"))
        _wait(page, lambda: page.evaluate("probe.settled()"), "settle")
        found["paint"] = statistics.median(page.evaluate(f"probe.moves({MOVES})"))
        if returns:
            # What the browser keeps on disk is written a moment later.
            page.wait_for_timeout(1500)
            found |= {f"{name} again": value for name, value in _open(page, server.address + address).items()}
    return found


def weigh(folder: Path, addresses: dict[str, str], *, without_python: bool) -> Figures:
    """The megabytes that pages transfer, one after the other in one browser, compressed by brotli and by gzip.

    Every page is scrolled to its end, and nothing on it is touched.
    """
    found = {}
    with _browsing(folder) as (page, server):
        for name, address in addresses.items():
            server.sent.clear()
            page.goto(server.address + address)
            _scroll_through(page)
            _wait_for_quiet(page, server)
            sent = [entry for entry in server.sent if not (without_python and is_of_python(entry[0]))]
            found[f"{name} brotli"] = server.megabytes(without_python=without_python)
            found[f"{name} gzip"] = sum(_size(server, path, "gzip") for path, size in sent if size) / 1e6
    return found


@contextmanager
def _browsing(folder: Path) -> Iterator[tuple[Page, Counted]]:
    """A page in a browser that has not seen the site, and the server of the site, with its answers at hand."""
    chromium = browser.executable()
    with Counted(folder) as server, tempfile.TemporaryDirectory() as profile, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        _compress_everything(server, folder)
        context = playwright.chromium.launch_persistent_context(
            profile,
            executable_path=chromium,
            args=browser.ARGUMENTS,
            viewport={"width": 1280, "height": 900},
        )
        try:
            yield context.new_page(), server
        finally:
            context.close()
            server.shutdown()


def _compress_everything(server: Counted, folder: Path) -> None:
    """Let the server compress what it has, so that no visit waits for that."""
    for path in cache.tree_files(folder):
        _size(server, "/" + path.relative_to(folder).as_posix(), "br")


def _size(server: Counted, path: str, encoding: str) -> int:
    question = urllib.request.Request(server.address.rstrip("/") + path, method="HEAD")
    question.add_header("Accept-Encoding", encoding)
    with urllib.request.urlopen(question) as answer:
        return int(answer.headers["Content-Length"])


def is_of_python(path: str) -> bool:
    return any(fnmatch(path, f"*/assets/{pattern}") for pattern in PYTHON)


def _open(page: Page, address: str) -> Figures:
    """Seconds until the figure is complete, until the first move changed the numbers, and until it changed the figure."""
    page.goto(address, wait_until="commit")
    _wait(page, lambda: page.evaluate("Boolean(self.probe?.effective || self.probe?.failed)"), "answer the first move")
    failed = page.evaluate("probe.failed")
    if failed:
        raise progress.StepFailed(f"the page failed: {failed}")
    seconds = {name: page.evaluate(f"probe.{name}") / 1000 for name in ("visible", "numbers", "effective")}
    # A converted app has its numbers where the probe does not look.
    return {name: value for name, value in seconds.items() if value}


def _wait(page: Page, condition: Callable[[], bool], what: str) -> None:
    """Ask until it is so: Playwright's own waiting evaluates text inside the page, which the page's policy forbids."""
    limit = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > limit:
            raise progress.StepFailed(f"the page did not {what} within {SECONDS} s")
        page.wait_for_timeout(100)


def _scroll_through(page: Page) -> None:
    height = page.evaluate("document.documentElement.scrollHeight")
    for top in range(0, height, 400):
        page.evaluate(f"scrollTo(0, {top})")
        page.wait_for_timeout(100)


def _wait_for_quiet(page: Page, server: Counted) -> None:
    before = -1
    while before != len(server.sent):
        before = len(server.sent)
        page.wait_for_timeout(1000 * QUIET_SECONDS)
