"""What people do on the explorer page, in a real browser."""

import os
import re
from pathlib import Path

import pytest
import torch
from playwright.sync_api import expect

import tlmviz
from tests import tiny
from tests.browser.helpers import (
    PHONE,
    TEXT,
    assert_above,
    assert_above_the_fold,
    assert_fits,
    at_rest,
    from_menu,
    open_link,
    own_profile,
    phone,
    silence,
    until,
    wait_for_param,
)
from tests.pages.states import plain
from tlmviz.analysis.attention.tags import striking_row, tag_heads
from tlmviz.checkpoints import native
from tlmviz.hosting.server import serve
from tlmviz.networks.transformer import TransformerLM
from tlmviz.ui import inputs


@pytest.fixture(scope="module")
def many_heads(tmp_path_factory):
    """The address of an app that offers a random model of 32 x 32 heads."""
    folder = tmp_path_factory.mktemp("opened") / "many"
    tokenizer = tlmviz.load("stories-rope").tokenizer
    sizes = dict(n_layers=32, n_heads=32, n_kv_heads=32, head_dim=4, d_model=128, d_ff=32)
    config = tiny.config(vocab_size=tokenizer.vocab_size, **sizes).with_(name="many")
    torch.manual_seed(0)
    native.save_network(folder, TransformerLM(config), tokenizer)
    with serve(env={**os.environ, "TLMVIZ_OPEN": str(folder)}) as server:
        yield server.url


def open_explorer(page, server, **params):
    open_link(page, server, "", **({"mode": "map"} | params))  # a link that names nothing leads to Start
    canvas = page.get_by_test_id("detail")
    expect(canvas).to_have_attribute("data-painted-kind", "exact")
    return canvas


def painted_text(text: str) -> str:
    tokens = tlmviz.load("stories-rope").trace(text).tokens
    return f"{len(''.join(tokens))}:{len(tokens)}"


def cell(page, canvas, row: int, col: int) -> tuple[float, float]:
    """Page coordinates of one cell's middle, from the plan the component publishes."""
    return tuple(
        canvas.evaluate(
            """(canvas, [row, col]) => {
              const plan = JSON.parse(canvas.dataset.plan), box = canvas.getBoundingClientRect(),
                step = plan.side / plan.n;
              return [box.x + plan.x + (col - plan.col + 0.5) * step, box.y + plan.y + (row - plan.row + 0.5) * step];
            }""",
            [row, col],
        )
    )


def test_typing_repaints_the_map_and_changes_the_link(page, server):
    canvas = open_explorer(page, server, text=TEXT)
    expect(canvas).to_have_attribute("data-painted-text", painted_text(TEXT))
    box = page.get_by_role("textbox", name="Text")
    box.focus()
    page.keyboard.press("End")
    page.keyboard.type(" cat")
    expect(canvas).to_have_attribute("data-painted-text", painted_text(TEXT + " cat"))
    wait_for_param(page, "text", TEXT + " cat")


SEEN = """canvas => {
  window.seen = [];
  const ahead = () => document.documentElement.hasAttribute("data-ahead");
  const map = canvas.parentElement.querySelector("canvas");
  const look = () => window.seen.push([canvas.dataset.paintedText, ahead(), map.toDataURL()]);
  new MutationObserver(look).observe(canvas, {attributes: true, attributeFilter: ["data-paints"]});
}"""


def test_the_picture_follows_typing_in_the_browser_and_the_servers_is_the_same(page, server):
    text = "Lily had a red ball"
    canvas = open_explorer(page, server, text=text, head="4.2")
    page.get_by_role("textbox", name="Text").focus()
    canvas.evaluate(SEEN)
    page.keyboard.press("End")
    for letter in " and a cat":  # the engine arrives while the server still draws the first ones
        page.keyboard.type(letter)
        text += letter
        expect(canvas).to_have_attribute("data-painted-text", painted_text(text))
    at_rest(page)
    wait_for_param(page, "text", text)
    page.wait_for_function("!document.documentElement.hasAttribute('data-ahead')")
    seen = [entry[1:] for entry in page.evaluate("window.seen") if entry[0] == painted_text(text)]
    before, after = ([drawn for ahead, drawn in seen if ahead is where] for where in (True, False))
    assert before and after, "the browser's picture comes first, then the server's"
    assert before[-1] == after[-1]


def test_the_first_head_stays_while_one_types(page, server):
    """0.0 is what a head is where nothing is said: a link that says it means it."""
    canvas = open_explorer(page, server, text=TEXT, head="0.0")
    expect(canvas).to_have_attribute("data-painted-head", "0.0")
    page.get_by_role("textbox", name="Text").focus()
    page.keyboard.press("End")
    page.keyboard.type(" cat")
    expect(canvas).to_have_attribute("data-painted-text", painted_text(TEXT + " cat"))
    expect(canvas).to_have_attribute("data-painted-head", "0.0")
    wait_for_param(page, "head", "0.0")


def test_opens_on_a_row_worth_seeing_until_one_is_chosen(page, server):
    """The strongest head with a tag, a pinned row and a sentence that names its words; a head that the user chose
    stays."""
    canvas = open_explorer(page, server)
    trace = (lm := tlmviz.load("stories-rope")).trace(inputs.DEFAULT_TEXT)
    row = striking_row(trace, tag_heads(trace), lm)
    opened = f"{row.layer}.{row.head}"
    expect(canvas).to_have_attribute("data-painted-head", opened)
    wait_for_param(page, "head", opened)
    wait_for_param(page, "query", str(row.query))
    card = page.get_by_test_id("head-card")
    for word in (trace.tokens[row.query].strip(), trace.tokens[row.key].strip(), "the last time", "induction"):
        expect(card).to_contain_text(word)
    weight = trace.attention(row.layer, row.head)[row.query, row.key].item()
    expect(card).to_contain_text(f"{weight:.2f} of its weight")
    page.get_by_test_id("overview").focus()
    page.keyboard.press("ArrowUp")
    chosen = f"{int(opened[0]) - 1}.{opened[2]}"
    expect(canvas).to_have_attribute("data-painted-head", chosen)
    page.get_by_role("button", name="Examples").click()
    page.get_by_role("button", name="Repeats").click()
    expect(canvas).not_to_have_attribute("data-painted-text", painted_text(inputs.DEFAULT_TEXT))
    expect(canvas).to_have_attribute("data-painted-head", chosen)


def test_heads_are_found_by_their_tag(page, server):
    open_explorer(page, server)
    page.get_by_test_id("having").select_option("previous")
    expect(page.locator(".view .hint").first).to_have_text("2 of 36 heads.")
    wait_for_param(page, "find", "previous")


def test_a_thousand_heads_are_searched(page, many_heads):
    """Tiles stay legible and scroll; a search by statistic shows what it finds, and is in the link."""
    canvas = open_explorer(page, many_heads, model="many", head="20.30")
    view = page.locator(".view").first
    scrolled = "box => box.scrollWidth > box.clientWidth && box.scrollTop > 0"
    until(page, lambda: view.locator(".scroller").evaluate(scrolled))
    find = page.get_by_role("searchbox", name="Find heads")
    find.fill("20.30")
    expect(view.locator(".hint").first).to_have_text("1 of 1024 heads.")
    find.fill("entropy < 2.5")
    expect(view.locator(".hint").first).to_contain_text(" of 1024 heads.")
    wait_for_param(page, "find", "entropy < 2.5")
    find.fill("nonsense")
    expect(view.locator(".hint").first).to_contain_text("induction > 0.4")
    expect(canvas).to_have_attribute("data-painted-head", "20.30")


def test_the_model_writes_on_until_it_is_stopped_and_all_is_taken_back(page, server):
    canvas = open_explorer(page, server, text=TEXT, head="1.2")
    box = page.get_by_role("textbox", name="Text")
    page.get_by_role("button", name="▶ Write").click()
    page.wait_for_function(
        "start => document.querySelector('input[aria-label=Text]').value.length > start + 12", arg=len(TEXT)
    )
    page.get_by_role("button", name="■ Stop").click()
    expect(page.get_by_role("button", name="▶ Write")).to_be_visible()
    expect(canvas).not_to_have_attribute("data-painted-text", painted_text(TEXT))
    page.get_by_role("button", name="Back to the text").click()
    expect(box).to_have_value(TEXT)
    expect(canvas).to_have_attribute("data-painted-text", painted_text(TEXT))
    at_rest(page)
    page.get_by_role("button", name="▶ Write").click()
    page.wait_for_function(
        "start => document.querySelector('input[aria-label=Text]').value.length > start", arg=len(TEXT)
    )
    # The box grows before the address says so: going back from there would leave the page.
    page.wait_for_function("start => new URL(location).searchParams.get('text').length > start", arg=len(TEXT))
    page.go_back()
    expect(page.get_by_role("button", name="▶ Write")).to_be_visible()
    at_rest(page)  # a run that was under way may still say where it was
    left = page.evaluate("new URL(location).searchParams.get('text')")
    expect(box).to_have_value(left)
    expect(canvas).to_have_attribute("data-painted-text", painted_text(left))
    box.fill(TEXT)
    expect(canvas).to_have_attribute("data-painted-text", painted_text(TEXT))
    at_rest(page)
    word = page.get_by_test_id("next-tokens").locator(".name").first
    expect(word).to_be_enabled()
    first = word.inner_text()
    word.click()
    expect(box).to_have_value(re.compile(re.escape(TEXT) + r"\s?" + re.escape(first)))


def test_a_word_is_attributed_and_a_head_is_muted_on_its_tile(page, server):
    open_explorer(page, server, text=TEXT, head="5.4")
    who = page.get_by_test_id("next-tokens").locator(".who").first
    who.click()
    hint = page.locator(".view .hint").first
    expect(hint).to_contain_text("the sum of all tiles")
    page.wait_for_function("new URL(location).searchParams.has('word')")
    page.get_by_test_id("overview").focus()
    page.keyboard.press("m")
    wait_for_param(page, "mute", "5.4")
    expect(page.locator(".next .note")).to_contain_text("Without 1 head")
    expect(page.locator(".next .before").first).to_be_attached()
    page.get_by_role("button", name="Unmute").click()
    expect(page.locator(".next .before")).to_have_count(0)


def test_arrow_keys_choose_a_head_and_a_reload_keeps_it(page, server):
    canvas = open_explorer(page, server, text=TEXT, head="0.0")
    page.get_by_test_id("overview").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(canvas).to_have_attribute("data-painted-head", "1.1")
    expect(canvas).to_have_attribute("data-painted-kind", "exact")
    wait_for_param(page, "head", "1.1")
    page.reload()
    expect(canvas).to_have_attribute("data-painted-head", "1.1")


def test_hover_shows_the_exact_weight_without_the_server(page, server):
    canvas = open_explorer(page, server, text=TEXT, head="1.2")
    page.mouse.move(1000, 400)
    page.mouse.wheel(0, 600)  # what is below asks for itself where it is seen, once
    expect(page.locator(".st-key-closer .js-plotly-plot").first).to_be_visible()
    page.mouse.wheel(0, -600)
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop === 0")
    at_rest(page)
    with silence(page):
        page.mouse.move(*cell(page, canvas, 5, 3))
        tooltip = page.get_by_test_id("tooltip")
        expect(tooltip).to_be_visible()
    weight = tlmviz.load("stories-rope").trace(TEXT).attention(1, 2)[5, 3].item()
    said = plain(tooltip.inner_text())
    shown = [float(number) for number in re.findall(r"\d+\.\d+(?:e-?\d+)?|\d+e-\d+", said)]
    assert any(number == pytest.approx(weight, rel=2e-3, abs=1e-6) for number in shown), (weight, tooltip.inner_text())


def test_a_click_pins_a_cell_for_the_panels_and_the_link(page, server):
    canvas = open_explorer(page, server, text=TEXT)
    page.mouse.click(*cell(page, canvas, 6, 2))
    wait_for_param(page, "query", "6")
    wait_for_param(page, "key", "2")
    expect(page.get_by_text(re.compile("query 6 to key 2"))).to_be_visible()
    page.reload()
    expect(page.get_by_text(re.compile("query 6 to key 2"))).to_be_visible()


def test_a_shared_link_opens_the_same_picture_in_a_second_tab(page, server, browser):
    open_explorer(page, server, text=TEXT, head="2.4", query="5", stage="scaled", panel="Mute heads", mute="0.1")
    with own_profile(browser) as other:
        other.goto(page.url)
        expect(other.get_by_test_id("detail")).to_have_attribute("data-painted-head", "2.4")
        for name, value in (("head", "2.4"), ("query", "5"), ("stage", "scaled")):
            wait_for_param(other, name, value)
        expect(other.get_by_text(re.compile(r"Muted: L0H1\."))).to_be_visible()


def test_ten_thousand_characters_leave_a_sentence_a_picture_and_the_text(page, server):
    canvas = open_explorer(page, server, text=TEXT)
    long = ("The cat sat on the big mat. " * 400)[:10_000]
    page.get_by_role("textbox", name="Text").fill(long)
    expect(page.get_by_text(re.compile(r"tokens and stories-rope reads"))).to_be_visible()
    expect(canvas).to_have_attribute("data-painted-text", re.compile(r":1024$"))
    expect(page.get_by_role("textbox", name="Text")).to_have_value(long)


def test_downloads_bring_the_map_and_the_trace(page, server, tmp_path):
    import numpy as np
    import pandas as pd

    open_explorer(page, server, text=TEXT, panel="Data", head="0.3")
    trace = tlmviz.load("stories-rope").trace(TEXT)
    with page.expect_download() as csv:
        page.get_by_role("button", name=re.compile(r"^Map of L\dH\d")).click()
    table = pd.read_csv(csv.value.path(), index_col=0)
    np.testing.assert_allclose(table.to_numpy(), trace.attention(0, 3).numpy(), atol=1e-6)
    with page.expect_download() as npz:
        page.get_by_role("button", name=re.compile("NPZ")).click()
    arrays = np.load(npz.value.path())
    np.testing.assert_allclose(arrays["blocks.0.attn.lse"], trace["blocks.0.attn.lse"][0].numpy(), atol=1e-5)


SEVERAL = dict(text=TEXT, head="4.2", mode="arcs", overlay="2.1,3.3", query="6")


def test_overlaid_heads_stay_while_the_pointer_is_on_a_later_token(page, server):
    open_link(page, server, "", **SEVERAL)
    entries = page.locator(".legend .entry")
    expect(entries).to_have_count(3)
    last = page.get_by_test_id("arcs").locator(".token").last
    last.hover()
    expect(page.get_by_test_id("tooltip")).to_be_visible()
    expect(entries).to_have_count(3)


def test_a_finger_overlays_heads_and_takes_them_off(server, browser):
    with own_profile(browser, PHONE, has_touch=True, is_mobile=True) as page:
        open_link(page, server, "", **{**SEVERAL, "overlay": ""})
        entries, tile = page.locator(".legend .entry"), {"x": 60, "y": 60}
        expect(page.get_by_role("button", name="Overlay")).to_be_visible()
        page.get_by_role("button", name="Overlay").tap()
        page.get_by_test_id("overview").tap(position=tile)
        expect(entries).to_have_count(2)
        page.get_by_test_id("overview").tap(position=tile)
        expect(entries).to_have_count(1)
        page.get_by_role("button", name="Overlay").tap()
        page.get_by_test_id("overview").tap(position=tile)
        expect(page.get_by_role("heading", name="L0H0")).to_be_visible()


def test_a_saved_picture_of_several_heads_names_them(page, server):
    open_link(page, server, "", **SEVERAL)
    expect(page.locator(".legend .entry")).to_have_count(3)
    with page.expect_download() as svg:
        from_menu(page.locator("section.detail"), "SVG")
    drawn = Path(svg.value.path()).read_text()
    for name in ("L4H2", "L2H1", "L3H3"):
        assert f">{name}<" in drawn
    assert len(set(re.findall(r'<rect [^>]*width="10" height="10" fill="([^"]+)"', drawn))) == 3


def test_the_overview_is_saved_with_its_tiles_names_and_overlaid_heads(page, server):
    open_link(page, server, "", **SEVERAL)
    expect(page.locator(".legend .entry")).to_have_count(3)
    with page.expect_download() as svg:
        from_menu(page.locator("section.overview"), "SVG")
    drawn = Path(svg.value.path()).read_text()
    assert drawn.count("<image ") == 36 and ">H5<" in drawn and ">L5<" in drawn
    for name in ("L4H2", "L2H1", "L3H3"):
        assert f">{name}<" in drawn


def test_the_wheel_scrolls_the_page_until_it_is_meant_for_the_map(page, server):
    canvas = open_explorer(page, server, text=TEXT)
    at_rest(page)
    cells = "canvas => JSON.parse(canvas.dataset.plan).n"
    scrolled = "document.querySelector('[data-testid=stMain]').scrollTop"
    count = canvas.evaluate(cells)
    page.mouse.move(*cell(page, canvas, 6, 3))
    page.mouse.wheel(0, 60)
    page.wait_for_function(f"{scrolled} > 0")
    page.mouse.wheel(0, -60)
    page.wait_for_function(f"{scrolled} === 0")
    assert canvas.evaluate(cells) == count
    page.mouse.click(*cell(page, canvas, 6, 3))
    page.mouse.wheel(0, -60)
    zoomed = canvas.evaluate_handle("canvas => canvas")
    page.wait_for_function("([canvas, n]) => JSON.parse(canvas.dataset.plan).n < n", arg=[zoomed, count])
    assert page.evaluate(scrolled) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_stacks_the_parts_without_sideways_scrolling(server, browser, scheme):
    with phone(browser, scheme) as page:
        canvas = open_explorer(page, server, text=TEXT)
        assert_above(page.get_by_test_id("overview"), canvas)
        assert_fits(page)


def test_the_first_view_holds_text_map_and_predictions_at_laptop_size(page, server):
    canvas = open_explorer(page, server, text=TEXT)
    bars = page.get_by_test_id("next-tokens")
    expect(bars.locator("li").first).to_be_visible()
    for part in (page.get_by_role("textbox", name="Text"), page.get_by_test_id("overview"), canvas, bars):
        assert_above_the_fold(part)
