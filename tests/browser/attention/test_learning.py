"""The page Learning in a browser: it is played and dragged, a head is followed, and the explorer goes from step to
step."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, open_link, wait_for_param


def test_a_training_is_walked_played_and_a_head_followed(page, server):
    open_link(page, server, "learning")
    root, canvas = page.get_by_test_id("learning-root"), page.get_by_test_id("learning-canvas")
    expect(root).to_have_attribute("data-step", "2200")
    assert_above_the_fold(canvas)
    slider = root.get_by_test_id("axis")
    slider.focus()
    page.keyboard.press("Home")
    expect(root).to_have_attribute("data-step", "0")
    wait_for_param(page, "lnstep", "0")
    canvas.click(position={"x": 20, "y": 30})
    expect(root).to_have_attribute("data-head", "L0H0")
    wait_for_param(page, "lnhead", "0.0")
    expect(page.get_by_test_id("learning-said")).to_contain_text("L0H0 at step 0:")
    canvas.press("ArrowRight")
    expect(root).to_have_attribute("data-head", "L0H1")
    root.get_by_role("button", name="Play", exact=True).click()
    expect(root).to_have_attribute("data-playing", "true")
    expect(root).to_have_attribute("data-step", re.compile(r"^[1-9]\d"))
    film = root.get_by_test_id("film")
    film.click()
    expect(film).to_have_text("End film")
    expect(root).to_have_attribute("data-step", re.compile(r"^\d{3}"))
    with page.expect_download() as saved:
        film.click()
    assert saved.value.suggested_filename == "tlmviz-learning.webm"
    assert saved.value.path().read_bytes()[:4] == b"\x1a\x45\xdf\xa3"  # as every WebM begins
    root.get_by_role("button", name="Pause", exact=True).click()
    expect(root).to_have_attribute("data-playing", "false")
    onward = page.get_by_role("link", name=re.compile("in the explorer"))
    expect(onward).to_contain_text("L0H1 at step")
    onward.click()
    expect(page.locator("h1").first).to_contain_text("Attention explorer")
    expect(page.get_by_role("slider", name="Step of its training")).to_be_visible()
    wait_for_param(page, "head", "0.1")


def test_the_explorer_goes_from_step_to_step(page, server):
    open_link(page, server, "", model="stories-induction@1200", head="2.0")
    expect(page.locator("h1").first).to_contain_text("Attention explorer")
    steps = page.get_by_role("slider", name="Step of its training")
    expect(steps).to_have_attribute("aria-valuetext", "step 1,200")
    steps.press("ArrowRight")
    wait_for_param(page, "model", "stories-induction@1275")
    steps.press("End")
    wait_for_param(page, "model", "stories-induction")
