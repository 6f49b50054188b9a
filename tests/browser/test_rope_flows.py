"""What people do on the page "RoPE planes", in a real browser."""

import re
from urllib.parse import quote

from playwright.sync_api import expect

import tlmviz

from .test_explorer_flows import TEXT, wait_for_param
from .test_flash_flows import PAUSED, label, scrub


def open_page(page, server, ready: str = ".slider-group", **params):
    query = "&".join(f"{name}={quote(str(value))}" for name, value in {"text": TEXT, **params}.items())
    page.goto(f"{server}rope_planes?{query}")
    expect(page.locator(ready).first).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)


def hands(page) -> list[str]:
    """The drawn paths of all lines: rims, wedges, hands, the curve."""
    return page.evaluate("Array.from(document.querySelectorAll('.stPlotlyChart .js-line'), line => line.getAttribute('d'))")


def scrub_to_the_end(page) -> None:
    start = label(page)
    scrub(page, 1.0)
    page.wait_for_function("old => document.querySelector('.slider-label').textContent !== old", arg=start)
    page.wait_for_timeout(300)


def test_moving_both_turns_the_hands_but_not_the_score_and_sends_nothing(page, server):
    score = tlmviz.load("stories-rope").trace(TEXT).scores(3, 0)[9, 8].item()
    shown = f"{abs(score):.3f}"
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    for moves, stays in (("Move both", True), ("Move the query", False)):
        open_page(page, server, head="3.0", query=9, key=8, rmove=moves)
        expect(page.locator(".stPlotlyChart").first).to_contain_text(shown)
        before, quiet = hands(page), len(sent)
        scrub_to_the_end(page)
        assert "query at 41" in label(page) and ("key at 40" in label(page)) == stays
        assert hands(page) != before and len(sent) == quiet
        if stays:
            expect(page.locator(".stPlotlyChart").first).to_contain_text(shown)
        else:
            expect(page.locator(".stPlotlyChart").first).not_to_contain_text(shown)


def test_the_clocks_play_and_pause(page, server):
    page.add_init_script(PAUSED)
    open_page(page, server)
    start = label(page)
    page.locator(".updatemenu-button").first.click()
    page.wait_for_function("old => document.querySelector('.slider-label').textContent !== old", arg=start)
    page.locator(".updatemenu-button").nth(1).click()
    page.wait_for_timeout(400)
    paused = label(page)
    page.wait_for_timeout(800)
    assert label(page) == paused


def test_the_pictures_are_above_the_fold(page, server):
    for part in ("Clocks", "Step by step", "Layouts", "Heads"):
        open_page(page, server, ".stPlotlyChart .main-svg", rpart=part)
        for box in (chart.bounding_box() for chart in page.locator(".stPlotlyChart").all()):
            assert box["y"] >= 0 and box["y"] + box["height"] <= 800, (part, box)


def test_choosing_a_head_and_a_pair_is_in_the_link_and_a_reload_brings_it_back(page, server):
    open_page(page, server)
    page.get_by_role("button", name="A previous-token head").click()
    page.wait_for_function("new URLSearchParams(location.search).has('key')")
    head = page.evaluate("new URLSearchParams(location.search).get('head')").split(".")
    expect(page.locator(".stPlotlyChart").first).to_contain_text(f"Layer {head[0]}, head {head[1]}")
    page.get_by_text("Move the key", exact=True).click()
    wait_for_param(page, "rmove", "Move the key")
    page.locator(".st-key-rstep").click()
    page.get_by_role("option", name="16 tokens a step").click()
    expect(page.locator(".slider-label").first).to_contain_text("the key alone")
    page.wait_for_function("new URLSearchParams(location.search).has('rstep')")
    expect(page.locator(".slider-label").first).to_contain_text("the key alone")
    page.reload()
    expect(page.locator(".slider-label").first).to_contain_text("the key alone")
    expect(page.get_by_role("combobox", name="Step")).to_have_value("16 tokens a step")
    expect(page.locator(".stPlotlyChart").first).to_contain_text(f"Layer {head[0]}, head {head[1]}")


def test_a_base_of_one_is_refused_while_it_stays_in_the_field(page, server):
    open_page(page, server)
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
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    open_page(page, server)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = page.locator(".st-key-wide")
    assert wide.evaluate("part => part.scrollWidth") > 800
    context.close()
