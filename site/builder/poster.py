"""The picture of a lab's figure as an SVG file that stands alone, for pages that show it before they load the lab."""

import re
from xml.etree import ElementTree as ET

from builder.paths import SITE

WIDTH = 720
MARGIN = 12
TOKENS = SITE / "styles" / "10-tokens.css"
SVG = "http://www.w3.org/2000/svg"


def poster(picture: str) -> ET.Element:
    """The figure in a fixed width, its plots one below the other; `width` and `height` are in pixels.

    Parameters
    ----------
    picture : str
        The markup of `labs/_picture.py`: for each plot a box on the left, the frame, and a box on the right. The page's
        styles give the frame the width that is left; a file alone must say it.
    """
    y = MARGIN
    plots = []
    for plot in ET.fromstring(picture):
        left, frame, right = plot
        edge = float(left.get("width", 0))
        wide = WIDTH - 2 * MARGIN - edge - float(right.get("width", 0))
        left.attrib |= {"x": f"{MARGIN}", "y": f"{y:g}", "overflow": "visible"}
        frame.attrib |= {"x": f"{MARGIN + edge:g}", "y": f"{y:g}", "width": f"{wide:g}", "overflow": "visible"}
        plots += [left, frame]
        y += round(float(frame.get("height", 0)))
    height = y + MARGIN
    size = {"width": f"{WIDTH}", "height": f"{height}", "viewBox": f"0 0 {WIDTH} {height}"}
    root = ET.Element("svg", {"xmlns": SVG, **size, "font-family": "system-ui, sans-serif"})
    drawn = "".join(ET.tostring(part, encoding="unicode") for part in plots)
    ET.SubElement(root, "style").text = _styles(drawn)
    ET.SubElement(root, "rect", {"width": "100%", "height": "100%", "fill": "var(--paper)"})
    root.extend(plots)
    return root


def _styles(drawn: str) -> str:
    """The colours that the drawing uses, light and dark, from the site's own list."""
    used = {"--paper", *re.findall(r"var\((--[\w-]+)\)", drawn)}
    light, dark = (_colours(scheme, used) for scheme in ("light", "dark"))
    return f":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"


def _colours(scheme: str, used: set[str]) -> str:
    block = re.search(rf"color-scheme: {scheme};(.*?)}}", TOKENS.read_text("utf-8"), re.S)
    assert block, f"{TOKENS.name} has no {scheme} colours"
    listed = dict(re.findall(r"(--[\w-]+): ([^;]+);", block[1]))
    return "".join(f"{name}:{listed[name]};" for name in sorted(used))
