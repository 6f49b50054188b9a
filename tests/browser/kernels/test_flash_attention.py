"""What people do on the page "FlashAttention", in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser import walk
from tests.browser.helpers import TEXT, assert_above_the_fold, at_rest, frames_sent, open_link, wait_for_param


def open_page(page, server, **params):
    open_link(page, server, "flash_attention", **{"text": TEXT, **params})
    at_rest(page, ".slider-group")


def test_scrubbing_and_playing_send_nothing_to_the_server(page, server):
    sent = frames_sent(page)
    for part in ("One row", "Tiles"):
        open_page(page, server, part=part)
        before, start = len(sent), walk.label(page)
        walk.scrub(page, 1.0)
        walk.wait_past(page, start)
        last = re.search(r"(\d+) of (\d+)", walk.label(page))
        assert last.group(1) == last.group(2)
        expect(page.locator(".stPlotlyChart")).to_contain_text(
            "off by" if part == "One row" else "Result − softmax"
        )
        walk.scrub(page, 0.0)
        walk.wait_for(page, " 1 of ")
        walk.play(page)
        walk.wait_past(page, " 1 of ")
        walk.assert_pause_holds(page)
        assert len(sent) == before


def test_logits_of_1e4_overflow_the_naive_softmax_and_reset_brings_the_model_back(page, server):
    open_page(page, server)
    field = page.get_by_role("textbox", name="Logits")
    field.fill("1, 2, 1e4, -inf")
    wait_for_param(page, "logits", "1, 2, 1e4, -inf")
    row = page.locator("tr").filter(has_text="Naive")
    expect(row).to_contain_text("NaN")
    expect(page.locator("tr").filter(has_text="One pass")).not_to_contain_text("NaN")
    walk.scrub(page, 1.0)
    expect(page.locator(".stPlotlyChart")).to_contain_text("NaN")
    page.get_by_role("button", name="As in the model").click()
    expect(row).not_to_contain_text("NaN")
    expect(field).to_have_value("")
    wait_for_param(page, "logits", None)


def test_bad_logits_are_named_while_they_stay_in_the_field(page, server):
    open_page(page, server, logits="1, two")
    expect(page.get_by_role("alert")).to_contain_text("“two”")
    expect(page.get_by_role("textbox", name="Logits")).to_have_value("1, two")


def test_the_pictures_are_above_the_fold(page, server):
    for part in ("One row", "Tiles"):
        open_page(page, server, part=part)
        assert_above_the_fold(page.locator(".stPlotlyChart"))


def test_a_deep_link_opens_what_it_names(server, page):
    open_page(page, server, part="Tiles", br=4, bc=16, head="1.2", query=3)
    expect(page.get_by_role("heading", name=re.compile("FlashAttention"))).to_be_visible()
    expect(page.locator(".stPlotlyChart")).to_contain_text("Layer 1, head 2")
    expect(page.locator(".stPlotlyChart")).to_contain_text("tiles of 4 × 16")
    expect(page.get_by_text("Page not found")).to_have_count(0)
