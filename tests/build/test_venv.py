"""The environment of one checkout is never emptied by another."""

from pathlib import Path

import pytest

from builder import progress, venv


def test_a_linked_environment_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "kept").touch()
    link = tmp_path / ".venv"
    link.symlink_to(theirs)
    monkeypatch.setattr(venv, "VENV", link)
    with pytest.raises(progress.StepFailed, match="is a link"):
        venv._make("anything", fresh=True)
    assert (theirs / "kept").exists()
