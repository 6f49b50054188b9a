"""What people do on the page "KV cache", in a real browser."""

import re
from urllib.parse import quote

import pytest
import torch
from playwright.sync_api import expect

import tlmviz

from .test_explorer_flows import TEXT, wait_for_param
from .test_flash_flows import PAUSED, label, scrub

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
    query = "&".join(f"{name}={quote(str(value))}" for name, value in {"text": TEXT, **params}.items())
    page.goto(f"{server}kv_cache?{query}")
    expect(page.get_by_role("heading", name=re.compile("KV cache"))).to_be_visible()


def open_steps(page, server, **params):
    open_page(page, server, **params)
    expect(page.locator(".slider-group")).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)


def step(page, button: str, to: str) -> dict:
    page.locator(".updatemenu-button").filter(has_text=button).click()
    page.wait_for_function("to => document.querySelector('.slider-label').textContent.includes(to)", arg=to)
    page.wait_for_timeout(300)
    return page.evaluate(SHOWN)


@pytest.mark.parametrize("name", ["zoo-rope", "zoo-window"])
def test_one_step_moves_map_memory_and_bytes_together_and_asks_no_server(page, server, name):
    page.add_init_script(PAUSED)
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    open_steps(page, server, model=name, ktok=8)
    lm = tlmviz.load(name)
    prompt, before = len(lm.encode(TEXT)), len(sent)
    first = page.evaluate(SHOWN)
    assert first["written"] == [prompt] and first["rows"] == 1 and first["query"] == prompt
    second = step(page, "›", " 2 of 8")
    assert second["written"] == [prompt + 1] and second["rows"] == 2 and second["query"] == prompt + 1
    assert second["held"] == prompt + 2
    cache = lm.new_cache()
    lm(torch.zeros(1, prompt + 2, dtype=torch.long), cache)
    line = cache.nbytes // (lm.config.n_layers * 64)  # both kinds begin with 64 positions
    assert f"{line * lm.config.n_layers * (prompt + 2):,} B" in second["words"] and f"{cache.nbytes:,} B" in second["words"]
    again = step(page, "‹", " 1 of 8")
    assert again == first
    assert step(page, "‹", "0 of 8")["rows"] == 1  # one empty row: the prompt alone
    scrub(page, 1.0)
    page.wait_for_function("() => / 8 of 8/.test(document.querySelector('.slider-label').textContent)")
    page.wait_for_timeout(300)
    assert page.evaluate(SHOWN)["rows"] == 8 and len(sent) == before


def test_play_walks_on_and_pause_stops(page, server):
    page.add_init_script(PAUSED)
    open_steps(page, server, model="zoo-mla", ktok=16)
    start = label(page)
    page.locator(".updatemenu-button").first.click()
    page.wait_for_function("old => document.querySelector('.slider-label').textContent !== old", arg=start)
    page.locator(".updatemenu-button").nth(1).click()
    page.wait_for_timeout(800)
    paused = label(page)
    page.wait_for_timeout(1200)
    assert label(page) == paused
    expect(page.locator(".stPlotlyChart").first).to_contain_text("k^R")


def test_another_seed_is_in_the_link_and_writes_another_text(page, server):
    open_steps(page, server, model="zoo-rope", ktok=8)
    written = page.get_by_text(re.compile("^Generated:")).inner_text()
    page.get_by_role("button", name="Tokens, temperature, seed").click()
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


def test_a_deep_link_to_the_calculator_opens_what_it_names(server, page):
    open_page(page, server, kview="Calculator", kshape="PaLM 540B", kctx=2048, kbatch=16)
    expect(page.get_by_text("Page not found")).to_have_count(0)
    expect(page.get_by_text("Cache of 16 × 2,048 tokens")).to_be_visible()
    expect(page.get_by_text("3.96 GB")).to_be_visible()  # 16 x 118 x 2,048 x 2 x 1 x 256 x 2 bytes
    expect(page.get_by_text(re.compile("PaLM does; LLaMA 2 70B uses GQA"))).to_be_visible()


def test_the_picture_is_above_the_fold_and_a_phone_scrolls_it_inside(page, server, browser):
    open_steps(page, server)
    box = page.locator(".stPlotlyChart").first.bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= 800
    context = browser.new_context(viewport={"width": 390, "height": 844})
    phone = context.new_page()
    open_steps(phone, server)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    assert phone.locator(".st-key-wide").evaluate("box => box.scrollWidth > box.clientWidth")
    context.close()
