"""Guess first in a browser: asked, answered with the keyboard, kept from page to page and along cards, and switched
off."""

import re

import pytest
from playwright.sync_api import expect

from .helpers import assert_above, assert_fits, at_rest, from_pages, open_link, phone, until, wait_for_param

WHOLE = "label => label.scrollWidth <= label.clientWidth"
QUESTION = "[class*=st-key-guess-] button"


def asked(page, name: str):
    """The answers of a page's question, once they are there."""
    answers = page.locator(f".st-key-guess-{name} button")
    expect(answers.first).to_be_visible()
    return answers


def test_a_question_stands_before_the_picture_until_it_is_answered(page, server):
    open_link(page, server, "kv_cache", guess=1, ktok=6)
    answers = asked(page, "kv_cache")
    expect(answers).to_have_count(5)
    expect(page.locator(".st-key-decode-view")).to_have_count(0)
    answers.nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-decode-view canvas >> nth=0")).to_be_visible()
    verdict = page.locator(".st-key-guess-kv_cache")
    expect(verdict).to_contain_text(re.compile("Right|You said"))
    expect(page.locator(QUESTION)).to_have_count(0)
    assert_above(verdict, page.locator(".st-key-decode-view"))
    text = page.get_by_role("textbox", name="Text", exact=True)
    text.fill("Tom saw a dog. Anna saw a")
    expect(asked(page, "kv_cache").first).to_be_visible()
    expect(page.locator(".st-key-decode-view")).to_have_count(0)


def test_the_switch_is_kept_on_other_pages_and_along_cards_and_turns_it_off(page, server):
    open_link(page, server, "kv_cache", ktok=6)
    expect(page.locator(".st-key-decode-view canvas >> nth=0")).to_be_visible()
    switch = page.locator(".st-key-top").get_by_text("Guess first")
    switch.click()
    asked(page, "kv_cache")
    wait_for_param(page, "guess", "1")
    from_pages(page, "Formats")
    asked(page, "formats")
    wait_for_param(page, "guess", "1")
    page.get_by_role("button", name="Examples").click()
    before = page.locator(".st-key-guess-formats").inner_text()
    page.locator(".gallery a").nth(2).click()  # 1e-8 in FP16
    expect(page.locator(".st-key-guess-formats")).not_to_have_text(before, use_inner_text=True)
    at_rest(page, ".st-key-guess-formats")  # a press while the app follows a card belongs to the page before
    wait_for_param(page, "guess", "1")
    switch.click()
    expect(page.locator(QUESTION)).to_have_count(0)
    wait_for_param(page, "guess", None)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_has_room_for_the_question_and_the_verdict(server, browser, scheme):
    with phone(browser, scheme) as page:
        open_link(page, server, "beam_search", guess=1)
        answers = asked(page, "beam_search")
        assert_fits(page)
        until(page, lambda: all(answer.evaluate(WHOLE) for answer in answers.locator("p").all()))
        answers.last.click()
        expect(page.locator(".st-key-beamtree .js-plotly-plot")).to_be_visible()
        assert_fits(page)
        assert_above(page.locator(".st-key-guess-beam_search"), page.locator(".st-key-beamtree"))
