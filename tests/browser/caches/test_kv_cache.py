"""What people do on the page "KV cache", in a real browser."""

import re

import pytest
import torch
from playwright.sync_api import expect

import tlmviz
from tests.browser.helpers import (
    TEXT,
    assert_above,
    assert_above_the_fold,
    at_rest,
    on_a_phone,
    open_link,
    silence,
    stopped,
    until,
    wait_for_param,
)


def open_steps(page, server, **params):
    """The page, with its steps once they are there."""
    open_link(page, server, "kv_cache", **{"text": TEXT, **params})
    root = page.get_by_test_id("decode-root")
    expect(root).to_have_attribute("data-step", re.compile(r"\d"))
    return root


def words(page):
    return page.get_by_test_id("decode-words")


PIXELS = """(canvas, [x, y, width, height]) => {
  const ratio = devicePixelRatio;
  return Array.from(canvas.getContext("2d").getImageData(x * ratio, y * ratio, width * ratio,
    height * ratio).data).join();
}"""


@pytest.mark.parametrize("name", ["zoo-rope", "zoo-window"])
def test_one_step_moves_map_memory_and_words_together_and_asks_no_server(clocked, server, name):
    root = open_steps(clocked, server, model=name, ktok=8)
    lm = tlmviz.load(name)
    prompt = len(lm.encode(TEXT))
    cache = lm.new_cache()
    lm(torch.zeros(1, prompt + 2, dtype=torch.long), cache)
    line = cache.nbytes // (lm.config.n_layers * 64)  # both kinds begin with 64 positions
    used = line * lm.config.n_layers * (prompt + 2)
    slider, memory = root.get_by_role("slider"), clocked.get_by_test_id("decode-memory")

    def pixels() -> str:
        return memory.evaluate(PIXELS, [24, 19, 400, 40])

    at_rest(clocked)
    with stopped(clocked), silence(clocked):
        slider.press("Home")
        expect(words(clocked)).to_contain_text(f"The prompt: {prompt} tokens, read at once")
        slider.press("ArrowRight")
        expect(root).to_have_attribute("data-read", str(prompt))
        first = pixels()
        slider.press("ArrowRight")
        expect(root).to_have_attribute("data-read", str(prompt + 1))
        until(clocked, lambda: pixels() != first)
        expect(words(clocked)).to_contain_text(f"Cache: {used:,} B used of {cache.nbytes:,} B allocated")
        slider.press("ArrowLeft")
        expect(root).to_have_attribute("data-read", str(prompt))
        until(clocked, lambda: pixels() == first)
        slider.press("End")
        expect(words(clocked)).to_contain_text("Token 8 of 8")


def test_it_plays_and_pauses_and_the_link_says_where(page, server):
    root = open_steps(page, server, model="zoo-mla", ktok=16, kstep=1)
    expect(words(page)).to_contain_text("a latent (c_KV, k^R)")
    expect(root).to_have_attribute("data-step", "1")
    root.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("root => Number(root.dataset.step) > 2", arg=root.element_handle())
    root.get_by_role("button", name="Pause", exact=True).click()
    expect(root).to_have_attribute("data-playing", "false")
    wait_for_param(page, "kstep", root.get_attribute("data-step"))
    page.get_by_test_id("decode-canvas").hover(position={"x": 200, "y": 60})
    expect(page.get_by_test_id("decode-said")).to_contain_text(re.compile("^key of .*, dimension"))


def test_another_seed_is_in_the_link_and_writes_another_text(page, server):
    open_steps(page, server, model="zoo-rope", ktok=8)
    at_rest(page)
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
    expect(page.get_by_test_id("decode-root")).to_contain_text("the last 96 of 260 positions")
    expect(box).to_have_value(long)


def test_the_picture_is_above_the_fold_and_a_phone_has_its_parts_below_each_other(page, server):
    open_steps(page, server)
    assert_above_the_fold(page.get_by_test_id("decode-canvas"))
    on_a_phone(page)
    assert_above(page.get_by_test_id("decode-canvas"), page.get_by_test_id("decode-memory"))
