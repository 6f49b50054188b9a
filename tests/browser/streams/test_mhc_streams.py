"""Walking over tokens in the view "Streams" of the page mHC, in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser import walk
from tests.browser.helpers import (
    TEXT,
    assert_above_the_fold,
    assert_scrolls_on_a_phone,
    at_rest,
    open_link,
    wait_for_param,
)


def open_view(page, server, chart: str, **params):
    open_link(page, server, "mhc", **{"text": TEXT, "sview": "Streams", **params})
    at_rest(page, f".st-key-{chart} .nsewdrag")


def test_a_walk_is_drawn_in_the_browser_and_its_end_is_kept_by_the_other_parts(page, server):
    open_view(page, server, "sxdepth", stok=3)
    assert_above_the_fold(page.locator(".st-key-sxdepth"))
    walk.wait_for(page, "token 3 ")
    lines = page.locator(".st-key-sxdepth .js-line")
    before = lines.first.get_attribute("d")
    walk.scrub(page, 0.0)
    walk.wait_for(page, "token 0 ")
    expect(lines.first).not_to_have_attribute("d", before)  # the words move before the lines
    wait_for_param(page, "stok", "0")
    at_rest(page)
    assert walk.label(page).startswith("token 0 ")  # the rerun that remembers must not move the slider
    expect(page.get_by_role("combobox", name=re.compile("Token"))).to_have_value("0 · ⟨start⟩")
    page.get_by_role("combobox", name=re.compile("Token")).click()
    page.get_by_role("option", name=re.compile("^1 · ")).click()
    walk.wait_for(page, "token 1 ")  # the menu moves the slider
    wait_for_param(page, "stok", "1")
    at_rest(page)
    walk.scrub(page, 0.0)
    wait_for_param(page, "stok", "0")
    page.get_by_role("radio", name="Unrolled sum").click()
    at_rest(page, ".st-key-sxfans .nsewdrag")
    walk.wait_for(page, "token 0 ")
    expect(page.get_by_text(re.compile("^Who reads whom at “⟨start⟩”"))).to_be_visible()
    walk.scrub(page, 1.0)
    wait_for_param(page, "stok", str(last_token(page)))
    expect(page.get_by_text(re.compile("^Who reads whom at “a”"))).to_be_visible()
    assert_scrolls_on_a_phone(page, ".st-key-sxfans .js-plotly-plot")


def last_token(page) -> int:
    return int(re.match(r"token (\d+) ", walk.label(page)).group(1))


def test_a_muted_stream_is_in_the_link(page, server):
    open_view(page, server, "sxlosses", sxpart="Mute", sxmute="Stream 1")
    expect(page.get_by_text(re.compile("with stream 1 muted"))).to_be_visible()
    start = page.locator(".st-key-sxfrom input").first
    start.click()
    page.get_by_role("option", name="from MLP 0 on").click()
    wait_for_param(page, "sxfrom", "from MLP 0 on")
    page.reload()
    expect(start).to_have_value("from MLP 0 on")
    at_rest(page, ".st-key-sxlosses .nsewdrag")
    assert_scrolls_on_a_phone(page, ".st-key-sxlosses .js-plotly-plot")
