"""The site as one would make it without packs, for the benchmark: the same pages, Python from published packages."""

import dataclasses
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import engine
from builder import assets, cache, node, pages, wheels
from builder.packs import BRIDGE, PYODIDE_FILES, Packs
from builder.paths import ENGINE, LABS, RUNTIME

OURS = f"ridgepoint-{engine.__version__}-py3-none-any.whl"


def write_packed(packs: Packs, prerendered: dict[str, Any], out: Path) -> None:
    """The site with our packs, in which Python answers every move: pages come without the lab as JavaScript."""
    made = assets.write(packs, out)
    pages.write_site(prerendered, dataclasses.replace(made, models={}), out)


def write_stock(packs: Packs, prerendered: dict[str, Any], out: Path) -> None:
    """The same with Pyodide and wheels as they are published."""
    made = assets.write(packs, out)
    folder = out / assets.FOLDER
    published = folder / "stock"
    published.mkdir()
    released = node.packages() / "pyodide"
    for name in (*PYODIDE_FILES, "python_stdlib.zip"):
        shutil.copy(released / name, published / name)
    _write_our_wheel(published / OURS)
    for wheel in (*wheels.packages(), packs.numpy.wheel):
        _copy_compressed(wheel, published / wheel.name)
    lock = json.loads((released / "pyodide-lock.json").read_text(encoding="utf-8"))
    lock["packages"] = {entry["name"]: entry for entry in map(_entry, sorted(published.glob("*.whl")))}
    (published / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")
    places = {"pyodide": "stock", "packs": [], "packages": sorted(lock["packages"])}
    worker = folder / "stock-worker.js"
    worker.write_text(assets.worker_text(places, RUNTIME / "stock.mjs"), encoding="utf-8")
    changed = dataclasses.replace(made, models={}, worker=f"{assets.FOLDER}/{worker.name}")
    pages.write_site(prerendered, changed, out)


def _write_our_wheel(target: Path) -> None:
    information = f"ridgepoint-{engine.__version__}.dist-info"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for package in (ENGINE, LABS):
            for path in cache.tree_files(package):
                archive.write(path, f"{package.name}/{path.relative_to(package).as_posix()}")
        archive.write(BRIDGE, BRIDGE.name)
        archive.writestr(f"{information}/METADATA", f"Name: ridgepoint\nVersion: {engine.__version__}\n")


def _copy_compressed(wheel: Path, target: Path) -> None:
    """Some wheels are stored without compression, which would flatter us."""
    with zipfile.ZipFile(wheel) as given, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for item in given.infolist():
            made.writestr(item.filename, given.read(item))


def _entry(wheel: Path) -> dict[str, Any]:
    """What Pyodide's lock says of a package. Nothing depends on anything: all are asked for by name."""
    name, version, *_ = wheel.name.split("-")
    return {
        "name": name.lower().replace("_", "-"),
        "version": version,
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": cache.file_digest(wheel),
        "package_type": "package",
        "imports": [],
        "depends": [],
        "unvendored_tests": False,
    }
