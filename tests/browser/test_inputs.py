"""Every control by mouse and keyboard, exact numbers, presets, reset, undo."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab import Lab

DEFAULT, SIXTEEN = "142 tok/s", "104 tok/s"


def each(lab: Lab, text: str) -> None:
    """What each reader gets."""
    expect(lab.number("sequence_tokens_per_s")).to_have_text(text)


def drag(lab: Lab, name: str, steps: int, moves: int = 5) -> None:
    """Drag a slider's thumb by so many of its steps, in several moves."""
    slider = lab.slider(name)
    slider.scroll_into_view_if_needed()
    area = slider.bounding_box()
    assert area
    last, at = (int(slider.evaluate(f"element => element.{part}")) for part in ("max", "value"))
    # The middle of the thumb cannot come nearer to an end than half its width.
    thumb = 18
    step = (area["width"] - thumb) / last
    x, y = area["x"] + thumb / 2 + at * step, area["y"] + area["height"] / 2
    mouse = lab.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + steps * step, y, steps=moves)
    mouse.up()


def test_default_state(started: Lab) -> None:
    each(started, DEFAULT)
    expect(started.box("batch")).to_have_value("8")
    expect(started.box("context")).to_have_value("8192")
    expect(started.slider("batch")).to_have_attribute("aria-valuetext", re.compile(r"^8\ssequences$"))


def test_batch_from_8_to_16_by_arrows(started: Lab) -> None:
    started.press("batch", *["ArrowRight"] * 8)
    expect(started.box("batch")).to_have_value("16")
    each(started, SIXTEEN)
    expect(started.slider("batch")).to_have_attribute("aria-valuetext", re.compile(r"^16\ssequences$"))
    started.press("batch", *["ArrowLeft"] * 8)
    each(started, DEFAULT)


def test_batch_from_8_to_16_by_mouse(started: Lab) -> None:
    drag(started, "batch", 8)
    expect(started.box("batch")).to_have_value("16")
    each(started, SIXTEEN)
    # The whole drag is one step back.
    started.action("undo").click()
    expect(started.box("batch")).to_have_value("8")
    each(started, DEFAULT)


def test_numbers_follow_during_a_drag(started: Lab) -> None:
    seen = started.number("sequence_tokens_per_s").evaluate_handle(
        "element => { const seen = []; new MutationObserver(() => seen.push(element.textContent))"
        ".observe(element, {childList: true, characterData: true, subtree: true}); return seen; }"
    )
    drag(started, "batch", 8, moves=8)
    each(started, SIXTEEN)
    assert len(seen.json_value()) >= 4


def test_drag_to_the_ends(started: Lab) -> None:
    drag(started, "batch", 500)
    expect(started.box("batch")).to_have_value("1024")
    drag(started, "batch", -500)
    expect(started.box("batch")).to_have_value("1")
    each(started, "208 tok/s")


def test_home_end_and_pages(started: Lab) -> None:
    started.press("batch", "Home")
    expect(started.box("batch")).to_have_value("1")
    started.press("batch", "End")
    expect(started.box("batch")).to_have_value("1024")
    started.press("batch", "PageDown")
    below = int(started.box("batch").input_value())
    # A page is more than an arrow.
    assert below < 960
    started.press("batch", "PageUp")
    expect(started.box("batch")).to_have_value("1024")


@pytest.mark.parametrize(
    ("name", "text", "output", "shown"),
    [
        ("batch", "16", "sequence_tokens_per_s", SIXTEEN),
        # Above the ridge: 1 / (1,024 x 15,009,316,864 FLOP / 989.4 TFLOP/s + 1,024 x 0.32052 ms)
        ("batch", "1,024", "sequence_tokens_per_s", "2.91 tok/s"),
        # 5,000 x 1.0737 GB; beyond the slider's 1,024
        ("batch", "5000", "kv_read_bytes", "5,368.71 GB"),
        ("batch", "1e3", "kv_read_bytes", "1,073.74 GB"),
        ("context", "8193", "kv_read_bytes", "8.59 GB"),
        ("memory_fraction", "0.123", "memory_free_bytes", "−18.83 GB"),
        ("reserve_gb", "2.5", "memory_free_bytes", "44.83 GB"),
    ],
)
def test_exact_numbers(started: Lab, name: str, text: str, output: str, shown: str) -> None:
    started.type(name, text)
    expect(started.output(output)).to_have_text(shown)
    expect(started.error(name)).to_be_empty()
    assert float(started.box(name).input_value()) == float(text.replace(",", ""))


def test_number_beyond_the_slider_leaves_its_thumb_at_the_end(started: Lab) -> None:
    started.type("batch", "5000").settled()
    assert started.slider("batch").evaluate("slider => slider.value === slider.max")
    expect(started.slider("batch")).to_have_attribute("aria-valuetext", re.compile(r"^5,000\ssequences$"))


def test_number_between_two_stops_stays_exact(started: Lab) -> None:
    started.type("context", "8200").settled()
    expect(started.box("context")).to_have_value("8200")
    started.press("context", "ArrowRight")
    # The next stop above 8,192, where the thumb was.
    expect(started.box("context")).to_have_value("9216")


@pytest.mark.parametrize(
    ("name", "text", "allowed"),
    [
        ("batch", "lots", "a whole number from 1 to 1,000,000"),
        ("batch", "", "a whole number from 1 to 1,000,000"),
        ("batch", "8.5", "a whole number from 1 to 1,000,000"),
        ("batch", "0", "a whole number from 1 to 1,000,000"),
        ("batch", "8k", "a whole number from 1 to 1,000,000"),
        ("context", "10000001", "a whole number from 1 to 10,000,000"),
        ("memory_fraction", "0", "a number above 0 and up to 1"),
        ("reserve_gb", "-1", "a number from 0"),
        ("block", "2000", "a whole number from 1 to 1,024"),
    ],
)
def test_nonsense_is_answered_in_words_and_can_be_mended(started: Lab, name: str, text: str, allowed: str) -> None:
    started.type(name, text)
    expect(started.error(name)).to_contain_text(name)
    expect(started.error(name)).to_contain_text(allowed)
    if text:
        expect(started.error(name)).to_contain_text(text)
    expect(started.error(name)).to_have_role("alert")
    expect(started.box(name)).to_have_attribute("aria-invalid", "true")
    # What was typed stays to be mended, the last good result stays too.
    expect(started.box(name)).to_have_value(text)
    each(started, DEFAULT)
    other = "context" if name == "batch" else "batch"
    expect(started.error(other)).to_be_empty()

    started.type(name, "1")
    expect(started.error(name)).to_be_empty()
    expect(started.box(name)).not_to_have_attribute("aria-invalid", "true")


def test_selects(started: Lab) -> None:
    started.select("gpu", "a100-80gb-sxm").type("batch", "16").type("context", "4096")
    # 15,009,316,864 B / 2.039 TB/s
    expect(started.output("linear_hbm_time_s")).to_have_text("7.36 ms")
    started.select("model", "llama-3-70b")
    expect(started.page.locator('[data-slot="fact.layers"]')).to_have_text("80")


def test_radios_by_mouse_and_keyboard(started: Lab) -> None:
    started.radio("kv", "fp8").check()
    expect(started.output("kv_read_bytes")).to_have_text("4.29 GB")
    started.radio("tp", 1).focus()
    started.page.keyboard.press("ArrowRight")
    expect(started.radio("tp", 2)).to_be_checked()
    expect(started.output("linear_weight_bytes")).to_have_text("7.50 GB")


@pytest.mark.parametrize(
    ("settings", "name", "words"),
    [
        ({"weights": "fp8", "gpu": "a100-80gb-sxm"}, "weights", "A100"),
        # 16 query heads
        ({"tp": 32, "model": "gemma-2-9b"}, "tp", "16 query heads"),
    ],
)
def test_combination_that_cannot_be_is_refused(
    started: Lab, settings: dict[str, object], name: str, words: str
) -> None:
    for key, value in settings.items():
        if key in ("model", "gpu"):
            started.select(key, str(value))
        else:
            started.radio(key, value).check()
    expect(started.error(name)).to_contain_text(words)
    expect(started.error(name)).to_contain_text(name)


def test_presets(started: Lab) -> None:
    started.preset("sixteen").click()
    each(started, SIXTEEN)
    expect(started.preset("sixteen")).to_have_attribute("aria-pressed", "true")
    started.preset("seventy").click()
    expect(started.control("model").locator("select")).to_have_value("llama-3-70b")
    expect(started.radio("tp", 8)).to_be_checked()
    expect(started.box("batch")).to_have_value("64")
    expect(started.preset("sixteen")).to_have_attribute("aria-pressed", "false")
    expect(started.preset("seventy")).to_have_attribute("aria-pressed", "true")


def test_every_preset_is_taken_without_complaint(started: Lab) -> None:
    before = ""
    for button in started.page.locator("[data-preset]").all():
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(started.summary).not_to_have_text(before)
        before = started.summary.inner_text()
        assert not "".join(started.page.locator(".control [data-error-for]").all_inner_texts())


def test_reset(started: Lab) -> None:
    started.type("batch", "64").select("gpu", "h200-sxm").radio("kv", "fp8").check()
    started.action("reset").click()
    each(started, DEFAULT)
    expect(started.box("batch")).to_have_value("8")
    expect(started.control("gpu").locator("select")).to_have_value("h100-sxm")
    expect(started.radio("kv", "bf16")).to_be_checked()


def test_reset_mends_what_was_refused(started: Lab) -> None:
    started.type("batch", "lots")
    expect(started.error("batch")).not_to_be_empty()
    started.action("reset").click()
    expect(started.error("batch")).to_be_empty()
    expect(started.box("batch")).to_have_value("8")


def test_undo_and_redo(lab: Lab) -> None:
    lab.open(batch=8).settled()
    expect(lab.action("undo")).to_be_disabled()
    expect(lab.action("redo")).to_be_disabled()
    lab.type("batch", "16").type("context", "4096").radio("kv", "fp8").check()
    for _ in range(2):
        lab.action("undo").click()
    expect(lab.radio("kv", "bf16")).to_be_checked()
    expect(lab.box("context")).to_have_value("8192")
    each(lab, SIXTEEN)
    lab.action("undo").click()
    each(lab, DEFAULT)
    expect(lab.action("undo")).to_be_disabled()
    # Switched off, the button hands the focus to its neighbour.
    expect(lab.action("redo")).to_be_focused()
    for _ in range(3):
        lab.action("redo").click()
    expect(lab.radio("kv", "fp8")).to_be_checked()
    expect(lab.box("context")).to_have_value("4096")
    expect(lab.action("redo")).to_be_disabled()


def test_reset_can_be_undone(started: Lab) -> None:
    started.type("batch", "16")
    started.action("reset").click()
    each(started, DEFAULT)
    started.action("undo").click()
    each(started, SIXTEEN)


def test_fast_keys_are_not_lost(started: Lab) -> None:
    slider = started.slider("batch")
    slider.focus()
    for _ in range(40):
        started.page.keyboard.press("ArrowRight")
    for _ in range(32):
        started.page.keyboard.press("ArrowLeft")
    each(started, SIXTEEN)
