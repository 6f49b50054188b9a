"""What people do on the page "FlashAttention", in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser import walk
from tests.browser.helpers import (
    TEXT,
    assert_above_the_fold,
    at_rest,
    box_of,
    from_menu,
    open_link,
    silence,
    until,
    wait_for_param,
)


def open_page(page, server, **params):
    open_link(page, server, "flash_attention", **{"text": TEXT, **params})
    at_rest(page, ".slider-group")


def open_tiles(page, server, **params):
    open_link(page, server, "flash_attention", **{"text": TEXT, "part": "Tiles", **params})
    view = page.get_by_test_id("memory-root")
    expect(view).to_have_attribute("data-step", re.compile(r"\d"))
    return view


def test_scrubbing_and_playing_a_row_send_nothing_to_the_server(page, server):
    open_page(page, server, part="One row")
    [steps] = re.findall(r"\d+ of (\d+)", walk.label(page))
    with silence(page):
        walk.scrub(page, 1.0)
        walk.wait_for(page, f" {steps} of {steps}")
        expect(page.locator(".stPlotlyChart")).to_contain_text("off by")
        walk.scrub(page, 0.0)
        walk.wait_for(page, " 1 of ")
        walk.play(page)
        walk.wait_past(page, " 1 of ")
        walk.assert_pause_holds(page)


def test_tiles_move_without_the_server_and_the_step_enters_the_link(page, server):
    view = open_tiles(page, server)
    page.get_by_test_id("machines").focus()
    page.keyboard.press("Home")
    wait_for_param(page, "fstep", "0")
    at_rest(page)
    with silence(page):  # while it plays
        page.keyboard.press(" ")
        expect(view).to_have_attribute("data-step", "3")
    page.keyboard.press(" ")
    expect(view).to_have_attribute("data-playing", "false")
    wait_for_param(page, "fstep", view.get_attribute("data-step"))
    page.keyboard.press("End")
    expect(view).to_contain_text("standard attention goes on")
    steps = int(view.get_attribute("data-steps"))
    wait_for_param(page, "fstep", str(steps - 1))
    page.reload()
    expect(view).to_have_attribute("data-step", str(steps - 1))


def test_the_picture_is_never_blank_while_it_plays(page, server):
    """Looked at behind every frame that the browser draws, on a machine that is four times slower."""
    open_tiles(page, server)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.get_by_test_id("machines").focus()
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    least = page.get_by_test_id("machines").evaluate(
        """canvas => new Promise(done => {
        const counts = [];
        const look = () => {
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          let inked = 0;
          for (let k = 3; k < data.length; k += 4 * 97) inked += data[k] > 0;
          counts.push(inked / (data.length / 4 / 97));
          if (counts.length < 40) requestAnimationFrame(look);
          else done(Math.min(...counts));
        };
        requestAnimationFrame(look);
        })"""
    )
    assert least > 0.3


def test_the_tiles_are_saved_as_svg_with_the_kernels_lines(page, server):
    open_tiles(page, server)
    with page.expect_download() as download:
        from_menu(page, "SVG")
    text = download.value.path().read_text(encoding="utf-8")
    assert "Standard attention" in text and "acc = tl.dot(" in text


def test_logits_of_1e4_overflow_the_naive_softmax_and_reset_brings_the_model_back(page, server):
    open_page(page, server, part="One row")
    field = page.get_by_role("textbox", name="Logits")
    field.fill("1, 2, 1e4, -inf")
    wait_for_param(page, "logits", "1, 2, 1e4, -inf")
    row = page.locator("tr").filter(has_text="Naive")
    expect(row).to_contain_text("NaN")
    expect(page.locator("tr").filter(has_text="One pass")).not_to_contain_text("NaN")
    walk.scrub(page, 1.0)
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
    open_page(page, server, part="One row")
    assert_above_the_fold(page.locator(".stPlotlyChart"))
    open_tiles(page, server)
    assert_above_the_fold(page.get_by_test_id("machines"))


def test_a_deep_link_opens_what_it_names(server, page):
    view = open_tiles(page, server, br=4, bc=16, head="1.2", query=3, fstep=5)
    expect(page.get_by_role("heading", name=re.compile("FlashAttention"))).to_be_visible()
    expect(page.get_by_test_id("machines")).to_have_attribute("aria-label", re.compile("L1H2: .* tiles of 4 × 16"))
    expect(view).to_have_attribute("data-step", "5")
    expect(page.get_by_text("Page not found")).to_have_count(0)


def test_pointing_at_the_map_of_tiles_names_a_query_and_a_key(page, server):
    view = open_tiles(page, server)
    at_rest(page)
    canvas = box_of(page.get_by_test_id("machines"))
    spots = [""]
    for share in (0.36, 0.4, 0.44):  # of the canvas' width: the map lies at the right of the left machine
        page.mouse.move(canvas["x"] + share * canvas["width"], canvas["y"] + 150)
        until(page, lambda: view.get_attribute("data-lit") not in spots)
        spots.append(view.get_attribute("data-lit"))
    assert all(len(set(spot.split(","))) == 2 for spot in spots[1:])
    page.mouse.move(canvas["x"] + 4, canvas["y"] - 40)
    expect(view).to_have_attribute("data-lit", "")
