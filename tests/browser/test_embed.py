"""Labs in the pages of others: what loads when, heights, messages, sandboxed frames, and the example course page."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Frame, Locator, Page, expect

from builder.pages import COMING
from builder.paths import SITE
from builder.serve import Server
from engine.labs import labs
from tests.browser.conftest import PHONE, Visits
from tests.browser.lab import Lab, spaced
from tests.browser.serving import Site

LISTEN = """
window.told = [];
window.heights = 0;
for (const type of ['ready', 'state', 'prediction']) {
  document.addEventListener(`ridgepoint:${type}`, ({detail, target}) => told.push({type, at: target.id, ...detail}));
}
addEventListener('message', ({data}) => { heights += data.type === 'height'; });
"""
BUDGET = 1_200_000
PLANNED = [slug for _, slug, _, _ in COMING if slug not in labs()]
COURSE = (SITE / "course" / "index.html").read_text("utf-8")

Host = Callable[..., Page]


@pytest.fixture
def host(visits: Visits, site: Site, tmp_path: Path) -> Iterator[Host]:
    """Opens a page of another origin, with a body of its own and the script of the labs."""
    server = Server(tmp_path)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()

    def opened(body: str, head: str = "", **options: Any) -> Page:
        script = f'<script src="{site.address}embed.js" async></script>'
        start = '<!doctype html><html lang="en"><meta charset="utf-8"><title>A course</title><link rel="icon" href="data:,">'
        text = f"{start}{script}{head}{body}"
        (tmp_path / "index.html").write_text(text, "utf-8")
        page = visits.page(**options)
        visits.watch(page).allow(re.escape(f"request to another host: {server.address}"))
        page.add_init_script(f"if (window === top) {{{LISTEN}}}")
        page.goto(server.address)
        return page

    yield opened
    server.shutdown()
    server.server_close()
    thread.join()


def frame_of(place: Locator) -> Frame:
    expect(place.locator("iframe:not(.waiting)")).to_be_visible()
    handle = place.locator("iframe").element_handle()
    frame = handle.content_frame()
    assert frame is not None
    return frame


def lab_in(page: Page, site: Site, place: str = "div[data-lab]") -> Lab:
    return Lab(frame_of(page.locator(place)), site.address)  # type: ignore[arg-type]


def told(page: Page, kind: str) -> list[dict[str, Any]]:
    page.wait_for_function("kind => told.some(({type}) => type === kind)", arg=kind)
    return [entry for entry in page.evaluate("told") if entry["type"] == kind]


def height_matches(page: Page, frame: Frame) -> None:
    """The frame is as tall as its content."""
    expect(page.locator("iframe")).to_have_css(
        "height", f"{frame.evaluate('Math.ceil(document.body.getBoundingClientRect().height)')}px"
    )


def test_a_poster_until_it_is_wanted(host: Host, visits: Visits, site: Site) -> None:
    page = host('<div data-lab="batch-step" data-batch="32" data-load="click"></div>')
    picture = page.locator(".poster img")
    expect(picture).to_be_visible()
    page.wait_for_function("() => performance.getEntriesByName(location.href).length > 0")
    asked = [address for address in visits.watch(page).requests if address.startswith(site.address)]
    assert sorted(address.removeprefix(site.address) for address in asked) == ["embed.js", "labs/batch-step/poster.svg"]
    expect(page.get_by_role("link", name="Open in Ridgepoint")).to_have_attribute(
        "href", f"{site.address}labs/batch-step/?batch=32"
    )
    page.get_by_role("button", name="Start the lab here").click()
    lab = lab_in(page, site)
    expect(lab.number("step_time_s")).to_have_text("14.74\u00a0ms")
    expect(page.locator(".poster")).to_have_count(0)
    assert page.evaluate("document.querySelector('[data-lab]').shadowRoot.activeElement.localName") == "iframe"
    assert told(page, "ready")[0].keys() >= {"lab", "version"}


def test_far_from_the_reader_nothing_loads(host: Host, site: Site) -> None:
    page = host('<p style="height: 4000px">A long lecture.</p><div data-lab="batch-step"></div>')
    expect(page.locator(".poster")).to_be_attached()
    page.wait_for_timeout(300)
    expect(page.locator("iframe")).to_have_count(0)
    page.locator("div[data-lab]").scroll_into_view_if_needed()
    lab_in(page, site)
    # Never uncovered by being embedded alone.
    assert frame_of(page.locator("div[data-lab]")).evaluate("document.querySelector('[data-results]').inert")


def test_the_height_follows_the_content_and_settles(host: Host, site: Site) -> None:
    page = host('<div data-lab="batch-step" data-batch="32"></div>')
    lab = lab_in(page, site)
    frame = frame_of(page.locator("div[data-lab]"))
    expect(lab.figure.locator("canvas").first).to_be_attached()
    height_matches(page, frame)
    frame.get_by_text("Model boundaries").click()
    expect(frame.get_by_text("It leaves out")).to_be_visible()
    height_matches(page, frame)
    assert frame.evaluate("document.documentElement.dataset.followed") == ""
    assert frame.evaluate("innerWidth === document.documentElement.clientWidth")
    before = page.evaluate("heights")
    page.wait_for_timeout(500)
    assert page.evaluate("heights") == before < 8
    page.set_viewport_size(PHONE)
    expect(frame.locator("#all-inputs")).to_be_visible()
    height_matches(page, frame)
    assert not frame.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_states_are_told_once_they_rest(host: Host, site: Site) -> None:
    page = host('<div id="here" data-lab="batch-step" data-batch="32"></div>')
    lab = lab_in(page, site)
    first = told(page, "state")
    assert [entry["inputs"]["batch"] for entry in first] == [32]
    lab.press("batch", "ArrowRight", "ArrowRight", "ArrowRight")
    page.wait_for_function("() => told.filter(({type}) => type === 'state').length > 1")
    last = told(page, "state")[-1]
    assert last["at"] == "here" and last["lab"] == "batch-step"
    assert last["inputs"]["batch"] == int(lab.box("batch").input_value()) > 32
    assert last["outputs"]["step_time_s"] == lab.value("step_time_s")
    assert last["outputs"]["linear_bottleneck"] == "hbm"
    assert len(told(page, "state")) == 2


def test_a_prediction_is_told_when_it_is_made(host: Host, site: Site) -> None:
    page = host('<div data-lab="batch-step"></div>')
    lab = lab_in(page, site)
    lab.prediction("double-batch").get_by_label("Your prediction").fill("71")
    lab.prediction("double-batch").get_by_role("button", name="Commit").click()
    (made,) = told(page, "prediction")
    assert made["id"] == "double-batch" and made["answer"] == 71
    assert spaced(made["shown"]) == "71 tok/s" and spaced(made["right"]) == "104 tok/s"
    assert made["verdict"].startswith("Within 1.47×") and "once for each sequence" in made["mistake"]
    assert made["inputs"]["batch"] == 8 and made["version"] and "batch grows from 8 to 16" in spaced(made["prompt"])
    page.reload()
    lab = lab_in(page, site)
    expect(lab.prediction("double-batch").locator('[data-judged="verdict"]')).to_contain_text("Within")
    assert not page.evaluate("told.some(({type}) => type === 'prediction')")


def test_messages_of_others_are_not_believed(host: Host, site: Site) -> None:
    page = host('<div data-lab="batch-step"></div><iframe src="about:blank"></iframe>')
    lab_in(page, site)
    page.evaluate("""() => {
      const lie = {ridgepoint: 1, type: 'prediction', id: 'forged', height: 77};
      for (const type of ['prediction', 'height']) {
        window.postMessage({...lie, type}, '*');
        frames[0].eval(`parent.postMessage(${JSON.stringify({...lie, type})}, '*')`);
      }
    }""")
    page.wait_for_timeout(300)
    assert not page.evaluate("told.some(({type}) => type === 'prediction')")
    assert page.locator("div[data-lab] iframe").bounding_box()["height"] > 900  # type: ignore[index]


def test_wrong_attributes_are_named_by_the_lab(host: Host, site: Site) -> None:
    page = host(
        '<div data-lab="batch-step" data-batch="0" data-bacth="3" data-python="soon" data-memory-fraction="0.8"></div>'
    )
    lab = lab_in(page, site)
    expect(lab.error("batch")).to_contain_text("batch")
    expect(lab.error("batch")).to_contain_text("0")
    expect(lab.box("batch")).to_have_value("8")
    expect(lab.box("memory_fraction")).to_have_value("0.8")
    expect(lab.notices.filter(has_text="bacth")).to_have_count(1)
    expect(lab.notices.filter(has_text="eager, idle, demand")).to_have_count(1)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("speculativ", "no lab called “speculativ”"),
        ("constructor", "no lab called"),
        *((name, "not there yet") for name in PLANNED[:1]),
    ],
)
def test_labs_that_are_not_there_are_said_so(host: Host, site: Site, name: str, words: str) -> None:
    page = host(f'<div data-lab="{name}"></div>')
    expect(page.locator(".absent")).to_contain_text(words)
    expect(page.get_by_role("link", name="See the labs")).to_have_attribute("href", f"{site.address}labs/")


def test_a_closed_off_frame_computes_all_the_same(host: Host, site: Site) -> None:
    page = host('<div data-lab="batch-step" data-batch="32" data-sandbox="allow-scripts"></div>')
    lab = lab_in(page, site)
    assert lab.page.evaluate("origin") == "null"
    expect(lab.number("step_time_s")).to_have_text("14.74\u00a0ms")
    expect(lab.figure.locator("canvas").first).to_be_attached()
    lab.press("batch", "Home")
    expect(lab.number("step_time_s")).not_to_have_text("14.74\u00a0ms")
    page.wait_for_function("told.some(({type, inputs}) => type === 'state' && inputs.batch === 1)")
    lab.type("batch", "8")
    expect(lab.number("step_time_s")).to_have_text("7.04\u00a0ms")
    lab.prediction("double-batch").get_by_label("Your prediction").fill("104")
    lab.prediction("double-batch").get_by_role("button", name="Commit").click()
    assert told(page, "prediction")[0]["verdict"] == "On the spot."
    expect(lab.page.get_by_text("This frame is closed off")).to_be_visible()
    lab.action("check-python").click()
    expect(lab.status).to_contain_text("Python could not start")
    height_matches(page, frame_of(page.locator("div[data-lab]")))


def test_the_history_belongs_to_the_page(host: Host, site: Site) -> None:
    page = host('<div data-lab="batch-step" data-batch="32"></div>')
    lab = lab_in(page, site)
    entries = page.evaluate("history.length")
    lab.press("batch", "ArrowRight").settled()
    lab.preset("one-reader").or_(lab.page.locator("[data-preset]").first).first.click()
    page.wait_for_timeout(400)
    lab.page.locator(".sources summary").click()
    link = lab.page.locator('a[href^="#step-"]').first
    lab.prediction("double-batch").get_by_label("Your prediction").fill("71")
    lab.prediction("double-batch").get_by_role("button", name="Commit").click()
    link.click()
    expect(lab.page.locator(":target")).to_be_visible()
    assert page.evaluate("history.length") == entries


def test_open_in_ridgepoint_opens_this_very_setting(host: Host, site: Site) -> None:
    page = host('<div data-lab="batch-step" data-batch="32" data-python="demand" data-theme="dark"></div>')
    lab = lab_in(page, site)
    lab.type("context", "2048").settled()
    with page.context.expect_page() as opened:
        lab.page.get_by_role("link", name="Open in Ridgepoint").click()
    there = Lab(opened.value, site.address)
    assert there.query()["batch"] == "32" and there.query()["context"] == "2048"
    assert not there.query().keys() & {"embed", "theme", "python"}
    expect(there.number("step_time_s")).to_have_text(lab.number("step_time_s").inner_text())


@pytest.mark.parametrize(
    ("head", "attributes", "theme"),
    [
        ("", "", "light"),
        ("<style>:root { color-scheme: light dark }</style>", "", None),
        ("<style>:root { color-scheme: dark }</style>", "", "dark"),
        ("", 'data-theme="dark"', "dark"),
    ],
)
def test_the_colours_are_those_of_the_page(
    host: Host, site: Site, head: str, attributes: str, theme: str | None
) -> None:
    page = host(f'<div data-lab="batch-step" {attributes}></div>', head, color_scheme="dark")
    frame = frame_of(page.locator("div[data-lab]"))
    assert frame.evaluate("document.documentElement.dataset.theme ?? null") == theme
    expected = "rgb(255, 255, 255)" if theme == "light" else "rgb(20, 22, 26)"
    assert frame.evaluate("getComputedStyle(document.documentElement).backgroundColor") == expected


@pytest.mark.parametrize("action", ["copy-embed", "copy-embed-script"])
def test_what_take_away_copies_works_elsewhere(visits: Visits, host: Host, site: Site, action: str) -> None:
    lab = Lab(visits.page(permissions=["clipboard-read", "clipboard-write"]), site.address)
    lab.open(batch=32, memory_fraction=0.8).settled()
    lab.action(action).click()
    expect(lab.page.locator("[data-notice]")).to_have_text("Copied the embed code.")
    code = lab.page.evaluate("navigator.clipboard.readText()")
    page = host(code)
    frame = page.locator("iframe:not(.waiting)").element_handle().content_frame()
    assert frame is not None
    there = Lab(frame, site.address)  # type: ignore[arg-type]
    expect(there.number("step_time_s")).to_have_text("14.74\u00a0ms")
    expect(there.box("memory_fraction")).to_have_value("0.8")
    expect(there.notices).to_have_count(0)


def test_the_script_twice_fills_each_place_once(host: Host, site: Site) -> None:
    script = f'<script src="{site.address}embed.js" async></script>'
    page = host(f'<div data-lab="nothing"></div>{script}<div data-lab="nothing"></div>')
    expect(page.locator(".absent")).to_have_count(2)


def test_without_scripts_the_place_holds_its_link(host: Host) -> None:
    page = host('<div data-lab="batch-step"><a href="/lab">The lab</a></div>', java_script_enabled=False)
    expect(page.get_by_role("link", name="The lab")).to_be_visible()


def transferred(page: Page) -> int:
    """Bytes over the network for the page and its frames, as compressed by the server."""
    sizes = "[...performance.getEntriesByType('resource')].reduce((sum, {transferSize}) => sum + transferSize, 0)"
    own = page.evaluate("performance.getEntriesByType('navigation')[0].transferSize")
    return int(own + sum(frame.evaluate(sizes) for frame in page.frames))


def test_the_example_course_page(visits: Visits, site: Site) -> None:
    page = visits.page()
    page.goto(f"{site.address}course/")
    expect(page.locator(".absent")).to_have_count(sum(f'<div data-lab="{slug}"' in COURSE for slug in PLANNED))
    first = lab_in(page, site, "div[data-lab=batch-step] >> nth=0")
    expect(first.number("step_time_s")).to_have_text("14.74\u00a0ms")
    for place in page.locator("div[data-lab]").all():
        place.scroll_into_view_if_needed()
    page.get_by_role("button", name="Start the lab here").click()
    second = lab_in(page, site, "div[data-lab=batch-step] >> nth=1")
    expect(second.figure.locator("canvas").first).to_be_attached()
    assert 100_000 < transferred(page) <= BUDGET

    first.prediction("double-batch").get_by_label("Your prediction").fill("30")
    first.prediction("double-batch").get_by_role("button", name="Commit").click()
    expect(page.locator("#record tbody tr")).to_have_count(1)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save my record").click()
    assert '"id": "double-batch"' in saved.value.path().read_text("utf-8")


def test_the_page_for_teachers_can_be_found(visits: Visits, site: Site) -> None:
    page = visits.page()
    page.goto(site.address)
    page.get_by_role("link", name="For teachers").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("labs in your own page")
    page.get_by_role("link", name="An example course page").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("What a token costs")
