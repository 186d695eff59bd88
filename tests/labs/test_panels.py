"""The simulators' parts of a page: what stands in them, and that the page's messages get them."""

from html.parser import HTMLParser
from typing import Any

import pytest

from labs._app import LabApp, answer


class Acts(HTMLParser):
    """Collects what can be done, and the classes of the blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.acts: list[str] = []
        self.blocks: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        assert "style" not in found and not [name for name in found if name.startswith("on")]
        if "data-act" in found:
            self.acts.append(found["data-act"] or "")
        if (found.get("class") or "").startswith("block "):
            self.blocks.append((found["class"] or "").removeprefix("block "))


def read(html: str) -> Acts:
    acts = Acts()
    acts.feed(html)
    return acts


@pytest.fixture(scope="module")
def app() -> LabApp:
    return LabApp("prefix-ownership")


def panel(app: LabApp, **inputs: Any) -> dict[str, Any]:
    return answer(app, {"type": "panel", "rev": "python-1", "inputs": inputs})


def test_the_default_pool_shows_the_blocks_of_the_contract(app: LabApp) -> None:
    """By hand: 3 shared blocks and 2 of its own for each of 4 requests, in a pool of 64."""
    found = read(panel(app)["html"])
    assert found.blocks.count("shared") == 3
    assert sum(kind.startswith("owner-") for kind in found.blocks) == 8
    assert found.blocks.count("empty") == 64 - 11
    assert {"admit", "finish:1", "finish:4", "edit:16", "pool:32", "reset"} <= set(found.acts)


def test_a_finished_request_leaves_its_own_two_blocks_in_the_cache(app: LabApp) -> None:
    reply = panel(app, actions="finish:1")
    found = read(reply["html"])
    assert found.blocks.count("cached") == 2 and found.blocks.count("shared") == 3
    assert "finish:1" not in found.acts and "again:1" in found.acts
    assert "What happened last: finish:1" in reply["html"]
    assert reply["errors"] == {} and reply["rev"] == "python-1"


def test_what_cannot_be_read_is_said_and_the_default_shown(app: LabApp) -> None:
    reply = panel(app, actions="explode")
    assert "actions: “explode” is not allowed" in reply["errors"]["actions"]
    assert read(reply["html"]).blocks.count("shared") == 3


def test_what_is_too_large_to_be_read_is_said(app: LabApp) -> None:
    assert "at most 256 requests" in panel(app, requests=1000)["html"]


def test_a_lab_without_simulator_has_no_panel() -> None:
    assert LabApp("batch-step").view()["panel"] is None
