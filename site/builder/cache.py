"""A cache keyed by content: a stage runs again when something it reads has changed, and never otherwise."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from builder.paths import CACHE

KEPT_PER_STAGE = 3
UNFINISHED = "unfinished-"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def file_digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def tree_files(folder: Path) -> list[Path]:
    """The files below a folder in a fixed order, without what Python leaves behind."""
    return sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)


def key(*parts: str | Path) -> str:
    """A name for a set of inputs: words, files by their content, folders by the names and content of their files."""
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, str):
            total.update(f"text {len(part)} {part}\n".encode())
        elif part.is_dir():
            total.update(f"folder {part.name}\n".encode())
            for path in tree_files(part):
                total.update(f"file {path.relative_to(part).as_posix()} {file_digest(path)}\n".encode())
        else:
            total.update(f"file {part.name} {file_digest(part)}\n".encode())
    return total.hexdigest()[:20]


def cached(stage: str, name: str, make: Callable[[Path], None]) -> Path:
    """The folder of this stage for these inputs; `make` fills it when it is not there yet.

    It is filled under another name and renamed at the end, so an interrupted run leaves nothing half done.
    """
    shelf = CACHE / stage
    folder = shelf / name
    if folder.is_dir():
        os.utime(folder)
        return folder
    shelf.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=shelf, prefix=UNFINISHED) as unfinished:
        made = Path(unfinished) / name
        made.mkdir()
        make(made)
        try:
            made.rename(folder)
        except OSError:
            # Another run may have made the same meanwhile.
            if not folder.is_dir():
                raise
    _forget(p for p in shelf.iterdir() if p != folder and not p.name.startswith(UNFINISHED))
    return folder


def _forget(others: Iterable[Path]) -> None:
    """Keep the last few results of a stage, for going back and forth between versions, and remove the rest."""
    newest_first = sorted(others, key=lambda p: p.stat().st_mtime, reverse=True)
    for old in newest_first[KEPT_PER_STAGE - 1 :]:
        shutil.rmtree(old, ignore_errors=True)
