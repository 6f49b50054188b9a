"""What people do on the page Einstein notation, in a real browser."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, assert_fits, open_link, phone, wait_for_param


def test_a_letter_is_changed_named_and_put_right(page, server):
    open_link(page, server, "einstein")
    assert_above_the_fold(page.locator(".st-key-made0").first)
    box = page.get_by_label("Formula")
    box.fill("L_{ts} = 1/sqrt(dk) Qhat_{th}^k Khat_{shk}")
    expect(page.get_by_text("index is lost")).to_be_visible()
    wait_for_param(page, "nform", "L_{ts} = 1/sqrt(dk) Qhat_{th}^k Khat_{shk}")
    expect(box).to_have_value("L_{ts} = 1/sqrt(dk) Qhat_{th}^k Khat_{shk}")
    box.fill("L_{ts}^{(h)} = 1/sqrt(dk) Qhat_{th}^k Khat_{shk")
    expect(page.get_by_text("is never closed")).to_be_visible()
    expect(box).to_have_value("L_{ts}^{(h)} = 1/sqrt(dk) Qhat_{th}^k Khat_{shk")
    page.get_by_text("Mix", exact=True).click()
    expect(box).to_have_value("Y_{th}^d = sum_{s<=t} A_{ts}^{(h)} V_{sh}^d")
    expect(page.get_by_text("Equal to the model's own Y")).to_be_visible()


def test_it_fits_a_phone(browser, server):
    with phone(browser) as page:
        open_link(page, server, "einstein")
        expect(page.locator(".st-key-made0").first).to_be_visible()
        assert_fits(page)
