"""What people do on the parts of the page Norms that measure spreads, in a real browser."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, open_link, wait_for_param


def test_the_three_questions(page, server):
    open_link(page, server, "logits")  # an old address
    wait_for_param(page, "noview", "Scores")
    chart = page.locator(".st-key-growth").first
    assert_above_the_fold(chart)
    expect(chart).to_contain_text("before training")
    page.get_by_role("radio", name="Isotropy").or_(page.get_by_text("Isotropy", exact=True)).first.click()
    wait_for_param(page, "noview", "Isotropy")
    expect(page.locator(".st-key-cosines").first).to_contain_text("less its mean")
