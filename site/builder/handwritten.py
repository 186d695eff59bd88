"""A page with the first lab's figure, sliders and headline, written by hand for the benchmark: BokehJS and little else."""

import shutil
from importlib.resources import files
from pathlib import Path

from builder import assets
from builder.paths import RUNTIME

SOURCES = RUNTIME / "bench" / "hand"
SCRIPTS = ("model.js", "figure.js", "page.js")


def write(out: Path) -> None:
    """Write it below `out`, its scripts as one."""
    folder = out / assets.FOLDER
    folder.mkdir(parents=True)
    shutil.copy(SOURCES / "index.html", out)
    script = "".join((SOURCES / name).read_text(encoding="utf-8") for name in SCRIPTS)
    (folder / "page.js").write_text(script, encoding="utf-8")
    shutil.copy(str(files("bokeh") / "server" / "static" / "js" / "bokeh.min.js"), folder)
