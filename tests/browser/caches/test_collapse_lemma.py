"""What people do in the part One matrix for all, in a real browser: switches turned without the server, old links followed."""

from playwright.sync_api import expect

from tests.browser.helpers import (
    assert_above_the_fold,
    assert_fits,
    frames_sent,
    open_link,
    phone,
    wait_for_param,
)


def test_heads_come_apart_by_a_switch(page, server):
    sent = frames_sent(page)
    open_link(page, server, "collapse_lemma", head="4.0")
    root, said = page.get_by_test_id("collapse-root"), page.get_by_test_id("collapse-said")
    expect(said).to_contain_text("They are one head")
    assert_above_the_fold(page.get_by_test_id("collapse-canvas"))
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(1500)
    before = len(sent)
    page.get_by_role("switch", name="RoPE between").click()
    expect(said).to_contain_text("misses 45.0%")
    expect(root).to_have_attribute("data-on", "rope")
    assert len(sent) == before
    expect(page.locator(".st-key-claim")).to_contain_text("would miss 45.0% of what they write")
    page.get_by_role("switch", name="Same factors").click()
    expect(said).to_contain_text("They are one head")
    wait_for_param(page, "clon", "rope,same")
    page.get_by_role("button", name="One W_V W_O in all heads").click()
    page.get_by_role("switch", name="Softmax between").click()
    expect(said).to_contain_text("misses 20.2%")
    expect(page.locator(".st-key-claim")).to_contain_text("is not the map of their mean matrix")
    wait_for_param(page, "clpart", "U")
    assert page.evaluate("location.pathname") == "/attention_family"


def test_it_fits_a_phone(browser, server):
    with phone(browser) as page:
        open_link(page, server, "collapse_lemma", clon="norm", head="4.0")
        expect(page.get_by_test_id("collapse-said")).to_contain_text("misses 10.3%")
        assert_fits(page)
