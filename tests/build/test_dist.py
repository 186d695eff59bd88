"""The built site: what its files say of each other. `build.py test` builds it before the tests run."""

import gzip
import hashlib
import json
import re
import struct
from pathlib import Path

import pytest

from builder.paths import DIST

ASSETS = DIST / "assets"
# The page for addresses that lead nowhere stands at any depth: its script finds the site's root.
PAGES = sorted(path for path in DIST.rglob("*.html") if path.name != "404.html")
ADDRESS = re.compile(r"""\s(?:src|href)="([^"]*)\"""")

pytestmark = pytest.mark.skipif(not DIST.is_dir(), reason="the site is not built")


def unpacked(path: Path) -> dict[str, int]:
    body = gzip.decompress(path.read_bytes())
    (length,) = struct.unpack("<I", body[:4])
    return dict(json.loads(body[4 : 4 + length]))


def test_the_manifest_names_every_file_with_its_hash() -> None:
    manifest = json.loads((DIST / "build-manifest.json").read_text("utf-8"))
    files = {path.relative_to(DIST).as_posix() for path in DIST.rglob("*") if path.is_file()}
    assert manifest["files"].keys() == files - {"build-manifest.json"}
    for name, entry in manifest["files"].items():
        assert hashlib.sha256((DIST / name).read_bytes()).hexdigest() == entry["sha256"], name


def test_the_manifest_says_where_numpy_comes_from() -> None:
    numpy = json.loads((DIST / "build-manifest.json").read_text("utf-8"))["numpy"]
    assert numpy["origin"] in {"Pyodide's distribution", "npm package @bentopdf/pymupdf-wasm"}
    assert re.fullmatch(r"[0-9a-f]{64}", numpy["sha256"])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DIST).as_posix())
def test_every_file_a_page_asks_for_is_there_under_a_relative_address(page: Path) -> None:
    for address in ADDRESS.findall(page.read_text("utf-8")):
        if re.match(r"https://|#|data:|\?", address):
            continue
        assert not address.startswith("/"), address
        target = (page.parent / re.split(r"[?#]", address)[0]).resolve()
        assert (target / "index.html").is_file() if target.is_dir() else target.is_file(), address


def test_assets_carry_the_hash_of_their_content() -> None:
    for path in ASSETS.iterdir():
        if path.is_file():
            assert path.stem.split(".")[0].endswith("-" + hashlib.sha256(path.read_bytes()).hexdigest()[:10]), path.name


def test_the_large_pack_holds_nothing_of_ours_and_the_small_one_nothing_else() -> None:
    (large,) = ASSETS.glob("python-*.pack")
    (small,) = ASSETS.glob("labs-*.pack")
    ours = ("site-packages/engine/", "site-packages/labs/", "site-packages/bridge.pyc")
    assert not any(name.startswith(ours) for name in unpacked(large))
    assert all(name.startswith(ours) for name in unpacked(small))
    assert not any(name.endswith(".py") for name in (*unpacked(large), *unpacked(small)))


def test_a_lab_costs_a_reader_at_most_a_quarter_of_the_published_packages() -> None:
    # 45 MB: the same lab from the original wheels, the stock library and Pyodide, compressed where a host compresses.
    compressed = sum(len(gzip.compress(p.read_bytes(), 6)) for p in ASSETS.rglob("*") if p.suffix in {".js", ".wasm"})
    packs = sum(path.stat().st_size for path in ASSETS.glob("*.pack"))
    assert compressed + packs <= 45e6 / 4
