"""What [CLS] says of a typed text; a token hidden by a press, its neighbours by keys, and the link that keeps the
place."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, at_rest, open_link, wait_for_param


def test_words_are_put_right(page, server):
    open_link(page, server, "encoder_only")
    root = page.get_by_test_id("cls-root")
    expect(root).to_be_visible()
    assert_above_the_fold(page.get_by_test_id("cls-text"))
    at_rest(page)
    assert float(root.get_attribute("data-exchanged")) > 0.5
    assert page.locator(".moved").count() >= 2
    box = page.get_by_label("Second text")
    box.fill(box.input_value().replace("park the", "the park"))
    expect(page.locator(".st-key-claim")).to_contain_text("stand in order")
    # The sentence may come before the picture that it is about.
    expect(root).to_have_attribute("data-exchanged", re.compile(r"^0\.[0-4]|^0$|e-"))


def test_a_word_is_hidden(page, server):
    open_link(page, server, "encoder_only", epart="Hidden words", etext="Tom saw a big dog. The dog ran.")
    root = page.get_by_test_id("hidden-root")
    expect(root).to_be_visible()
    assert_above_the_fold(page.get_by_test_id("hidden-both"))
    page.locator("button.chip").nth(4).click()
    expect(root).to_have_attribute("data-place", "4")
    expect(page.get_by_test_id("hidden-said")).to_contain_text("hidden: p =")
    wait_for_param(page, "eplace", "4")
    page.locator("button.chip").nth(4).press("ArrowRight")
    expect(root).to_have_attribute("data-place", "5")
    wait_for_param(page, "eplace", "5")
