"""The page Pointers: a point dragged and added, the network's answer, the steps; words walked; links, old ones too."""

import json

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, at_rest, box_of, open_link, until, wait_for_param

SQUARE = "100.100,900.100,900.900,100.900,500.500"


def opened(page, server):
    open_link(page, server, "pointer_hull", hpts=SQUARE, hstep="1")
    root = page.get_by_test_id("hull-root")
    expect(root).to_have_attribute("data-step", "1")
    return root, page.get_by_test_id("hull")


def place(root, canvas, index: int) -> tuple[float, float]:
    """Where a point is, in page coordinates."""
    box, at = box_of(canvas), json.loads(root.get_attribute("data-places"))[index]
    return box["x"] + at["x"], box["y"] + at["y"]


def test_a_point_that_is_dragged_outside_becomes_a_corner(page, server):
    root, canvas = opened(page, server)
    assert_above_the_fold(canvas)
    at_rest(page)
    assert "4" not in root.get_attribute("data-order").split(",")
    x, y = place(root, canvas, 4)
    left, middle = place(root, canvas, 0)[0], y
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(left - 20, middle, steps=8)
    page.mouse.up()
    page.wait_for_function("() => !new URLSearchParams(location.search).get('hpts').endsWith('500.500')")
    expect(root).to_have_attribute("data-waiting", "false")
    until(page, lambda: "4" in root.get_attribute("data-order").split(","))


def test_a_point_is_added_and_taken_away_and_steps_are_walked(page, server):
    root, canvas = opened(page, server)
    at_rest(page)
    box = box_of(canvas)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.75
    page.mouse.dblclick(x, y)
    expect(page.locator(".st-key-claim")).to_contain_text("of 6 points")
    page.mouse.dblclick(x, y)
    expect(page.locator(".st-key-claim")).to_contain_text("of 5 points")
    page.get_by_test_id("axis").fill("1")
    expect(root).to_have_attribute("data-step", "2")
    wait_for_param(page, "hstep", "2")
    canvas.press("Enter")
    canvas.press("Delete")
    expect(page.locator(".st-key-claim")).to_contain_text("of 4 points")


def test_words_are_walked(page, server):
    open_link(page, server, "pointer_sentinel", ptext="There was a girl named Zorbina. Zorbina ran.")
    root, text = page.get_by_test_id("copy-root"), page.get_by_test_id("copy-text")
    expect(root).to_have_attribute("data-word", "7")  # the one copied most
    assert_above_the_fold(page.get_by_test_id("copy-bars"))
    page.locator(".word").nth(3).hover()
    expect(root).to_have_attribute("data-word", "3")
    expect(page.get_by_test_id("copy-said")).to_contain_text("girl")
    page.locator(".word").nth(4).click()
    wait_for_param(page, "pword", "4")
    text.press("ArrowRight")
    expect(root).to_have_attribute("data-word", "5")
    wait_for_param(page, "pword", "5")
