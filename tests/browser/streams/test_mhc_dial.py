"""What people do in the view "Sinkhorn dial" of the page mHC, in a real browser."""

import json
import re

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from tests.browser.helpers import (
    assert_above_the_fold,
    at_rest,
    box_of,
    from_menu,
    on_a_phone,
    open_link,
    param_of,
    silence,
    until,
    wait_for_param,
)
from tlmviz import kernels
from tlmviz.analysis.streams import scaling_support

TEXT = "Tom saw a dog."
MIXED = "4 1 2\n1 3 1\n5 1 1"


def open_dial(page, server, **params):
    """The dial, once it is drawn and the server is at rest."""
    open_link(page, server, "mhc", **{"sview": "Sinkhorn dial", "text": TEXT, **params})
    dial = page.get_by_test_id("dial-root")
    expect(dial).to_have_attribute("data-step", re.compile(r"\d"))
    at_rest(page)
    return dial


def entries(page) -> np.ndarray:
    """The matrix as it is drawn, each entry as it reads when it is pointed at."""
    plan = json.loads(page.get_by_test_id("dial-root").get_attribute("data-plan"))
    n, canvas = plan["n"], page.get_by_test_id("dial-matrix")
    found = np.empty((n, n))
    for i, j in np.ndindex(n, n):
        canvas.hover(position={"x": (j + 0.5) * plan["cell"], "y": plan["top"] + (i + 0.5) * plan["cell"]})
        said = page.get_by_text(f"Row {i + 1}, column {j + 1}: ").text_content()
        found[i, j] = float(re.search(r": ([\d.e+-]+),", said).group(1))
    return found


def test_scrubbing_is_the_browsers_and_what_it_shows_is_numpys(page, server):
    dial = open_dial(page, server, sds="Own matrix")
    logits = torch.from_numpy(scaling_support.parse(MIXED, "entries"))
    iterates = kernels.sinkhorn_iterates(logits, 40)
    found = scaling_support.support(np.ones((3, 3), bool))
    slider = page.get_by_label("Half steps of Sinkhorn-Knopp")
    box, seen = box_of(slider), set()
    with silence(page):  # while it is dragged
        page.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
        page.mouse.down()
        for share in np.linspace(0.1, 0.5, 9):
            page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
            seen.add(dial.get_attribute("data-step"))
        assert len(seen) > 5
    page.mouse.up()
    slider.fill("6")
    expect(dial).to_have_attribute("data-step", "6")
    assert entries(page) == pytest.approx(iterates[3].numpy(), abs=1e-9)
    assert float(dial.get_attribute("data-residual")) == pytest.approx(
        float(scaling_support.residuals(iterates)[3]), rel=1e-9
    )
    assert float(dial.get_attribute("data-rate")) == pytest.approx(scaling_support.rate(logits, found), abs=1e-9)
    slider.press("ArrowRight")
    half = iterates[3] / iterates[3].sum(1, keepdim=True)
    expect(dial).to_have_attribute("data-step", "7")
    assert entries(page) == pytest.approx(half.numpy(), abs=1e-9)
    wait_for_param(page, "sdi", "7")
    page.reload()
    expect(page.get_by_test_id("dial-root")).to_have_attribute("data-step", "7")


def test_a_models_matrix_is_walked_taken_over_and_edited(page, server):
    dial = open_dial(page, server, smodel="stories-mhc")
    expect(page.locator(".gains")).to_contain_text("16 sublayers with 1 iteration each")
    page.get_by_label("Sublayer", exact=True).press("ArrowRight")
    token = page.get_by_label("Token", exact=True)
    token.press("ArrowLeft")
    # Counted from 0.
    expect(page.locator("label.slider", has=token).locator("output")).to_have_text(re.compile("^4 · .*dog"))
    wait_for_param(page, "ssub", "1")
    wait_for_param(page, "stok", "4")
    page.get_by_label("Temperature", exact=True).fill("160")
    wait_for_param(page, "sdt", "1.995")
    at_rest(page)
    residual = float(dial.get_attribute("data-residual"))
    page.get_by_role("button", name="Take these logits over").click()
    expect(page.get_by_text("Your matrix, to edit")).to_be_visible()
    wait_for_param(page, "sdk", "Logits")
    at_rest(page)
    # The link keeps four digits of the temperature, 1.995 of 1.99526, and with it the new run begins.
    assert float(dial.get_attribute("data-residual")) == pytest.approx(residual, rel=1e-3)
    cell = page.get_by_label("Row 1, column 2")
    cell.fill("nonsense")
    cell.press("Enter")
    expect(page.get_by_label("Row 2, column 2")).to_be_focused()
    expect(page.get_by_role("alert")).to_contain_text("Row 1, number 2, “nonsense”, is not a number")
    expect(cell).to_have_value("nonsense")
    cell.fill("-inf")
    cell.press("Tab")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator(".verdict")).to_contain_text("Total support")
    for j in range(4):  # faster than the server answers
        page.get_by_label(f"Row 3, column {j + 1}").fill(str(j))
    page.keyboard.press("Tab")
    until(page, lambda: "0 1 2 3" in param_of(page, "sdm"))
    for j in range(4):
        expect(page.get_by_label(f"Row 3, column {j + 1}")).to_have_value(str(j))
    page.get_by_role("button", name="One row and column more").click()
    expect(dial).to_have_attribute("data-n", "5")
    expect(page.locator(".verdict")).to_contain_text("Total support")
    page.get_by_text("Model’s logits").click()
    expect(page.locator(".gains")).to_be_visible()
    wait_for_param(page, "sdm", None)
    page.get_by_text("Own matrix", exact=True).click()
    expect(page.get_by_label("Row 1, column 2")).to_have_value("-inf")


def test_no_scaling_is_said_and_the_pictures_are_above_the_fold(page, server):
    open_dial(page, server, sds="Own matrix", sdm="1 2 3\n0 4 0\n0 5 0")
    expect(page.locator(".verdict")).to_contain_text("No support")
    for picture in ("dial-matrix", "dial-residual"):
        assert_above_the_fold(page.get_by_test_id(picture))
    on_a_phone(page)
    expect(page.get_by_test_id("dial-residual")).to_be_visible()
    with page.expect_download() as download:
        from_menu(page, "SVG")
    assert "Own matrix: Iteration 1" in download.value.path().read_text()
