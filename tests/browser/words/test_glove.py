"""What people do on the part GloVe of the page Word vectors, in a real browser."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, open_link, wait_for_param


def test_other_words_are_counted_and_enter_the_link(page, server):
    open_link(page, server, "word_vectors", wvpart="glove")
    chart = page.locator(".st-key-ratios").first
    assert_above_the_fold(chart)
    expect(chart).to_contain_text("lily")
    page.get_by_role("textbox", name="Word i").fill("eat")
    page.get_by_role("textbox", name="Word j").fill("drink")
    page.get_by_role("textbox", name="Probes k").fill("food water tea")
    wait_for_param(page, "gprobes", "food water tea")
    expect(chart).to_contain_text("food")
    expect(chart).to_contain_text("“drink”")
    page.reload()
    expect(chart).to_contain_text("“drink”")
