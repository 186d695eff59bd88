"""A plain Panel app as `panel convert` makes a page of it (worker target), with local copies of what that page loads.

Its addresses at other hosts lead to copies of the same files: BokehJS and Panel's scripts out of the Python packages, Pyodide
from npm, wheels from PyPI, those of Panel and Bokeh without their scripts, as Panel's own host has them. Packages that only
Pyodide's distribution has are empty here, so what is measured is a lower bound.
"""

import json
import re
import shutil
import zipfile
from importlib.resources import files
from pathlib import Path

import bokeh
import panel
from panel.io.convert import PYODIDE_VERSION

from builder import assets, cache, node, packs, progress, stock, wheels
from builder.paths import ENGINE, LABS, LOCKS, RUNTIME
from builder.venv import PYTHON

APP = RUNTIME / "bench" / "plain_app.py"
LOCK = LOCKS / "convert.txt"
EMPTY = ("contourpy", "nh3", "pandas", "pillow")
"""What the page asks for and only Pyodide's distribution has."""

ADDRESS = re.compile(r"https://(cdn\.[\w.-]+/[^\s\"'`,)]+)")
PYODIDE = f"cdn.jsdelivr.net/pyodide/{PYODIDE_VERSION}/full"
BOKEH = "cdn.bokeh.org/bokeh/release"
PANEL = f"cdn.holoviz.org/panel/{panel.__version__}/dist"
# Style sheets and pictures that Panel's models ask for, beside what the page itself names.
STYLES = ("css", "bundled/theme", "assets")
# Panel's own build leaves these out of the wheels for browsers.
SCRIPTS = (".js", ".ts", ".tsbuildinfo", ".map", "bokeh.json")


def write(made: packs.Packs, out: Path) -> None:
    """Write the page below `out`; the copies lie where browsers may keep them, as those hosts allow."""

    def make(folder: Path) -> None:
        _convert(folder)
        copies = folder / assets.FOLDER
        _write_pyodide(made, copies / PYODIDE)
        for style in STYLES:
            shutil.copytree(_dist() / style, copies / PANEL / style)
        for page in (folder / "index.html", folder / f"{APP.stem}.js"):
            _bring_home(page, copies)

    key = cache.key(APP, LOCK, wheels.LOCK, Path(__file__), made.pyodide, made.numpy.sha256, ENGINE, LABS)
    shutil.copytree(cache.cached("converted", key, make), out, dirs_exist_ok=True)


def _convert(folder: Path) -> None:
    """What `panel convert` makes of the app and our wheel."""
    stock.write_our_wheel(folder / stock.OURS)
    command: list[str | Path] = [PYTHON, "-m", "panel", "convert", APP, "--to", "pyodide-worker", "--out", folder]
    with progress.step("Converting a plain Panel app"):
        progress.run([*command, "--requirements", f"./{stock.OURS}"], cwd=folder)
    (folder / stock.OURS).unlink()
    (folder / f"{APP.stem}.html").rename(folder / "index.html")


def _write_pyodide(made: packs.Packs, folder: Path) -> None:
    """Pyodide, with the packages that the page asks for by name."""
    folder.mkdir(parents=True)
    released = node.packages() / "pyodide"
    for name in (*packs.PYODIDE_FILES, "python_stdlib.zip"):
        shutil.copy(released / name, folder / name)
    lock = json.loads((released / "pyodide-lock.json").read_text(encoding="utf-8"))
    for wheel in (*wheels.packages(), *_pure(), made.numpy.wheel):
        # The page brings these two by their addresses.
        if not wheel.name.startswith(("bokeh-", "panel-")):
            stock.copy_compressed(wheel, folder / wheel.name)
    for name in EMPTY:
        stock.write_wheel(folder, name, lock["packages"][name]["version"], {})
    stock.write_lock(lock, folder)


def _pure() -> list[Path]:
    """The wheels that convert.txt pins, made for the browser's Python and not for this one."""

    def make(folder: Path) -> None:
        command: list[str | Path] = [PYTHON, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps"]
        command += ["--require-hashes", "--only-binary", ":all:", "--python-version", "3.13"]
        command += ["--implementation", "py", "--abi", "none", "--platform", "any", "-r", LOCK, "-d", folder]
        with progress.step("Fetching the packages that a converted app loads"):
            progress.run(command)

    return sorted(cache.cached("wheels-converted", cache.key(LOCK), make).glob("*.whl"))


def _bring_home(page: Path, copies: Path) -> None:
    """Let the addresses in a file lead to copies, and make those."""
    text = page.read_text(encoding="utf-8")
    for address in sorted(set(ADDRESS.findall(text))):
        copy = copies / address
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists():
            _copy(address, copy)
    text = ADDRESS.sub(rf"{assets.FOLDER}/\1", text)
    # Pyodide would look for packages at its own distribution, and the installer takes no relative address.
    here = f"new URL('{assets.FOLDER}/{PYODIDE}/', self.location).href"
    text = text.replace("loadPyodide()", f"loadPyodide({{packageBaseUrl: {here}}})")
    page.write_text(text, encoding="utf-8")


def _copy(address: str, target: Path) -> None:
    """The file that an address at another host names, out of the packages here."""
    name = address.rsplit("/", 1)[1]
    if name.endswith(".whl"):
        _copy_without_scripts(next(wheel for wheel in wheels.packages() if wheel.name == name), target)
    elif address.startswith(BOKEH):
        shutil.copy(_static() / name.replace(f"-{bokeh.__version__}", ""), target)
    elif address.startswith(PANEL):
        shutil.copy(_dist() / address.removeprefix(PANEL).lstrip("/"), target)
    else:
        raise progress.StepFailed(f"a converted app loads {address}, of which nobody knows a copy; see {__name__}")


def _copy_without_scripts(wheel: Path, target: Path) -> None:
    with zipfile.ZipFile(wheel) as given, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as lean:
        for item in given.infolist():
            name = item.filename
            if name.startswith("panel/dist/") or (name.endswith(SCRIPTS) and "_templates" not in name):
                continue
            data = given.read(item)
            if name == "panel/config.py":
                # Where its style sheets are.
                data = ADDRESS.sub(rf"/{assets.FOLDER}/\1", data.decode()).encode()
            lean.writestr(name, data)


def _static() -> Path:
    return Path(str(files("bokeh"))) / "server" / "static" / "js"


def _dist() -> Path:
    return Path(str(files("panel"))) / "dist"
