"""What people do in the part One matrix for all, in a real browser: switches turned without the server, old links
followed."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, at_rest, open_link, silence, stopped, wait_for_param


def test_heads_come_apart_by_a_switch(clocked, server):
    open_link(clocked, server, "collapse_lemma", head="4.0")
    root, said = clocked.get_by_test_id("collapse-root"), clocked.get_by_test_id("collapse-said")
    expect(said).to_contain_text("They are one head")
    assert_above_the_fold(clocked.get_by_test_id("collapse-canvas"))
    at_rest(clocked)
    with stopped(clocked), silence(clocked):
        clocked.get_by_role("switch", name="RoPE between").click()
        expect(said).to_contain_text("misses 45.0%")
        expect(root).to_have_attribute("data-on", "rope")
    expect(clocked.locator(".st-key-claim")).to_contain_text("would miss 45.0% of what they write")
    clocked.get_by_role("switch", name="Same factors").click()
    expect(said).to_contain_text("They are one head")
    wait_for_param(clocked, "clon", "rope,same")
    clocked.get_by_role("button", name="One W_V W_O in all heads").click()
    clocked.get_by_role("switch", name="Softmax between").click()
    expect(said).to_contain_text("misses 20.2%")
    expect(clocked.locator(".st-key-claim")).to_contain_text("is not the map of their mean matrix")
    wait_for_param(clocked, "clpart", "U")
    clocked.wait_for_function("location.pathname === '/attention_family'")
