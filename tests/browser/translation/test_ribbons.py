"""The ribbons between two sentences: dragged with the mouse, chosen by keys, tapped on a phone, and saved."""

import json

from playwright.sync_api import expect

from tests.browser.helpers import (
    PHONE,
    assert_above_the_fold,
    assert_fits,
    at_rest,
    box_of,
    from_menu,
    open_link,
    own_profile,
    wait_for_param,
)

CAT = "The black cat is sleeping on the red chair."
RED = "Le chat rouge"  # its translation with “noir” made to read “red”


def opened(page, server, **params):
    """The picture, when it shows a translation."""
    open_link(page, server, "alignment", **{"english": CAT, **params})
    root = page.locator(".ribbons[data-pending=false]").first
    expect(root).to_be_visible()
    at_rest(page)
    return root, page.get_by_test_id("ribbons")


def place(root, canvas, side: str, index: int) -> tuple[float, float]:
    """Where a token is, in page coordinates."""
    box, plan = box_of(canvas), json.loads(root.get_attribute("data-plan"))
    along = plan[side][index]["at"]
    across = plan["near"] - 12 if side == "source" else plan["far"] + 14
    x, y = (across, along) if plan["upright"] else (along, across)
    return box["x"] + x, box["y"] + y


def test_a_ribbon_is_dragged_and_the_rest_is_written_anew(page, server):
    root, canvas = opened(page, server)
    assert_above_the_fold(canvas)
    page.mouse.move(*place(root, canvas, "target", 2))
    expect(page.get_by_test_id("said")).to_contain_text("noir")
    page.mouse.down()
    page.mouse.move(*place(root, canvas, "source", 7), steps=8)
    page.mouse.up()
    expect(page.get_by_test_id("now")).to_contain_text(RED)
    wait_for_param(page, "arib", "3-8")
    page.reload()
    expect(page.get_by_test_id("now")).to_contain_text(RED)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_test_id("now")).to_contain_text("Le chat noir")
    wait_for_param(page, "arib", None)


def test_keys_choose_a_step_and_its_token_and_the_figure_is_saved(page, server):
    root, canvas = opened(page, server)
    canvas.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
        canvas.press(key)
    expect(page.get_by_test_id("said")).to_contain_text("shall read")
    for key in (*["ArrowLeft"] * 8, *["ArrowRight"] * 7):  # from wherever the word reads most, to the first, to “red”
        canvas.press(key)
    canvas.press("Enter")
    expect(page.get_by_test_id("now")).to_contain_text(RED)
    with page.expect_download() as download:
        from_menu(page, "SVG")
    svg = download.value.path().read_text(encoding="utf-8")
    assert "rouge" in svg and svg.count("fill-opacity") > 40


def test_two_taps_on_a_phone(server, browser):
    with own_profile(browser, PHONE, has_touch=True) as page:
        root, canvas = opened(page, server)
        assert_fits(page)
        canvas.scroll_into_view_if_needed()
        page.touchscreen.tap(*place(root, canvas, "target", 2))
        expect(page.get_by_test_id("said")).to_contain_text("shall read")
        page.touchscreen.tap(*place(root, canvas, "source", 7))
        expect(page.get_by_test_id("now")).to_contain_text(RED)
