"""What the build is made of is pinned by hash, and no file of the project says from which host it comes."""

import json
import re
from pathlib import Path

import pytest
from panel.io import convert

from builder.paths import LOCKS, RUNTIME

LOCK_FILES = sorted(LOCKS.glob("*.txt"))
ADDRESS = re.compile(r"https?://|--(?:extra-)?index-url|--find-links|@ file:")


def pins(path: Path) -> list[str]:
    """The entries of a requirements file, each with the lines that continue it."""
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.lstrip().startswith("#")]
    return "\n".join(lines).replace("\\\n", "").splitlines()


@pytest.mark.parametrize("path", LOCK_FILES, ids=lambda path: path.name)
def test_every_package_is_pinned_with_a_hash_and_without_an_address(path: Path) -> None:
    assert pins(path)
    for pin in pins(path):
        assert re.match(r"[a-z0-9-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", pin), pin
        assert not ADDRESS.search(pin), pin


def test_npm_packages_are_pinned_with_a_hash_and_without_an_address() -> None:
    lock = json.loads((RUNTIME / "package-lock.json").read_text("utf-8"))
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert {"node_modules/pyodide", "node_modules/axe-core"} <= packages.keys()
    for name, entry in packages.items():
        assert entry["integrity"].startswith("sha512-"), name
        assert "resolved" not in entry, name


def test_pyodide_is_the_one_that_panel_names() -> None:
    wanted = json.loads((RUNTIME / "package.json").read_text("utf-8"))["dependencies"]["pyodide"]
    assert f"v{wanted}" == convert.PYODIDE_VERSION


def test_the_browser_has_the_panel_and_bokeh_that_the_build_has() -> None:
    versions = {path.name: dict(pin.split()[0].split("==") for pin in pins(path)) for path in LOCK_FILES}
    for name in ("panel", "bokeh", "param", "jinja2"):
        assert versions["browser.txt"][name] == versions["venv.txt"][name], name
