"""Walking tokens and moments of the page mHC in a real browser: the server is told where a walk ends, and nothing
else."""

import re

from playwright.sync_api import expect

from tests.browser import walk
from tests.browser.helpers import (
    TEXT,
    assert_above_the_fold,
    assert_scrolls_on_a_phone,
    at_rest,
    open_link,
    silence,
    until,
    wait_for_param,
)


def open_view(page, server, chart: str, **params):
    open_link(page, server, "mhc", **{"text": TEXT, **params})
    at_rest(page, f".st-key-{chart} .slider-group")


def test_a_walk_over_tokens_is_remembered_by_the_link_and_the_other_views(page, server):
    open_view(page, server, "spproducts", sview="Depth", stok=2)
    walk.wait_for(page, "token 2 ")
    assert_above_the_fold(page.locator(".st-key-spproducts"))
    numbers = page.locator(".st-key-spproducts .textpoint")
    gains = numbers.all_text_contents()
    walk.scrub(page, 0.0)
    walk.wait_for(page, "token 0 ")
    wait_for_param(page, "stok", "0")
    until(page, lambda: numbers.all_text_contents() != gains)
    at_rest(page)  # the rerun that remembers must not move the slider
    assert walk.label(page).startswith("token 0 ")
    page.get_by_text("Backward gain", exact=True).click()
    page.get_by_text(re.compile("^Backward gain of every product")).wait_for()
    walk.wait_for(page, "token 0 ")
    page.reload()
    at_rest(page, ".st-key-spproducts .slider-group")
    assert walk.label(page).startswith("token 0 ")
    assert_scrolls_on_a_phone(page, ".st-key-spproducts .js-plotly-plot")


def test_moments_are_walked_without_the_server(page, server):
    open_view(page, server, "srcurves", sview="Training")
    assert_above_the_fold(page.locator(".st-key-srcurves"))
    last = walk.label(page)
    assert re.fullmatch(r"step [\d,]+", last)
    cursor = page.locator(".st-key-srcurves .shapelayer path")
    end = cursor.get_attribute("d")
    with silence(page):
        walk.scrub(page, 0.0)
        walk.wait_past(page, last)
        expect(cursor).not_to_have_attribute("d", end)
        assert walk.label(page) == "step 0"
        walk.scrub(page, 1.0)
        walk.wait_for(page, last)
        expect(cursor).to_have_attribute("d", end)
    assert_scrolls_on_a_phone(page, ".st-key-srcurves .js-plotly-plot")
