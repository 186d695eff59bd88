#!/usr/bin/env python3
"""Ridgepoint's one command line: serve | build | test | bench | check. Needs only a Python 3.11 or newer to start."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "site"))

if sys.version_info < (3, 11):  # noqa: UP036  (this file runs in whatever Python a machine has)
    sys.exit(f"Ridgepoint needs Python 3.11 or newer, and this is {sys.version.split()[0]}.")

from builder import progress, venv

if __name__ == "__main__":
    try:
        venv.enter(sys.argv)
        from builder import cli

        sys.exit(cli.main(sys.argv[1:]))
    except progress.StepFailed as failure:
        sys.exit(f"build.py: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)
