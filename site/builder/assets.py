"""The site's files beside its pages, each with a hash of its content in its name, so that it may be cached for ever."""

import json
import shutil
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path

from builder import cache
from builder.packs import Packs
from builder.pages import Assets
from builder.paths import RUNTIME, SITE
from engine.labs import javascript, labs
from labs import _scripts

FOLDER = "assets"
STYLES = SITE / "styles"


def write(packs: Packs, out: Path) -> Assets:
    """Write all assets below `out` and return their addresses."""
    folder = out / FOLDER
    folder.mkdir(parents=True)
    styles = "".join(path.read_text(encoding="utf-8") for path in sorted(STYLES.glob("*.css")))
    bokeh = files("bokeh") / "server" / "static" / "js" / "bokeh.min.js"
    return Assets(
        styles=_text(folder, "site.css", styles),
        icon=_bytes(folder, "icon.svg", (STYLES / "icon.svg").read_bytes()),
        lab_script=_text(folder, "lab.js", _scripts.bundle()),
        plain_script=_text(folder, "plain.js", _scripts.bundle("plain-page.js")),
        bokeh=_bytes(folder, "bokeh.min.js", bokeh.read_bytes()),
        worker=_text(folder, "worker.js", _worker(packs, folder)),
        python=tuple(_python(folder)),
        models={slug: _text(folder, f"{slug}.js", javascript.script(lab)) for slug, lab in labs().items()},
    )


def _python(folder: Path) -> Iterator[str]:
    """The addresses of everything that the worker loads."""
    for path in cache.tree_files(folder):
        if path.suffix == ".pack" or path.parent != folder:
            yield f"{FOLDER}/{path.relative_to(folder).as_posix()}"


def _worker(packs: Packs, folder: Path) -> str:
    """The worker's text: where its files are, how a lab is opened, and the worker itself."""
    pyodide = f"pyodide-{cache.key(*cache.tree_files(packs.pyodide))[:10]}"
    shutil.copytree(packs.pyodide, folder / pyodide, ignore=shutil.ignore_patterns("*.mjs"))
    names = [_bytes(folder, path.name, path.read_bytes()) for path in (packs.python, packs.labs)]
    # The worker lies beside its files.
    places = {"pyodide": pyodide, "packs": [Path(name).name for name in names]}
    return worker_text(places, RUNTIME / "boot.mjs")


def worker_text(places: Mapping[str, object], opening: Path) -> str:
    """The worker with its places and its way of opening a lab before it, as one classic script."""
    opened = opening.read_text(encoding="utf-8").replace("export async function", "async function")
    worker = (RUNTIME / "worker.js").read_text(encoding="utf-8")
    return f"const ASSETS = {json.dumps(places)};\n{opened}\n{worker}"


def _text(folder: Path, name: str, text: str) -> str:
    return _bytes(folder, name, text.encode())


def _bytes(folder: Path, name: str, data: bytes) -> str:
    stem, _, suffix = name.partition(".")
    hashed = f"{stem}-{cache.digest(data)[:10]}.{suffix}"
    (folder / hashed).write_bytes(data)
    return f"{FOLDER}/{hashed}"
