"""Where things are. Every other module of the builder takes its paths from here."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "site"
RUNTIME = SITE / "runtime"
LOCKS = SITE / "builder" / "locks"
ENGINE = ROOT / "engine"
LABS = ROOT / "labs"
VENV = ROOT / ".venv"
CACHE = ROOT / ".cache"
DIST = ROOT / "dist"
