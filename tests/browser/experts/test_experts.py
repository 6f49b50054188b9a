"""The picture of the routing: walked by mouse and keys, experts muted by a click, and the link that keeps it."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, at_rest, open_link, param_of, wait_for_param

TEXT = "Lily had a red ball. One day, Lily lost the ball."


def test_tokens_and_layers_are_walked(page, server):
    open_link(page, server, "experts", text=TEXT, xtok="3", xlay="1")
    root, rows = page.get_by_test_id("routing-root"), page.get_by_test_id("routing-rows")
    expect(root).to_have_attribute("data-token", "3")
    assert_above_the_fold(rows)
    rows.press("ArrowDown")
    rows.press("ArrowRight")
    expect(root).to_have_attribute("data-token", "4")
    expect(page.get_by_test_id("routing-title")).to_contain_text("in layer 2")
    wait_for_param(page, "xtok", "4")
    wait_for_param(page, "xlay", "2")
    rows.click(position={"x": 300, "y": 74 + 18 * 6 + 9})
    expect(root).to_have_attribute("data-token", "6")
    page.get_by_role("button", name="All scores").click()
    wait_for_param(page, "xshow", "scores")


def test_an_expert_is_muted_by_a_click(page, server):
    open_link(page, server, "experts", text=TEXT, xview="Mute & force")
    rows = page.get_by_test_id("routing-rows")
    expect(page.get_by_text("As trained, this text costs")).to_be_visible()
    at_rest(page)
    box = rows.bounding_box()
    rows.click(position={"x": box["width"] - 12, "y": 50})
    expect(page.get_by_text("as trained,", exact=False).first).to_be_visible()
    param_of(page, "xmute")
