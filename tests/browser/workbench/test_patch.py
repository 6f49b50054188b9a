"""What people do on the page Patch, in a real browser: a cell pointed at, clicked, chained, and the case handed on."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, at_rest, box_of, open_link, wait_for_param


def test_a_cell_is_clicked_and_chained(page, server):
    open_link(page, server, "patch")
    root, grid = page.get_by_test_id("patch-root"), page.get_by_test_id("patch-grid")
    expect(root).to_have_attribute("data-cell", "5.0")
    expect(root).to_have_attribute("data-exact", "true")
    assert_above_the_fold(grid)
    at_rest(page)
    box = box_of(grid)
    at = {"x": 36 + (box["width"] - 42) * 2.5 / 6, "y": 4 + 3.5 * 40}
    grid.hover(position=at)
    expect(page.get_by_test_id("patch-said")).to_contain_text("L3H2: exact 0.10")
    grid.click(position=at)
    wait_for_param(page, "ptcell", "z.3.2")
    expect(page.get_by_text("Output of L3H2 brings back 10%")).to_be_visible()
    page.get_by_role("button", name="Add to the chain").click()
    wait_for_param(page, "ptchain", "z.3.2")
    grid.focus()
    page.keyboard.press("ArrowDown")
    wait_for_param(page, "ptcell", "z.4.2")
    # The widest grid: in the end the page must fit a phone.
    page.get_by_role("radio", name="Residual").click()
    wait_for_param(page, "ptkind", "Residual")
    at_rest(page)


def test_the_case_is_handed_on(page, server):
    open_link(page, server, "patch")
    page.get_by_role("link", name="Why L5H0 looks there").click()
    wait_for_param(page, "head", "5.0")
    wait_for_param(page, "query", "13")
    expect(page.get_by_test_id("why-root")).to_have_attribute("data-head", "L5H0")
    expect(page.get_by_label("Text", exact=True)).to_have_value("Lily had a red ball. One day, Lily lost the red")
    page.go_back()
    expect(page.get_by_test_id("patch-root")).to_have_attribute("data-cell", "5.0")
