"""What people do on the part Rank-1 pictures, in a real browser: terms added and taken away without the server."""

from playwright.sync_api import expect

from tests.browser.helpers import (
    assert_above_the_fold,
    assert_fits,
    frames_sent,
    open_link,
    phone,
    wait_for_param,
)


def test_terms_are_added_in_the_browser_and_kept_in_the_link(page, server):
    sent = frames_sent(page)
    open_link(page, server, "rank_one")  # an old address
    wait_for_param(page, "r1src", "P V")
    root, said = page.get_by_test_id("rank-root"), page.get_by_test_id("rank-said")
    expect(said).to_contain_text("4 of 28 terms leave 13.0%")
    assert_above_the_fold(page.get_by_test_id("rank-canvas"))
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(1500)
    before = len(sent)
    page.get_by_role("button", name="Singular").click()
    expect(said).to_contain_text("4 of 28 terms leave 3.2%")
    page.get_by_test_id("rank-canvas").focus()
    page.keyboard.press("ArrowLeft")
    expect(root).to_have_attribute("data-count", "3")
    assert len(sent) == before
    wait_for_param(page, "r1k", "3")
    wait_for_param(page, "r1way", "singular")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(root).to_have_attribute("data-count", "28", timeout=30_000)
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
