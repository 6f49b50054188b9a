"""What people do on the page Compare, in a real browser: tokens pinned, heads opened, all of it in the link."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, at_rest, open_link, wait_for_param


def test_tokens_are_pinned_and_heads_opened(page, server):
    open_link(page, server, "compare")
    root, said = page.get_by_test_id("compare-root"), page.get_by_test_id("compare-said")
    expect(root).to_have_attribute("data-head", "2.0")
    expect(said).to_contain_text("2.76 nats")
    expect(page.locator(".st-key-claim")).to_contain_text("the guess “ball” falls from 90.9% in A to 3.9% in B")
    assert_above_the_fold(page.get_by_test_id("compare-canvas"))
    page.get_by_test_id("compare-strip").get_by_role("button").nth(5).click()
    expect(root).to_have_attribute("data-pin", "5")
    wait_for_param(page, "cmppin", "5")
    page.get_by_test_id("compare-ten").get_by_role("button").nth(1).click()
    expect(root).to_have_attribute("data-head", "4.1")
    expect(root).to_have_attribute("data-pin", "5")
    wait_for_param(page, "cmphead", "4.1")


def test_the_case_is_handed_on_to_patch_and_back(page, server):
    open_link(page, server, "compare", cmpa="The boy was sad, so", cmpb="The girl was sad, so")
    page.get_by_role("link", name="Patch what differs here").click()
    expect(page.get_by_test_id("patch-root")).to_be_visible()
    wait_for_param(page, "ptcorr", "The girl was sad, so")
    page.get_by_role("link", name="Compare both texts").click()
    wait_for_param(page, "cmpb", "The girl was sad, so")
    expect(page.get_by_test_id("compare-root")).to_be_visible()


def test_what_a_left_page_waits_for_is_not_asked_for(page, server):
    """Asked for after the link it would run after the new page, which the browser then clears as if gone back from."""
    open_link(page, server, "compare", cmpa="The boy was sad, so", cmpb="The girl was sad, so")
    page.get_by_role("link", name="Patch what differs here").evaluate(
        """link => {
            link.click();
            window.tlmvizWhole = true;
            const painted = () => ((window.tlmvizPainted += 1), dispatchEvent(new Event("tlmviz:painted")));
            [0, 20, 40, 60, 80].forEach(wait => setTimeout(painted, wait));
        }"""
    )
    expect(page.get_by_test_id("patch-root")).to_be_visible()
    wait_for_param(page, "ptcorr", "The girl was sad, so")
    at_rest(page)
    expect(page.get_by_test_id("patch-root")).to_be_visible()
