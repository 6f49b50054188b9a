"""What people do on the page Norms, in a real browser: cells, inputs and norms, without the server."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, open_link, param_of, wait_for_param


def test_a_norm_forgets_what_it_shares(page, server):
    open_link(page, server, "norms")
    root, table = page.get_by_test_id("norms-root"), page.get_by_test_id("norms-table")
    assert_above_the_fold(page.get_by_test_id("norms-canvas"))
    expect(page.get_by_test_id("row-itemtimes").locator("td").nth(1)).to_contain_text("unchanged")
    expect(page.get_by_test_id("row-itemtimes").locator("td").nth(3)).to_contain_text("by up to")
    page.get_by_role("button", name="BatchNorm, training").click()
    expect(root).to_have_attribute("data-norm", "batch")
    table.get_by_text("a sentence less").click()
    expect(page.get_by_test_id("norms-said")).to_contain_text("is taken away")
    wait_for_param(page, "nbact", "away")
    page.get_by_test_id("norms-canvas").click(position={"x": 100, "y": 100})
    assert param_of(page, "nbitem").isdigit()
