"""The page "Next tokens": a position pointed at and chosen, then a text written pass by pass."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, open_link, wait_for_param


def test_positions_and_passes_are_walked(page, server):
    open_link(page, server, "next_tokens")
    root = page.get_by_test_id("ahead-root")
    expect(page.get_by_test_id("ahead-stages").locator(".stage")).to_have_count(4)
    assert_above_the_fold(page.get_by_test_id("ahead-stages"))
    page.get_by_test_id("ahead-text").locator(".piece").nth(5).click()
    expect(root).to_have_attribute("data-at", "6")
    wait_for_param(page, "nplace", "6")
    page.get_by_role("radio", name="Writing").click()
    expect(page.get_by_test_id("ahead-said")).to_contain_text("Pass ")
    slider = page.get_by_test_id("axis")
    slider.focus()
    slider.press("Home")
    expect(root).to_have_attribute("data-at", "1")
    slider.press("ArrowRight")
    expect(page.get_by_test_id("ahead-said")).to_contain_text("Pass 2 of")
    wait_for_param(page, "npass", "2")
