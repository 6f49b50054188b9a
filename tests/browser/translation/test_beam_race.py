"""The race of beams: played, walked step by step, and a token chosen against them."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import at_rest, from_menu, open_link, param_of, silence, wait_for_param


def opened(page, server, **params):
    open_link(page, server, "beam_search", bview="Race", english="I am cold.", **params)
    root = page.get_by_test_id("race-root")
    expect(root).to_have_attribute("data-step", params.get("bstep", "8"))
    return root


def test_it_plays_without_the_server_is_walked_and_a_token_is_chosen_and_taken_back(page, server):
    root = opened(page, server)
    at_rest(page)
    with silence(page):  # while it plays
        page.get_by_role("button", name="Play").click()
        expect(root).to_have_attribute("data-step", re.compile("[3-7]"))
    expect(root).to_have_attribute("data-step", "8")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.get_by_test_id("axis").fill("1")  # counted from 0
    expect(root).to_have_attribute("data-step", "2")
    wait_for_param(page, "bstep", "2")
    page.get_by_test_id("race-offers").get_by_role("button").first.click()
    expect(page.get_by_test_id("race-own")).not_to_have_text("⟨start⟩")
    param_of(page, "bown")
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_test_id("race-own")).to_have_text("⟨start⟩")
    with page.expect_download() as download:
        from_menu(page, "SVG")
    assert "W = 20" in download.value.path().read_text(encoding="utf-8")
