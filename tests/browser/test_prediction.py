"""The reader predicts first: cover, verdict, mistake, and what is kept."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visits
from tests.browser.lab import Lab, spaced
from tests.browser.serving import Site

SECRET = "104 tok/s"
"""The answer to the first prompt."""


def judged(lab: Lab, name: str, part: str) -> str:
    place = lab.prediction(name).locator(f'[data-judged="{part}"]')
    expect(place).not_to_be_empty()
    return spaced(place.inner_text())


def choose(lab: Lab, name: str, option: str) -> None:
    lab.prediction(name).get_by_role("radio", name=option).check()
    lab.prediction(name).get_by_role("button", name="Commit").click()


def expect_covered(lab: Lab) -> None:
    """Neither eyes nor screen readers nor the keyboard reach the numbers; the text is there all the same."""
    expect(lab.number("step_time_s")).to_have_css("color", "rgba(0, 0, 0, 0)")
    expect(lab.page.locator(".headline")).to_have_css("filter", "blur(10px)")
    assert "7.04" not in lab.results.aria_snapshot()
    assert lab.results.evaluate("element => element.inert")
    assert "7.04\u00a0ms" in lab.results.evaluate("element => element.textContent")
    expect(lab.page.get_by_text("The results are covered")).to_be_visible()


def expect_open(lab: Lab) -> None:
    expect(lab.number("step_time_s")).not_to_have_css("color", "rgba(0, 0, 0, 0)")
    expect(lab.page.locator(".headline")).to_have_css("filter", "none")
    assert "7.04 ms" in spaced(lab.results.aria_snapshot())
    assert not lab.results.evaluate("element => element.inert")
    expect(lab.page.get_by_text("The results are covered")).to_be_hidden()


def test_first_visit_without_inputs_is_covered(lab: Lab) -> None:
    lab.open()
    expect_covered(lab)
    # The inputs already move, and give nothing away.
    lab.press("batch", "ArrowRight")
    expect(lab.box("batch")).to_have_value("9")
    expect(lab.summary).to_have_css("filter", "none")
    expect(lab.page.locator(".picture")).to_have_css("filter", "blur(10px)")
    assert SECRET not in spaced(lab.page.locator("body").aria_snapshot())


def test_embedding_alone_is_no_input(lab: Lab) -> None:
    expect_covered(lab.open(embed=1))


def test_inputs_in_the_address_uncover(lab: Lab) -> None:
    expect_open(lab.open(context=8192))


def test_print_is_never_covered(lab: Lab) -> None:
    lab.open().page.emulate_media(media="print")
    expect(lab.number("step_time_s")).not_to_have_css("color", "rgba(0, 0, 0, 0)")
    for part in lab.results.locator("> section").all():
        expect(part).to_have_css("filter", "none")
    expect(lab.results).to_have_css("max-height", "none")
    expect(lab.results).to_have_css("opacity", "1")


def test_without_scripts_nothing_is_covered(visits: Visits, site: Site) -> None:
    lab = Lab(visits.page(java_script_enabled=False), site.address).open()
    expect(lab.number("step_time_s")).to_be_visible()
    assert spaced(lab.number("step_time_s").inner_text()) == "7.04 ms"
    expect(lab.page.locator(".headline")).to_have_css("filter", "none")
    # With scripts switched off by a tool, <noscript> is not drawn: its words are read from the source.
    assert "Scripts are off" in lab.page.content()
    expect(lab.prediction("double-batch").locator("[data-answer-plain]")).to_contain_text(SECRET)


def test_scripts_that_do_not_arrive_leave_nothing_covered(visits: Visits, lab: Lab, site: Site) -> None:
    visits.watch(lab.page).allow("503")
    with site.gate.refuse(r"/lab-\w+\.js"):
        lab.open()
    expect_open(lab)


def test_71_is_named_kindly_and_kept_until_it_is_forgotten(lab: Lab) -> None:
    lab.open()
    field = lab.prediction("double-batch").get_by_label("Your prediction")
    field.fill("71")
    field.press("Enter")
    assert judged(lab, "double-batch", "yours") == "71 tok/s"
    assert judged(lab, "double-batch", "answer") == SECRET
    assert judged(lab, "double-batch", "verdict").startswith("Within 1.47×")
    assert "once for each sequence" in judged(lab, "double-batch", "mistake")
    decided = judged(lab, "double-batch", "step")
    assert all(time in decided for time in ("4.48 ms", "2.56 ms", "5.13 ms"))
    expect_open(lab)
    # The focus goes to the verdict, not back to the top of the page.
    expect(lab.prediction("double-batch").locator("[data-judged-box]")).to_be_focused()

    lab.prediction("double-batch").get_by_role("link", name="The step that decides").click()
    expect(lab.page.locator("#step-linear_weight_bytes")).to_be_in_viewport()

    # What was said stays said, though the inputs move on.
    lab.press("batch", "ArrowRight")
    assert judged(lab, "double-batch", "answer") == SECRET
    assert "batch grows from 8 to 16" in lab.prediction("double-batch").inner_text()

    lab.open()
    expect_open(lab)
    assert judged(lab, "double-batch", "yours") == "71 tok/s"
    assert "once for each sequence" in judged(lab, "double-batch", "mistake")

    lab.page.get_by_role("button", name="Forget them").click()
    expect(lab.page.get_by_role("button", name="Forgotten")).to_be_visible()
    expect(lab.prediction("double-batch").get_by_label("Your prediction")).to_be_visible()
    assert lab.page.evaluate("localStorage.length") == 0
    expect_covered(lab.open())


def test_skipping_uncovers_and_is_kept(lab: Lab) -> None:
    lab.open()
    lab.prediction("double-batch").get_by_role("button", name="Skip").click()
    expect_open(lab)
    expect(lab.results).to_be_focused()
    expect_open(lab.open())


def test_predicting_again_covers_again(lab: Lab) -> None:
    lab.open()
    lab.prediction("double-batch").get_by_label("Your prediction").fill("104")
    lab.prediction("double-batch").get_by_role("button", name="Commit").click()
    assert judged(lab, "double-batch", "verdict") == "On the spot."
    lab.press("batch", "Home").settled()
    lab.prediction("double-batch").get_by_role("button", name="Predict again").click()
    expect(lab.prediction("double-batch").get_by_label("Your prediction")).to_be_focused()
    expect(lab.prediction("double-batch")).to_contain_text("from 1 to 2")
    expect(lab.number("step_time_s")).to_have_css("color", "rgba(0, 0, 0, 0)")


@pytest.mark.parametrize("answer", ["", "many", "0", "-3"])
def test_what_is_no_number_is_refused_in_words(lab: Lab, answer: str) -> None:
    lab.open()
    field = lab.prediction("double-batch").get_by_label("Your prediction")
    field.fill(answer)
    field.press("Enter")
    expect(lab.prediction("double-batch").get_by_role("alert")).to_contain_text("number")
    expect(field).to_be_visible()
    expect_covered(lab)


@pytest.fixture
def asked(started: Lab) -> Iterator[Lab]:
    """A lab with all its prompts open to be answered."""
    started.page.reload()
    more = started.page.locator("details.more")
    if more.get_attribute("open") is None:
        more.locator("summary").click()
    yield started


def test_wrong_choice_is_answered_with_its_mistake(asked: Lab) -> None:
    choose(asked, "fp8-ridge", "It halves")
    assert judged(asked, "fp8-ridge", "verdict") == "The model says otherwise."
    assert judged(asked, "fp8-ridge", "yours") == "It halves"
    assert judged(asked, "fp8-ridge", "answer") == "It stays about where it is"
    assert "FP8 peak is higher too" in judged(asked, "fp8-ridge", "mistake")


def test_right_choice_needs_no_mistake(asked: Lab) -> None:
    choose(asked, "batch-one", "FP8 weights")
    assert judged(asked, "batch-one", "verdict") == "Right: so says the model."
    assert "391 tok/s" in judged(asked, "batch-one", "step")
    expect(asked.prediction("batch-one").locator('[data-judged="mistake"]')).to_be_hidden()


def test_direction_by_keyboard(asked: Lab) -> None:
    asked.prediction("context-ridge").locator('[value="down"]').press("ArrowRight")
    asked.page.keyboard.press("Enter")
    assert judged(asked, "context-ridge", "yours") == "It stays"
    assert judged(asked, "context-ridge", "verdict") == "Right: so says the model."


def test_no_choice_is_refused_in_words(asked: Lab) -> None:
    asked.prediction("fp8-ridge").get_by_role("button", name="Commit").click()
    expect(asked.prediction("fp8-ridge").get_by_role("alert")).to_contain_text("Choose one")


def test_a_prediction_is_judged_for_the_inputs_it_was_made_with(asked: Lab) -> None:
    asked.type("context", "2048").settled()
    asked.prediction("double-batch").get_by_label("Your prediction").fill("142")
    asked.prediction("double-batch").get_by_role("button", name="Commit").click()
    # 1 / (4.4804 ms + 2 x 0.6410 ms)
    assert judged(asked, "double-batch", "answer") == "174 tok/s"
