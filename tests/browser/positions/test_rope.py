"""What people do on the page "RoPE planes", in a real browser."""

import re

import pytest
from playwright.sync_api import expect

import tlmviz
from tests.browser.helpers import (
    TEXT,
    assert_above_the_fold,
    at_rest,
    on_a_phone,
    open_link,
    param_of,
    silence,
    stopped,
    until,
    wait_for_param,
)


def open_page(page, server, **params):
    open_link(page, server, "rope_planes", **{"text": TEXT, **params})


def clocks(page):
    """The clocks' picture, once it is there."""
    root = page.get_by_test_id("clocks-root")
    expect(root).to_have_attribute("data-query", re.compile(r"\d"))
    return root


def open_more(page) -> None:
    """The controls that a first look can do without."""
    inside = page.locator(".st-key-rbase")
    if not inside.is_visible():
        page.get_by_role("button", name="More", exact=True).click()
    expect(inside).to_be_visible()


HANDS = (
    """root => Array.from(root.querySelector("canvas").getContext("2d").getImageData(0, 40, 300, 300).data).join()"""
)


def walk_to_the_end(page) -> None:
    clocks(page).get_by_role("slider").press("End")


def test_moving_both_turns_the_hands_but_not_the_score_and_sends_nothing(clocked, server):
    score = tlmviz.load("stories-rope").trace(TEXT).scores(3, 0)[9, 8].item()
    for moves, stays in (("Move both", True), ("Move the query", False)):
        open_page(clocked, server, head="3.0", query=9, key=8, rmove=moves)
        root = clocks(clocked)
        expect(root).to_have_attribute("data-query", "9")
        at_rest(clocked)
        assert score_of(root) == pytest.approx(score, abs=2e-4)
        before = root.evaluate(HANDS)
        with stopped(clocked), silence(clocked):
            walk_to_the_end(clocked)
            expect(root).to_have_attribute("data-query", "41")
            expect(root).to_have_attribute("data-key", "40" if stays else "8")
            assert root.evaluate(HANDS) != before
            assert (abs(score_of(root) - score) < 2e-4) == stays
        wait_for_param(clocked, "rat", "32")


def score_of(root) -> float:
    return float(root.get_attribute("data-score"))


def test_the_clocks_play_and_pause_and_a_reload_brings_them_back(page, server):
    open_page(page, server, rat=-5)
    root = clocks(page)
    expect(page.get_by_test_id("clocks-said")).to_contain_text("Query at 8, key at 12")
    root.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("root => Number(root.dataset.query) > 9", arg=root.element_handle())
    root.get_by_role("button", name="Pause", exact=True).click()
    expect(root).to_have_attribute("data-playing", "false")
    at = root.get_attribute("data-query")
    moved = int(at) - 13  # from the last token
    wait_for_param(page, "rat", str(moved) if moved else None)
    page.reload()
    expect(clocks(page)).to_have_attribute("data-query", at)


def test_a_plane_that_is_pointed_at_is_said_and_a_click_on_the_curve_goes_there(page, server):
    open_page(page, server)
    root = clocks(page)
    canvas = page.get_by_test_id("clocks-canvas")
    at_rest(page)
    canvas.hover(position={"x": 40, "y": 50})
    expect(page.get_by_test_id("clocks-said")).to_contain_text("Plane 0: 1.000 rad per token")
    box = canvas.bounding_box()
    canvas.click(position={"x": box["width"] - 3, "y": box["height"] - 70})
    expect(root).to_have_attribute("data-query", "45")


def test_the_pictures_are_above_the_fold(page, server):
    for part in ("Clocks", "Step by step", "Layouts", "Heads"):
        open_page(page, server, rpart=part)
        if part == "Clocks":
            clocks(page)
            assert_above_the_fold(page.get_by_test_id("clocks-canvas"))
            continue
        at_rest(page, ".stPlotlyChart .main-svg")
        for chart in page.locator(".stPlotlyChart").all():
            assert_above_the_fold(chart)


def test_choosing_a_head_and_a_pair_is_in_the_link_and_a_reload_brings_it_back(page, server):
    open_page(page, server)
    root = clocks(page)
    open_more(page)
    page.get_by_role("button", name="A previous-token head").click()
    param_of(page, "key")
    head = param_of(page, "head").split(".")
    expect(root).to_contain_text(f"L{head[0]}H{head[1]}")
    page.get_by_text("Move the key", exact=True).click()
    wait_for_param(page, "rmove", "Move the key")
    open_more(page)
    page.locator(".st-key-rstep").click()
    page.get_by_role("option", name="16 tokens a step").click()
    param_of(page, "rstep")
    walk_to_the_end(page)
    expect(page.get_by_test_id("clocks-said")).to_contain_text("the key later")
    wait_for_param(page, "rat", "32")
    page.reload()
    expect(page.get_by_test_id("clocks-said")).to_contain_text("the key later")
    expect(clocks(page)).to_contain_text(f"L{head[0]}H{head[1]}")
    open_more(page)
    expect(page.get_by_role("combobox", name="Step")).to_have_value("16 tokens a step")


def test_a_base_of_one_is_refused_while_it_stays_in_the_field(page, server):
    open_page(page, server)
    clocks(page)
    open_more(page)
    field = page.get_by_role("spinbutton")
    field.fill("1")
    field.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The base is 1")
    expect(field).to_have_value("1")
    expect(page.get_by_test_id("clocks-canvas")).to_be_visible()


def test_a_model_without_rope_leads_to_one_that_has_it(page, server):
    open_page(page, server, model="stories-gpt")
    expect(page.get_by_role("alert")).to_contain_text("learned positions")
    page.get_by_role("button", name="stories-rope", exact=True).click()
    clocks(page)
    wait_for_param(page, "model", None)


def test_a_deep_link_opens_what_it_names(server, page):
    open_page(page, server, rpart="Step by step", head="1.2", rlay="Half-split")
    expect(page.get_by_role("heading", name=re.compile("RoPE planes"))).to_be_visible()
    expect(page.locator(".stPlotlyChart").first).to_contain_text("L1H2")
    expect(page.locator(".stPlotlyChart").first).to_contain_text("first half")
    expect(page.get_by_text("Page not found")).to_have_count(0)


def test_a_phone_has_dials_bars_and_curve_below_each_other(server, page):
    open_page(page, server)
    clocks(page)
    on_a_phone(page)
    until(page, lambda: page.get_by_test_id("clocks-canvas").bounding_box()["height"] > 500)
