"""What people do on the page "FlashAttention", in a real browser."""

import re
from urllib.parse import quote

from playwright.sync_api import expect

from .test_explorer_flows import TEXT, wait_for_param


def open_page(page, server, **params):
    query = "&".join(f"{name}={quote(str(value))}" for name, value in {"text": TEXT, **params}.items())
    page.goto(f"{server}flash_attention?{query}")
    expect(page.locator(".slider-group")).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)


def label(page) -> str:
    return page.locator(".slider-label").first.text_content()


def scrub(page, share: float) -> None:
    """Click the slider's rail at a share of its length."""
    rail = page.locator(".slider-rail-touch-rect").bounding_box()
    page.mouse.click(rail["x"] + 10 + share * (rail["width"] - 20), rail["y"] + rail["height"] / 2)


# Plotly rejects a promise of its own, with no reason, whenever a running animation is paused.
PAUSED = "addEventListener('unhandledrejection', event => { if (event.reason === undefined) event.preventDefault(); })"


def test_scrubbing_and_playing_send_nothing_to_the_server(page, server):
    page.add_init_script(PAUSED)
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    for part in ("One row", "Tiles"):
        open_page(page, server, part=part)
        before, start = len(sent), label(page)
        scrub(page, 1.0)
        page.wait_for_function("old => document.querySelector('.slider-label').textContent !== old", arg=start)
        last = re.search(r"(\d+) of (\d+)", label(page))
        assert last.group(1) == last.group(2)
        expect(page.locator(".stPlotlyChart")).to_contain_text("off by" if part == "One row" else "Result − softmax")
        scrub(page, 0.0)
        page.wait_for_function("() => / 1 of /.test(document.querySelector('.slider-label').textContent)")
        page.locator(".updatemenu-button").first.click()
        page.wait_for_function("() => !/ 1 of /.test(document.querySelector('.slider-label').textContent)")
        page.locator(".updatemenu-button").nth(1).click()
        page.wait_for_timeout(300)
        paused = label(page)
        page.wait_for_timeout(1200)
        assert label(page) == paused and len(sent) == before


def test_logits_of_1e4_overflow_the_naive_softmax_and_reset_brings_the_model_back(page, server):
    open_page(page, server)
    field = page.get_by_role("textbox", name="Logits")
    field.fill("1, 2, 1e4, -inf")
    wait_for_param(page, "logits", "1, 2, 1e4, -inf")
    row = page.locator("tr").filter(has_text="Naive")
    expect(row).to_contain_text("NaN")
    expect(page.locator("tr").filter(has_text="One pass")).not_to_contain_text("NaN")
    scrub(page, 1.0)
    expect(page.locator(".stPlotlyChart")).to_contain_text("NaN")
    page.get_by_role("button", name="As in the model").click()
    expect(row).not_to_contain_text("NaN")
    expect(field).to_have_value("")
    wait_for_param(page, "logits", None)


def test_bad_logits_are_named_while_they_stay_in_the_field(page, server):
    open_page(page, server, logits="1, two")
    expect(page.get_by_role("alert")).to_contain_text("“two”")
    expect(page.get_by_role("textbox", name="Logits")).to_have_value("1, two")


def test_the_pictures_are_above_the_fold(page, server):
    for part in ("One row", "Tiles"):
        open_page(page, server, part=part)
        box = page.locator(".stPlotlyChart").bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 800, (part, box)


def test_a_deep_link_opens_what_it_names(server, page):
    open_page(page, server, part="Tiles", br=4, bc=16, head="1.2", query=3)
    expect(page.get_by_role("heading", name=re.compile("FlashAttention"))).to_be_visible()
    expect(page.locator(".stPlotlyChart")).to_contain_text("Layer 1, head 2")
    expect(page.locator(".stPlotlyChart")).to_contain_text("tiles of 4 × 16")
    expect(page.get_by_text("Page not found")).to_have_count(0)
