"""The check that a lab's JavaScript and Pyodide's Python say the same; a lab that differs is refused."""

import json
from pathlib import Path

from builder import cache, node, progress
from builder.packs import Packs
from builder.paths import RUNTIME, SITE
from engine.labs import javascript, labs

PROGRAMS = (*(RUNTIME / name for name in ("agreement.mjs", "agreement.py", "boot.mjs", "node.mjs")), SITE / "scripts")
VALUES, STATES, VERDICTS = 10_000, 300, 30
"""Settings on which every quantity is compared, those on which all words are, and those on which verdicts are."""


def check(packs: Packs) -> None:
    """Compare every lab that is all formulas, in one Node.js that runs both."""
    models = {slug: javascript.script(lab) for slug, lab in labs().items()}
    name = cache.key(
        *PROGRAMS, packs.pyodide, packs.python, packs.labs, *models.values(), f"{VALUES} {STATES} {VERDICTS}"
    )
    # Kept like any stage that passed: what has not changed still agrees.
    cache.cached("agreement", name, lambda folder: compare(packs, models, folder))


def compare(packs: Packs, models: dict[str, str], folder: Path) -> None:
    """Run the comparison; `models` are the labs' scripts by slug."""
    with progress.step("Comparing JavaScript with Python in every lab"):
        for slug, script in models.items():
            # Node.js reads it as a module by this ending.
            (folder / f"{slug}.mjs").write_text(script, "utf-8")
        job = {
            "models": {slug: str(folder / f"{slug}.mjs") for slug in models},
            "scripts": str(SITE / "scripts"),
            "pyodide": str(packs.pyodide),
            "packs": [str(packs.python), str(packs.labs)],
            "values": VALUES,
            "states": STATES,
            "verdicts": VERDICTS,
        }
        file = folder / "job.json"
        file.write_text(json.dumps(job), "utf-8")
        node.script(PROGRAMS[0], file)
