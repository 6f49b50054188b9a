"""What people do in the view "Matrices" of the page mHC, in a real browser."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect
from scipy.optimize import linear_sum_assignment

import tlmviz
from tests.browser.helpers import (
    PHONE,
    assert_above_the_fold,
    assert_fits,
    at_rest,
    box_of,
    from_menu,
    open_link,
    phone,
    silence,
    until,
    wait_for_param,
)
from tlmviz.analysis.streams import mixing as streams
from tlmviz.analysis.streams.birkhoff import birkhoff

TEXT = "Tom saw a big dog. Anna saw the dog too."


def open_view(page, server, **params):
    open_link(page, server, "mhc", **{"sview": "Matrices", "text": TEXT, **params})
    view = page.get_by_test_id("matrices-root")
    expect(view).to_have_attribute("data-place", re.compile(r"\d"))
    return view


def spot(page, panel: str, col: float, row: float) -> dict[str, float]:
    """Where in a panel's canvas an entry of the matrix lies."""
    plan = json.loads(page.get_by_test_id("matrices-root").get_attribute("data-plans"))[panel]
    return {"x": plan["x"] + (col + 0.5) * plan["cell"], "y": plan["y"] + (row + 0.5) * plan["cell"]}


def test_tokens_are_scrubbed_without_the_server_and_then_enter_the_link(clocked, server):
    view = open_view(clocked, server, ssub=3, stok=12)
    at_rest(clocked)
    slider, places = box_of(clocked.get_by_label("Token", exact=True)), set()
    with silence(clocked):  # while the slider is held
        clocked.mouse.move(slider["x"] + slider["width"] - 8, slider["y"] + slider["height"] / 2)
        clocked.mouse.down()
        for share in (0.8, 0.6, 0.4, 0.2):
            x = slider["x"] + share * slider["width"]
            clocked.mouse.move(x, slider["y"] + slider["height"] / 2, steps=2)
            places.add(view.get_attribute("data-place"))
        assert len(places) == 4 and all(place.startswith("3.") for place in places)
        # Longer than it rests before it tells, and than lost requests are looked for.
        clocked.clock.run_for(2600)
    clocked.mouse.up()
    sublayer, token = view.get_attribute("data-place").split(".")
    wait_for_param(clocked, "stok", token)
    clocked.reload()
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
    apart = np.abs(np.array([complex(*root) for root in found["roots"]])[:, None] - np.linalg.eigvals(matrix)[None])
    assert apart[linear_sum_assignment(apart)].max() < 1e-5  # the server's float32 sums may differ in the last bits
    np.testing.assert_allclose(found["singular"], np.linalg.svd(matrix, compute_uv=False), atol=1e-5)
    first = birkhoff(matrix, tolerance=1.0).weights[0]
    assert found["terms"] is None or found["terms"][0]["weight"] == pytest.approx(first, abs=1e-5)


def test_what_was_chosen_last_is_there_after_a_look_at_another_view(page, server):
    view = open_view(page, server, stok=2, ssub=4)
    page.get_by_test_id("tokens").locator(".token").nth(7).click()
    page.get_by_role("radio", name="Sinkhorn dial").click()  # at once, before the hands have rested
    expect(view).to_have_count(0)
    wait_for_param(page, "stok", "7")
    page.get_by_role("radio", name="Matrices").click()
    expect(view).to_have_attribute("data-place", "4.7")


def test_the_picture_is_above_the_fold_and_can_be_saved(page, server):
    assert_above_the_fold(open_view(page, server))
    with page.expect_download() as download:
        from_menu(page, "SVG")
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert text.startswith("<svg") and "Eigenvalues" in text and "stories-mhc" in text and "NaN" not in text


def test_free_matrices_say_why_they_have_no_permutations_on_a_phone(browser, server):
    with phone(browser) as page:
        view = open_view(page, server, smodel="stories-deep-hc")
        said = page.get_by_test_id("wirings")
        expect(said).to_have_attribute("aria-label", re.compile("no average of permutations"))
        until(page, lambda: json.loads(view.get_attribute("data-found"))["terms"] is None)
        assert_fits(page)
        assert view.bounding_box()["width"] <= PHONE["width"]
