"""What people do on the page Compare, in a real browser: tokens pinned, heads opened, all of it in the link."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, assert_fits, open_link, phone, wait_for_param


def test_tokens_are_pinned_and_heads_opened(page, server):
    open_link(page, server, "compare")
    root, said = page.get_by_test_id("compare-root"), page.get_by_test_id("compare-said")
    expect(root).to_have_attribute("data-head", "2.0")
    expect(said).to_contain_text("2.76 nats")
    assert_above_the_fold(page.get_by_test_id("compare-canvas"))
    page.get_by_test_id("compare-strip").get_by_role("button").nth(5).click()
    expect(root).to_have_attribute("data-pin", "5")
    wait_for_param(page, "cmppin", "5")
    page.get_by_test_id("compare-ten").get_by_role("button").nth(1).click()
    expect(root).to_have_attribute("data-head", "4.1")
    expect(root).to_have_attribute("data-pin", "5")
    wait_for_param(page, "cmphead", "4.1")


def test_it_fits_a_phone(browser, server):
    with phone(browser) as page:
        open_link(page, server, "compare", cmpb="Lily had a very red hat.")
        expect(page.get_by_test_id("compare-said")).to_contain_text("nats apart")
        assert_fits(page)
