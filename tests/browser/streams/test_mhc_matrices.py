"""What people do in the view "Matrices" of the page mHC, in a real browser."""

import json
import re
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import expect
from scipy.optimize import linear_sum_assignment

import tlmviz
from tests.browser.helpers import from_menu, wait_for_param
from tlmviz.analysis.streams import mixing as streams
from tlmviz.analysis.streams.birkhoff import birkhoff

TEXT = "Tom saw a big dog. Anna saw the dog too."


def open_view(page, server, **params):
    query = "&".join(
        f"{name}={quote(str(value))}" for name, value in {"sview": "Matrices", "text": TEXT, **params}.items()
    )
    page.goto(f"{server}mhc?{query}")
    view = page.get_by_test_id("matrices-root")
    expect(view).to_have_attribute("data-place", re.compile(r"\d"))
    page.locator(".st-key-beneath-matrices").evaluate(
        "area => area.scrollIntoView()"
    )  # drawn where it is seen
    expect(page.get_by_text("Copy as Python")).to_be_visible()
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 0)")
    expect(page.locator("[data-test-script-state=notRunning]").first).to_be_attached()
    return view


def spot(page, panel: str, col: float, row: float) -> dict[str, float]:
    """Where in a panel's canvas an entry of the matrix lies."""
    plan = json.loads(page.get_by_test_id("matrices-root").get_attribute("data-plans"))[panel]
    return {"x": plan["x"] + (col + 0.5) * plan["cell"], "y": plan["y"] + (row + 0.5) * plan["cell"]}


def test_tokens_are_scrubbed_without_the_server_and_then_enter_the_link(page, server):
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    view = open_view(page, server, ssub=3, stok=12)
    slider = page.get_by_label("Token", exact=True).bounding_box()
    before, places = len(sent), set()
    page.mouse.move(slider["x"] + slider["width"] - 8, slider["y"] + slider["height"] / 2)
    page.mouse.down()
    for share in (0.8, 0.6, 0.4, 0.2):
        page.mouse.move(slider["x"] + share * slider["width"], slider["y"] + slider["height"] / 2, steps=2)
        places.add(view.get_attribute("data-place"))
    assert len(places) == 4 and all(place.startswith("3.") for place in places)
    page.wait_for_timeout(
        2600
    )  # longer than the view rests before it tells, and than lost requests are looked for
    assert len(sent) == before, "nothing is sent while the slider is held"
    page.mouse.up()
    sublayer, token = view.get_attribute("data-place").split(".")
    wait_for_param(page, "stok", token)
    page.reload()
    expect(view).to_have_attribute("data-place", f"{sublayer}.{token}")


def test_keys_and_clicks_choose_and_the_browser_computes_as_numpy_does(page, server):
    view = open_view(page, server, stok=5)
    page.get_by_test_id("maps").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(view).to_have_attribute("data-place", re.compile(r"^(?!0\.|1\.)\d+\.5$"))
    page.get_by_test_id("course").focus()
    page.keyboard.press("ArrowRight")
    expect(view).to_have_attribute("data-place", re.compile(r"\.6$"))
    page.get_by_test_id("matrix").click(position=spot(page, "matrix", 3, 2))
    wait_for_param(page, "smij", "2.3")
    page.get_by_role("button", name="H − I").click()
    wait_for_param(page, "smcol", "change")
    wait_for_param(page, "stok", "6")
    sublayer, token = (int(part) for part in view.get_attribute("data-place").split("."))
    matrix = streams.mixing_of(tlmviz.load("stories-mhc").trace(TEXT)).res[sublayer, token].double().numpy()
    found = json.loads(view.get_attribute("data-found"))
    apart = np.abs(
        np.array([complex(*root) for root in found["roots"]])[:, None] - np.linalg.eigvals(matrix)[None]
    )
    assert (
        apart[linear_sum_assignment(apart)].max() < 1e-5
    )  # the server's float32 sums may differ in the last bits
    np.testing.assert_allclose(found["singular"], np.linalg.svd(matrix, compute_uv=False), atol=1e-5)
    first = birkhoff(matrix, tolerance=1.0).weights[0]
    assert found["terms"] is None or found["terms"][0]["weight"] == pytest.approx(first, abs=1e-5)


def test_what_was_chosen_last_is_there_after_a_look_at_another_view(page, server):
    view = open_view(page, server, stok=2, ssub=4)
    page.get_by_test_id("tokens").locator(".token").nth(7).click()
    page.get_by_role("radio", name="Training").click()  # at once, before the hands have rested
    expect(view).to_have_count(0)
    wait_for_param(page, "stok", "7")
    page.get_by_role("radio", name="Matrices").click()
    expect(view).to_have_attribute("data-place", "4.7")


def test_the_picture_is_above_the_fold_and_can_be_saved(page, server):
    view = open_view(page, server)
    box = view.bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= 800, box
    with page.expect_download() as download:
        from_menu(page, "SVG")
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert text.startswith("<svg") and "Eigenvalues" in text and "stories-mhc" in text and "NaN" not in text


def test_free_matrices_say_why_they_have_no_permutations_on_a_phone(browser, server):
    context = browser.new_context(viewport={"width": 390, "height": 844})
    try:
        page = context.new_page()
        page.set_default_timeout(60_000)
        view = open_view(page, server, smodel="stories-deep-hc")
        assert "no average of permutations" in page.get_by_test_id("wirings").get_attribute("aria-label")
        assert json.loads(view.get_attribute("data-found"))["terms"] is None
        wide = page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth")
        assert wide <= 390 and view.bounding_box()["width"] <= 390
    finally:
        context.close()
