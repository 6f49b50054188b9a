"""Walking tokens and moments of the page mHC in a real browser: the server is told where a walk ends, and nothing else."""

import re
from urllib.parse import quote

from playwright.sync_api import expect

from tests.tiny import TEXT

from .test_flash_flows import PAUSED, label


def open_view(page, server, chart: str, **params):
    query = "&".join(f"{name}={quote(str(value))}" for name, value in {"text": TEXT, **params}.items())
    page.goto(f"{server}mhc?{query}")
    expect(page.locator(f".st-key-{chart} .slider-group")).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]')).to_be_visible()
    page.wait_for_timeout(800)


def scrub(page, chart: str, share: float) -> None:
    """Click a chart's slider at a share of its length."""
    rail = page.locator(f".st-key-{chart} .slider-rail-touch-rect").bounding_box()
    page.mouse.click(rail["x"] + 10 + share * (rail["width"] - 20), rail["y"] + rail["height"] / 2)


def test_a_walk_over_tokens_is_remembered_by_the_link_and_the_other_views(page, server):
    page.add_init_script(PAUSED)
    open_view(page, server, "spproducts", sview="Depth", stok=2)
    assert label(page).startswith("token 2 ")
    gain = page.locator(".st-key-spproducts .js-plotly-plot").inner_text()
    scrub(page, "spproducts", 0.0)
    page.wait_for_function("() => document.querySelector('.slider-label').textContent.startsWith('token 0 ')")
    page.wait_for_function("() => new URLSearchParams(location.search).get('stok') === '0'")
    assert page.locator(".st-key-spproducts .js-plotly-plot").inner_text() != gain
    page.wait_for_timeout(1500)  # the rerun that remembers must not move the slider
    assert label(page).startswith("token 0 ")
    page.locator('[data-testid="stButtonGroup"]').get_by_text("Backward gain").click()
    expect(page.locator(".st-key-spproducts")).to_contain_text("Backward gain of every product")
    page.wait_for_function("() => document.querySelector('.slider-label').textContent.startsWith('token 0 ')")
    page.reload()
    page.wait_for_function("() => document.querySelector('.slider-label')?.textContent.startsWith('token 0 ')")


def test_moments_are_walked_without_the_server(page, server):
    page.add_init_script(PAUSED)
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    open_view(page, server, "srcurves", sview="Training")
    before = len(sent)
    scrub(page, "srcurves", 0.0)
    page.wait_for_function("() => document.querySelector('.slider-label').textContent === 'step 0'")
    cursor = page.locator(".st-key-srcurves .shapelayer path")
    start = cursor.get_attribute("d")
    scrub(page, "srcurves", 1.0)
    page.wait_for_function("() => document.querySelector('.slider-label').textContent !== 'step 0'")
    assert re.fullmatch(r"step [\d,]+", label(page))
    page.wait_for_function("old => document.querySelector('.st-key-srcurves .shapelayer path').getAttribute('d') !== old", arg=start)
    assert len(sent) == before


def test_a_phone_scrolls_the_wide_picture_and_not_the_page(server, browser):
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    open_view(page, server, "spproducts", sview="Depth")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator(".st-key-spproducts .js-plotly-plot").bounding_box()["width"] > 600
    context.close()
