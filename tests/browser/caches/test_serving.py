"""What people do on the page "Serving", in a real browser."""

import re

from playwright.sync_api import expect

from pages.caches.serving.state import ARRIVALS, REQUESTS, TOKENS
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
from tlmviz.decoding.serving import Request, Server, serve

# What the picture shows now: pages that are shared, block tables, words, and where both lines stand.
SHOWN = """() => {
  const data = document.querySelector('.js-plotly-plot').data, on = (axis, type) =>
    data.filter(trace => trace.type === type && (trace.xaxis || 'x') === axis);
  return {
    shared: on('x2', 'scatter').at(-1).text.length, words: on('x', 'scatter')[0].text[0],
    tables: on('x3', 'heatmap')[0].text.map(row => Array.from(row).filter(page => page !== '')),
    at: ['x5', 'x6'].map(axis => on(axis, 'scatter')[0].x[0]),
  };
}"""


def open_page(page, server, **params):
    open_link(page, server, "serving", **{"text": TEXT, **params})
    at_rest(page, ".slider-group")


def expected(model):
    """The default requests served without the page."""
    lines = [TEXT + line[1:] if line[0] == "…" else line for line in REQUESTS.splitlines()]
    numbers = zip(lines, map(int, TOKENS.split(",")), map(int, ARRIVALS.split(",")))
    requests = [Request(line, tokens, arrival, 0.8, seed) for seed, (line, tokens, arrival) in enumerate(numbers)]
    return serve(model, requests, Server(8, 18, 4))


def test_one_step_moves_pages_tables_and_both_timelines_and_asks_no_server(page, server, stories):
    open_page(page, server, model="stories-rope")
    run = expected(stories)
    at, last = int(re.search(r"(\d+) of", walk.label(page)).group(1)), len(run.steps) - 1
    with silence(page):
        assert_shows(page, run, at)
        page.locator(".updatemenu-button").filter(has_text="›").click()
        assert_shows(page, run, at + 1)
        walk.scrub(page, 1.0)
        walk.wait_for(page, f" {last} of {last}")
        until(page, lambda: page.evaluate(SHOWN)["at"] == [last, last])


def assert_shows(page, run, to: int) -> None:
    """Pages, block tables, words and both timelines are those of one step."""
    walk.wait_for(page, f" {to} of")
    until(page, lambda: page.evaluate(SHOWN)["at"] == [to, to])  # the words move before the picture
    shown, step = page.evaluate(SHOWN), run.steps[to]
    assert shown["tables"] == [list(snapshot.table) for snapshot in step.snapshots]
    assert shown["shared"] == step.shared
    assert f"<b>Step {to}</b>" in shown["words"] and f"{step.allocated} slots allocated" in shown["words"]


def test_own_prompts_and_memory_are_in_the_link_and_come_back(page, server):
    open_page(page, server, model="zoo-rope", vtok="6")
    box = page.get_by_role("textbox", name="Requests, one a line")
    box.fill("The cat\n… & <b>")
    box.press("Control+Enter")
    wait_for_param(page, "vreq", "The cat\n… & <b>")
    expect(page.locator(".stPlotlyChart").first).to_contain_text("B")
    page.locator(".st-key-more button").first.click()
    pages = page.get_by_role("spinbutton", name="Pages")
    pages.fill("9")
    pages.press("Enter")
    wait_for_param(page, "vpages", "9")
    expect(page.get_by_role("spinbutton", name="Batch")).to_have_value("4")  # what was not seen yet has its value
    expect(page.locator(".stPlotlyChart").first).to_contain_text("9 pages of 8 slots")
    page.reload()
    expect(page.locator(".stPlotlyChart").first).to_contain_text("9 pages of 8 slots")
    expect(box).to_have_value("The cat\n… & <b>")


def test_a_page_size_of_zero_is_a_sentence_and_the_way_back_loses_nothing(page, server):
    open_page(page, server, model="zoo-rope", vtok="6", vpol="Static")
    expect(page.locator(".stPlotlyChart").first).to_contain_text("memory under static batching")
    size = page.get_by_role("spinbutton", name="Page size")
    size.fill("0")
    size.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The page size is 0; give at least 1.")
    expect(page.locator(".slider-group")).to_have_count(0)
    expect(page.get_by_role("textbox", name="Requests, one a line")).to_have_value(REQUESTS)
    size.fill("4")
    size.press("Enter")
    expect(page.locator(".stPlotlyChart").first).to_contain_text("36 pages of 4 slots")  # the same memory


def test_a_deep_link_opens_what_it_names_above_the_fold_and_a_phone_scrolls_it(server, page):
    open_page(page, server)
    expect(page.get_by_text("Page not found")).to_have_count(0)
    assert_above_the_fold(page.locator(".stPlotlyChart").first)
    assert_scrolls_on_a_phone(page, ".st-key-wide")
