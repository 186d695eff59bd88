"""The Python packages for the browser as wheels: numpy from Pyodide's distribution, the rest from PyPI, all by hash."""

import json
import os
import re
import shutil
import urllib.error
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path

from builder import cache, node, progress
from builder.paths import LOCKS
from builder.venv import PYTHON

LOCK = LOCKS / "browser.txt"
# Two packages have wheels with compiled code only; their sources make a pure one when no compiler answers.
PURE_FROM_SOURCE = ("markupsafe", "pyyaml")
# The same release of numpy for Pyodide, kept in an npm package for places where Pyodide's distribution is out of reach.
CARRIED_NUMPY = Path("@bentopdf/pymupdf-wasm/assets/numpy-2.2.5-cp313-cp313-pyodide_2025_0_wasm32.whl")
CARRIED_NUMPY_SHA256 = "125230b4c3ecd08803e5c43f1162e017c0718d9f253146225a705a952b9c16c2"
SECONDS_TO_ANSWER = 8


@dataclass(frozen=True)
class Numpy:
    wheel: Path
    origin: str
    sha256: str


def packages() -> list[Path]:
    """The wheels that browser.txt pins."""

    def make(folder: Path) -> None:
        no_compiler = {**os.environ, "CC": "no-compiler", "PYYAML_FORCE_CYTHON": "0", "PYYAML_FORCE_LIBYAML": "0"}
        command: list[str | Path] = [PYTHON, "-m", "pip", "wheel", "--disable-pip-version-check", "--require-hashes"]
        command += ["--no-deps", "--no-build-isolation", "--no-binary", ",".join(PURE_FROM_SOURCE)]
        command += ["-r", LOCK, "-w", folder]
        with progress.step("Fetching the Python packages for the browser"):
            progress.run(command, env=no_compiler)

    return sorted(cache.cached("wheels", cache.key(LOCK), make).glob("*.whl"))


def numpy() -> Numpy:
    """numpy's wheel, from Pyodide's own distribution where that answers, else the one an npm package carries."""
    pyodide = node.packages() / "pyodide"
    entry = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))["packages"]["numpy"]

    def make(folder: Path) -> None:
        with progress.step("Fetching numpy for Pyodide"):
            wheel = folder / entry["file_name"]
            try:
                address = _distribution(pyodide) + entry["file_name"]
                with urllib.request.urlopen(address, timeout=SECONDS_TO_ANSWER) as answer:
                    wheel.write_bytes(answer.read())
                origin, expected = "Pyodide's distribution", entry["sha256"]
            except (urllib.error.URLError, TimeoutError, ConnectionError):
                carried = node.packages(with_numpy_carrier=True) / CARRIED_NUMPY
                shutil.copy(carried, wheel)
                origin, expected = f"npm package {CARRIED_NUMPY.parent.parent.as_posix()}", CARRIED_NUMPY_SHA256
            if cache.file_digest(wheel) != expected:
                raise progress.StepFailed(f"{wheel.name} from {origin} does not have the SHA-256 that is pinned for it")
            (folder / "origin.txt").write_text(origin, encoding="utf-8")

    folder = cache.cached("numpy", cache.key(json.dumps(entry, sort_keys=True), CARRIED_NUMPY_SHA256), make)
    wheel = folder / entry["file_name"]
    return Numpy(wheel, (folder / "origin.txt").read_text(encoding="utf-8"), cache.file_digest(wheel))


def unpack(wheel: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)


def _distribution(pyodide: Path) -> str:
    """Where this version of Pyodide publishes its packages: its own loader says so."""
    version: str = json.loads((pyodide / "package.json").read_text(encoding="utf-8"))["version"]
    found = re.search(r"`(https://[^`$]+)\$\{\w+\}(/[^`]*)`", (pyodide / "pyodide.mjs").read_text(encoding="utf-8"))
    if not found:
        raise progress.StepFailed("Pyodide's loader no longer names the place of its packages; see builder/wheels.py")
    return found.group(1) + version + found.group(2)
