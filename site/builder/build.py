"""Build the site: fetch, pack, prerender, write assets and pages, list everything for reading without a network."""

import json
import tempfile
from pathlib import Path

from builder import assets, cache, embedding, pages, prerender, progress
from builder import packs as packing
from builder.paths import CACHE, DIST, RUNTIME

MANIFEST = "build-manifest.json"
SERVICE_WORKER = "sw.js"


def build() -> Path:
    """Make `dist/` anew. What it is made of comes from the cache wherever nothing has changed."""
    packs = packing.make()
    prerendered = prerender.make(packs)
    # Elsewhere and swapped in whole: a server never sees half a site, and a failed build leaves the last one.
    with progress.step("Writing the site"), tempfile.TemporaryDirectory(dir=CACHE, prefix="dist-") as scratch:
        fresh = Path(scratch) / DIST.name
        fresh.mkdir()
        pages.write_site(prerendered, assets.write(packs, fresh), fresh)
        embedding.write(prerendered, fresh)
        # Hosts that run a site generator of their own would leave out what it does not know.
        (fresh / ".nojekyll").touch()
        _write_service_worker(fresh)
        _write_manifest(packs, fresh)
        if DIST.exists():
            DIST.rename(Path(scratch) / "before")
        fresh.rename(DIST)
    total = sum(path.stat().st_size for path in cache.tree_files(DIST))
    progress.say(f"   dist/ has {len(cache.tree_files(DIST))} files, {total / 1e6:.1f} MB")
    return DIST


def _write_service_worker(out: Path) -> None:
    """Its list of files, which changes with any of them, since their names hold their hashes."""
    names = [path.relative_to(out).as_posix() for path in cache.tree_files(out) if path.name != ".nojekyll"]
    # A page's address is its folder.
    addresses = [name.removesuffix("index.html") if name.endswith("index.html") else name for name in names]
    head = f"const FILES = {json.dumps(addresses)};\n"
    (out / SERVICE_WORKER).write_text(head + (RUNTIME / SERVICE_WORKER).read_text(encoding="utf-8"), encoding="utf-8")


def _write_manifest(packs: packing.Packs, out: Path) -> None:
    """What the site was built from and what came out, for whoever wants to check it."""
    release = json.loads((packs.pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))["info"]
    files = {
        path.relative_to(out).as_posix(): {"bytes": path.stat().st_size, "sha256": cache.file_digest(path)}
        for path in cache.tree_files(out)
    }
    manifest = {
        "numpy": {"file": packs.numpy.wheel.name, "origin": packs.numpy.origin, "sha256": packs.numpy.sha256},
        "pyodide": release,
        "files": files,
    }
    (out / MANIFEST).write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", encoding="utf-8")
