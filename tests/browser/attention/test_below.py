"""What is below the explorer's picture: it waits for the picture, and nobody computes it where nobody looks."""

from playwright.sync_api import expect

from tests.browser.helpers import TEXT, at_rest, look_below, open_link, runs, silence

CHARTS = ".st-key-closer .js-plotly-plot"
PAINTED = "[data-testid=detail][data-painted-kind=exact]"


def type_a_word(page, word: str) -> None:
    """Add a word to the text and wait for its map."""
    canvas = page.get_by_test_id("detail")
    before = canvas.get_attribute("data-painted-text")
    box = page.get_by_role("textbox", name="Text")
    box.focus()
    page.keyboard.press("End")
    page.keyboard.type(word)
    expect(canvas).not_to_have_attribute("data-painted-text", before)


def test_the_first_picture_needs_no_plotly_and_the_charts_follow(page, server):
    open_link(page, server, "", text=TEXT)
    page.locator(PAINTED).first.wait_for(state="attached")
    expect(page.get_by_test_id("next-tokens").locator("li")).to_have_count(10)
    expect(page.locator(CHARTS).first).to_be_visible()
    loaded = page.locator("[data-first-at]").first.evaluate(
        """view => performance.getEntriesByType("resource").filter(entry => /plotly/i.test(entry.name))
          .map(entry => entry.startTime - Number(view.dataset.firstAt))"""
    )
    assert loaded and min(loaded) > 0, loaded


def test_charts_follow_the_text_where_they_are_seen(page, server):
    open_link(page, server, "", text=TEXT, panel="Data")
    table = page.locator(".st-key-closer [data-testid=stDownloadButton]").first
    expect(table).to_be_visible()
    snippet = page.locator(".st-key-closer code").first
    type_a_word(page, " bird")
    expect(snippet).to_contain_text("bird")


def test_nothing_is_asked_for_below_while_it_is_off_the_screen(page, server):
    page.set_viewport_size({"width": 1280, "height": 500})
    open_link(page, server, "", text=TEXT)
    page.locator(PAINTED).first.wait_for(state="attached")
    at_rest(page)
    expect(page.locator(CHARTS)).to_have_count(0)
    with runs(page) as asked:
        type_a_word(page, " bird")
        at_rest(page)
    assert len(asked) <= len(" bird")
    expect(page.locator(CHARTS)).to_have_count(0)
    page.locator(".st-key-closer").scroll_into_view_if_needed()
    page.mouse.wheel(0, 600)
    expect(page.locator(CHARTS).first).to_be_visible()
    expect(page.locator(".st-key-closer code").first).to_contain_text("bird")


def test_what_lies_below_a_chart_comes_as_well(page, server):
    """On the first page of a session: no live view says there that it is painted."""
    open_link(page, server, "doctor")
    expect(page.locator(".st-key-drsteps .js-plotly-plot")).to_be_visible()
    page.mouse.move(700, 500)
    page.mouse.wheel(0, 5000)
    expect(page.get_by_text("Copy as Python")).to_be_visible()
    expect(page.get_by_text("Parts asked alone: holds")).to_be_visible()


def test_what_lies_below_a_picture_that_never_comes_is_shown(page, server):
    page.route("**/*plotly*", lambda route: route.abort())
    open_link(page, server, "doctor")
    expect(page.locator(".st-key-claim")).to_contain_text("RoPE turns")
    look_below(page, "beneath-doctor", page.get_by_text("Copy as Python"))


def test_what_lies_below_is_asked_for_once(clocked, server):
    open_link(clocked, server, "mhc", text=TEXT, sview="Matrices")
    expect(clocked.get_by_test_id("matrices-root")).to_have_attribute("data-place", "0.13")
    look_below(clocked, "beneath-matrices", clocked.get_by_text("Copy as Python"))
    at_rest(clocked)
    with silence(clocked):
        clocked.clock.run_for(5000)  # the browser looks every two seconds whether a request was lost
