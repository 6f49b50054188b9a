"""What people do in the part One product of the page Formats, in a browser: matrices switched, the scale moved, no
server."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, open_link, wait_for_param


def test_the_scale_is_moved(page, server):
    open_link(page, server, "scaling", scf="INT4")  # an old address
    wait_for_param(page, "nfpart", "product")
    root, told = page.get_by_test_id("scaling-root"), page.get_by_test_id("scaling-outcome")
    expect(told).to_contain_text("0% cut, 99.5% rounded to 0")
    assert_above_the_fold(page.get_by_test_id("scaling-canvas"))
    page.get_by_role("button", name="W", exact=True).click()
    expect(root).to_have_attribute("data-see", "w")
    expect(told).to_contain_text("14.4 dB")
    page.get_by_role("button", name="Best", exact=True).click()
    expect(told).to_contain_text("18.5 dB")
    page.get_by_role("button", name="Errors", exact=True).click()
    wait_for_param(page, "scs", "0.75")
    wait_for_param(page, "sccol", "error")
    page.get_by_test_id("scaling-scale").press("ArrowRight")
    expect(root).to_have_attribute("data-factor", "0.875")
