"""A lab whose JavaScript differs from its Python is refused."""

from pathlib import Path

import pytest

from builder import agreement, packs, progress
from engine.labs import javascript, lab

CHANGES = {
    "a changed formula": ("linear_time_s + attention_time_s", "Math.max(linear_time_s, attention_time_s)"),
    "a last place": ('"hbm_bandwidth": 3350000000000', '"hbm_bandwidth": 3350000000000.0005'),
    "a changed word": ("Each reader gets {sequence_tokens_per_s}", "Every reader gets {sequence_tokens_per_s}"),
    "a changed limit": ("(v.context <= v.context_length)", "(v.context < v.context_length)"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_it_is_noticed(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("VALUES", "STATES", "VERDICTS"):
        monkeypatch.setattr(agreement, name, 3)
    script = javascript.script(lab("batch-step"))
    changed = script.replace(*CHANGES[change])
    assert changed != script
    with pytest.raises(progress.StepFailed):
        agreement.compare(packs.make(), {"batch-step": changed}, tmp_path)
    assert "batch-step: JavaScript and Python differ" in capfd.readouterr().err
