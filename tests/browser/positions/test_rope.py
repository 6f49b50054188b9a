"""What people do on the page "RoPE planes", in a real browser."""

import re

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
    param_of,
    phone,
    wait_for_param,
)


def open_page(page, server, ready: str = ".slider-group", **params):
    open_link(page, server, "rope_planes", **{"text": TEXT, **params})
    at_rest(page, ready)


def open_more(page) -> None:
    """The controls that a first look can do without."""
    inside = page.locator(".st-key-rbase")
    if not inside.is_visible():
        page.get_by_role("button", name="More", exact=True).click()
    expect(inside).to_be_visible()


def hands(page) -> list[str]:
    """The drawn paths of all lines: rims, wedges, hands, the curve."""
    return page.evaluate(
        "Array.from(document.querySelectorAll('.stPlotlyChart .js-line'), line => line.getAttribute('d'))"
    )


def scrub_to_the_end(page) -> None:
    start = walk.label(page)
    walk.scrub(page, 1.0)
    walk.wait_past(page, start)
    page.wait_for_timeout(300)


def test_moving_both_turns_the_hands_but_not_the_score_and_sends_nothing(page, server):
    score = tlmviz.load("stories-rope").trace(TEXT).scores(3, 0)[9, 8].item()
    shown = f"{abs(score):.3f}"
    sent = frames_sent(page)
    for moves, stays in (("Move both", True), ("Move the query", False)):
        open_page(page, server, head="3.0", query=9, key=8, rmove=moves)
        expect(page.locator(".stPlotlyChart").first).to_contain_text(shown)
        before, quiet = hands(page), len(sent)
        scrub_to_the_end(page)
        assert "query at 41" in walk.label(page) and ("key at 40" in walk.label(page)) == stays
        assert hands(page) != before and len(sent) == quiet
        if stays:
            expect(page.locator(".stPlotlyChart").first).to_contain_text(shown)
        else:
            expect(page.locator(".stPlotlyChart").first).not_to_contain_text(shown)


def test_the_clocks_play_and_pause(page, server):
    open_page(page, server)
    start = walk.label(page)
    walk.play(page)
    walk.wait_past(page, start)
    walk.assert_pause_holds(page)


def test_the_pictures_are_above_the_fold(page, server):
    for part in ("Clocks", "Step by step", "Layouts", "Heads"):
        open_page(page, server, ".stPlotlyChart .main-svg", rpart=part)
        for chart in page.locator(".stPlotlyChart").all():
            assert_above_the_fold(chart)


def test_choosing_a_head_and_a_pair_is_in_the_link_and_a_reload_brings_it_back(page, server):
    open_page(page, server)
    open_more(page)
    page.get_by_role("button", name="A previous-token head").click()
    param_of(page, "key")
    head = param_of(page, "head").split(".")
    expect(page.locator(".stPlotlyChart").first).to_contain_text(f"Layer {head[0]}, head {head[1]}")
    page.get_by_text("Move the key", exact=True).click()
    wait_for_param(page, "rmove", "Move the key")
    open_more(page)
    page.locator(".st-key-rstep").click()
    page.get_by_role("option", name="16 tokens a step").click()
    expect(page.locator(".slider-label").first).to_contain_text("the key alone")
    param_of(page, "rstep")
    expect(page.locator(".slider-label").first).to_contain_text("the key alone")
    page.reload()
    expect(page.locator(".slider-label").first).to_contain_text("the key alone")
    open_more(page)
    expect(page.get_by_role("combobox", name="Step")).to_have_value("16 tokens a step")
    expect(page.locator(".stPlotlyChart").first).to_contain_text(f"Layer {head[0]}, head {head[1]}")


def test_a_base_of_one_is_refused_while_it_stays_in_the_field(page, server):
    open_page(page, server)
    open_more(page)
    field = page.get_by_role("spinbutton")
    field.fill("1")
    field.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The base is 1")
    expect(field).to_have_value("1")
    expect(page.locator(".slider-group")).to_be_visible()


def test_a_model_without_rope_leads_to_one_that_has_it(page, server):
    open_page(page, server, "[data-testid=stAlert]", model="stories-gpt")
    expect(page.get_by_role("alert")).to_contain_text("learned positions")
    page.get_by_role("button", name="stories-rope", exact=True).click()
    expect(page.locator(".slider-group")).to_be_visible()
    wait_for_param(page, "model", None)


def test_a_deep_link_opens_what_it_names(server, page):
    open_page(page, server, rpart="Step by step", head="1.2", rlay="Half-split")
    expect(page.get_by_role("heading", name=re.compile("RoPE planes"))).to_be_visible()
    expect(page.locator(".stPlotlyChart").first).to_contain_text("layer 1, head 2")
    expect(page.locator(".stPlotlyChart").first).to_contain_text("first half")
    expect(page.get_by_text("Page not found")).to_have_count(0)


def test_a_phone_scrolls_the_dials_and_not_the_page(server, browser):
    with phone(browser) as page:
        open_page(page, server)
        assert_fits(page)
        wide = page.locator(".st-key-wide")
        assert wide.evaluate("part => part.scrollWidth") > 800
