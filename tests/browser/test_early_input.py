"""What a reader sets before the page's scripts are there."""

from playwright.sync_api import expect

from tests.browser.lab import Lab
from tests.browser.serving import Site


def test_keys_pressed_before_the_scripts_came_are_applied(lab: Lab, site: Site) -> None:
    with site.gate.hold(r"/assets/lab-\w+\.js"):
        lab.page.goto(lab.address, wait_until="commit")
        lab.press("batch", *["ArrowRight"] * 8)
        lab.radio("kv", "fp8").check()
        lab.box("context").fill("4096")
    lab.prediction("double-batch").get_by_role("button", name="Skip").click()
    expect(lab.box("batch")).to_have_value("16")
    expect(lab.box("context")).to_have_value("4096")
    # 4.4804 ms + 16 x 0.32052 / 4 ms
    expect(lab.number("step_time_s")).to_have_text("5.76 ms")
    lab.page.wait_for_url("**batch=16&context=4096**kv=fp8**")


def test_what_was_set_early_wins_over_the_address(lab: Lab, site: Site) -> None:
    with site.gate.hold(r"/assets/lab-\w+\.js"):
        lab.page.goto(f"{lab.address}?batch=64&context=4096", wait_until="commit")
        lab.press("batch", *["ArrowRight"] * 8)
    expect(lab.box("context")).to_have_value("4096")
    expect(lab.box("batch")).to_have_value("16")
    expect(lab.number("step_time_s")).to_have_text("7.04 ms")


def test_keys_pressed_while_the_figure_is_not_there_yet_are_drawn_later(lab: Lab, site: Site) -> None:
    with site.gate.hold(r"/assets/bokeh-"):
        lab.page.goto(f"{lab.address}?batch=8", wait_until="commit")
        lab.press("batch", *["ArrowRight"] * 8)
        expect(lab.number("sequence_tokens_per_s")).to_have_text("104 tok/s")
    expect(lab.figure.locator("canvas").first).to_be_visible()
