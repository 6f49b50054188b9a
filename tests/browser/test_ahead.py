"""Pictures of what is typed come from the browser first, and are the server's."""

import pytest
from playwright.sync_api import expect

from tests.browser.helpers import TEXT, at_rest, open_link, wait_for_param

# Page -> the test id of its view, and what a link says beside the text.
PAGES = {
    "start": ("look-words", {}),
    "inside_block": ("block-root", {"head": "4.2", "query": "3"}),
    "rope_planes": ("clocks-root", {"head": "4.2"}),
    "kv_cache": ("decode-root", {"head": "4.2", "ktemp": "0", "ktok": "8"}),
    "beam_search": ("race-root", {"bview": "Race", "mt": "eng-fra-dot"}),
}
# Where it is not the text of all pages: the box's name, its key, and what it opens on.
BOXES = {"beam_search": ("English sentence", "english", "I am cold")}
SEEN = """root => {
  window.seen = [];
  const pixels = (canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const look = () => window.seen.push({
    ahead: document.documentElement.hasAttribute("data-ahead"), words: root.textContent,
    drawn: [...root.querySelectorAll("canvas")].map(pixels),
  });
  new MutationObserver(look).observe(root, { attributes: true, childList: true, subtree: true });
}"""
FIRST = "window.seen.some(({ ahead }) => ahead)"
SAME = """() => {
  const [own, servers] = [true, false].map((which) => window.seen.findLast(({ ahead }) => ahead === which));
  const far = (one, two) => one.filter((value, i) => Math.abs(value - two[i]) > 12).length;
  const other = (one, two) => one.length !== two.length || far(one, two) > one.length / 1000;
  return own.drawn.length ? !own.drawn.some((canvas, i) => other(canvas,
    servers.drawn[i])) : own.words === servers.words;
}"""


@pytest.mark.parametrize("name", PAGES)
def test_a_picture_follows_typing_in_the_browser_and_the_servers_is_the_same(page, server, name):
    root, said = PAGES[name]
    label, key, text = BOXES.get(name, ("Text", "text", TEXT))
    open_link(page, server, name, **{key: text}, **said)
    view = page.get_by_test_id(root)
    expect(view).to_be_visible()
    page.get_by_role("textbox", name=label).first.focus()
    page.keyboard.press("End")
    view.evaluate(SEEN)
    for letter in "s and a cat":  # the engine arrives while the server still draws the first ones
        page.keyboard.type(letter)
        text += letter
        there = f"new URLSearchParams(location.search).get('{key}')"
        page.wait_for_function(f"text => {FIRST} || {there} === text", arg=text)
        if page.evaluate(FIRST):
            break
    assert page.evaluate(FIRST), "the browser's picture comes first"
    wait_for_param(page, key, text)
    page.wait_for_function("!document.documentElement.hasAttribute('data-ahead')")
    at_rest(page)
    assert page.evaluate(SAME)


def test_a_page_whose_engine_does_not_come_is_the_servers(page, server):
    page.route("**/engine/**", lambda route: route.abort())
    open_link(page, server, "inside_block", text=TEXT, head="4.2")
    box = page.get_by_role("textbox", name="Text").first
    box.fill("Tom saw a dog")
    heading = page.get_by_test_id("block-root").locator(".heading")
    expect(heading).to_contain_text("through L4H2")
    wait_for_param(page, "text", "Tom saw a dog")
    expect(page.get_by_role("combobox", name="Token")).to_be_visible()
    expect(page.locator("html[data-ahead]")).to_have_count(0)
