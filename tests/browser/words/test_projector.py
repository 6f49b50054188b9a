"""What people do on the page "Projector", in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import (
    assert_above_the_fold,
    assert_fits,
    at_rest,
    box_of,
    open_link,
    param_of,
    phone,
    until,
    wait_for_param,
)


def shown(page, server, **params):
    open_link(page, server, "projector", **params)
    view = page.get_by_test_id("projector-root")
    expect(view).to_have_attribute("data-near", "10")
    return view


def test_a_click_walks_to_a_neighbour_and_a_search_to_any_word(page, server):
    view = shown(page, server)
    assert_above_the_fold(page.get_by_test_id("points"))
    at_rest(page)
    claimed = page.get_by_text(re.compile(r"\d+ are among the 10 nearest to “five”")).inner_text()
    [count] = re.findall(r"(\d+) are among", claimed)
    expect(page.get_by_test_id("panel").locator(".own")).to_have_count(int(count))
    row = view.get_attribute("data-row")
    page.get_by_test_id("panel").locator("button").first.click()
    expect(view).not_to_have_attribute("data-row", row)
    until(page, lambda: param_of(page, "wpw") == page.get_by_test_id("chosen").inner_text())
    page.get_by_role("textbox", name="Word").fill("dog")
    expect(page.get_by_test_id("chosen")).to_have_text("dog")
    page.reload()
    expect(page.get_by_test_id("chosen")).to_have_text("dog")


def test_a_drag_and_the_wheel_move_the_picture_and_the_link_keeps_it(page, server):
    view = shown(page, server)
    at_rest(page)
    box = box_of(page.get_by_test_id("points"))
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 80, y + 40, steps=4)
    page.mouse.up()
    page.mouse.wheel(0, -500)
    expect(view).to_have_attribute("data-zoom", re.compile(r"^[2-9]"))
    until(page, lambda: param_of(page, "wpz").endswith(("2.72", "2.718")))
    zoom = view.get_attribute("data-zoom")
    page.reload()
    expect(page.get_by_test_id("projector-root")).to_have_attribute("data-zoom", zoom)


def test_the_film_plays_on_a_phone(browser, server):
    with phone(browser, "dark") as page:
        view = shown(page, server, wpv="Film", wpf="2")
        expect(view).to_have_attribute("data-frame", "2")
        page.get_by_role("button", name="Play", exact=True).click()
        expect(view).to_have_attribute("data-frame", "19")
        expect(view.locator("output")).to_contain_text("words read")
        wait_for_param(page, "wpf", "19")
        assert_fits(page)
