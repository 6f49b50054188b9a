"""What all pages have from their frame, in a browser: header, theme, fingers on charts, parts that scroll sideways."""

import pytest
from playwright.sync_api import expect

from tlmviz import figures
from tlmviz.ui import glossary

from .helpers import DESK, PHONE, at_rest, open_link, own_profile, phone, until

SIZES = (1280, 1440, 1920, PHONE["width"])
PICTURE = ".st-key-steps .js-plotly-plot"
HIT = """(button) => [0.05, 0.3, 0.5, 0.7, 0.95].every((share) => {
  const { x, y, width, height } = button.getBoundingClientRect();
  return button.contains(document.elementFromPoint(x + width / 2, y + share * height));
})"""
SCROLLED = "document.querySelector('[data-testid=stMain]').scrollTop"
# The middle of an explained word that is on the screen with nothing over it, and the word.
UNCOVERED = """() => {
  for (const range of CSS.highlights.get("tlmviz-word")) {
    const { x, y, width, height } = range.getBoundingClientRect();
    const middle = [x + width / 2, y + height / 2];
    if (document.elementFromPoint(...middle)?.contains(range.startContainer)) return [...middle, range.toString()];
  }
}"""
CUT = "part => [part.scrollWidth, part.clientWidth]"


def test_every_part_of_the_examples_button_takes_the_click(page, server):
    open_link(page, server, "serving")
    button = page.get_by_role("button", name="Examples")
    for width in SIZES:
        page.set_viewport_size({"width": width, "height": 800})
        at_rest(page)
        expect(button).to_be_visible()
        # On a phone the menu slides away first, which takes a loaded machine its time.
        page.wait_for_function(HIT, arg=button.element_handle())


def wait_for_ink(page, theme: figures.Theme) -> None:
    """Until the picture is drawn in the ink of a theme."""
    page.wait_for_function(
        "([plot, ink]) => document.querySelector(plot)?._fullLayout?.font?.color === ink", arg=[PICTURE, theme.ink]
    )


@pytest.mark.parametrize("switch", ["menu", "system"])
def test_charts_follow_a_switch_of_the_theme(page, server, switch):
    page.emulate_media(color_scheme="light")
    open_link(page, server, "rope_planes", rpart="Step by step")
    wait_for_ink(page, figures.LIGHT)
    if switch == "system":
        page.emulate_media(color_scheme="dark")
    else:
        page.locator("[data-testid=stMainMenu] button").click()
        page.get_by_test_id("stMainMenuItem-theme-Dark").click()
    wait_for_ink(page, figures.DARK)


def swipe(page, x: float, y: float, by: float) -> None:
    """A finger set down and moved up by so many pixels, as the browser's own gestures see it."""
    touch = page.context.new_cdp_session(page)

    def send(kind: str, *points: dict) -> None:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    send("touchStart", {"x": x, "y": y})
    for step in range(1, 16):
        send("touchMove", {"x": x, "y": y - by * step / 15})
    send("touchEnd")


def test_a_finger_on_a_chart_scrolls_the_page_and_zooms_nothing(server, browser):
    with own_profile(browser, PHONE, has_touch=True, is_mobile=True) as page:
        open_link(page, server, "rope_planes", rpart="Step by step")
        chart = page.locator(".st-key-steps")
        expect(chart.locator(".nsewdrag").first).to_be_visible()
        chart.scroll_into_view_if_needed()
        at_rest(page)
        axes = "document.querySelector('.st-key-steps .js-plotly-plot')._fullLayout"
        shown = f"[{axes}.xaxis.range, {axes}.yaxis.range]"
        before, ranges = page.evaluate(SCROLLED), page.evaluate(shown)
        box = chart.locator(".nsewdrag").first.bounding_box()
        swipe(page, box["x"] + 20, min(box["y"] + box["height"], PHONE["height"]) - 5, 250)
        page.wait_for_function(f"before => {SCROLLED} > before + 100", arg=before)
        assert page.evaluate(shown) == ranges


def test_what_is_wider_than_a_phone_scrolls_and_says_so(server, browser):
    with phone(browser) as page:
        open_link(page, server, "rope_planes", rpart="Step by step", read="maths")
        at_rest(page, PICTURE)
        picture, equation = page.locator(".st-key-wide"), page.locator(".katex-display").first
        for part in (picture, equation):
            whole, seen = part.evaluate(CUT)
            assert whole > seen
            part.evaluate("part => part.scrollTo(1e4, 0)")
            assert part.evaluate("part => part.scrollLeft") == whole - seen
            assert "gradient" in part.evaluate("part => getComputedStyle(part).backgroundImage")
        hint = "part => [getComputedStyle(part, '::before').display, getComputedStyle(part, '::before').content]"
        shown, words = picture.evaluate(hint)
        assert shown == "block" and "Swipe" in words
        page.set_viewport_size(DESK)
        until(page, lambda: picture.evaluate(hint)[0] == "none")


@pytest.mark.parametrize("touch", [False, True])
def test_a_word_is_explained_under_the_mouse_and_under_a_finger(server, browser, touch):
    with own_profile(browser, has_touch=touch) as page:
        open_link(page, server, "kv_cache")
        page.wait_for_function("CSS.highlights.get('tlmviz-word')?.size > 3")
        page.locator("[data-testid=stMain] li", has_text="one row").scroll_into_view_if_needed()
        at_rest(page)
        *place, word = page.evaluate(UNCOVERED)
        (page.touchscreen.tap if touch else page.mouse.move)(*place)
        shown = page.get_by_test_id("glossary")
        expect(shown).to_have_text(glossary.definitions()[word])
        page.mouse.move(5, 5) if not touch else page.touchscreen.tap(700, 20)
        expect(shown).to_be_hidden()


def test_arrow_keys_go_from_point_to_point_of_a_chart_and_move_its_slider(page, server):
    open_link(page, server, "rope_planes", rpart="Step by step")
    at_rest(page, ".slider-group[role=slider]")
    page.locator(".st-key-steps .stPlotlyChart").focus()
    said = page.locator("body > [role=status]")
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("position ⟨start⟩, plane 0")
    page.keyboard.press("ArrowDown")
    expect(said).to_contain_text("position 1, plane 0")
    slider = page.locator(".slider-group").first
    at_rest(page)
    start = slider.get_attribute("aria-valuetext")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(slider).not_to_have_attribute("aria-valuetext", start)
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", start)
    page.get_by_role("button", name="Play").press("Enter")
    expect(slider).not_to_have_attribute("aria-valuetext", start)


def test_a_page_prints_as_it_was_seen_on_white_and_without_menus(page, server):
    page.emulate_media(color_scheme="dark")
    open_link(page, server, "rope_planes", rpart="Step by step")
    wait_for_ink(page, figures.DARK)
    at_rest(page)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.set_viewport_size({"width": 703, "height": 1000})  # a sheet of A4 within its margins
    page.emulate_media(media="print", color_scheme="dark")
    for hidden in ("stSidebar", "stHeader", "stButton"):
        expect(page.get_by_test_id(hidden).filter(visible=True)).to_have_count(0)
    expect(page.locator(".st-key-steps")).to_be_visible()
    until(page, lambda: page.evaluate("document.documentElement.scrollWidth") <= 703)
    expect(page.locator(".st-key-steps .stPlotlyChart")).to_have_css("break-inside", "avoid")
    expect(page.locator(".st-key-steps")).to_have_css("filter", "invert(1) hue-rotate(180deg)")
    expect(page.get_by_test_id("stMain")).to_have_css("background-color", "rgb(255, 255, 255)")
    page.emulate_media(media="screen")


@pytest.mark.parametrize("width", [DESK["width"], PHONE["width"]])
def test_the_steps_of_a_training_have_room_beside_the_models(page, server, width):
    page.set_viewport_size({"width": width, "height": 800})
    open_link(page, server, "inside_block", model="stories-induction")
    steps = page.locator(".st-key-at_step")
    expect(steps).to_be_visible()
    until(page, lambda: steps.bounding_box()["width"] > 100)
