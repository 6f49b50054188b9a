"""What people do on the page Training, in a real browser: a scale dragged and tensors picked, without the server."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, open_link, until, wait_for_param


def test_a_scale_is_dragged_and_a_tensor_picked(page, server):
    open_link(page, server, "training")
    root, said = page.get_by_test_id("scaling-root"), page.get_by_test_id("scaling-said")
    expect(said).to_contain_text("71")
    assert_above_the_fold(page.get_by_test_id("scaling-curve"))
    lost = int(root.get_attribute("data-lost"))
    page.get_by_test_id("scaling-slider").focus()
    page.keyboard.press("ArrowRight")
    expect(root).to_have_attribute("data-k", "1")
    until(page, lambda: int(root.get_attribute("data-lost")) < lost)
    page.get_by_role("button", name="Largest safe").click()
    expect(root).to_have_attribute("data-overflow", "0")
    wait_for_param(page, "lsk", root.get_attribute("data-k"))
    page.get_by_role("button", name="BF16", exact=True).click()
    expect(root).to_have_attribute("data-lost", "0")
    page.get_by_test_id("scaling-grid").click(position={"x": 50, "y": 90})
    expect(page.get_by_role("button", name="All tensors")).to_be_visible()
    expect(said).to_contain_text("blocks.0.")
    wait_for_param(page, "lsfmt", "bf16")
    page.get_by_role("button", name="Examples").click()
    page.locator("a[data-card]", has_text="Four in five").click()
    expect(root).to_have_attribute("data-format", "fp16")
    expect(root).to_have_attribute("data-k", "0")
    expect(root).to_have_attribute("data-part", "")


def test_masks_are_thrown_and_averaged(page, server):
    open_link(page, server, "norms", noview="Dropout", ndrop="50")  # an old address
    wait_for_param(page, "lsview", "Dropout")
    root = page.get_by_test_id("dropout-root")
    assert_above_the_fold(page.get_by_test_id("dropout-canvas"))
    before = float(root.get_attribute("data-error"))
    page.get_by_role("button", name="throw again").click()
    expect(root).to_have_attribute("data-seed", "1")
    page.get_by_test_id("dropout-masks").fill("9")
    expect(root).to_have_attribute("data-masks", "1000")
    until(page, lambda: float(root.get_attribute("data-error")) < before / 4)
    wait_for_param(page, "ndmasks", "1000")
    page.get_by_role("button", name="evaluation").click()
    expect(root).to_have_attribute("data-zeros", "0")
