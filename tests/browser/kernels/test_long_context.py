"""What people do on the page "Long context", in a real browser."""

import re

from playwright.sync_api import expect

import tlmviz
from tests.browser.helpers import assert_above, at_rest, on_a_phone, open_link, param_of, plot, wait_for_param

LONG = ("The cat sat on the big mat.\nTom saw a dog in the park. " * 200)[:10_000]


def open_page(page, server, **params):
    open_link(page, server, "long_context", **params)


def drag(page, key: str, start: tuple[float, float], stop: tuple[float, float]) -> None:
    """Drag a box in a chart, in shares of its width and height."""
    box = plot(page, key)
    (x0, y0), (x1, y1) = ((box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in (start, stop))
    page.mouse.move(x0, y0)
    page.mouse.down()
    page.mouse.move((x0 + x1) / 2, (y0 + y1) / 2)
    page.mouse.move(x1, y1, steps=4)
    page.mouse.up()


def test_ten_thousand_characters_are_pasted_read_and_kept(page, server):
    open_page(page, server, src="Your own text")
    expect(page.get_by_text("Your text is empty", exact=False)).to_be_visible()
    box = page.get_by_role("textbox", name="Your text")
    box.fill(LONG)
    page.keyboard.press("Control+Enter")
    tokens = 1 + len(tlmviz.load("stories-rope").tokenizer.encode(LONG))
    expect(page.get_by_text(re.compile(f"^{tokens:,} tokens, one pass in"))).to_be_visible()
    expect(page.get_by_text(re.compile("10,000 characters, line breaks kept; too long for the link"))).to_be_visible()
    expect(box).to_have_value(LONG)
    expect(page.get_by_text(re.compile("Tile: queries"))).to_be_visible()
    wait_for_param(page, "own", None)


def test_a_dragged_box_opens_an_exact_tile_and_the_link_keeps_it(page, server):
    text = LONG[:1_500]
    open_page(page, server, src="Your own text", own=text, head="2.3")
    expect(page.get_by_text(re.compile("Tile: queries"))).to_be_visible()
    at_rest(page)
    drag(page, "headmap", (0.3, 0.6), (0.5, 0.75))
    param_of(page, "tside")
    params = page.evaluate("Object.fromEntries(new URLSearchParams(location.search))")
    row, col, side = (int(params[name]) for name in ("trow", "tcol", "tside"))
    lm = tlmviz.load("stories-rope")
    length = 1 + len(lm.tokenizer.encode(text))
    assert 0.55 * length < row + side / 2 < 0.8 * length and 0.3 * length < col + side / 2 < 0.5 * length
    caption = page.get_by_text(re.compile(f"Tile: queries {row}–{row + side - 1}, keys {col}–{col + side - 1}"))
    expect(caption).to_be_visible()
    largest = lm.trace(text).attention(2, 3, slice(row, row + side), slice(col, col + side)).max().item()
    expect(caption).to_contain_text(f"{largest:.3f}")
    page.reload()
    expect(page.get_by_text(re.compile(f"Tile: queries {row}–{row + side - 1}, keys {col}"))).to_be_visible()


def test_a_number_beyond_the_text_is_put_right_in_its_box(page, server):
    open_page(page, server, src="Your own text", own=LONG[:400])
    row = page.get_by_role("spinbutton", name="From query")
    tokens = 1 + len(tlmviz.load("stories-rope").tokenizer.encode(LONG[:400]))
    expect(row).to_have_value(str(tokens - 20))  # the usual tile lies beyond this text
    row.fill("99999")
    row.press("Enter")
    expect(page.get_by_text("the nearest one is drawn")).to_be_visible()
    expect(row).to_have_value(str(tokens - 20))
    row.fill("3")
    row.press("Enter")
    expect(page.get_by_text(re.compile("Tile: queries 3–22"))).to_be_visible()
    expect(page.get_by_text("the nearest one is drawn")).to_have_count(0)
    wait_for_param(page, "trow", "3")


def test_a_click_on_the_overview_chooses_a_head(page, server):
    open_page(page, server, src="Your own text", own=LONG[:400])
    at_rest(page)
    box = plot(page, "allheads")
    page.mouse.click(box["x"] + box["width"] * 4.5 / 6, box["y"] + box["height"] * 1.5 / 6)
    wait_for_param(page, "head", "1.4")
    expect(page.get_by_text("L1H4: drag a box to open it")).to_be_visible()
    on_a_phone(page)  # which stacks the parts
    assert_above(page.locator(".st-key-allheads .nsewdrag").first, page.locator(".st-key-headmap .nsewdrag").first)


def test_a_deep_link_opens_what_it_names(server, page):
    open_page(page, server, src="Your own text", own=LONG[:400], lview="Masks", masks="Strided", lstr="8")
    expect(page.get_by_role("heading", name=re.compile("Long context"))).to_be_visible()
    expect(page.get_by_text(re.compile("Mass and error: "))).to_be_visible()
    expect(page.get_by_text("Page not found")).to_have_count(0)
