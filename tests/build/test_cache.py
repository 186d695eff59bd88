"""The cache makes a thing once for the same inputs, and leaves nothing half done."""

from pathlib import Path

import pytest

from builder import cache


@pytest.fixture(autouse=True)
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cache, "CACHE", tmp_path / "cache")
    return tmp_path / "cache" / "stage"


def write(text: str):
    return lambda folder: (folder / "made.txt").write_text(text)


def test_a_stage_is_made_once_for_the_same_name(shelf: Path) -> None:
    first = cache.cached("stage", "a", write("first"))
    again = cache.cached("stage", "a", write("again"))
    assert first == again == shelf / "a"
    assert (again / "made.txt").read_text() == "first"


def test_a_failure_leaves_nothing(shelf: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half.txt").touch()
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        cache.cached("stage", "a", fail)
    assert list(shelf.iterdir()) == []


def test_only_the_last_few_are_kept(shelf: Path) -> None:
    for name in "abcdef":
        cache.cached("stage", name, write(name))
    assert len(list(shelf.iterdir())) == cache.KEPT_PER_STAGE
    assert (shelf / "f").is_dir()


def test_a_key_follows_names_and_content_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "one.py").write_text("1")
    before = cache.key("word", folder)
    (folder / "__pycache__" / "one.pyc").write_text("left behind")
    (folder / "one.py").touch()
    assert cache.key("word", folder) == before
    (folder / "one.py").rename(folder / "two.py")
    renamed = cache.key("word", folder)
    (folder / "two.py").write_text("2")
    assert len({before, renamed, cache.key("word", folder), cache.key("other", folder)}) == 4
