"""The files the browser's Python gets: the standard library, the packages, and our own engine and labs, all compiled.

Our own code is a pack of its own, so a changed word in a lab does not make a reader fetch numpy, Bokeh and Panel again.
"""

import gzip
import json
import shutil
import struct
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from builder import cache, node, progress, wheels
from builder.paths import ENGINE, LABS, RUNTIME

# Where Python looks for its library in the browser; names in a pack are relative to it.
LIBRARY = "/lib/python3.13"
SITE_PACKAGES = "site-packages"
PYODIDE_FILES = ("pyodide.js", "pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm")
EMPTY_ZIP = b"PK\x05\x06" + bytes(18)
COMPILER = RUNTIME / "compile.mjs"
SCRIPT_SHARED = RUNTIME / "node.mjs"
BRIDGE = RUNTIME / "bridge.py"

# What is read at run time: modules, compiled code, templates and their styles, and what packages say about themselves.
KINDS = (".py", ".so", ".html", ".css", ".jinja", ".dist-info/METADATA")
DATA = (
    f"bokeh/_sri/{version('bokeh')}.json",
    "panel/_templates/",
    "panel/package.json",
    "pyviz_comms/labextension/package.json",
    "pyviz_comms/notebook.js",
)
# Beginnings of the names that are left out all the same.
LEFT_OUT = Path(__file__).with_name("left_out.txt")


@dataclass(frozen=True)
class Packs:
    """What the browser's Python is made of, as files on disk, and where numpy came from."""

    pyodide: Path
    python: Path
    labs: Path
    numpy: wheels.Numpy


def make() -> Packs:
    released = node.packages() / "pyodide"
    numpy = wheels.numpy()
    python = _python(released, numpy)
    return Packs(pyodide=_pyodide(released), python=python, labs=_labs(released), numpy=numpy)


def _pyodide(released: Path) -> Path:
    """Pyodide's own files, with an empty library and an empty list of packages: our pack brings all of both."""

    def build(folder: Path) -> None:
        for name in PYODIDE_FILES:
            shutil.copy(released / name, folder / name)
        (folder / "python_stdlib.zip").write_bytes(EMPTY_ZIP)
        info = json.loads((released / "pyodide-lock.json").read_text(encoding="utf-8"))["info"]
        (folder / "pyodide-lock.json").write_text(json.dumps({"info": info, "packages": {}}), encoding="utf-8")

    return cache.cached("pyodide", _key(released), build)


def _python(released: Path, numpy: wheels.Numpy) -> Path:
    """Python's library and the packages. Compiling the library, which Pyodide has as sources, is the largest gain."""

    def build(folder: Path) -> None:
        found = wheels.packages()
        with progress.step("Compiling Python's library and packages"), tempfile.TemporaryDirectory() as scratch:
            sources = Path(scratch)
            wheels.unpack(released / "python_stdlib.zip", sources)
            for wheel in [*found, numpy.wheel]:
                wheels.unpack(wheel, sources / SITE_PACKAGES)
            lines = LEFT_OUT.read_text(encoding="utf-8").splitlines()
            left_out = tuple(" ".join(line for line in lines if not line.startswith("#")).split())
            for path in cache.tree_files(sources):
                if not _needed(path.relative_to(sources).as_posix(), left_out):
                    path.unlink()
            _write(folder / "python.pack", released, sources)

    return cache.cached("python", _key(released, wheels.LOCK, LEFT_OUT, numpy.sha256), build) / "python.pack"


def _labs(released: Path) -> Path:
    """The engine and the labs with their data and templates, and the bridge to the page."""

    def build(folder: Path) -> None:
        with progress.step("Compiling the engine and the labs"), tempfile.TemporaryDirectory() as scratch:
            packages = Path(scratch) / SITE_PACKAGES
            for package in (ENGINE, LABS):
                shutil.copytree(package, packages / package.name, ignore=shutil.ignore_patterns("__pycache__"))
            shutil.copy(BRIDGE, packages / BRIDGE.name)
            _write(folder / "labs.pack", released, Path(scratch))

    return cache.cached("labs", _key(released, ENGINE, LABS, BRIDGE), build) / "labs.pack"


def _key(released: Path, *inputs: str | Path) -> str:
    return cache.key(released / "package.json", COMPILER, SCRIPT_SHARED, Path(__file__), *inputs)


def _needed(name: str, left_out: tuple[str, ...]) -> bool:
    if "/tests/" in name or name.startswith(left_out):
        return False
    return name.endswith(KINDS) or name.startswith(tuple(f"{SITE_PACKAGES}/{data}" for data in DATA))


def _write(target: Path, released: Path, sources: Path) -> None:
    """Compile a tree and write it in the format that boot.mjs reads: length of the index, index, files; compressed."""
    with tempfile.TemporaryDirectory() as scratch:
        compiled = Path(scratch)
        node.script(COMPILER, released, sources, compiled, LIBRARY)
        files = [(path.relative_to(compiled).as_posix(), path.read_bytes()) for path in cache.tree_files(compiled)]
    files += [(p.relative_to(sources).as_posix(), _data(p)) for p in cache.tree_files(sources) if p.suffix != ".py"]
    files.sort()
    index = json.dumps([[name, len(data)] for name, data in files], separators=(",", ":")).encode()
    body = struct.pack("<I", len(index)) + index + b"".join(data for _, data in files)
    # No date in the header: the same files give the same bytes.
    target.write_bytes(gzip.compress(body, 9, mtime=0))


def _data(path: Path) -> bytes:
    """A file that is not compiled; of a package's metadata the fields without the description."""
    data = path.read_bytes()
    return data.replace(b"\r\n", b"\n").split(b"\n\n")[0] + b"\n" if path.name == "METADATA" else data
