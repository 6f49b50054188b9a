"""What people do on the part Text to pairs of the page Word vectors, in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import (
    assert_above_the_fold,
    assert_fits,
    frames_sent,
    open_link,
    phone,
    wait_for_param,
)

TEXT = "The cat sat on the mat. The dog sat on the rug."


def open_pairs(page, server, **params):
    open_link(page, server, "word_vectors", **{"wtext": TEXT, **params})
    view = page.get_by_test_id("pairs-root")
    expect(view).to_have_attribute("data-steps", re.compile(r"\d"))
    return view


def test_the_window_slides_without_the_server_and_enters_the_link(page, server):
    sent = frames_sent(page)
    view = open_pairs(page, server, wat=1)
    assert_above_the_fold(page.get_by_test_id("matrix"))
    expect(view).to_have_attribute("data-center", "the")
    expect(view).to_have_attribute("data-pairs", "2")
    page.wait_for_load_state("networkidle")
    before = len(sent)
    slider = page.get_by_test_id("axis")
    slider.focus()
    for _ in range(4):
        slider.press("ArrowRight")
    expect(view).to_have_attribute("data-center", "the")
    expect(view).to_have_attribute("data-context", "sat on mat the")
    expect(view).to_have_attribute("data-pairs", "17")
    expect(view).to_have_attribute("data-total", "17.0000")
    wait_for_param(page, "wat", "5")
    assert len(sent) - before <= 2  # one message for all moves, once they are over
    page.reload()
    expect(view).to_have_attribute("data-context", "sat on mat the")


def test_a_click_on_a_word_moves_the_window_there(page, server):
    view = open_pairs(page, server)
    page.get_by_test_id("words").get_by_text("dog", exact=True).click()
    expect(view).to_have_attribute("data-center", "dog")
    expect(page.get_by_test_id("alike")).to_contain_text("cat")
    box = page.get_by_test_id("matrix").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
    expect(page.get_by_text(re.compile(r"Center “.+”, context “.+”: \d"))).to_be_visible()


def test_it_fits_a_phone(browser, server):
    with phone(browser) as page:
        open_pairs(page, server, wm=5)
        assert_fits(page)
