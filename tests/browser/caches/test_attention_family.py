"""What people do on the pages "Attention family" and "Model zoo", in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import (
    TEXT,
    assert_above_the_fold,
    assert_scrolls_on_a_phone,
    at_rest,
    box_of,
    open_link,
    plot,
    silence,
    until,
    wait_for_param,
)
from tlmviz.analysis.caches.family import DEEPSEEK

# What the morph shows now: its words, and the bars that are marked in every chart.
SHOWN = """() => {
  const data = document.querySelector('.st-key-morph .js-plotly-plot').data;
  const marked = data.filter(trace => trace.type === 'bar').map(bar => bar.marker.color).map(colors =>
    colors.findIndex(color => colors.filter(other => other === color).length === 1));
  return {marked, words: data.find(trace => trace.mode === 'text').text};
}"""


def open_page(page, server, name="attention_family", **params):
    open_link(page, server, name, **{"text": TEXT, **params})
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def chart(page, key: str):
    """The drawn chart of a key; after a rerun the one before it stays for a moment."""
    found = page.locator(f".st-key-{key} .js-plotly-plot").first
    expect(found).to_be_visible()
    return found


def test_the_slider_morphs_and_asks_no_server(page, server):
    open_page(page, server, fset="DeepSeek", fat="MHA")
    expect(page.get_by_text(re.compile("× 56.9"))).to_be_visible()
    at_rest(page)
    box = box_of(chart(page, "morph").locator(".slider-rail-touch-rect"))
    assert page.evaluate(SHOWN)["marked"] == [0, 0, 0]
    with silence(page):
        page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
        last = len(DEEPSEEK.variants()) - 1
        until(page, lambda: page.evaluate(SHOWN)["marked"] == [last] * 3)
        words = page.evaluate(SHOWN)["words"]
        assert "not stored" in words[1] and "512 numbers" in words[4]


def test_the_morph_is_above_the_fold_and_a_phone_scrolls_it_inside(page, server):
    open_page(page, server)
    assert_above_the_fold(chart(page, "morph"))
    assert_scrolls_on_a_phone(page, ".st-key-wide-morph")


def test_a_click_on_a_map_opens_that_head_of_every_model(page, server):
    open_page(page, server, model="zoo-rope", fview="Trained maps", head="0.0")
    at_rest(page)
    area = plot(page, "familymaps")
    page.mouse.click(area["x"] + area["width"] * 5.5 / 8, area["y"] + area["height"] / 2)
    wait_for_param(page, "head", "0.5")
    expect(page.locator(".st-key-familyhead").first).to_contain_text("L0H5 of each")


def test_sizes_that_make_no_layer_are_a_sentence_and_stay_typed(page, server):
    open_page(page, server, fset="Free sizes")
    page.get_by_role("button", name="Free sizes").last.click()
    field = page.get_by_role("spinbutton", name="Rotary k_R")
    field.fill("7")
    field.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("give an even number")
    expect(field).to_have_value("7")
    wait_for_param(page, "frot", "7")


def test_ten_thousand_characters_are_read_as_far_as_they_can_be_and_kept(page, server):
    open_page(page, server, model="zoo-mla", fview="Latent attention")
    box, long = page.get_by_role("textbox", name="Text"), ("The cat sat on the big mat. " * 400)[:10_000]
    chart(page, "scoreparts")
    box.fill(long)
    expect(page.get_by_role("alert")).to_contain_text("the first 256 are shown")
    expect(page.locator(".st-key-scoreparts").first).to_contain_text("last 160 of 256 tokens")
    expect(box).to_have_value(long)


def test_a_deep_link_opens_what_it_names(server, page):
    open_page(page, server, model="zoo-mla", fview="Latent attention", head="3.1")
    expect(page.get_by_text("Page not found")).to_have_count(0)
    expect(page.locator(".st-key-scoreparts").first).to_contain_text("L3H1")
    expect(page.get_by_text(re.compile("Absorbed = naive"))).to_be_attached()  # folded into one line


def test_from_the_zoo_one_gets_to_the_explorer_with_that_model(page, server):
    open_page(page, server, "model_zoo", card="zoo-mla")
    assert_above_the_fold(chart(page, "choices"))
    link = page.get_by_role("link", name="Open zoo-mla in the explorer")
    with page.context.expect_page() as opened:
        link.click()
    explorer = opened.value
    expect(explorer.get_by_role("heading", name=re.compile("Attention explorer"))).to_be_visible()
    expect(explorer.get_by_role("combobox", name="Model")).to_have_value(re.compile("^zoo-mla "))


def test_a_deep_link_to_the_calculator_opens_what_it_names(server, page):
    open_page(page, server, "kv_cache", kview="Calculator", kshape="PaLM 540B", kctx=2048, kbatch=16, read="maths")
    expect(page.get_by_text("Page not found")).to_have_count(0)
    expect(page.get_by_text("Cache of 16 × 2,048 tokens")).to_be_visible()
    expect(page.get_by_text("3.96 GB", exact=True)).to_be_visible()  # 16 x 118 x 2,048 x 2 x 1 x 256 x 2 bytes
    expect(page.get_by_text(re.compile("PaLM does; LLaMA 2 70B uses GQA"))).to_be_attached()  # folded
