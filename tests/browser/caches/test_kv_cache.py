"""What people do on the page "KV cache", in a real browser."""

import re

import pytest
import torch
from playwright.sync_api import expect

import tlmviz
from tests.browser import walk
from tests.browser.helpers import (
    TEXT,
    assert_above_the_fold,
    assert_fits,
    at_rest,
    frames_sent,
    open_link,
    phone,
    wait_for_param,
)

# What the picture shows now, as Plotly decoded it: slots written in this step, keys drawn beside the prompt's, the newest
# row, and the words.
SHOWN = """() => {
  const data = document.querySelector('.js-plotly-plot')._fullData, on = (axis, type) =>
    data.filter(trace => trace.type === type && (trace.xaxis || 'x') === axis);
  const [memory] = on('x5', 'heatmap'), [, grown] = on('x', 'heatmap'), [q] = on('x2', 'heatmap');
  return {
    written: Array.from(memory.z[0]).flatMap((state, slot) => state === 3 ? [slot] : []),
    held: Array.from(memory.z[0]).filter(state => state >= 2).length,
    rows: grown.z.length, query: q.y0, words: on('x6', 'scatter')[0].text[0],
  };
}"""


def open_page(page, server, **params):
    open_link(page, server, "kv_cache", **{"text": TEXT, **params})
    expect(page.get_by_role("heading", name=re.compile("KV cache"))).to_be_visible()


def open_steps(page, server, **params):
    open_page(page, server, **params)
    at_rest(page, ".slider-group")


def step(page, button: str, to: str) -> dict:
    page.locator(".updatemenu-button").filter(has_text=button).click()
    walk.wait_for(page, to)
    page.wait_for_timeout(300)
    return page.evaluate(SHOWN)


@pytest.mark.parametrize("name", ["zoo-rope", "zoo-window"])
def test_one_step_moves_map_memory_and_bytes_together_and_asks_no_server(page, server, name):
    sent = frames_sent(page)
    open_steps(page, server, model=name, ktok=8)
    lm = tlmviz.load(name)
    prompt, before = len(lm.encode(TEXT)), len(sent)
    walk.scrub(page, 0.1)  # it opens on the last token
    walk.wait_for(page, " 1 of 8")
    page.wait_for_timeout(300)
    first = page.evaluate(SHOWN)
    assert first["written"] == [prompt] and first["rows"] == 1 and first["query"] == prompt
    second = step(page, "›", " 2 of 8")
    assert second["written"] == [prompt + 1] and second["rows"] == 2 and second["query"] == prompt + 1
    assert second["held"] == prompt + 2
    cache = lm.new_cache()
    lm(torch.zeros(1, prompt + 2, dtype=torch.long), cache)
    line = cache.nbytes // (lm.config.n_layers * 64)  # both kinds begin with 64 positions
    assert (
        f"{line * lm.config.n_layers * (prompt + 2):,} B" in second["words"]
        and f"{cache.nbytes:,} B" in second["words"]
    )
    again = step(page, "‹", " 1 of 8")
    assert again == first
    assert step(page, "‹", "0 of 8")["rows"] == 1  # one empty row: the prompt alone
    walk.scrub(page, 1.0)
    walk.wait_for(page, " 8 of 8")
    page.wait_for_timeout(300)
    assert page.evaluate(SHOWN)["rows"] == 8 and len(sent) == before


def test_play_walks_on_and_pause_stops(page, server):
    open_steps(page, server, model="zoo-mla", ktok=16)
    walk.scrub(page, 0.1)
    start = walk.label(page)
    walk.play(page)
    walk.wait_past(page, start)
    walk.assert_pause_holds(page)
    expect(page.locator(".stPlotlyChart").first).to_contain_text("k^R")


def test_another_seed_is_in_the_link_and_writes_another_text(page, server):
    open_steps(page, server, model="zoo-rope", ktok=8)
    written = page.get_by_text(re.compile("^Generated:")).inner_text()
    page.get_by_role("button", name="More").click()
    page.get_by_role("spinbutton", name="Seed").fill("3")
    page.keyboard.press("Enter")
    wait_for_param(page, "kseed", "3")
    expect(page.get_by_text(re.compile("^Generated:"))).not_to_have_text(written)


def test_ten_thousand_characters_are_read_as_far_as_they_can_be_and_kept(page, server):
    open_steps(page, server, model="zoo-rope", ktok=4)
    box, long = page.get_by_role("textbox", name="Text"), ("The cat sat on the big mat. " * 400)[:10_000]
    box.fill(long)
    expect(page.get_by_role("alert")).to_contain_text("the first 256 are shown")
    expect(page.locator(".stPlotlyChart").first).to_contain_text("the last 96 of 260 positions")
    expect(box).to_have_value(long)


def test_the_picture_is_above_the_fold_and_a_phone_scrolls_it_inside(page, server, browser):
    open_steps(page, server)
    assert_above_the_fold(page.locator(".stPlotlyChart").first)
    with phone(browser) as small:
        open_steps(small, server)
        assert_fits(small)
        assert small.locator(".st-key-wide").evaluate("box => box.scrollWidth > box.clientWidth")
