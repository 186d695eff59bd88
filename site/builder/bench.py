"""`build.py bench`: how fast the site starts and answers in a browser, beside other ways to make the same page.

Five sites are visited in turns: ours, where the page answers by itself and Python comes later; a page written by hand with
BokehJS alone; our pages where Python answers, from our packs; these again with Python from the packages as they are
published; and a plain Panel app as `panel convert` makes a page of it. A visit moves the batch slider as soon as the figure
is there, and the first effective move is over when the numbers and the figure show that batch.
"""

import json
import platform
import statistics
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from builder import converted, handwritten, node, packs, prerender, progress, stock, visits
from builder.build import build
from builder.paths import CACHE, RUNTIME
from builder.visits import Figures

RESULT = CACHE / "bench.json"
LAB = "labs/batch-step/"
# The prediction's cover lies over the figure unless the address has inputs.
QUERY = "?batch=8"

SITES = {
    "site": "ours",
    "hand": "by hand",
    "packed": "packed",
    "stock": "published",
    "converted": "convert",
}
"""Names of the columns."""


@dataclass(frozen=True)
class Target:
    """At most `limit` times what another site has, or another figure of the same site; without `of`, at most `limit`."""

    limit: float
    site: str = "site"
    of: str | None = None
    figure: str | None = None


@dataclass(frozen=True)
class Row:
    label: str
    figure: str
    targets: tuple[Target, ...] = ()


ROWS = (
    Row("complete first paint, s", "visible", (Target(0.45, of="hand"), Target(0.12, of="stock", figure="effective"))),
    Row(
        "first effective slider move, s",
        "effective",
        (Target(0.09, of="stock"), Target(1.35, of="hand"), Target(0.42, "packed", of="stock")),
    ),
    Row("its numbers alone, s", "numbers"),
    Row("bytes until then, MB", "megabytes", (Target(0.25, "packed", of="stock"),)),
    Row(
        "the same move on return, s",
        "effective again",
        (
            Target(1.0, of="site", figure="effective"),
            Target(0.09, of="stock"),
            Target(1.35, of="hand"),
            Target(0.32, "packed", of="stock"),
        ),
    ),
    Row("slider to paint, ms", "paint", (Target(1.15, of="hand"), Target(1.3, "packed", of="stock"))),
    Row("slider to paint while Python boots, ms", "booting", (Target(1.4, of="hand", figure="paint"),)),
    Row("lab page before Python, brotli, MB", "lab brotli", (Target(0.70),)),
    Row("lab page before Python, gzip, MB", "lab gzip", (Target(0.82),)),
    Row("next lab of the visit, brotli, MB", "next lab brotli", (Target(0.06),)),
    Row("course page until touched, brotli, MB", "course brotli", (Target(1.2),)),
    Row("a trace in Pyodide, ms", "trace", (Target(1.0),)),
    Row("a curve of 200 points in Pyodide, ms", "curve", (Target(2.0),)),
)

NOTES = (
    "by hand: BokehJS and native inputs, one model and one GPU; packed: our pages, but Python answers, from our packs;",
    "published: the same with Pyodide and wheels as they are published; convert: a plain Panel app, worker target, in which",
    f"{', '.join(converted.EMPTY)} are empty, for want of Pyodide's distribution: its figures are lower bounds.",
)


def bench(rounds: int) -> None:
    site = build()
    made = packs.make()
    shown = prerender.make(made)
    with tempfile.TemporaryDirectory() as scratch:
        folders = {name: Path(scratch) / name for name in SITES if name != "site"}
        for folder in folders.values():
            folder.mkdir()
        handwritten.write(folders["hand"])
        stock.write_packed(made, shown, folders["packed"])
        stock.write_stock(made, shown, folders["stock"])
        converted.write(made, folders["converted"])
        found = _measure({"site": site, **folders}, rounds)
    found["site"] |= _weigh(site) | _inside_python(made)
    _report(found, rounds)


def _measure(folders: Mapping[str, Path], rounds: int) -> dict[str, Figures]:
    """The medians over all rounds, by site."""
    runs: dict[str, list[Figures]] = {name: [] for name in SITES}
    with progress.step("Visiting a page once, not counted, to wake the browser"):
        _visit("hand", folders["hand"])
    for number in range(1, rounds + 1):
        for name in SITES:
            with progress.step(f"Visiting {SITES[name]}, {number} of {rounds}"):
                runs[name].append(_visit(name, folders[name]))
    return {
        name: {what: statistics.median(run[what] for run in of_site) for what in of_site[0]}
        for name, of_site in runs.items()
    }


def _visit(name: str, folder: Path) -> Figures:
    is_ours = name not in ("hand", "converted")
    # A converted app starts on return as it does at first, only without transfers; it would take long to show it.
    return visits.visit(folder, (LAB if is_ours else "") + QUERY, boots=name == "site", returns=name != "converted")


def _weigh(site: Path) -> Figures:
    """What our pages transfer while nobody touches them."""
    labs = {"lab": f"{LAB}{QUERY}", "next lab": "labs/context-growth/"}
    with progress.step("Weighing pages"):
        return visits.weigh(site, labs, without_python=True) | visits.weigh(
            site, {"course": "course/"}, without_python=False
        )


def _inside_python(made: packs.Packs) -> Figures:
    """What a trace and a curve cost in Pyodide, in milliseconds."""
    with progress.step("Measuring inside Pyodide"), tempfile.TemporaryDirectory() as scratch:
        result = Path(scratch) / "result.json"
        node.script(RUNTIME / "measure.mjs", made.pyodide, result, made.python, made.labs)
        figures: Figures = json.loads(result.read_text(encoding="utf-8"))
    return figures


def table(found: Mapping[str, Figures]) -> list[str]:
    """The lines of the table: what each site needs, and beside it the targets, one a line."""
    head = "".join(f"{title:>10}" for title in SITES.values())
    lines = [f"{'':38}{head}   {'ratio':26}{'':>7} {'target':>7}  met"]
    for row in ROWS:
        cells = [f"{found[site][row.figure]:.3g}" if row.figure in found[site] else "" for site in SITES]
        start = f"{row.label:38}" + "".join(f"{cell:>10}" for cell in cells)
        verdicts = [_verdict(row, target, found) for target in row.targets] or [""]
        lines += [f"{start if first else '':88}   {verdict}".rstrip() for first, verdict in _marked(verdicts)]
    return lines


def ratio(row: Row, target: Target, found: Mapping[str, Figures]) -> float:
    """The figure itself, or how many times that of the other site it is."""
    own = found[target.site][row.figure]
    return own / found[target.of][target.figure or row.figure] if target.of else own


def _verdict(row: Row, target: Target, found: Mapping[str, Figures]) -> str:
    words = ""
    if target.of:
        of_what = " at first" if target.figure == "effective" else ""
        words = f"{SITES[target.site]} / {SITES[target.of]}{of_what}"
    value = ratio(row, target, found)
    return f"{words:26}{value:7.3f} {target.limit:7.2f}  {'yes' if value <= target.limit else 'NO'}"


def _marked(verdicts: list[str]) -> list[tuple[bool, str]]:
    return [(number == 0, verdict) for number, verdict in enumerate(verdicts)]


def _report(found: dict[str, Figures], rounds: int) -> None:
    """One table on the terminal and one file of the same figures."""
    progress.say("\n" + "\n".join([*table(found), "", *NOTES]))
    about = {"machine": platform.platform(), "processor": platform.processor(), "rounds": rounds}
    targets = [
        {"what": row.label, **asdict(target), "value": ratio(row, target, found)}
        for row in ROWS
        for target in row.targets
    ]
    result = {"about": about, "notes": NOTES, "medians": found, "targets": targets}
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    progress.say(f"\nThe same figures are in {RESULT.relative_to(RESULT.parents[1])}")
