"""The project's own environment `.venv/`: made once from the hashed lock, then entered by running build.py again in it.

Only the standard library is used here: this runs in a bare Python.
"""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from builder import cache, progress
from builder.paths import LOCKS, ROOT, SITE, VENV

LOCK = LOCKS / "venv.txt"
STAMP = VENV / "installed.txt"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def enter(arguments: list[str]) -> None:
    """Return when running inside an up-to-date `.venv`; otherwise make it and run `arguments` in it instead."""
    inside = Path(sys.prefix).resolve() == VENV.resolve()
    wanted = _wanted()
    if not STAMP.is_file() or STAMP.read_text(encoding="utf-8") != wanted:
        _make(wanted, fresh=not inside)
    elif inside:
        return
    command = [str(PYTHON), *arguments]
    if os.name == "nt":
        # exec on Windows returns to the shell before the program ends.
        sys.exit(subprocess.run(command, check=False).returncode)
    os.execv(PYTHON, command)


def install(lock: Path) -> None:
    """Install exactly what a lock pins; wheels only, so nothing of a package runs while it is installed."""
    command: list[str | Path] = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off"]
    command += ["--require-hashes", "--no-deps", "--only-binary", ":all:", "-r", lock]
    progress.run(command, show=lambda line: line.startswith("Collecting "))


def _wanted() -> str:
    """What the stamp says when nothing has changed: the lock, the Python and the place of the checkout."""
    base = "{}.{}.{}".format(*sys.version_info[:3])
    return f"{cache.file_digest(LOCK)} python {base} {sysconfig.get_platform()} {ROOT}\n"


def _make(wanted: str, *, fresh: bool) -> None:
    if VENV.is_symlink():
        # To make it anew would empty the environment of another checkout.
        raise progress.StepFailed(".venv is a link to another place; remove the link, and a new .venv is made here")
    STAMP.unlink(missing_ok=True)
    if fresh:
        with progress.step("Making .venv"):
            try:
                progress.run([sys.executable, "-m", "venv", "--clear", VENV])
            except progress.StepFailed as failure:
                hint = "on Debian and Ubuntu, `apt-get install python3-venv` brings what is missing"
                raise progress.StepFailed(f"Python could not make .venv ({hint}): {failure}") from None
    with progress.step(f"Installing what {LOCK.name} pins into .venv (a few minutes the first time)"):
        install(LOCK)
    # The project's packages are used from where they lie: no copy to fall out of date, no build folder.
    _site_packages().joinpath("ridgepoint.pth").write_text(f"{ROOT}\n{SITE}\n", encoding="utf-8")
    STAMP.write_text(wanted, encoding="utf-8")


def _site_packages() -> Path:
    program = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(progress.run([PYTHON, "-c", program]).strip())
