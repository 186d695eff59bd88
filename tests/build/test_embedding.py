"""What other people's pages load: the script, the pictures, and what the page for teachers says of them."""

import json
import re
import subprocess
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import brotli
import pytest

from builder import embedding, node, packs, prerender
from builder.paths import SITE
from builder.poster import poster
from engine.labs import lab

TEACHERS = (SITE / "pages" / "for-teachers.md").read_text("utf-8")
COURSE = (SITE / "course" / "index.html").read_text("utf-8")
EMBED = (SITE / "embed.js").read_text("utf-8")
OPTIONS = {"data-lab", "data-load", "data-python", "data-sandbox", "data-theme"}


@cache
def drawn() -> ET.Element:
    return poster(prerender.make(packs.make())["batch-step"]["view"]["figure_html"])


def picture() -> str:
    return ET.tostring(drawn(), encoding="unicode")


def script() -> str:
    return embedding.script({"batch-step": drawn()})


def test_the_script_is_small_classic_and_leaves_no_name(tmp_path: Path) -> None:
    file = tmp_path / "embed.cjs"
    file.write_text(script(), "utf-8")
    subprocess.run([node.find().program, "--check", file], check=True, timeout=60)
    assert len(brotli.compress(file.read_bytes(), quality=9)) < 4_500
    assert re.fullmatch(r"\(\(\) => \{\n'use strict';\n.*\n\}\)\(\);\n", script(), re.S)
    assert not re.findall(r"cookie|localStorage|eval\(|innerHTML|import\(", script())


def test_the_script_knows_which_labs_are_there() -> None:
    found = re.search(r"^const LABS = (\{.*\});$", script(), re.M)
    assert found
    table = json.loads(found[1])
    assert len(table) == 8
    assert table["batch-step"]["title"] == "A bigger batch, a different bottleneck"
    assert [name for name, entry in table.items() if entry["poster"]] == ["batch-step"]


def test_a_poster_is_small_and_stands_alone() -> None:
    assert len(brotli.compress(picture().encode(), quality=9)) < 6_000
    root = ET.fromstring(picture())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    # What is drawn inside a frame is cut off at its edge.
    assert [part.get("overflow") for part in root.findall("./{*}svg/{*}g/{*}svg[@preserveAspectRatio]")].count(
        None
    ) >= 2
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    # An image loads nothing else.
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)|@import|<script|style=", picture())


def test_a_poster_has_its_colours_light_and_dark() -> None:
    light, dark = re.findall(r":root\{([^}]*)\}", picture())
    names = [re.findall(r"(--[\w-]+):", block) for block in (light, dark)]
    assert names[0] == names[1]
    assert set(re.findall(r"var\((--[\w-]+)\)", picture())) == set(names[0])
    assert "prefers-color-scheme:dark" in picture()
    assert light != dark


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_every_option_is_documented(name: str) -> None:
    assert f"'{name}'" in EMBED
    assert f"`{name}`" in TEACHERS or f"`{name}=" in TEACHERS


def test_every_field_of_a_message_is_documented() -> None:
    teller = (SITE / "scripts" / "embedded.js").read_text("utf-8")
    version = re.search(r"^const PROTOCOL = (\d+);$", teller, re.M)
    assert version and f"`ridgepoint: {version[1]}`" in TEACHERS and f"const PROTOCOL = {version[1]};" in EMBED
    sent = re.search(r"post\('prediction', \{(.*?)\}\);", teller, re.S)
    assert sent
    fields = {"lab", "version", "inputs", "outputs", "height", *re.findall(r"^\s+(\w+)[:,]", sent[1], re.M)}
    assert {"id", "answer", "verdict", "right", "prompt", "mistake", "shown"} < fields
    assert [name for name in fields if f"`{name}`" not in TEACHERS] == []


def test_the_example_asks_for_what_there_is() -> None:
    places = re.findall(r"<div (data-lab=[^>]*)>", COURSE)
    assert len(places) == 5
    for place in places:
        asked = dict(re.findall(r'(data-[\w-]+)="([^"]*)"', place))
        if asked["data-lab"] == "batch-step":
            names = {name.removeprefix("data-").replace("-", "_"): asked[name] for name in asked.keys() - OPTIONS}
            lab("batch-step").parse(names)
