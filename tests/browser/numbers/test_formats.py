"""What people do on the page Formats, in a real browser: bits clicked, numbers typed, without the server."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, open_link, wait_for_param


def test_bits_are_clicked_and_a_number_is_typed(page, server):
    open_link(page, server, "formats")
    root, told = page.get_by_test_id("formats-root"), page.get_by_test_id("formats-formula")
    expect(told).to_contain_text("0.1015625")
    assert_above_the_fold(page.get_by_test_id("formats-lanes"))
    page.get_by_role("button", name="bit 7").click()
    expect(told).to_contain_text("−0.1015625")
    wait_for_param(page, "nnum", "0x9d")
    page.get_by_role("button", name="FP16", exact=True).click()
    expect(root).to_have_attribute("data-value", "-0.1015625")
    box = page.get_by_test_id("formats-number")
    box.fill("1e-8")
    expect(page.get_by_test_id("row-fp16")).to_contain_text("to zero")
    expect(page.get_by_test_id("row-bf16")).to_contain_text("rounded")
    box.fill("1,5")
    expect(page.get_by_test_id("formats-said")).to_contain_text("is no number")
    expect(page.get_by_test_id("formats-said")).to_contain_text("Shown is still 1·10⁻⁸")
    expect(root).to_have_attribute("data-value", "1e-8")
    wait_for_param(page, "nfmt", "fp16")
    wait_for_param(page, "nnum", "1e-8")
    box.fill("3" * 400)
    expect(page.get_by_test_id("formats-said")).to_contain_text("400 characters are too many")
    page.get_by_role("button", name="E4M3", exact=True).click()
    box.fill("448.1")
    expect(page.get_by_test_id("row-e4m3")).to_contain_text("rounded")
    page.get_by_role("button", name="FP32", exact=True).click()  # the widest: in the end the page must fit a phone
    expect(root).to_have_attribute("data-format", "fp32")
