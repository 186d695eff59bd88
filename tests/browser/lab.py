"""A lab's page as a reader uses it: controls, texts, raw values, address. Nothing here knows how the page works inside."""

import json
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from playwright.sync_api import Locator, Page, expect

SLUG = "batch-step"


class Lab:
    """The page of the first lab."""

    def __init__(self, page: Page, site: str) -> None:
        self.page = page
        self.address = f"{site}labs/{SLUG}/"

    def open(self, query: str = "", **inputs: Any) -> "Lab":
        """Go to the lab with this query, or with these inputs in it."""
        text = query or urlencode(inputs)
        self.page.goto(self.address + (f"?{text}" if text else ""))
        return self

    def settled(self) -> "Lab":
        """Wait until the numbers shown are those of the inputs shown."""
        expect(self.results).not_to_have_attribute("data-behind", "")
        return self

    def start_over(self) -> "Lab":
        """As after the first visit: default inputs, nothing pinned, nothing kept."""
        self.page.evaluate("localStorage.clear()")
        if self.action("unpin").is_visible():
            self.action("unpin").click()
        self.action("reset").click()
        return self.settled()

    @property
    def results(self) -> Locator:
        return self.page.locator("[data-results]")

    @property
    def status(self) -> Locator:
        return self.page.locator("[data-status]")

    @property
    def figure(self) -> Locator:
        return self.page.locator("[data-figure]")

    @property
    def summary(self) -> Locator:
        return self.page.locator("figcaption")

    @property
    def notices(self) -> Locator:
        return self.page.locator("[data-notices] li")

    def control(self, name: str) -> Locator:
        return self.page.locator(f'[data-input="{name}"]')

    def slider(self, name: str) -> Locator:
        return self.control(name).locator("[data-slider]")

    def box(self, name: str) -> Locator:
        return self.control(name).locator("[data-number]")

    def error(self, name: str) -> Locator:
        return self.control(name).locator("[data-error-for]")

    def type(self, name: str, text: str) -> "Lab":
        """Type into a number box and leave it by Enter."""
        self.box(name).fill(text)
        self.box(name).press("Enter")
        return self

    def press(self, name: str, *keys: str) -> "Lab":
        """Press keys on a slider."""
        for key in keys:
            self.slider(name).press(key)
        return self

    def select(self, name: str, value: str) -> "Lab":
        self.control(name).locator("select").select_option(value)
        return self

    def radio(self, name: str, value: object) -> Locator:
        return self.control(name).locator(f'input[value="{value}"]')

    def action(self, name: str) -> Locator:
        return self.page.locator(f'[data-action="{name}"]').first

    def preset(self, name: str) -> Locator:
        return self.page.locator(f'[data-preset="{name}"]')

    def number(self, name: str) -> Locator:
        """A headline number."""
        return self.page.locator(f'.headline [data-output="{name}"]')

    def output(self, name: str) -> Locator:
        """A number in the list of every result, or in the calculation where it is no result."""
        return self.page.locator(f'[data-output="{name}"]').last

    def value(self, name: str) -> Any:
        """The raw number behind a result, in base units."""
        raw = self.output(name).get_attribute("data-value")
        assert raw is not None
        return float(raw) if raw == "inf" else json.loads(raw) if raw[0] in "-0123456789tf" else raw

    def warning(self, name: str) -> Locator:
        """A warning, beside the numbers and in the boundaries."""
        return self.page.locator(f'[data-flag="warn.{name}"]')

    def prediction(self, name: str) -> Locator:
        return self.page.locator(f'[data-prediction="{name}"]')

    def query(self) -> dict[str, str]:
        """What the address bar holds."""
        return dict(parse_qsl(urlsplit(self.page.url).query))


def spaced(text: str) -> str:
    """A shown text with plain spaces."""
    return " ".join(text.split())
