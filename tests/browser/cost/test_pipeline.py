"""The timeline of a pipeline: scrubbed and replayed without the server, its time in the link; on a phone."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import (
    assert_above_the_fold,
    assert_fits,
    frames_sent,
    open_link,
    phone,
    wait_for_param,
)

SLOW = 120_000


def test_the_timeline_is_scrubbed_and_replayed_without_the_server(page, server):
    page.set_default_timeout(SLOW)
    sent = frames_sent(page)
    open_link(page, server, "pipeline", plat="12")
    root, canvas = page.get_by_test_id("pipeline-root"), page.get_by_test_id("pipeline-canvas")
    expect(root).to_have_attribute("data-at", "12", timeout=SLOW)
    assert_above_the_fold(canvas)
    before = len(sent)
    canvas.focus()
    page.keyboard.press("Home")
    expect(root).to_have_attribute("data-at", "0")
    page.keyboard.press(" ")
    expect(root).to_have_attribute("data-at", re.compile(r"^[2-9]"))
    assert len(sent) == before, "nothing is sent while it plays"
    page.keyboard.press(" ")
    expect(root).to_have_attribute("data-playing", "false")
    wait_for_param(page, "plat", str(float(root.get_attribute("data-at"))))  # 2 is written 2.0
    canvas.hover(position={"x": 70, "y": 30})
    expect(page.get_by_test_id("pipeline-said")).to_contain_text("forward of micro-batch 1")


def test_it_fits_on_a_phone(browser, server):
    with phone(browser, "dark") as page:
        page.set_default_timeout(SLOW)
        open_link(page, server, "pipeline", plview="DualPipe")
        expect(page.get_by_test_id("pipeline-root")).to_be_visible(timeout=SLOW)
        assert_fits(page)
