"""What people do on the page "Alignment & coverage", in a real browser."""

import contextlib
import re

from playwright.sync_api import expect

import tlmviz
from pages.translation.alignment.data import align_of
from tests.browser.helpers import assert_fits, open_link, param_of, phone, plot, wait_for_param
from tlmviz import figures
from tlmviz.decoding.beam import BeamOptions

TEXT = "She never eats meat."
BEST = align_of("eng-fra", "best")  # the map that the page opens on
SLOW = 120_000


def open_page(page, server, **params):
    open_link(page, server, "alignment", **{"english": TEXT, "aview": "Translation", **params})
    page.set_default_timeout(SLOW)


def settled(page) -> None:
    """The script has run to its end."""
    expect(page.get_by_text("Copy as Python")).to_be_visible(timeout=SLOW)
    expect(page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]')).to_be_visible(
        timeout=SLOW
    )


def test_steps_are_walked_in_the_browser_and_another_hypothesis_is_in_the_link(page, server):
    open_page(page, server)
    plot(page, "alignsteps")
    settled(page)
    mt = tlmviz.load("eng-fra")
    found = mt.search(TEXT).hypotheses(align=BEST)
    steps = len(found[0].tokens)
    chart = page.locator(".st-key-alignsteps").first
    rail = chart.locator(".slider-rail-touch-rect").first.bounding_box()
    page.mouse.click(rail["x"] + 2, rail["y"] + rail["height"] / 2)
    expect(chart.get_by_text(f"step 1 of {steps}")).to_be_visible()
    expect(chart.get_by_text("0.0000").first).to_be_visible()  # nothing was looked at before the first step
    page.mouse.click(rail["x"] + rail["width"] - 2, rail["y"] + rail["height"] / 2)
    expect(chart.get_by_text(f"step {steps} of {steps}")).to_be_visible()
    page.get_by_role("combobox", name=re.compile("Hypothesis")).click()
    page.get_by_role("option", name=re.compile(r"^2\. ")).click()
    wait_for_param(page, "ahyp", "2")
    expect(page.get_by_text(f"{figures.number(found[1].score, '.3f')} nats")).to_be_visible(timeout=SLOW)
    page.reload()
    expect(page.get_by_text(f"{figures.number(found[1].score, '.3f')} nats")).to_be_visible(timeout=SLOW)


def test_a_click_on_the_map_pins_a_step_and_it_is_decoded_on(page, server):
    open_page(page, server, aview="Force attention")
    settled(page)
    mt = tlmviz.load("eng-fra")
    before = mt.search(TEXT).hypotheses(align=BEST)[0]
    steps, size = before.map(mt.align).shape
    box = plot(page, "freemap")
    page.mouse.click(box["x"] + box["width"] * 3.5 / size, box["y"] + box["height"] * 2.5 / steps)
    wait_for_param(page, "apin", "3-4")
    after = mt.search(TEXT, BeamOptions(prefix=before.tokens[:2]), {2: 3}).hypotheses(align=BEST)[0]
    expect(page.get_by_text(f"Forced: {mt.text(after.tokens)}")).to_be_visible(timeout=SLOW)
    expect(page.get_by_role("textbox", name="Pins")).to_have_value("3-4")


OTHER = "Where did you buy that beautiful dress?"


def test_the_closed_menus_follow_the_sentence(page, server):
    """Their entries change with it while the chosen number stays. At the level Maths all stand open."""
    open_page(page, server, read="maths")
    settled(page)
    mt = tlmviz.load("eng-fra")

    def says(menu: str, words: str) -> None:
        closed = page.get_by_role("combobox", name=menu)
        expect(closed).to_have_value(re.compile("^1[.:] " + re.escape(words)), timeout=SLOW)

    def best(text: str) -> tuple[int, ...]:
        return mt.search(text).hypotheses(align=BEST)[0].tokens

    def write(text: str) -> None:
        page.get_by_role("textbox", name="English sentence").fill(text)

    says("Hypothesis", mt.text(best(TEXT)))
    write(OTHER)
    says("Hypothesis", mt.text(best(OTHER)))
    page.get_by_text("Force attention", exact=True).click()
    for text in (OTHER, TEXT):
        write(text)
        for menu, ids in (("Step", best(text)), ("looks at", mt.encode(text))):
            says(menu, mt.tokenizer.name(ids[0]).strip())


def test_a_typed_cell_changes_the_matrix_and_the_link(page, server):
    open_page(page, server, aview="Matrix by hand")
    settled(page)
    expect(page.get_by_text("penalty −1.842 nats")).to_be_visible(timeout=SLOW)
    table = page.locator('[data-testid="stDataFrame"]').first.bounding_box()
    cell = table["x"] + 0.62 * table["width"], table["y"] + 85  # step 2, second source token
    editor = page.locator("#portal input, #portal textarea").first
    matrix = page.get_by_role("textbox", name="Steps × source tokens")
    for _ in range(3):  # a table that is drawn anew in between hears neither clicks nor keys
        page.mouse.dblclick(*cell)
        with contextlib.suppress(AssertionError):
            expect(editor).to_be_focused(timeout=10_000)
            page.wait_for_timeout(300)
            page.keyboard.press("ControlOrMeta+a")
            page.keyboard.type("1", delay=50)
            expect(editor).to_have_value("1", timeout=10_000)
            page.keyboard.press("Enter")
            expect(matrix).to_have_value("1 0 0; 1 1 0; 1 0 0", timeout=10_000)
            break
    expect(matrix).to_have_value("1 0 0; 1 1 0; 1 0 0", timeout=SLOW)
    expect(page.get_by_text("penalty −1.060 nats")).to_be_visible(timeout=SLOW)  # 0.2 (ln 0.5 + ln 0.01)
    assert param_of(page, "amat").startswith("1")
    page.get_by_role("button", name="Most").click()
    expect(page.get_by_text("penalty 0.000 nats")).to_be_visible(timeout=SLOW)


def test_a_phone_stacks_the_parts_without_sideways_scrolling(server, browser):
    with phone(browser) as page:
        open_page(page, server)
        picture, steps = plot(page, "alignmap"), plot(page, "alignsteps")
        assert steps["y"] > picture["y"] + picture["height"]
        assert_fits(page)
