"""A Chromium for tests and benchmark: Playwright's own, else an installed one, else Debian's package."""

import os
import shutil
import subprocess
import sys
from functools import cache as once
from pathlib import Path

from playwright.sync_api import sync_playwright

from builder import cache, progress
from builder.paths import CACHE
from builder.venv import LOCK

INSTALLED = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MACOS = (
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
)
SECONDS_TO_DOWNLOAD = 180
# No traffic of the browser's own; no sandbox where the user is root, because it refuses to start there.
ARGUMENTS = (
    *("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-domain-reliability"),
    *(("--no-sandbox",) if hasattr(os, "geteuid") and os.geteuid() == 0 else ()),
)
HELP = (
    "no Chromium was found for the browser tests. Any of these helps: a network in which "
    "`.venv/bin/playwright install chromium` works, an installed Chromium or Google Chrome, "
    "or on Debian and Ubuntu `apt-get install chromium`"
)


@once
def executable() -> Path:
    """The program to start; what has to be downloaded for it is downloaded here."""
    found = _playwrights() or _download() or _installed() or _debian()
    if found is None:
        raise progress.StepFailed(HELP)
    return found


def _playwrights() -> Path | None:
    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    return path if path.is_file() else None


def _installed() -> Path | None:
    named = next((Path(found) for name in INSTALLED if (found := shutil.which(name))), None)
    return named or next((path for path in MACOS if path.is_file()), None)


def _download() -> Path | None:
    """Playwright's own, tried once for each version of it: where it cannot be had, it cannot be had tomorrow."""
    tried = CACHE / "playwright" / f"tried-{cache.file_digest(LOCK)[:20]}"
    if tried.exists():
        return None
    with progress.step("Downloading Playwright's Chromium"):
        command = [sys.executable, "-m", "playwright", "install", "chromium"]
        try:
            done = subprocess.run(command, capture_output=True, check=False, timeout=SECONDS_TO_DOWNLOAD)
        except subprocess.TimeoutExpired:
            done = None
    if done is None or done.returncode:
        tried.parent.mkdir(parents=True, exist_ok=True)
        tried.touch()
        progress.say("   it cannot be had here")
    return _playwrights()


def _debian() -> Path | None:
    if not shutil.which("apt-get") or not hasattr(os, "geteuid") or os.geteuid() != 0:
        return None
    with progress.step("Installing Debian's Chromium"):
        progress.run(["apt-get", "update"])
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        progress.run(["apt-get", "install", "-y", "--no-install-recommends", "chromium"], env=environment)
    return _installed()
