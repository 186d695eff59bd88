"""The address holds the state: to and fro, back and forward, and what an address may get wrong."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from engine import __version__
from engine.labs import lab as engine_lab
from tests.browser.conftest import Visits
from tests.browser.lab import SLUG, Lab
from tests.browser.serving import Site

DEFAULTS = {name: str(value) for name, value in engine_lab(SLUG).defaults.items()}
OTHER = {
    "model": "llama-3-70b", "gpu": "h200-sxm", "weights": "fp8", "kv": "fp8", "tp": "4", "batch": "5000", "context": "777",
    "memory_fraction": "0.85", "reserve_gb": "2.5", "block": "32",
}  # fmt: skip


def test_a_change_puts_every_input_and_the_version_into_the_address(lab: Lab) -> None:
    lab.open().press("batch", "ArrowRight")
    lab.page.wait_for_url("**batch=9**")
    assert lab.query() == DEFAULTS | {"batch": "9", "v": __version__}


def test_a_reader_who_changes_nothing_keeps_a_plain_address(lab: Lab) -> None:
    lab.open()
    assert lab.query() == {}


def test_round_trip(visits: Visits, site: Site, lab: Lab) -> None:
    lab.open().settled()
    lab.prediction("double-batch").get_by_role("button", name="Skip").click()
    for name in ("model", "gpu"):
        lab.select(name, OTHER[name])
    for name in ("weights", "kv", "tp"):
        lab.radio(name, OTHER[name]).check()
    for name in ("batch", "context", "memory_fraction", "reserve_gb", "block"):
        lab.type(name, OTHER[name])
    lab.settled()
    lab.page.wait_for_url("**block=32**")
    assert lab.query() == OTHER | {"v": __version__}

    shared = Lab(visits.page(), site.address)
    shared.page.goto(lab.page.url)
    shared.settled()
    for name, text in OTHER.items():
        if shared.box(name).count():
            expect(shared.box(name)).to_have_value(text)
        elif shared.control(name).locator("select").count():
            expect(shared.control(name).locator("select")).to_have_value(text)
        else:
            expect(shared.radio(name, text)).to_be_checked()
    assert shared.summary.inner_text() == lab.summary.inner_text()
    for name in engine_lab(SLUG).outputs:
        assert shared.value(name) == lab.value(name), name
    expect(shared.notices).to_have_count(0)


def test_back_and_forward(lab: Lab) -> None:
    lab.open(batch=8).settled()
    lab.type("batch", "16").type("context", "4096")
    lab.page.wait_for_url("**context=4096**")
    lab.page.go_back()
    expect(lab.box("context")).to_have_value("8192")
    expect(lab.number("sequence_tokens_per_s")).to_have_text("104 tok/s")
    lab.page.go_back()
    expect(lab.box("batch")).to_have_value("8")
    expect(lab.number("sequence_tokens_per_s")).to_have_text("142 tok/s")
    lab.page.go_forward()
    expect(lab.number("sequence_tokens_per_s")).to_have_text("104 tok/s")
    lab.page.go_forward()
    expect(lab.box("context")).to_have_value("4096")


def test_a_burst_of_keys_is_one_entry_of_the_history(lab: Lab) -> None:
    lab.open(batch=8).settled()
    before = lab.page.evaluate("history.length")
    slider = lab.slider("batch")
    slider.focus()
    # All within one pause, however slow the machine is: sent in one go.
    slider.evaluate(
        "slider => { for (let i = 0; i < 8; i += 1) { slider.stepUp();"
        " for (const type of ['input', 'change']) slider.dispatchEvent(new Event(type, {bubbles: true})); } }"
    )
    lab.page.wait_for_url("**batch=16**")
    assert lab.page.evaluate("history.length") == before + 1
    lab.page.go_back()
    expect(lab.number("sequence_tokens_per_s")).to_have_text("142 tok/s")


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("batch", "abc", ["abc", "a whole number from 1 to 1,000,000"]),
        ("batch", "0", ["a whole number from 1 to 1,000,000"]),
        ("batch", "", ["a whole number from 1 to 1,000,000"]),
        ("batch", "nan", ["nan"]),
        ("context", "10000001", ["10000001", "a whole number from 1 to 10,000,000"]),
        ("tp", "3", ["3", "one of 1, 2, 4, 8, 16, 32"]),
        ("gpu", "h100-sxn", ["h100-sxn", "h100-sxm"]),
        ("model", "<img src=x onerror=alert(1)>", ["<img src=x onerror=alert(1)>"]),
        ("kv", "int4", ["int4", "bf16, fp8"]),
        ("block", "1025", ["a whole number from 1 to 1,024"]),
    ],
)
def test_a_bad_value_is_named_and_its_default_used_for_it_alone(
    started: Lab, name: str, value: str, says: list[str]
) -> None:
    started.open(urlencode({name: value, "reserve_gb": "2"})).settled()
    for words in [name, *says]:
        expect(started.error(name)).to_contain_text(words)
    # Batch 8 and all the other defaults, but 2 GB less kept in reserve: 43.33 + 2.
    expect(started.output("memory_free_bytes")).to_have_text("45.33 GB")
    expect(started.number("sequence_tokens_per_s")).to_have_text("142 tok/s")
    if started.box(name).count():
        expect(started.box(name)).to_have_value(DEFAULTS[name])
    assert started.page.locator("img").count() == 0


def test_several_bad_values_are_each_named(started: Lab) -> None:
    started.open("batch=x&context=y&gpu=z&kv=fp8").settled()
    for name in ("batch", "context", "gpu"):
        expect(started.error(name)).to_contain_text(name)
    expect(started.error("kv")).to_be_empty()
    expect(started.output("kv_read_bytes")).to_have_text("4.29 GB")


def test_unknown_names_are_named(started: Lab) -> None:
    started.open("batch=16&bacth=32&utm_source=mail").settled()
    expect(started.notices).to_have_count(2)
    expect(started.notices.nth(0)).to_contain_text("bacth")
    expect(started.notices.nth(1)).to_contain_text("utm_source")
    expect(started.number("sequence_tokens_per_s")).to_have_text("104 tok/s")


def test_an_input_given_twice_is_named(started: Lab) -> None:
    started.open("batch=16&batch=32").settled()
    expect(started.notices).to_contain_text("batch")
    expect(started.number("sequence_tokens_per_s")).to_have_text("104 tok/s")


def test_another_version_is_named(started: Lab) -> None:
    started.open("batch=16&v=0.0.1").settled()
    expect(started.notices).to_contain_text("0.0.1")
    expect(started.notices).to_contain_text(__version__)
    started.open(f"batch=16&v={__version__}").settled()
    expect(started.notices).to_have_count(0)


def test_what_was_wrong_in_the_address_is_mended_by_the_next_change(started: Lab) -> None:
    started.open("batch=abc&context=4096").settled()
    expect(started.error("batch")).not_to_be_empty()
    started.type("batch", "16")
    expect(started.error("batch")).to_be_empty()
    started.page.wait_for_url("**batch=16**")
    assert started.query()["context"] == "4096"


def test_what_is_refused_never_enters_the_address(started: Lab) -> None:
    started.type("batch", "16").settled()
    started.type("batch", "lots")
    expect(started.error("batch")).not_to_be_empty()
    started.type("context", "4096")
    started.page.wait_for_url("**context=4096**")
    assert started.query()["batch"] == "16"


def test_a_size_that_no_slider_offers_is_shown(started: Lab) -> None:
    started.open(block=24).settled()
    expect(started.control("block")).to_contain_text("Block size")
    assert started.query()["block"] == "24"
    expect(started.page.locator('[data-slot="input.block"]').last).to_have_text("24 tokens")
