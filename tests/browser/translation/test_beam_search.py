"""What people do on the page "Beam search", in a real browser."""

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser import walk
from tests.browser.helpers import (
    assert_above_the_fold,
    at_rest,
    box_of,
    from_menu,
    open_link,
    param_of,
    silence,
    until,
    wait_for_param,
)

TEXT = "She never eats meat."


def open_page(page, server, **params):
    open_link(page, server, "beam_search", **{"english": TEXT, **params})
    at_rest(page, ".slider-group", ".ranking .row")


def order(page) -> list[str]:
    """The texts of the ranking from the best down, as they lie on the page."""
    rows = page.locator(".ranking .row").evaluate_all(
        "rows => rows.map(row => [parseFloat(row.style.top), row.querySelector('.text').textContent])"
    )
    return [text for _, text in sorted(rows)]


def test_the_tree_grows_without_the_server(page, server):
    open_page(page, server)
    chart = page.locator(".stPlotlyChart").first
    nodes = chart.locator(".js-plotly-plot .textpoint")
    whole = nodes.count()
    with silence(page):
        walk.scrub(page, 0.0)
        walk.wait_for(page, " 1 of ")
        expect(chart).to_contain_text("Step 1: 1 beam ×")
        until(page, lambda: 1 < nodes.count() < whole)
        forward, back = page.locator(".updatemenu-button").nth(3), page.locator(".updatemenu-button").nth(2)
        forward.click()
        walk.wait_for(page, " 2 of ")
        expect(chart).to_contain_text("Step 2: 5 beams ×")
        back.click()
        walk.wait_for(page, " 1 of ")
        walk.play(page)
        walk.wait_past(page, " 1 of ", " 2 of ")
        walk.assert_pause_holds(page)


def test_the_slider_follows_after_it_was_let_go_while_a_step_was_drawn(page, server):
    open_page(page, server)
    walk.let_go_while_drawing(page)
    walk.wait_for(page, " 1 of ")
    page.locator(".updatemenu-button").nth(3).click()
    walk.wait_for(page, " 2 of ")


def test_penalties_rank_again_while_they_are_dragged_and_then_enter_the_link(page, server):
    open_page(page, server, read="maths", bw=10, bstop="At the limit", bmax=12, al=0, be=0)
    shortest_first = order(page)
    page.locator(".ranking").scroll_into_view_if_needed()
    at_rest(page)
    slider = box_of(page.get_by_label("α length"))
    with silence(page):  # while it is dragged
        page.mouse.move(slider["x"] + 8, slider["y"] + slider["height"] / 2)
        page.mouse.down()
        page.mouse.move(slider["x"] + slider["width"] - 9, slider["y"] + slider["height"] / 2, steps=6)
        expect(page.locator(".ranking .said")).to_contain_text("changed places")
        until(page, lambda: order(page) != shortest_first)
        expect(page.locator(".ranking .move", has_text="▲").first).to_be_attached()
    dragged = order(page)
    page.mouse.up()
    page.wait_for_function("() => Number(new URLSearchParams(location.search).get('al')) > 1.5")
    expect(page.get_by_text(re.compile("The two length penalties at α = [12]"))).to_be_visible()
    at_rest(page)
    assert order(page) == dragged
    page.reload()
    at_rest(page, ".ranking .row")
    assert order(page) == dragged
    with page.expect_download() as download:
        from_menu(page.locator(".ranking"), "SVG")
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert text.startswith("<svg") and dragged[0].split(" … ")[0][:12] in text


def test_a_click_on_a_node_forces_another_token_there(page, server):
    open_page(page, server)
    name = page.locator(".js-plotly-plot").first.locator(".textpoint text").nth(2)
    box = box_of(name)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] + 5)
    button = page.get_by_role("button", name="Search on from here")
    expect(button).to_be_visible()
    at_rest(page)
    token = page.get_by_role("combobox", name=re.compile("Token")).input_value() or ""
    button.click()
    expect(button).to_have_count(0)
    param_of(page, "bpre")
    field = page.get_by_role("textbox", name="Forced beginning")
    expect(field).to_have_value(re.compile(re.escape(token.split(" · ")[0]) or "."))
    field.fill("")
    field.press("Enter")
    wait_for_param(page, "bpre", None)


def test_the_tree_is_above_the_fold_and_a_deep_link_opens_it(server, page):
    open_page(page, server, bw=3)
    expect(page.get_by_role("heading", name=re.compile("Beam search"))).to_be_visible()
    expect(page.get_by_text("Page not found")).to_have_count(0)
    chart = page.locator(".stPlotlyChart").first
    expect(chart).to_contain_text("beam of 3:")
    assert_above_the_fold(chart)
