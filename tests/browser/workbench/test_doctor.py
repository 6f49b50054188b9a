"""What people do on the page Doctor, in a real browser: a fault chosen and made larger, another view."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, open_link, wait_for_param


def test_a_fault_is_put_in_and_named(page, server):
    open_link(page, server, "doctor")
    expect(page.locator(".st-key-claim").get_by_text("RoPE turns by a base of 2,500")).to_be_visible()
    assert_above_the_fold(page.locator(".st-key-drsteps"))
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("ArrowRight")
    wait_for_param(page, "drvalue-rope-base", "5000")
    expect(page.get_by_text("RoPE turns by a base of 5,000")).to_be_visible()
    page.get_by_text("One model two ways").click()
    expect(page.get_by_text("healthy", exact=True)).to_be_visible()
