"""What people do on the page One layer's bill: sizes dragged without the server, cells filled in by hand."""

from playwright.sync_api import expect

from tests.browser.helpers import (
    assert_above_the_fold,
    at_rest,
    open_further_part,
    open_link,
    silence,
    stopped,
    wait_for_param,
)


def test_sizes_are_set_and_cells_filled_in(clocked, server):
    open_link(clocked, server, "layer_bill")
    root, told = clocked.get_by_test_id("bill-root"), clocked.get_by_test_id("bill-told")
    expect(told).to_contain_text("25.2 MB")
    assert_above_the_fold(clocked.get_by_test_id("bill-canvas"))
    at_rest(clocked)
    box, said = clocked.get_by_test_id("size-h"), clocked.get_by_test_id("bill-said")
    with stopped(clocked), silence(clocked):  # the picture answers without the server
        box.fill("5")
        box.press("Enter")
        expect(said).to_contain_text("5 heads cannot share 768 numbers evenly: 4 can.")
        expect(told).to_contain_text("8.39 MB")
    wait_for_param(clocked, "lbh", "4")
    box.fill("many")
    box.press("Enter")
    expect(said).to_contain_text("“many” cannot be the heads h")
    clocked.get_by_test_id("bill-preset").select_option("Llama 3 8B")
    expect(told).to_contain_text("4.29 GB")
    wait_for_param(clocked, "lbg", "8")
    clocked.get_by_role("radio", name="By hand").click()
    cell = clocked.get_by_test_id("cell-3")
    cell.fill("4*8*8")
    cell.press("Tab")
    expect(told).to_contain_text("That is Q alone")
    cell.fill("3*4*8*8")
    cell.press("Tab")
    expect(root).to_have_attribute("data-right", "1")
    wait_for_param(clocked, "lbcells", "~~~3*4*8*8")
    clocked.get_by_role("button", name="Show the answers").click()
    expect(root).to_have_attribute("data-right", "18")


def test_the_menu_of_models_is_there_where_a_model_is_read(page, server):
    menu = page.locator(".st-key-_model")
    for view, read in (("One layer", False), ("By hand", False), ("Word by word", False), ("Parameters", True)):
        open_link(page, server, "layer_bill", lbview=view)
        expect(page.get_by_role("radio", name=view)).to_be_checked()
        expect(menu).to_be_visible(visible=read, timeout=20_000)
        expect(page.get_by_role("button", name="About it")).to_have_count(int(read))
    page.get_by_role("radio", name="One layer").click()
    expect(menu).to_be_hidden(timeout=20_000)
    open_further_part(page, "Feed-forward")
    expect(menu).to_be_visible(timeout=20_000)
