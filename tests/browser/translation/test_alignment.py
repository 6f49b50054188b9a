"""What people do on the page "Alignment & coverage", in a real browser."""

import re

from playwright.sync_api import expect

import tlmviz
from pages.translation.alignment.data import align_of
from tests.browser.helpers import (
    assert_above,
    at_rest,
    box_of,
    on_a_phone,
    open_further_part,
    open_link,
    param_of,
    plot,
    wait_for_param,
)
from tlmviz import figures
from tlmviz.decoding.beam import BeamOptions

TEXT = "She never eats meat."
BEST = align_of("eng-fra", "best")  # the map that the page opens on


def open_page(page, server, **params):
    open_link(page, server, "alignment", **{"english": TEXT, "aview": "Translation", **params})
    at_rest(page)


def test_steps_are_walked_in_the_browser_and_another_hypothesis_is_in_the_link(page, server):
    open_page(page, server)
    mt = tlmviz.load("eng-fra")
    found = mt.search(TEXT).hypotheses(align=BEST)
    steps = len(found[0].tokens)
    chart = page.locator(".st-key-alignsteps").first
    rail = box_of(chart.locator(".slider-rail-touch-rect").first)
    page.mouse.click(rail["x"] + 2, rail["y"] + rail["height"] / 2)
    expect(chart.get_by_text(f"step 1 of {steps}")).to_be_visible()
    expect(chart.get_by_text("0.0000").first).to_be_visible()  # nothing was looked at before the first step
    page.mouse.click(rail["x"] + rail["width"] - 2, rail["y"] + rail["height"] / 2)
    expect(chart.get_by_text(f"step {steps} of {steps}")).to_be_visible()
    page.get_by_role("combobox", name=re.compile("Hypothesis")).click()
    page.get_by_role("option", name=re.compile(r"^2\. ")).click()
    wait_for_param(page, "ahyp", "2")
    expect(page.get_by_text(f"{figures.number(found[1].score, '.3f')} nats")).to_be_visible()
    page.reload()
    expect(page.get_by_text(f"{figures.number(found[1].score, '.3f')} nats")).to_be_visible()


def test_a_click_on_the_map_pins_a_step_and_it_is_decoded_on(page, server):
    open_page(page, server, aview="Force attention")
    mt = tlmviz.load("eng-fra")
    before = mt.search(TEXT).hypotheses(align=BEST)[0]
    steps, size = before.map(mt.align).shape
    box = plot(page, "freemap")
    page.mouse.click(box["x"] + box["width"] * 3.5 / size, box["y"] + box["height"] * 2.5 / steps)
    wait_for_param(page, "apin", "3-4")
    after = mt.search(TEXT, BeamOptions(prefix=before.tokens[:2]), {2: 3}).hypotheses(align=BEST)[0]
    expect(page.get_by_text(f"Forced: {mt.text(after.tokens)}")).to_be_visible()
    expect(page.get_by_role("textbox", name="Pins")).to_have_value("3-4")


OTHER = "Where did you buy that beautiful dress?"


def test_the_closed_menus_follow_the_sentence(page, server):
    """Their entries change with it while the chosen number stays. At the level Maths all stand open."""
    open_page(page, server, read="maths")
    mt = tlmviz.load("eng-fra")

    def says(menu: str, words: str) -> None:
        closed = page.get_by_role("combobox", name=menu)
        expect(closed).to_have_value(re.compile("^1[.:] " + re.escape(words)))

    def best(text: str) -> tuple[int, ...]:
        return mt.search(text).hypotheses(align=BEST)[0].tokens

    def write(text: str) -> None:
        page.get_by_role("textbox", name="English sentence").fill(text)

    says("Hypothesis", mt.text(best(TEXT)))
    write(OTHER)
    says("Hypothesis", mt.text(best(OTHER)))
    open_further_part(page, "Force attention")
    for text in (OTHER, TEXT):
        write(text)
        for menu, ids in (("Step", best(text)), ("looks at", mt.encode(text))):
            says(menu, mt.tokenizer.name(ids[0]).strip())


def test_a_typed_cell_changes_the_matrix_and_the_link(page, server):
    open_page(page, server, aview="Matrix by hand")
    expect(page.get_by_text("penalty −1.842 nats")).to_be_visible()
    table = box_of(page.locator('[data-testid="stDataFrame"]').first)
    cell = table["x"] + 0.62 * table["width"], table["y"] + 85  # step 2, second source token
    editor = page.locator("#portal input, #portal textarea").first
    page.mouse.dblclick(*cell)
    expect(editor).to_be_focused()
    editor.fill("1")
    editor.press("Enter")
    expect(page.get_by_role("textbox", name="Steps × source tokens")).to_have_value("1 0 0; 1 1 0; 1 0 0")
    expect(page.get_by_text("penalty −1.060 nats")).to_be_visible()  # 0.2 (ln 0.5 + ln 0.01)
    assert param_of(page, "amat").startswith("1")
    page.get_by_role("button", name="Most").click()
    expect(page.get_by_text("penalty 0.000 nats")).to_be_visible()


def test_a_phone_stacks_the_parts_without_sideways_scrolling(server, page):
    open_page(page, server)
    on_a_phone(page)
    picture, steps = (page.locator(f".st-key-{key} .nsewdrag").first for key in ("alignmap", "alignsteps"))
    assert_above(picture, steps)
