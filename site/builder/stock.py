"""The site as one would make it without packs, for the benchmark: the same pages, Python from published packages."""

import dataclasses
import json
import shutil
import zipfile
from collections.abc import Collection, Mapping
from email.parser import BytesParser
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

import engine
from builder import assets, cache, node, pages, wheels
from builder.packs import BRIDGE, PYODIDE_FILES, Packs
from builder.paths import ENGINE, LABS, RUNTIME

BROWSER = {"sys_platform": "emscripten", "python_version": "3.13", "python_full_version": "3.13.2", "extra": ""}
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
    write_our_wheel(published / OURS)
    for wheel in (*wheels.packages(), packs.numpy.wheel):
        copy_compressed(wheel, published / wheel.name)
    lock = json.loads((released / "pyodide-lock.json").read_text(encoding="utf-8"))
    places = {"pyodide": "stock", "packs": [], "packages": write_lock(lock, published)}
    worker = folder / "stock-worker.js"
    worker.write_text(assets.worker_text(places, RUNTIME / "stock.mjs"), encoding="utf-8")
    changed = dataclasses.replace(made, models={}, worker=f"{assets.FOLDER}/{worker.name}")
    pages.write_site(prerendered, changed, out)


def write_our_wheel(target: Path) -> None:
    """The engine, the labs and the bridge as anybody would install them: sources in a wheel."""
    contents = {
        f"{package.name}/{path.relative_to(package).as_posix()}": path.read_bytes()
        for package in (ENGINE, LABS)
        for path in cache.tree_files(package)
    }
    write_wheel(target.parent, "ridgepoint", engine.__version__, contents | {BRIDGE.name: BRIDGE.read_bytes()})


def write_wheel(folder: Path, name: str, version: str, contents: Mapping[str, bytes]) -> None:
    """A pure wheel with these files by name."""
    information = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in contents.items():
            archive.writestr(path, data)
        archive.writestr(f"{information}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{information}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")


def write_lock(released: Mapping[str, Any], folder: Path) -> list[str]:
    """Pyodide's list of packages, for the wheels beside it; returns their names."""
    found = {_name(wheel.name.split("-")[0]): wheel for wheel in sorted(folder.glob("*.whl"))}
    packages = {name: _entry(name, wheel, found.keys()) for name, wheel in found.items()}
    (folder / "pyodide-lock.json").write_text(json.dumps({**released, "packages": packages}), encoding="utf-8")
    return sorted(packages)


def copy_compressed(wheel: Path, target: Path) -> None:
    """Some wheels are stored without compression, which would flatter us."""
    with zipfile.ZipFile(wheel) as given, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for item in given.infolist():
            made.writestr(item.filename, given.read(item))


def _name(written: str) -> str:
    return written.lower().replace("_", "-")


def _entry(name: str, wheel: Path, known: Collection[str]) -> dict[str, Any]:
    """What Pyodide's lock says of a package. It may depend on what the lock knows."""
    with zipfile.ZipFile(wheel) as archive:
        metadata = next(archive.read(path) for path in archive.namelist() if path.endswith(".dist-info/METADATA"))
    wanted = map(Requirement, BytesParser().parsebytes(metadata).get_all("Requires-Dist", []))
    depends = {_name(entry.name) for entry in wanted if not entry.marker or entry.marker.evaluate(BROWSER)}
    return {
        "name": name,
        "version": wheel.name.split("-")[1],
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": cache.file_digest(wheel),
        "package_type": "package",
        "imports": [],
        "depends": sorted(depends & set(known)),
        "unvendored_tests": False,
    }
