"""The file of a trace, opened from the disk: heads switch, hover shows the trace's weights, pins and arcs work."""

import re

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

import tlmviz
from tests.browser.attention.test_explorer import cell
from tests.browser.helpers import TEXT, assert_above_the_fold, box_of, from_menu, own_profile
from tests.pages.states import plain
from tlmviz.patches import Patches


@pytest.fixture(scope="module")
def trace():
    return tlmviz.load("stories-rope").trace(TEXT)


@pytest.fixture(scope="module")
def file(trace, tmp_path_factory):
    path = tmp_path_factory.mktemp("file") / "x.html"
    trace.save_html(path)
    return path


@pytest.fixture
def canvas(page, file):
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(file.as_uri())
    canvas = page.get_by_test_id("detail")
    expect(canvas).to_have_attribute("data-painted-kind", "exact")
    yield canvas
    assert all(url.startswith(("file:", "blob:", "data:")) for url in requests)


def error(file) -> float:
    [stated] = re.findall(r"lie within ([0-9.e-]+) of the trace", file.read_text(encoding="utf-8"))
    return float(stated)


def test_heads_switch_and_hover_shows_the_traces_weights(page, canvas, trace, file):
    overview = page.get_by_test_id("overview")
    layer, head = map(int, canvas.get_attribute("data-painted-head").split("."))
    overview.focus()
    page.keyboard.press("ArrowUp" if layer else "ArrowDown")
    layer += -1 if layer else 1
    expect(canvas).to_have_attribute("data-painted-head", f"{layer}.{head}")
    expect(canvas).to_have_attribute("data-painted-kind", "exact")
    for row, col in ((5, 3), (8, 0), (2, 2)):
        page.mouse.move(*cell(page, canvas, row, col))
        tooltip = page.get_by_test_id("tooltip")
        expect(tooltip).to_contain_text("within")
        weight = trace.attention(layer, head)[row, col].item()
        texts = tooltip.locator("b").all_inner_texts()
        shown, within = (float(plain(text)) for text in texts)
        assert abs(shown - weight) <= error(file) + 1e-3 * weight  # four digits are shown
        assert within <= error(file) * 1.1


def test_a_click_pins_and_arcs_draw_every_overlaid_head(page, canvas):
    page.mouse.click(*cell(page, canvas, 6, 3))
    page.get_by_role("button", name="Arcs").click()
    arcs = page.get_by_test_id("arcs")
    expect(arcs.locator(".token.pinned")).to_have_count(1)
    box = box_of(page.get_by_test_id("overview"))
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.keyboard.down("Shift")
    page.mouse.click(box["x"] + 60, box["y"] + 60)
    page.keyboard.up("Shift")
    expect(page.locator(".legend .entry")).to_have_count(2)
    page.keyboard.press("Escape")


def test_stages_that_need_q_and_k_cannot_be_chosen(page, canvas):
    for name in ("q·k", "scaled", "masked"):
        expect(page.get_by_role("button", name=name)).to_be_disabled()
    expect(page.get_by_text("The stages before the softmax need q and k")).to_be_visible()
    assert_above_the_fold(page.get_by_text("The stages before the softmax need q and k"))


@pytest.mark.parametrize("scheme, ground", [("light", "rgb(255, 255, 255)"), ("dark", "rgb(16, 21, 29)")])
def test_it_follows_the_theme_of_the_browser(browser, file, scheme, ground):
    with own_profile(browser, color_scheme=scheme) as page:
        page.goto(file.as_uri())
        expect(page.get_by_test_id("detail")).to_have_attribute("data-painted-kind", "exact")
        for part in ("body", "#view"):
            expect(page.locator(part)).to_have_css("background-color", ground)


def test_a_figure_is_saved_without_a_network(page, canvas):
    with page.expect_download() as download:
        from_menu(page, "SVG")
    assert download.value.suggested_filename.endswith(".svg")


def test_a_patch_of_the_picture_asks(page, tmp_path):
    generator = torch.Generator().manual_seed(0)
    q, k = torch.randn(2, 2, 2, 9, 8, generator=generator)
    pixels = np.full((60, 120, 3), 99, np.uint8)
    names = ["[CLS]", *(f"patch {row},{column}" for row in range(2) for column in range(4))]
    trace = tlmviz.Trace.from_arrays(3 * q, k, names, causal=False, patches=Patches(2, 4, pixels))
    trace.save_html(tmp_path / "picture.html")
    page.goto((tmp_path / "picture.html").as_uri())
    picture = page.get_by_test_id("picture")
    expect(picture).to_have_attribute("data-asked", "0")
    box = box_of(picture)
    picture.click(position={"x": 0.6 * box["width"], "y": 0.7 * box["height"]})  # patch 1,2
    expect(picture).to_have_attribute("data-asked", "7")
    [chosen] = re.findall(r"L(\d+)H(\d+)", page.locator("h3").inner_text())
    row = trace.attention(*map(int, chosen))[7, 1:]
    expect(picture).to_have_attribute("data-largest", str(int(row.argmax())))
