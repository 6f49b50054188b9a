"""What people do in the view "Flow" of the page mHC, in a real browser."""

import json
import re

from playwright.sync_api import expect

from tests.browser.helpers import TEXT, at_rest, from_menu, on_a_phone, open_link, until, wait_for_param


def open_view(page, server, **params):
    open_link(page, server, "mhc", **{"text": TEXT, **params})
    view = page.get_by_test_id("flow-root")
    expect(view).to_have_attribute("data-place", re.compile(r"\d"))
    return view


def test_keys_and_clicks_choose_a_sublayer_that_enters_the_link(page, server):
    view = open_view(page, server, stok=3)
    canvas = page.get_by_test_id("rivers")
    canvas.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(view).to_have_attribute("data-place", "1.4")
    wait_for_param(page, "ssub", "1")
    at_rest(page)
    plan = json.loads(view.get_attribute("data-plans"))[-1]
    canvas.click(position={"x": plan["start"] + 6.5 * plan["step"], "y": plan["box"]["y"] + 90})
    expect(view).to_have_attribute("data-place", "6.4")
    page.get_by_test_id("shows").get_by_text("mHC").click()
    wait_for_param(page, "sfshow", "manifold")
    page.reload()
    expect(view).to_have_attribute("data-place", "6.4")
    expect(view).to_have_attribute("data-shown", "manifold")


def test_the_depth_is_walked_and_tokens_are_scrubbed(page, server):
    view = open_view(page, server, ssub=12, stok=2)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(view).to_have_attribute("data-playing", "true")
    expect(view).to_have_attribute("data-place", "15.2")
    expect(view).to_have_attribute("data-playing", "false")
    wait_for_param(page, "ssub", "15")
    token = page.get_by_label("Token", exact=True)
    token.press("ArrowRight")
    expect(view).to_have_attribute("data-place", "15.3")
    # Counted from 0.
    expect(page.locator("label.slider", has=token).locator("output")).to_have_text(re.compile("^3 · .*a"))
    page.get_by_role("button", name="Each step").click()
    wait_for_param(page, "sfwidth", "step")
    wait_for_param(page, "stok", "3")


def test_the_figure_is_saved_as_svg_and_turned_on_a_phone(page, server):
    view = open_view(page, server)
    with page.expect_download() as download:
        from_menu(page, "SVG")
    text = download.value.path().read_text(encoding="utf-8")
    assert "Streams through the sublayers" in text and "stories-mhc" in text
    on_a_phone(page)  # where the depth leads downwards
    until(page, lambda: all(plan["upright"] for plan in json.loads(view.get_attribute("data-plans"))))
