"""What other people's pages load: the script that puts labs into them, a picture of each lab; and an example of such a page."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from builder.pages import listed
from builder.paths import SITE
from builder.poster import poster

SCRIPT = "embed.js"
POSTER = "poster.svg"
COURSE = "course"


def write(prerendered: Mapping[str, Any], out: Path) -> None:
    """Write everything below `out`, at addresses that stay: other people's pages hold them."""
    posters = {slug: poster(found["view"]["figure_html"]) for slug, found in prerendered.items()}
    (out / SCRIPT).write_text(script(posters), "utf-8")
    for slug, drawn in posters.items():
        (out / "labs" / slug / POSTER).write_text(ET.tostring(drawn, encoding="unicode"), "utf-8")
    shutil.copytree(SITE / COURSE, out / COURSE)


def script(posters: Mapping[str, ET.Element]) -> str:
    """The script, with the labs that it may be asked for, and nothing that could meet a name of the page around it."""
    sizes = {slug: {side: drawn.attrib[side] for side in ("width", "height")} for slug, drawn in posters.items()}
    table = {
        lab["slug"]: {"title": lab["title"], "question": lab["answers"], "poster": sizes.get(lab["slug"])}
        for lab in listed("")
    }
    text = (SITE / SCRIPT).read_text("utf-8")
    return f"(() => {{\n'use strict';\nconst LABS = {json.dumps(table, ensure_ascii=False)};\n{text}}})();\n"
