"""`build.py check` and `build.py test`: every check of the code, the build, and every test."""

import subprocess
from pathlib import Path

from builder import agreement, browser, packs, progress
from builder.build import build
from builder.paths import ROOT
from builder.venv import PYTHON

PROGRAMS = PYTHON.parent
CHECKS: dict[str, list[str | Path]] = {
    "Code style": [PROGRAMS / "ruff", "check"],
    "Code layout": [PROGRAMS / "ruff", "format", "--check"],
    "Types": [PROGRAMS / "mypy"],
    "Who imports whom": [PROGRAMS / "lint-imports"],
}


def check() -> int:
    """The checks that read the code, then the build, which opens every lab."""
    failed = _static()
    _build()
    return _verdict(failed)


def test() -> int:
    """Everything. pytest runs last and over all tests: its closing line ends the output and counts them all."""
    failed = _static()
    _build()
    browser.executable()
    checks = _verdict(failed)
    return subprocess.run([PYTHON, "-m", "pytest"], cwd=ROOT, check=False).returncode or checks


def _build() -> None:
    build()
    agreement.check(packs.make())


def _static() -> list[str]:
    return [name for name, command in CHECKS.items() if not _run(name, command)]


def _run(name: str, command: list[str | Path]) -> bool:
    """Run a check with its output on the terminal; True when it passed."""
    with progress.step(name):
        return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def _verdict(failed: list[str]) -> int:
    if failed:
        progress.say(f"failed: {', '.join(failed)}")
    return 1 if failed else 0
