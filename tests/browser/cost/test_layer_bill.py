"""What people do on the page One layer's bill: sizes dragged without the server, cells filled in by hand; on a phone."""

from playwright.sync_api import expect

from tests.browser.helpers import (
    assert_above_the_fold,
    assert_fits,
    frames_sent,
    open_link,
    phone,
    wait_for_param,
)

SLOW = 120_000


def test_sizes_are_set_and_cells_filled_in(page, server):
    page.set_default_timeout(SLOW)
    sent = frames_sent(page)
    open_link(page, server, "layer_bill")
    root, told = page.get_by_test_id("bill-root"), page.get_by_test_id("bill-told")
    expect(told).to_contain_text("25.2 MB", timeout=SLOW)
    assert_above_the_fold(page.get_by_test_id("bill-canvas"))
    before = len(sent)
    box = page.get_by_test_id("size-h")
    box.fill("5")
    box.press("Enter")
    expect(page.get_by_test_id("bill-said")).to_contain_text(
        "5 heads cannot share 768 numbers evenly: 4 can."
    )
    expect(told).to_contain_text("8.39 MB")
    assert len(sent) == before, "the picture answers without the server"
    wait_for_param(page, "lbh", "4")
    box.fill("many")
    box.press("Enter")
    expect(page.get_by_test_id("bill-said")).to_contain_text("“many” cannot be the heads h")
    page.get_by_test_id("bill-preset").select_option("Llama 3 8B")
    expect(told).to_contain_text("4.29 GB")
    wait_for_param(page, "lbg", "8")
    page.get_by_role("radio", name="By hand").click()
    cell = page.get_by_test_id("cell-3")
    cell.fill("4*8*8")
    cell.press("Tab")
    expect(told).to_contain_text("That is Q alone")
    cell.fill("3*4*8*8")
    cell.press("Tab")
    expect(root).to_have_attribute("data-right", "1")
    wait_for_param(page, "lbcells", "~~~3*4*8*8")
    page.get_by_role("button", name="Show the answers").click()
    expect(root).to_have_attribute("data-right", "18")


def test_it_fits_a_phone(browser, server):
    with phone(browser, "dark") as page:
        page.set_default_timeout(SLOW)
        open_link(page, server, "layer_bill", lbview="Word by word")
        expect(page.get_by_test_id("bill-canvas")).to_be_visible(timeout=SLOW)
        assert_fits(page)
