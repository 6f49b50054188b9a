"""What people do on the page Why it looks there, in a real browser."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, assert_fits, from_menu, open_link, phone, wait_for_param


def test_a_source_is_followed_taken_away_and_put_back(page, server):
    open_link(page, server, "why")
    root, said = page.get_by_test_id("why-root"), page.locator(".st-key-claim")
    expect(said).to_contain_text("L4H2 draws it there most")
    expect(said).to_contain_text("3.21 of the score 12.31")
    assert_above_the_fold(page.get_by_test_id("why-sources"))
    sources = page.get_by_test_id("why-sources")
    sources.focus()
    for key in ["ArrowRight"] * 7 + ["Enter"]:
        page.keyboard.press(key)
    expect(root).to_have_attribute("data-head", "L4H2")
    expect(said).to_contain_text("From “ball” (17) the head L4H2 gives 88% of its attention to “red” (16)")
    wait_for_param(page, "whypath", "4.2.17.16")
    with page.expect_download() as saved:
        from_menu(page, "SVG", "the path")
    drawing = saved.value.path().read_text()
    assert "L5H0" in drawing and "L4H2" in drawing and drawing.startswith("<svg")
    page.get_by_role("button", name="Take step 2 away").click()
    expect(root).to_have_attribute("data-steps", "1")
    page.get_by_role("button", name="Put back").click()
    expect(root).to_have_attribute("data-steps", "2")
    page.get_by_test_id("why-step-0").click()
    expect(root).to_have_attribute("data-head", "L5H0")
    wait_for_param(page, "whypath", "4.2.17.16")


def test_a_pair_of_heads_opens_its_reader_on_a_phone(browser, server):
    with phone(browser) as page:
        open_link(page, server, "why", whyview="All pairs of heads")
        expect(page.get_by_test_id("why-pair")).to_contain_text("L4H2’s keys read L1H0: 0.40")
        page.get_by_test_id("why-heads").focus()
        page.keyboard.press("Enter")
        root = page.get_by_test_id("why-root")
        expect(root).to_have_attribute("data-head", "L4H2")
        expect(root).to_have_attribute("data-steps", "2")
        expect(page.get_by_test_id("why-heads-root")).to_have_count(0)
        assert_fits(page)
