"""What people do on the part Rank-1 pictures, in a real browser: terms added and taken away without the server."""

from playwright.sync_api import expect

from tests.browser.helpers import (
    assert_above_the_fold,
    assert_fits,
    at_rest,
    open_link,
    phone,
    silence,
    stopped,
    wait_for_param,
)


def test_terms_are_added_in_the_browser_and_kept_in_the_link(clocked, server):
    open_link(clocked, server, "rank_one")  # an old address
    wait_for_param(clocked, "r1src", "P V")
    root, said = clocked.get_by_test_id("rank-root"), clocked.get_by_test_id("rank-said")
    expect(said).to_contain_text("4 of 28 terms leave 13.0%")
    assert_above_the_fold(clocked.get_by_test_id("rank-canvas"))
    at_rest(clocked)
    with stopped(clocked), silence(clocked):
        clocked.get_by_role("button", name="Singular").click()
        expect(said).to_contain_text("4 of 28 terms leave 3.2%")
        clocked.get_by_test_id("rank-canvas").focus()
        clocked.keyboard.press("ArrowLeft")
        expect(root).to_have_attribute("data-count", "3")
    wait_for_param(clocked, "r1k", "3")
    wait_for_param(clocked, "r1way", "singular")
    clocked.get_by_role("button", name="Play", exact=True).click()
    expect(root).to_have_attribute("data-count", "28")
    expect(root).to_have_attribute("data-left", "0.0000")


def test_a_matrix_of_ones_own_is_typed_on_a_phone(browser, server):
    with phone(browser) as page:
        open_link(page, server, "einstein", enpart="rank")
        said = page.get_by_test_id("rank-said")
        expect(said).to_contain_text("of 5 terms")
        box = page.get_by_label("Matrix of my own")
        box.fill("1 2; 3")
        expect(page.get_by_text("give every row equally many")).to_be_visible()
        box.fill("1 2; 2 4")
        page.get_by_role("button", name="Singular").click()
        expect(said).to_contain_text("2 of 2 terms leave 0.0%")
        assert_fits(page)
