"""The text of the pointer sentinel: words pointed at, chosen by mouse and keys, and the link that keeps the choice."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, open_link, wait_for_param

SLOW = 120_000


def test_words_are_walked(page, server):
    page.set_default_timeout(SLOW)
    open_link(page, server, "pointer_sentinel", ptext="There was a girl named Zorbina. Zorbina ran.")
    root, text = page.get_by_test_id("copy-root"), page.get_by_test_id("copy-text")
    expect(root).to_have_attribute("data-word", "7", timeout=SLOW)  # the one copied most
    assert_above_the_fold(page.get_by_test_id("copy-bars"))
    page.locator(".word").nth(3).hover()
    expect(root).to_have_attribute("data-word", "3")
    expect(page.get_by_test_id("copy-said")).to_contain_text("girl")
    page.locator(".word").nth(4).click()
    wait_for_param(page, "pword", "4")
    text.press("ArrowRight")
    expect(root).to_have_attribute("data-word", "5")
    wait_for_param(page, "pword", "5")
