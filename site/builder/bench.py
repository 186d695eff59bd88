"""`build.py bench`: how fast the site starts and answers in a browser, against the same pages made without packs.

Three sites are measured in turns, each visit in a browser profile of its own: the site itself, where the page answers
by itself and Python comes later; the same pages where Python answers, from our packs; and these again with Python from
the packages as they are published. A visit moves the batch slider as soon as the figure is there, and the first
effective move is over when the page shows the step time of that batch.
"""

import json
import platform
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from builder import browser, node, packs, prerender, progress, stock
from builder.build import build
from builder.paths import CACHE, RUNTIME
from builder.serve import Handler, Server

MOVES = 20
LAB = "labs/batch-step/"
# The prediction's cover lies over the figure unless the address has inputs.
QUERY = "?batch=8"
RESULT = CACHE / "bench.json"
PROBE = RUNTIME / "probe.js"
SECONDS = 300

Figures = dict[str, float]

ROWS: tuple[tuple[str, str, str, float | None], ...] = (
    # What is measured, in which site, for which target of the published packages' figure.
    ("default state visible, s", "visible", "site", 0.12),
    ("first effective slider move, the page answers, s", "effective", "site", None),
    ("first effective slider move, Python answers, s", "effective", "packed", 0.42),
    ("bytes until then, Python answers, MB", "megabytes", "packed", 0.25),
    ("bytes until then, the page answers, MB", "megabytes", "site", None),
    ("repeat visit, Python answers, s", "repeat", "packed", 0.32),
    ("repeat visit, the page answers, s", "repeat", "site", None),
    ("slider to paint, the page answers, ms", "paint", "site", 1.3),
    ("slider to paint, Python answers, ms", "paint", "packed", 1.3),
)


# What is visible at first is measured against the time until the published packages answer.
AGAINST = {"visible": "effective"}


class Counted(Server):
    """Counts the bytes of what it sends."""

    sent = 0

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, handler=CountingHandler)


class CountingHandler(Handler):
    def send_header(self, keyword: str, value: str) -> None:
        if keyword == "Content-Length" and isinstance(self.server, Counted):
            self.server.sent += int(value)
        super().send_header(keyword, value)


def bench(rounds: int) -> None:
    site = build()
    made = packs.make()
    shown = prerender.make(made)
    with tempfile.TemporaryDirectory() as scratch:
        folders = {"site": site}
        writers: dict[str, Callable[..., None]] = {"packed": stock.write_packed, "stock": stock.write_stock}
        for name, write in writers.items():
            folders[name] = Path(scratch) / name
            folders[name].mkdir()
            write(made, shown, folders[name])
        inside = _inside_python(made)
        found = _measure(folders, rounds)
    _report(found, inside, rounds)


def _measure(folders: dict[str, Path], rounds: int) -> dict[str, Figures]:
    """The medians over all rounds, by site."""
    chromium = browser.executable()
    runs: dict[str, list[Figures]] = {name: [] for name in folders}
    for number in range(rounds + 1):
        for name, folder in folders.items():
            # The first round warms the server's compressed copies and the machine, and is not counted.
            label = "not counted" if number == 0 else f"{number} of {rounds}"
            with progress.step(f"Visiting {name}, {label}"):
                figures = _visit_twice(folder, chromium)
            if number:
                runs[name].append(figures)
    return {
        name: {what: statistics.median(run[what] for run in of_site) for what in of_site[0]}
        for name, of_site in runs.items()
    }


def _visit_twice(folder: Path, chromium: Path) -> Figures:
    """A first visit, moves on it, and a second visit, in a browser that has not seen the site."""
    with Counted(folder) as server, tempfile.TemporaryDirectory() as profile, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        context = playwright.chromium.launch_persistent_context(
            profile,
            executable_path=chromium,
            args=browser.ARGUMENTS,
            viewport={"width": 1280, "height": 900},
        )
        with _closing(context):
            page = context.new_page()
            page.add_init_script(path=PROBE)
            first = _visit(page, server)
            megabytes = server.sent / 1e6
            _wait(page, "probe.settled()")
            moves = page.evaluate(f"probe.moves({MOVES})")
            # What the browser keeps on disk is written a moment later.
            page.wait_for_timeout(1500)
            second = _visit(page, server)
        server.shutdown()
    return {
        "visible": first["visible"] / 1000,
        "effective": first["effective"] / 1000,
        "megabytes": megabytes,
        "paint": statistics.median(moves),
        "repeat": second["effective"] / 1000,
    }


def _visit(page: Page, server: Counted) -> dict[str, float]:
    page.goto(f"{server.address}{LAB}{QUERY}", wait_until="commit")
    _wait(page, "Boolean(self.probe?.effective || self.probe?.failed)")
    failed = page.evaluate("probe.failed")
    if failed:
        raise progress.StepFailed(f"the page failed: {failed}")
    found: dict[str, float] = page.evaluate("({visible: probe.visible, effective: probe.effective})")
    return found


def _wait(page: Page, condition: str) -> None:
    """Ask until it is so: Playwright's own waiting evaluates text inside the page, which the page's policy forbids."""
    limit = time.monotonic() + SECONDS
    while not page.evaluate(condition):
        if time.monotonic() > limit:
            raise progress.StepFailed(f"the page did not come to `{condition}` within {SECONDS} s")
        page.wait_for_timeout(100)


@contextmanager
def _closing(context: Any) -> Iterator[None]:
    try:
        yield
    finally:
        context.close()


def _inside_python(made: packs.Packs) -> Figures:
    """What a trace and a curve cost in Pyodide, in milliseconds."""
    with progress.step("Measuring inside Pyodide"), tempfile.TemporaryDirectory() as scratch:
        result = Path(scratch) / "result.json"
        node.script(RUNTIME / "measure.mjs", made.pyodide, result, made.python, made.labs)
        figures: Figures = json.loads(result.read_text(encoding="utf-8"))
    return figures


def _report(found: dict[str, Figures], inside: Figures, rounds: int) -> None:
    """One table on the terminal and one file of the same figures."""
    rows = []
    for label, what, site, target in ROWS:
        ours, theirs = found[site][what], found["stock"][AGAINST.get(what, what)]
        rows.append({"what": label, "ours": ours, "stock": theirs, "ratio": ours / theirs, "target": target})
    for label, what, target in (
        ("a trace in Pyodide, ms", "trace", 1.0),
        ("a curve of 200 points in Pyodide, ms", "curve", 2.0),
    ):
        rows.append({"what": label, "ours": inside[what], "stock": None, "ratio": None, "target": target})
    progress.say(f"\n{'':52} {'ours':>8} {'stock':>8} {'ratio':>6} {'target':>7}")
    for row in rows:
        cells = [f"{row[key]:.2f}" if row[key] is not None else "" for key in ("ours", "stock", "ratio", "target")]
        progress.say(f"{row['what']:52} {cells[0]:>8} {cells[1]:>8} {cells[2]:>6} {cells[3]:>7}")
    about = {"machine": platform.platform(), "processor": platform.processor(), "rounds": rounds}
    RESULT.write_text(json.dumps({"about": about, "rows": rows, "medians": found}, indent=1) + "\n", encoding="utf-8")
    progress.say(f"\nThe same figures are in {RESULT.relative_to(RESULT.parents[1])}")
