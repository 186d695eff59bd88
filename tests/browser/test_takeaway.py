"""What a reader takes along: copies, downloads, link, embed code, print."""

import csv
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.lab import Lab, spaced

SVG = "{http://www.w3.org/2000/svg}"


def copied(lab: Lab, action: str) -> str:
    """What is on the clipboard after a click, once the page has said so."""
    lab.page.evaluate("navigator.clipboard.writeText('')")
    lab.action(action).click()
    expect(lab.page.locator("[data-notice]")).to_contain_text("Copied")
    text = lab.page.evaluate("navigator.clipboard.readText()")
    assert isinstance(text, str)
    return text


def downloaded(lab: Lab, action: str, folder: Path) -> Path:
    with lab.page.expect_download() as waiting:
        lab.action(action).click()
    file = folder / waiting.value.suggested_filename
    waiting.value.save_as(file)
    expect(lab.page.locator("[data-notice]")).to_contain_text(file.name)
    return file


def test_calculation_as_text(started: Lab) -> None:
    started.type("batch", "16")
    lines = [spaced(line) for line in copied(started, "copy-text").splitlines()]
    text = "\n".join(lines)
    assert "Batch 16 sequences" in text
    assert "104 tok/s" in text
    step = next(line for line in lines if line.endswith("9.61 ms"))
    assert "4.48 ms" in step and "5.13 ms" in step
    assert "python -m engine lab batch-step batch=16" in text


def test_calculation_as_markdown(started: Lab) -> None:
    started.type("context", "131072")
    text = spaced(copied(started, "copy-markdown"))
    assert text.startswith("## ")
    assert "|---|---|---|---|" in text
    assert "### Warnings" in text and "Context 131,072 exceeds" in text
    assert "### Limits" in text


def test_link_opens_what_was_shared(started: Lab) -> None:
    started.type("batch", "16").type("context", "4096")
    link = copied(started, "copy-link")
    started.open(batch=1)
    started.page.goto(link)
    expect(started.box("batch")).to_have_value("16")
    expect(started.box("context")).to_have_value("4096")


def test_embed_code_is_a_frame_with_this_setting(started: Lab) -> None:
    started.type("batch", "16")
    code = copied(started, "copy-embed")
    frame = ElementTree.fromstring(code)
    assert frame.tag == "iframe"
    assert frame.get("title")
    query = parse_qs(urlsplit(frame.get("src") or "").query)
    assert query["embed"] == ["1"] and query["batch"] == ["16"]


def test_refused_clipboard_leaves_the_text_to_be_copied_by_hand(lab: Lab) -> None:
    lab.page.add_init_script(
        "navigator.clipboard.writeText = () => Promise.reject(); document.execCommand = () => false"
    )
    lab.open(batch=16).settled()
    lab.action("copy-text").click()
    dialog = lab.page.get_by_role("dialog")
    box = dialog.get_by_role("textbox")
    expect(box).to_be_focused()
    assert "104" in box.input_value()
    assert box.evaluate("box => box.selectionEnd - box.selectionStart === box.value.length")
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)


def test_data_as_csv(started: Lab, tmp_path: Path) -> None:
    started.type("batch", "300")
    file = downloaded(started, "csv", tmp_path)
    assert file.name == "batch-step.csv"
    lines = file.read_text("utf-8").splitlines()
    notes, table = (
        [line for line in lines if line.startswith("#")],
        [line for line in lines if not line.startswith("#")],
    )
    assert any("batch=300" in line for line in notes)
    rows = list(csv.DictReader(table))
    by_batch = {float(row["batch [sequence]"]): row for row in rows}
    assert len(by_batch) == len(rows) > 100
    assert list(by_batch) == sorted(by_batch)
    # 1 / (4.4804 ms + 16 x 0.32052 ms), and the reader's own place between the curve's.
    assert float(by_batch[16]["sequence_tokens_per_s [token/s]"]) == pytest.approx(104.07, abs=0.005)
    assert 300 in by_batch
    fits = next(name for name in rows[0] if name.startswith("fits "))
    assert by_batch[16][fits] == "true" and by_batch[1024][fits] == "false"


def test_csv_is_of_the_setting_on_the_page(started: Lab, tmp_path: Path) -> None:
    started.radio("kv", "fp8").check()
    rows = list(csv.DictReader(downloaded(started, "csv", tmp_path).read_text("utf-8").splitlines()[2:]))
    now = next(row for row in rows if float(row["batch [sequence]"]) == 8)
    assert float(now["step_time_s [s]"]) == started.value("step_time_s")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figure_as_png(started: Lab, tmp_path: Path, scheme: str) -> None:
    started.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    box = started.figure.bounding_box()
    assert box
    picture = Image.open(downloaded(started, "png", tmp_path)).convert("RGB")
    assert picture.width == pytest.approx(box["width"], abs=2)
    assert picture.height == pytest.approx(box["height"], abs=8)
    colours = {colour: count for count, colour in picture.getcolors(picture.width * picture.height) or []}
    assert len(colours) > 100
    paper = max(colours, key=lambda colour: colours[colour])
    assert sum(paper) > 700 if scheme == "light" else sum(paper) < 150


def test_figure_as_svg(started: Lab, tmp_path: Path) -> None:
    file = downloaded(started, "svg", tmp_path)
    root = ElementTree.parse(file).getroot()
    assert root.tag == f"{SVG}svg"
    box = started.figure.bounding_box()
    assert box
    assert float(root.get("width") or 0) == pytest.approx(box["width"], abs=2)
    words = " ".join("".join(text.itertext()) for text in root.iter(f"{SVG}text"))
    assert "One step, in milliseconds" in words
    assert "ridge batch 295.3" in words
    assert len(list(root.iter(f"{SVG}path"))) > 20


def test_figure_of_the_download_follows_the_inputs(started: Lab, tmp_path: Path) -> None:
    before = downloaded(started, "svg", tmp_path).read_text("utf-8")
    started.radio("weights", "fp8").check()
    assert downloaded(started, "svg", tmp_path).read_text("utf-8") != before


def test_print_button_prints(started: Lab) -> None:
    started.page.evaluate("window.print = () => { document.title = 'printed'; }")
    started.action("print").click()
    expect(started.page).to_have_title("printed")


def test_paper_has_no_controls_and_all_of_the_calculation(started: Lab) -> None:
    started.type("batch", "16").settled()
    page = started.page
    page.emulate_media(media="print")
    visible = page.locator("button, input, select, nav, .predict").evaluate_all(
        "all => all.filter((element) => element.checkVisibility()).map((element) => element.outerHTML)"
    )
    assert visible == []
    for name in ("linear_weight_bytes", "step_time_s", "memory_free_bytes"):
        expect(page.locator(f"#step-{name}")).to_be_visible()
    expect(page.locator(".print-inputs")).to_contain_text(re.compile(r"Batch\s*16\ssequences"))
    expect(page.locator("code[data-address]")).to_contain_text("batch=16&context=8192")
    expect(started.figure).to_be_visible()
    expect(started.summary).to_be_visible()


def test_calculation_is_open_on_paper_even_if_closed_on_the_screen(started: Lab) -> None:
    page = started.page
    closed = page.locator("details.steps-of").first
    closed.locator("summary").click()
    expect(page.locator("#step-linear_weight_bytes")).to_be_hidden()
    page.evaluate(
        "window.addEventListener('beforeprint', () => { window.open_on_paper = "
        "document.querySelectorAll('details.steps-of:not([open])').length === 0; }, {once: true})"
    )
    paper = page.pdf(prefer_css_page_size=True)
    assert paper.startswith(b"%PDF")
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", paper)) <= 2
    assert page.evaluate("window.open_on_paper")
    # On the screen it is as the reader left it.
    expect(page.locator("#step-linear_weight_bytes")).to_be_hidden()
    closed.locator("summary").click()
