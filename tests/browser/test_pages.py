"""Every page: accessible, narrow, linked, and served by any static host."""

import json
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect

from engine.labs import labs
from tests.browser import axe
from tests.browser.conftest import PHONE, WIDE, Visits
from tests.browser.lab import Lab
from tests.browser.serving import PATH, Site

SCHEMES = ("light", "dark")
LOOKS = [(scheme, size) for size in (WIDE, PHONE) for scheme in SCHEMES]
LAB_PAGES = [
    f"labs/{slug}/?{next(iter(lab.inputs)).name}={next(iter(lab.inputs)).default}" for slug, lab in labs().items()
]


@pytest.fixture(scope="module")
def addresses(built: Path) -> list[str]:
    """The addresses of all pages, below the site's root."""
    found = json.loads((built / PATH / "pages.json").read_text("utf-8"))
    assert {"", "labs/", "about/", "labs/batch-step/", "labs/batch-step/derivation/"} <= set(found)
    return [*found, "404.html"]


def every_look(page: Page) -> list[str]:
    """What axe finds in light and dark, wide and on a phone."""
    axe.load(page)
    found = []
    for scheme, size in LOOKS:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        page.set_viewport_size(size)  # type: ignore[arg-type]
        found += [f"{scheme} {size['width']}: {text}" for text in axe.violations(page)]
    return found


def test_axe_finds_nothing_on_any_page(visits: Visits, site: Site, addresses: list[str]) -> None:
    page = visits.page()
    found = []
    for address in addresses:
        page.goto(site.address + address)
        found += [f"{address} {text}" for text in every_look(page)]
    assert not found, "\n".join(found)


def test_axe_sees_what_is_wrong(visits: Visits, site: Site) -> None:
    page = visits.page()
    page.goto(site.address + "about/")
    page.evaluate(
        "document.querySelector('main').innerHTML = '<input><p style=\"color: #bbb; background: #fff\">Pale</p>'"
    )
    axe.load(page)
    found = " ".join(axe.violations(page))
    assert "color-contrast" in found and "label" in found


def test_axe_finds_nothing_in_a_lab_with_everything_open(visits: Visits, site: Site) -> None:
    lab = Lab(visits.page(), site.address).open("batch=abc&nonsense=1&v=0.0.1").settled()
    page = lab.page
    page.locator("details").evaluate_all("all => all.forEach((details) => { details.open = true; })")
    lab.action("pin").click()
    lab.radio("tp", 16).check()
    lab.type("context", "131072").type("batch", "1024").type("memory_fraction", "7")
    field = lab.prediction("double-batch").get_by_label("Your prediction")
    field.fill("71")
    field.press("Enter")
    lab.prediction("fp8-ridge").get_by_role("button", name="Commit").click()
    lab.prediction("batch-one").get_by_role("button", name="Skip").click()
    expect(lab.prediction("double-batch").locator('[data-judged="verdict"]')).not_to_be_empty()
    expect(lab.warning("fits").first).to_be_visible()
    expect(lab.error("memory_fraction")).not_to_be_empty()
    found = every_look(page)
    page.locator("#all-inputs").check()
    found += axe.violations(page)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("width", [390, 320])
def test_nothing_is_wider_than_a_phone(visits: Visits, site: Site, addresses: list[str], width: int) -> None:
    page = visits.page(viewport={"width": width, "height": 844})
    found = []
    for address in [*addresses, *LAB_PAGES]:
        page.goto(site.address + address)
        page.locator("details").evaluate_all("all => all.forEach((details) => { details.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
        # What sticks out of a box that clips it would be cut off: as bad as a page that scrolls.
        found += [
            f"{address}: {text}"
            for text in page.evaluate(
                """() => [...document.querySelectorAll('main *, header *, footer *')].filter((element) => {
                  if (!element.checkVisibility() || element.closest('.visually-hidden, math, svg')) return false;
                  for (let box = element; box; box = box.parentElement) {
                    if (/auto|scroll/.test(getComputedStyle(box).overflowX)) return false;
                  }
                  return element.getBoundingClientRect().right > innerWidth + 1;
                }).map((element) => element.outerHTML.slice(0, 120))"""
            )
        ]
    assert not found, "\n".join(found)


REACHABLE = """() => {
  const groups = new Set();
  window.wanted = [...document.querySelectorAll(
    'a[href], button, input, select, textarea, summary, [tabindex="0"]'
  )].filter((element) => {
    if (element.disabled || element.closest('[inert]') || !element.checkVisibility({contentVisibilityAuto: true})) return false;
    if (element.type !== 'radio') return true;
    const group = `${element.form && [...document.forms].indexOf(element.form)} ${element.name}`;
    if (groups.has(group)) return false;
    groups.add(group);
    return true;
  });
  window.met = new Set();
}"""
MET = """() => {
  let element = document.activeElement;
  while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  if (element === document.body || met.has(element)) return null;
  met.add(element);
  const outlined = (box) => {
    const {outlineStyle, outlineWidth} = box ? getComputedStyle(box) : {outlineStyle: 'none'};
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
  };
  const {left, top, width, height} = element.getBoundingClientRect();
  const at = element.getRootNode().elementFromPoint(left + width / 2, top + Math.min(height, innerHeight) / 2);
  return {
    html: element.outerHTML.slice(0, 120),
    seen: [element, element.nextElementSibling, element.closest('.box')].some(outlined),
    bare: at !== null && (element.contains(at) || at.contains(element) || at.closest('label')?.contains(element) === true),
  };
}"""
MISSED = """() => wanted.filter((element) => !met.has(element) && !(element.type === 'radio'
  && [...met].some((other) => other.type === 'radio' && other.name === element.name && other.form === element.form)))
  .map((element) => element.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("address", ["", "labs/batch-step/", "labs/batch-step/?batch=8", "about/"])
def test_everything_is_reached_by_tab_and_seen(visits: Visits, site: Site, address: str, size: dict[str, int]) -> None:
    page = visits.page(viewport=size, reduced_motion="reduce")
    page.goto(site.address + address)
    page.evaluate(REACHABLE)
    unseen = []
    for _ in range(400):
        page.keyboard.press("Tab")
        met = page.evaluate(MET)
        if met is None:
            break
        if not met["seen"]:
            unseen.append(f"no sign of the focus: {met['html']}")
        if not met["bare"]:
            unseen.append(f"something is in front of it: {met['html']}")
    assert page.evaluate(MISSED) == []
    assert not unseen, "\n".join(unseen)


def test_skip_link_leads_to_the_content(visits: Visits, site: Site) -> None:
    page = visits.page()
    page.goto(site.address + "labs/batch-step/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


class _Links(HTMLParser):
    """What a page refers to, and the places in it that can be referred to."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.links += [given[name] for name in ("href", "src") if name in given]
        self.places |= {given[name] for name in ("id", "name") if name in given}


def read(address: str) -> _Links | None:
    """The links of a page, or None where nothing is at this address or it is no page."""
    try:
        with urlopen(address) as answer:
            parser = _Links()
            if answer.headers.get_content_type() == "text/html":
                parser.feed(answer.read().decode())
            return parser
    except HTTPError:
        return None


def test_every_link_leads_somewhere(site: Site, addresses: list[str]) -> None:
    pages = {address: read(site.address + address) for address in addresses if address != "404.html"}
    known = {site.address + address: found for address, found in pages.items()}
    dead = []
    for address, page in pages.items():
        assert page is not None, address
        for link in page.links:
            target, place = urldefrag(urljoin(site.address + address, link))
            if urlsplit(target).scheme in ("mailto", "data") or not target.startswith("http"):
                continue
            if not target.startswith(site.address):
                # Nothing on this machine can say whether it leads anywhere; it must at least be meant for the outside.
                if urlsplit(target).scheme != "https":
                    dead.append(f"{address}: {link}")
                continue
            bare = target.partition("?")[0]
            if bare not in known:
                known[bare] = read(bare)
            found = known[bare]
            if found is None or (place and "/assets/" not in bare and unquote(place) not in found.places):
                dead.append(f"{address}: {link}")
    assert not dead, "\n".join(dead)
    assert len(known) > len(pages)


@pytest.mark.parametrize("address", ["nowhere", "labs/nowhere/", "labs/batch-step/deeper/still/nowhere"])
def test_address_that_leads_nowhere_leads_back(visits: Visits, site: Site, address: str) -> None:
    page = visits.page()
    visits.watch(page).allow("404")
    answer = page.goto(site.address + address)
    assert answer and answer.status == 404
    expect(page.get_by_role("heading", level=1)).to_contain_text("no page")
    home = page.get_by_role("link", name="Home")
    expect(home).to_have_attribute("href", "/" + PATH)
    page.get_by_role("link", name="All labs").click()
    expect(page).to_have_url(site.address + "labs/")


def test_home_leads_to_the_lab(visits: Visits, site: Site) -> None:
    page = visits.page()
    page.goto(site.address)
    page.get_by_role("link", name="A bigger batch, a different bottleneck").first.click()
    expect(page).to_have_url(site.address + "labs/batch-step/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("bigger batch")
    page.get_by_role("link", name="How it is derived").click()
    expect(page).to_have_url(site.address + "labs/batch-step/derivation/")


@pytest.fixture
def plain_host(built: Path) -> Iterator[str]:
    """The site behind Python's own file server."""
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(built)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout
        port = process.stdout.readline().split("port ")[1].split()[0]
        yield f"http://127.0.0.1:{port}/{PATH}"
        process.terminate()


def test_works_behind_the_plainest_host(visits: Visits, plain_host: str) -> None:
    lab = Lab(visits.page(plain_host), plain_host)
    lab.page.goto(plain_host)
    lab.page.get_by_role("link", name="Predict, then see").click()
    lab.prediction("double-batch").get_by_role("button", name="Skip").click()
    lab.press("batch", *["ArrowRight"] * 8)
    expect(lab.number("sequence_tokens_per_s")).to_have_text("104 tok/s")
    expect(lab.figure.locator("canvas").first).to_be_visible()
    expect(lab.status).to_have_text("Python has checked these numbers.")
