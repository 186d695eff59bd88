"""The figure: drawn, following, and said again as a sentence and a table."""

import io

import pytest
from PIL import Image
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visits
from tests.browser.lab import Lab, spaced
from tests.browser.serving import Site


def pixels(figure: Locator) -> Image.Image:
    # On a whole pixel, since half a pixel more or less is another picture.
    figure.evaluate(
        "(element) => { element.style.marginBlockStart = ''; const {top} = element.getBoundingClientRect();"
        " element.style.marginBlockStart = `${Math.ceil(top) - top}px`; }"
    )
    return Image.open(io.BytesIO(figure.screenshot())).convert("RGB")


def colours(figure: Locator) -> set[tuple[int, ...]]:
    picture = pixels(figure)
    return {
        tuple(colour)
        for _, colour in picture.getcolors(picture.width * picture.height) or []
        if isinstance(colour, tuple)
    }


def until_steady(figure: Locator) -> Image.Image:
    """The picture once two in a row are the same."""
    before = pixels(figure)
    while (after := pixels(figure)) != before:
        before = after
    return after


def test_is_drawn(started: Lab) -> None:
    box = started.figure.locator("canvas").first.bounding_box()
    assert box and box["width"] > 400 and box["height"] > 200
    # The lines of weights and attention, in the colours that stand for them everywhere.
    assert {(0, 114, 178), (213, 94, 0)} <= colours(started.figure)


@pytest.mark.parametrize("name", ["batch", "context", "kv", "gpu"])
def test_follows_every_kind_of_input(started: Lab, name: str) -> None:
    before = until_steady(started.figure)
    if name == "kv":
        started.radio(name, "fp8").check()
    elif name == "gpu":
        started.select(name, "a100-80gb-sxm")
    else:
        started.press(name, *["ArrowRight"] * 8)
    started.settled()
    assert until_steady(started.figure) != before
    started.action("reset").click()
    started.settled()
    assert until_steady(started.figure) == before


def test_a_setting_opened_by_its_address_is_drawn_as_one_that_was_set(visits: Visits, site: Site, started: Lab) -> None:
    started.type("batch", "64").radio("kv", "fp8").check()
    set_here = until_steady(started.settled().figure)
    opened = Lab(visits.page(), site.address).open(batch=64, kv="fp8").settled()
    expect(opened.figure.locator("canvas").first).to_be_visible()
    opened.page.mouse.move(0, 0)
    started.page.mouse.move(0, 0)
    deadline = 20
    while (drawn := until_steady(opened.figure)) != set_here and deadline:
        deadline -= 1
    assert drawn == set_here


def test_a_point_that_does_not_fit_is_hollow(started: Lab) -> None:
    def filled() -> int:
        picture = until_steady(started.settled().figure)
        return sum(
            count for count, colour in picture.getcolors(picture.width * picture.height) or [] if colour == (213, 94, 0)
        )

    started.type("memory_fraction", "1")
    fits = filled()
    started.type("memory_fraction", "0.1")
    expect(started.warning("fits").first).to_be_visible()
    # At least the inside of the current point's disc, 13 pixels wide.
    assert fits - filled() > 60


def test_follows_the_theme(started: Lab) -> None:
    page = started.page
    page.emulate_media(color_scheme="light")
    light = until_steady(started.figure)
    page.emulate_media(color_scheme="dark")
    dark = until_steady(started.figure)
    assert sum(light.getpixel((2, 2))) > 700 and sum(dark.getpixel((2, 2))) < 150  # type: ignore[arg-type]
    # The button wins over the system, and is kept.
    button = page.locator('[data-action="theme"]')
    button.click()
    expect(button).to_contain_text("Light")
    assert sum(until_steady(started.figure).getpixel((2, 2))) > 700  # type: ignore[arg-type]
    page.reload()
    expect(page.locator("body")).to_have_css("color", "rgb(26, 29, 35)")
    for _ in range(2):
        button.click()
    expect(button).to_contain_text("System")


def test_fits_every_width(started: Lab) -> None:
    for width in (1280, 768, 390, 1280):
        started.page.set_viewport_size({"width": width, "height": 900})
        until_steady(started.figure)
        holder, canvas = started.figure.bounding_box(), started.figure.locator("canvas").first.bounding_box()
        assert holder and canvas
        assert canvas["width"] == pytest.approx(holder["width"], abs=2)


@pytest.mark.parametrize("batch", ["8", "16", "1024"])
def test_table_says_what_the_headline_says(started: Lab, batch: str) -> None:
    started.type("batch", batch).type("context", "4000").settled()
    table = started.page.locator(".twin table")
    heads = [spaced(text).lower() for text in table.locator("thead th").all_text_contents()]
    row = next(
        cells
        for cells in (line.locator("th, td").all_text_contents() for line in table.locator("tbody tr").all())
        if cells[0].replace(",", "").split()[0] == batch
    )
    assert len(row) == len(heads)
    said = [spaced(text) for text in row]
    for name in ("step_time_s", "sequence_tokens_per_s", "aggregate_tokens_per_s", "memory_free_bytes"):
        assert spaced(started.number(name).inner_text()) in said, name


def test_table_opens_by_keyboard(started: Lab) -> None:
    summary = started.page.locator(".twin summary")
    summary.focus()
    started.page.keyboard.press("Enter")
    expect(started.page.locator(".twin table")).to_be_visible()
    started.page.keyboard.press("Enter")
    expect(started.page.locator(".twin table")).to_be_hidden()


def test_sentence_says_what_the_figure_shows(started: Lab) -> None:
    started.type("batch", "512").type("context", "512").settled()
    words = spaced(started.summary.inner_text())
    for name in ("step_time_s", "sequence_tokens_per_s", "aggregate_tokens_per_s"):
        assert spaced(started.number(name).inner_text()) in words
    assert "above the ridge at 295.3" in words


def test_is_announced_politely_and_once(started: Lab) -> None:
    live = started.page.locator("[data-live]")
    expect(live).to_have_attribute("aria-live", "polite")
    said = live.evaluate_handle(
        "element => { const said = []; new MutationObserver(() => said.push(element.textContent))"
        ".observe(element, {childList: true, characterData: true, subtree: true}); return said; }"
    )
    slider = started.slider("batch")
    slider.focus()
    # A burst: a step with every frame.
    slider.evaluate(
        "async (slider) => { for (let i = 0; i < 8; i += 1) { await new Promise(requestAnimationFrame);"
        " slider.stepUp(); slider.dispatchEvent(new Event('input', {bubbles: true})); } }"
    )
    expect(live).to_contain_text("batch 16")
    assert live.text_content() == started.summary.text_content()
    # Not eight times; a machine that stalls may make a pause of its own.
    assert 1 <= len(said.json_value()) <= 2


def test_page_without_bokeh_says_so_and_goes_on(visits: Visits, lab: Lab, site: Site) -> None:
    visits.watch(lab.page).allow("503|Bokeh")
    with site.gate.refuse(r"/bokeh-"):
        lab.open(batch=8)
        expect(lab.figure).to_contain_text("could not be drawn")
        lab.press("batch", *["ArrowRight"] * 8)
        expect(lab.number("sequence_tokens_per_s")).to_have_text("104 tok/s")
        expect(lab.summary).to_contain_text("104")
