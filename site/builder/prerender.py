"""What each lab's page shows before Python starts, made by the same packs the browser gets."""

import json
from pathlib import Path
from typing import Any

from builder import cache, node, progress
from builder.packs import Packs
from builder.paths import LABS, RUNTIME

SCRIPTS = [RUNTIME / name for name in ("prerender.mjs", "boot.mjs", "node.mjs")]


def slugs() -> list[str]:
    """One lab for each module of `labs` that is not shared by them."""
    return sorted(p.stem.replace("_", "-") for p in LABS.glob("*.py") if not p.name.startswith("_"))


def make(packs: Packs) -> dict[str, Any]:
    """For each lab: its state, spec, figure as Bokeh's JSON and the id of the figure."""

    def build(folder: Path) -> None:
        job = {
            "labs": slugs(),
            "pyodide": str(packs.pyodide),
            "packs": [str(packs.python), str(packs.labs)],
        }
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        with progress.step("Opening every lab once, to show it before Python starts"):
            node.script(SCRIPTS[0], folder / "job.json", folder / "labs.json")

    inputs = [packs.pyodide, packs.python, packs.labs]
    folder = cache.cached("prerendered", cache.key(*SCRIPTS, *inputs, " ".join(slugs())), build)
    result: dict[str, Any] = json.loads((folder / "labs.json").read_text(encoding="utf-8"))
    return result
