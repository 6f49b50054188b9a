"""What people do on the page Patch, in a real browser: a cell pointed at, clicked, chained; and a phone."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, assert_fits, open_link, phone, wait_for_param


def test_a_cell_is_clicked_and_chained(page, server):
    open_link(page, server, "patch")
    root, grid = page.get_by_test_id("patch-root"), page.get_by_test_id("patch-grid")
    expect(root).to_have_attribute("data-cell", "5.0")
    expect(root).to_have_attribute("data-exact", "true")
    assert_above_the_fold(grid)
    grid.hover(position={"x": 250, "y": 109})
    expect(page.get_by_test_id("patch-said")).to_contain_text("head 3.2: exact 0.10")
    grid.click(position={"x": 250, "y": 109})
    wait_for_param(page, "ptcell", "z.3.2")
    expect(page.get_by_text("z of head 3.2 brings back 10%")).to_be_visible()
    page.get_by_role("button", name="Add to the chain").click()
    wait_for_param(page, "ptchain", "z.3.2")
    grid.focus()
    page.keyboard.press("ArrowDown")
    wait_for_param(page, "ptcell", "z.4.2")


def test_it_fits_a_phone(browser, server):
    with phone(browser) as page:
        open_link(page, server, "patch", ptkind="Residual")
        expect(page.get_by_test_id("patch-grid")).to_be_visible()
        assert_fits(page)
