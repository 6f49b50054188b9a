"""What people see of the page Einstein notation, in a real browser."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, assert_fits, open_link, phone


def test_the_formula_and_its_tensor_are_above_the_fold(page, server):
    open_link(page, server, "einstein")
    assert_above_the_fold(page.locator(".st-key-made0").first)


def test_it_fits_a_phone(browser, server):
    with phone(browser) as page:
        open_link(page, server, "einstein")
        expect(page.locator(".st-key-made0").first).to_be_visible()
        assert_fits(page)
