"""The accessibility checker axe-core, from the npm packages that the build pins."""

from functools import cache
from typing import Any

from playwright.sync_api import Page

from builder import node


@cache
def _program() -> str:
    return (node.packages() / "axe-core" / "axe.min.js").read_text("utf-8")


def load(page: Page) -> None:
    """Bring axe into the page that is open; a script of the page's own would be stopped by its policy."""
    page.evaluate(_program())


def violations(page: Page) -> list[str]:
    """What axe finds wrong, by rule and place; `load` it first."""
    found: list[dict[str, Any]] = page.evaluate("async () => (await axe.run({resultTypes: ['violations']})).violations")
    return [
        f"{rule['id']} ({rule['impact']}): {node['target']} {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]
