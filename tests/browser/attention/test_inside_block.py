"""What people do on the page "Inside a block", in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import TEXT, assert_fits, at_rest, box_of, open_link, phone, until, wait_for_param


def open_rows(page, server, **params):
    open_link(page, server, "inside_block", **{"text": TEXT, "head": "4.2", "bsteps": "true", **params})
    view = page.get_by_test_id("block-root")
    expect(view).to_have_attribute("data-rows", re.compile(r"\d"))
    return view


def test_a_click_opens_a_cell_where_it_lies_and_enters_the_link(page, server):
    view = open_rows(page, server)
    at_rest(page)
    canvas = box_of(page.get_by_test_id("rows"))
    steps = int(view.get_attribute("data-rows"))
    row = 10  # mix
    y = canvas["y"] + (row + 0.4) * (canvas["height"] / steps)
    page.mouse.click(canvas["x"] + 0.6 * canvas["width"], y)
    expect(view).to_have_attribute("data-step", "mix")
    card = page.get_by_test_id("card")
    expect(card).to_contain_text("in the model's tensor")
    until(page, lambda: abs(card.bounding_box()["y"] - y) < 200)
    wait_for_param(page, "bcell", view.get_attribute("data-cell"))
    wait_for_param(page, "step", "mix")
    page.reload()
    expect(page.get_by_test_id("card")).to_contain_text("in the model's tensor")


def test_arrow_keys_walk_the_steps_on_a_phone_too(browser, server):
    with phone(browser) as page:
        view = open_rows(page, server, step="norm 1")
        page.get_by_test_id("rows").focus()
        page.keyboard.press("ArrowDown")
        expect(view).to_have_attribute("data-step", "qkv")
        page.keyboard.press("ArrowRight")
        expect(page.get_by_test_id("card")).to_contain_text("column of W_qkv 0")
        assert_fits(page)


def test_a_key_that_is_pointed_at_lights_up_in_the_charts_below(page, server):
    view = open_rows(page, server, bsteps="false")
    expect(view).to_have_attribute("data-rows", "5")
    expect(page.locator(".js-plotly-plot .ytick").first).to_be_attached()
    names = page.locator(".js-plotly-plot .tlmviz-lit text")
    at_rest(page)
    box, steps = box_of(page.get_by_test_id("rows")), int(view.get_attribute("data-rows"))
    softmax = 1
    page.mouse.move(box["x"] + 102, box["y"] + (softmax + 0.4) * (box["height"] / steps))
    until(page, lambda: {text for text in names.all_text_contents() if text} == {"⟨start⟩"})
    page.mouse.move(box["x"] + 102, box["y"] - 30)
    expect(names).to_have_count(0)
