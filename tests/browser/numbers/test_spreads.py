"""What people do on the parts of the page Norms that measure spreads, in a real browser."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, open_further_part, open_link, wait_for_param


def test_the_three_questions(page, server):
    open_link(page, server, "logits")  # an old address
    wait_for_param(page, "noview", "Scores")
    chart = page.locator(".st-key-growth").first
    assert_above_the_fold(chart)
    expect(chart).to_contain_text("before training")
    open_further_part(page, "Isotropy")
    wait_for_param(page, "noview", "Isotropy")
    expect(page.locator(".st-key-cosines").first).to_contain_text("less its mean")
