"""What people do on both parts of the page "Position schemes", in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, assert_scrolls_on_a_phone, open_link, wait_for_param

OWN = "Your own text"
SHORT = dict(model="zoo-rope", xtimes="read 1.5 × training length")


def open_page(page, server, path: str, **params):
    open_link(page, server, path, **params)
    expect(page.locator(".stPlotlyChart .main-svg").first).to_be_visible()
    expect(page.get_by_text("Copy as Python")).to_be_visible()


def chart(page, title: str):
    """The chart of this title, the newest where Streamlit still keeps a stale one."""
    return page.locator(".stPlotlyChart").filter(has_text=title).last


def test_the_views_and_a_head_are_in_the_link_and_a_reload_brings_them_back(page, server):
    open_page(page, server, "position_schemes", pview="What is added")
    expect(chart(page, "What each scheme adds")).to_contain_text("only the mask tells order")
    page.get_by_role("radio", name="Position similarity").click()
    wait_for_param(page, "pview", "Position similarity")
    page.get_by_role("combobox", name="Head").click()
    page.get_by_role("option", name="Head 7").click()
    wait_for_param(page, "head", "2.7")
    expect(chart(page, "How alike positions")).to_contain_text("factor on the weight, head 7")
    page.reload()
    expect(chart(page, "How alike positions")).to_contain_text("factor on the weight, head 7")
    page.get_by_role("radio", name="Extrapolation").click()
    expect(chart(page, "Loss along the text")).to_contain_text("Learned stops here: it has 256 vectors")


def test_a_text_of_ones_own_is_pasted_shared_and_kept_by_both_parts(page, server):
    text = "Tom saw a dog. Anna saw a dog. Tom saw a 🐈 <b>& $x$"
    open_page(page, server, "position_schemes", pview="Extrapolation")
    page.get_by_role("radio", name=OWN).click()
    expect(page.get_by_text("Nothing is written yet")).to_be_visible()
    box = page.get_by_role("textbox", name="Your text")
    box.fill(text)
    page.keyboard.press("Control+Enter")
    wait_for_param(page, "own", text)
    expect(page.get_by_text(re.compile("nothing lies beyond"))).to_be_visible()
    page.get_by_role("radio", name="Context extension").click()
    expect(page.get_by_text(re.compile("was trained on 1,024"))).to_be_visible()
    expect(page.get_by_role("radio", name=OWN)).to_be_checked()
    wait_for_param(page, "own", text)


def test_a_scale_a_scheme_and_a_change_are_in_the_link_and_a_reload_brings_them_back(page, server):
    open_page(page, server, "position_schemes", ppart="extension", xscale=8, **SHORT)
    expect(chart(page, "Loss along the text")).to_contain_text("beyond training (256 tokens)")
    expect(chart(page, "Frequency of each plane")).to_contain_text("1/8")
    page.get_by_role("button", name="NTK-aware", exact=True).click()
    expect(chart(page, "Loss along the text")).to_contain_text("NTK-aware")
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_text("Change only").click()
    wait_for_param(page, "xdiff", "true")
    expect(chart(page, "Change of the loss against unscaled")).to_contain_text("Unscaled")
    page.reload()
    expect(chart(page, "Change of the loss against unscaled")).to_contain_text("NTK-aware")
    expect(chart(page, "Frequency of each plane")).to_contain_text("1/8")


def test_a_scale_below_one_is_said_and_the_nearest_is_shown(page, server):
    open_page(page, server, "position_schemes", ppart="extension", **SHORT, xscale=0.5)
    expect(page.get_by_role("alert").first).to_contain_text("Scale s: “0.5”")
    expect(chart(page, "Loss along the text")).to_contain_text("YaRN")


def test_deep_links_open_what_they_name(server, page):
    chosen = {**SHORT, "model": "zoo-gqa", "xsw": "YaRN", "xat": "after 50% of training length"}
    open_page(page, server, "context_extension", **chosen)
    expect(page.get_by_text(re.compile("128 tokens are read with .* everything after with YaRN"))).to_be_visible()
    expect(chart(page, "Loss after the change")).to_contain_text("Rotated keys")
    expect(page.get_by_text("Page not found")).to_have_count(0)


def test_pictures_are_above_the_fold_and_a_phone_scrolls_inside(page, server):
    for part in ("extension", "schemes"):
        open_page(page, server, "position_schemes", ppart=part, model="zoo-rope")
        assert_above_the_fold(page.locator(".stPlotlyChart").first)
    page.get_by_role("radio", name="What is added").click()
    expect(page.locator(".st-key-schemeswide")).to_be_visible()
    assert_scrolls_on_a_phone(page, ".st-key-schemeswide")
