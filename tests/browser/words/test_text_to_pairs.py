"""What people do on the part Text to pairs of the page Word vectors, in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import (
    assert_above_the_fold,
    at_rest,
    box_of,
    open_link,
    runs,
    silence,
    stopped,
    wait_for_param,
)

TEXT = "The cat sat on the mat. The dog sat on the rug."


def open_pairs(page, server, **params):
    open_link(page, server, "word_vectors", **{"wtext": TEXT, **params})
    view = page.get_by_test_id("pairs-root")
    expect(view).to_have_attribute("data-steps", re.compile(r"\d"))
    return view


def test_the_window_slides_without_the_server_and_enters_the_link(clocked, server):
    view = open_pairs(clocked, server, wat=1)
    assert_above_the_fold(clocked.get_by_test_id("matrix"))
    expect(view).to_have_attribute("data-center", "the")
    expect(view).to_have_attribute("data-pairs", "2")
    at_rest(clocked)
    slider = clocked.get_by_test_id("axis")
    with runs(clocked) as asked:
        with stopped(clocked), silence(clocked):
            slider.focus()
            for _ in range(4):
                slider.press("ArrowRight")
            expect(view).to_have_attribute("data-center", "the")
            expect(view).to_have_attribute("data-context", "sat on mat the")
            expect(view).to_have_attribute("data-pairs", "17")
            expect(view).to_have_attribute("data-total", "17.0000")
        wait_for_param(clocked, "wat", "5")
        at_rest(clocked)
    assert len(asked) <= 2  # one for all moves, once they are over, and one for what is below
    clocked.reload()
    expect(view).to_have_attribute("data-context", "sat on mat the")


def test_a_click_on_a_word_moves_the_window_there(page, server):
    view = open_pairs(page, server)
    page.get_by_test_id("words").get_by_text("dog", exact=True).click()
    expect(view).to_have_attribute("data-center", "dog")
    expect(page.get_by_test_id("alike")).to_contain_text("cat")
    at_rest(page)
    box = box_of(page.get_by_test_id("matrix"))
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
    expect(page.get_by_text(re.compile(r"Center “.+”, context “.+”: \d"))).to_be_visible()
