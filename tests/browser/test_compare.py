"""A pinned setting A against B, and warnings for the inputs."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab import Lab


def row(lab: Lab, name: str) -> list[Locator]:
    """A's number, B's number and the difference of a result."""
    cells = lab.page.locator(f'.pins tr:has([data-slot="pin.{name}"]) td')
    return [cells.nth(0), cells.nth(1), cells.nth(2)]


def test_pin_a_and_move_to_b(started: Lab) -> None:
    table = started.page.locator(".pins table")
    expect(table).to_be_hidden()
    expect(started.action("unpin")).to_be_hidden()
    started.action("pin").click()
    expect(table).to_be_visible()
    expect(table).to_contain_text("A and B have the same inputs")

    started.press("batch", *["ArrowRight"] * 8)
    a, b, difference = row(started, "sequence_tokens_per_s")
    expect(a).to_have_text("142 tok/s")
    expect(b).to_have_text("104 tok/s")
    # 104.07 - 141.95
    expect(difference).to_contain_text("−38 tok/s")
    a, b, difference = row(started, "step_time_s")
    expect(a).to_have_text("7.04 ms")
    expect(b).to_have_text("9.61 ms")
    expect(difference).to_contain_text("+2.56 ms")
    expect(table.locator("caption")).to_contain_text("8 sequences")
    expect(table.locator("caption")).to_contain_text("16 sequences")

    started.action("unpin").click()
    expect(table).to_be_hidden()
    expect(started.action("pin")).to_be_focused()


def test_pin_stays_while_several_inputs_change(started: Lab) -> None:
    started.action("pin").click()
    started.radio("weights", "fp8").check()
    started.type("context", "4096").settled()
    a, b, _ = row(started, "step_time_s")
    expect(a).to_have_text("7.04 ms")
    # Half of the weights' 4.48 ms, and half of the cache's 2.56 ms.
    expect(b).to_have_text("3.52 ms")
    expect(started.page.locator(".pins caption")).to_contain_text("FP8")
    expect(started.page.locator(".pins caption")).to_contain_text("4,096 tokens")


def test_pinned_curve_is_drawn(started: Lab) -> None:
    started.type("batch", "16").settled()
    before = started.figure.screenshot()
    started.action("pin").click()
    started.radio("kv", "fp8").check()
    started.settled()
    with_pin = started.figure.screenshot()
    started.action("unpin").click()
    started.settled()
    without = started.figure.screenshot()
    assert len({before, with_pin, without}) == 3


WARNINGS = [
    ("context", {"context": 8193}, "Context 8,193 exceeds the model's 8,192."),
    # 0.9 x 80 - 16.06 - 1,024 x 1.0758 - 4
    ("fits", {"batch": 1024}, "This does not fit: free memory is −1,049.72 GB."),
    ("replicated", {"tp": 16}, "TP 16 exceeds the 8 KV heads: they are replicated"),
    ("communication", {"tp": 2}, "TP 2: the communication between the ranks is left out"),
    ("window", {"model": "gemma-2-9b"}, "21 of 42 layers read their last 4,096 tokens only"),
    ("fp8", {"weights": "fp8"}, "FP8 is idealised"),
]


@pytest.mark.parametrize(("name", "inputs", "words"), WARNINGS, ids=[name for name, _, _ in WARNINGS])
def test_warning_appears_and_goes(started: Lab, name: str, inputs: dict[str, object], words: str) -> None:
    warning = started.warning(name)
    expect(warning).to_have_count(2)
    for place in warning.all():
        expect(place).to_be_hidden()
    started.open(**inputs).settled()
    for place in warning.all():
        expect(place).to_be_visible()
        expect(place).to_contain_text(words)
    started.action("reset").click()
    for place in warning.all():
        expect(place).to_be_hidden()


def test_nothing_to_warn_about_by_default(started: Lab) -> None:
    assert not [warning for warning in started.page.locator(".warnings li").all() if warning.is_visible()]


def test_limits_say_whether_they_are_kept(started: Lab) -> None:
    kept = started.page.locator(".limits:not(.assumed) .state")
    expect(kept.first).to_have_text("inside")
    started.type("context", "8193").settled()
    assert "outside" in kept.all_inner_texts()


def test_facts_follow_the_choice_with_their_source(started: Lab) -> None:
    bandwidth = started.page.locator('tr:has([data-slot="fact.bandwidth"])')
    expect(bandwidth).to_contain_text("3.35 TB/s")
    expect(bandwidth).to_contain_text(re.compile(r"\d{4}-\d\d-\d\d"))
    started.select("gpu", "h200-sxm")
    expect(bandwidth).to_contain_text("4.8 TB/s")
    expect(bandwidth).to_contain_text("H200")
