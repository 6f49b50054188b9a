"""What people do on the part FastText of the page Word vectors, in a real browser."""

from playwright.sync_api import expect

from tests.browser.helpers import open_link, wait_for_param


def test_a_word_is_typed_and_enters_the_link(page, server):
    open_link(page, server, "word_vectors", wvpart="fasttext")
    expect(page.locator(".st-key-ftparts .js-plotly-plot").first).to_be_visible()
    page.get_by_role("textbox", name="Word").fill("doggish")
    expect(page.locator(".st-key-ftparts .gtitle").first).to_contain_text("doggish")
    wait_for_param(page, "ftw", "doggish")
