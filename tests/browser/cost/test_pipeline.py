"""The timeline of a pipeline: scrubbed and replayed without the server, and its time in the link."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, at_rest, open_link, silence, stopped, wait_for_param


def test_the_timeline_is_scrubbed_and_replayed_without_the_server(clocked, server):
    open_link(clocked, server, "pipeline", plat="12")
    root, canvas = clocked.get_by_test_id("pipeline-root"), clocked.get_by_test_id("pipeline-canvas")
    expect(root).to_have_attribute("data-at", "12")
    assert_above_the_fold(canvas)
    at_rest(clocked)
    with stopped(clocked), silence(clocked):
        canvas.focus()
        clocked.keyboard.press("Home")
        expect(root).to_have_attribute("data-at", "0")
    wait_for_param(clocked, "plat", "0.0")
    at_rest(clocked)
    with silence(clocked):  # while it plays
        clocked.keyboard.press(" ")
        expect(root).to_have_attribute("data-at", re.compile(r"^[2-9]"))
    clocked.keyboard.press(" ")
    expect(root).to_have_attribute("data-playing", "false")
    wait_for_param(clocked, "plat", str(float(root.get_attribute("data-at"))))  # 2 is written 2.0
    canvas.hover(position={"x": 70, "y": 30})
    expect(clocked.get_by_test_id("pipeline-said")).to_contain_text("forward of micro-batch 1")
