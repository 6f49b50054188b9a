"""The glossary in a browser: searched while one types, a term lit by its link, and a page gone to and come back
from."""

from playwright.sync_api import expect

from tests.browser.helpers import open_link, wait_for_param


def test_a_term_is_searched_lit_and_followed_to_a_page(page, server):
    open_link(page, server, "glossary", term="softmax")
    lit = page.locator("article.lit")
    expect(lit.locator("h3")).to_have_text("softmax")
    expect(lit).to_be_in_viewport(ratio=1)
    box = page.get_by_role("searchbox", name="Search the terms")
    box.fill("paged memory")
    expect(lit).to_have_count(0)
    expect(page.get_by_test_id("term").locator("visible=true").locator("h3")).to_have_text(["page size"])
    wait_for_param(page, "gfind", "paged memory")
    page.get_by_role("link", name="Serving").locator("visible=true").last.click()
    expect(page.locator("h1").first).to_contain_text("Serving")
    page.go_back()
    expect(box).to_have_value("paged memory")
    box.fill("")
    page.get_by_role("navigation", name="Letters").get_by_role("button", name="V", exact=True).click()
    expect(page.get_by_role("link", name="Link to variance")).to_be_in_viewport()


def test_a_term_leads_to_the_example_that_shows_it(page, server):
    open_link(page, server, "glossary", term="RoPE")
    example = page.locator("article.lit").get_by_role("link", name="RoPE planes: Tuned to one back")
    assert example.locator("img").evaluate("image => image.decode().then(() => image.naturalWidth > 0)")
    example.click()
    expect(page.locator("h1").first).to_contain_text("RoPE planes")
