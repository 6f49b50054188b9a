"""The chart of all pages in a browser: drawn, pointed at, clicked, resized, in both themes, saved, drawn anew when it
changes."""

import re
import sys

import pytest
from playwright.sync_api import expect

from tests.browser.helpers import TEXT, at_rest, box_of, from_menu, open_link, plot, until, wait_for_param
from tlmviz import figures
from tlmviz.hosting.server import app_file, serve

SCRIPT = re.compile("vendored/plotly-cartesian")
ALL = re.compile("vendored/plotly-all")
CHART = ".st-key-familymaps .js-plotly-plot"
# Counts how often Plotly has drawn a chart, from now on.
COUNT = """plot => { window.drawings = 0; plot.on('plotly_afterplot', () => { window.drawings += 1 }) }"""
# Whether the frame of the maps is around a head.
CHOSEN = """head => {
  const { shapes, xaxis } = document.querySelector('.st-key-familymaps .js-plotly-plot')._fullLayout;
  const at = xaxis.tickvals[head];
  return shapes.at(-1).x0 < at && at < shapes.at(-1).x1;
}"""
LOADED = (
    """() => performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /vendored/.test(name))"""
)


def open_maps(page, server, **params) -> None:
    open_link(page, server, "attention_family", model="zoo-rope", fview="Trained maps", text=TEXT, **params)
    expect(page.locator(CHART)).to_be_visible()
    at_rest(page)


def middle_of(page, head: int) -> tuple[float, float]:
    """The middle of a head's map, in page coordinates."""
    area = plot(page, "familymaps")
    return area["x"] + area["width"] * (head + 0.5) / 8, area["y"] + area["height"] / 2


def test_a_chart_is_drawn_with_its_description_by_the_app_s_own_script(page, server):
    hosts = []
    page.on("request", lambda request: hosts.append(request.url))
    open_maps(page, server)
    chart = page.locator(".st-key-familymaps .stPlotlyChart")
    expect(chart).to_have_attribute("role", "figure")
    expect(chart).to_have_attribute("aria-label", re.compile("map", re.IGNORECASE))
    [script] = {name for name in page.evaluate(LOADED)}
    assert SCRIPT.search(script) and script.startswith(server)
    assert not any("PlotlyChart" in each for each in hosts)
    assert all(each.startswith((server, "blob:", "data:")) for each in hosts)


def test_what_is_pointed_at_is_shown_and_a_click_selects_it_time_and_again(page, server):
    open_maps(page, server, head="0.0")
    for head in (5, 2, 5):
        page.mouse.move(*middle_of(page, head))  # Plotly selects what was pointed at
        expect(page.locator(f"{CHART} .hoverlayer")).to_contain_text(f"head {head}")
        page.mouse.click(*middle_of(page, head))
        wait_for_param(page, "head", f"0.{head}")
        page.wait_for_function(CHOSEN, arg=head)  # the frame around it
        at_rest(page)  # a chart that is drawn anew under the mouse shows nothing


def test_a_chart_is_drawn_anew_only_when_it_has_changed(page, server):
    open_link(page, server, "rope_planes", rpart="Step by step", read="plain")
    chart = page.locator(".st-key-steps .js-plotly-plot")
    at_rest(page, ".st-key-steps .js-plotly-plot")
    chart.evaluate(COUNT)
    page.get_by_text("Maths", exact=True).first.click()  # the figure is the same at every reading level
    expect(page.locator(".katex-display").first).to_be_visible()
    at_rest(page)
    assert page.evaluate("window.drawings") == 0
    page.get_by_role("textbox", name="Text", exact=True).fill(TEXT)
    page.keyboard.press("Enter")
    expect(chart).to_contain_text("Anna")


def test_a_chart_follows_the_width_and_the_theme(page, server):
    open_maps(page, server)
    chart = page.locator(CHART)
    width = "plot => plot._fullLayout.width"
    before = chart.evaluate(width)
    page.set_viewport_size({"width": 1600, "height": 800})
    until(page, lambda: chart.evaluate(width) > before)
    until(page, lambda: chart.evaluate("plot => plot._fullLayout.width === plot.parentElement.clientWidth"))
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        f"ink => document.querySelector('{CHART}')._fullLayout.font.color === ink", arg=figures.DARK.ink
    )


def test_a_chart_is_saved_in_all_formats(page, server):
    open_maps(page, server)
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG"), ("PDF", b"%PDF-"), ("HTML", b"<!doctype html>")):
        with page.expect_download() as download:
            from_menu(page.locator(".st-key-familymaps"), kind, "this chart")
        content = download.value.path().read_bytes()
        assert start in content[:200] and download.value.suggested_filename.startswith("tlmviz-familymaps")


def test_its_place_has_its_height_before_the_script_is_there(page, server):
    waiting = []
    page.route(SCRIPT, lambda route: waiting.append(route))
    page.goto(f"{server}attention_family?model=zoo-rope&fview=Trained+maps&text=Tom", wait_until="commit")
    place = page.locator(".st-key-familymaps .stPlotlyChart")
    expect(place).to_be_attached()
    page.wait_for_function("document.querySelector('.st-key-familymaps .stPlotlyChart').clientHeight > 100")
    before = box_of(place)["height"]
    expect(page.locator(".js-plotly-plot")).to_have_count(0)
    for route in waiting:
        route.continue_()
    page.unroute(SCRIPT)
    expect(page.locator(CHART)).to_be_visible()
    assert box_of(place)["height"] == pytest.approx(before, abs=1)


def test_a_script_that_does_not_arrive_is_a_sentence_and_is_asked_for_again(page, server):
    page.route(SCRIPT, lambda route: route.abort())
    open_link(page, server, "attention_family", model="zoo-rope", fview="Trained maps", text=TEXT)
    expect(page.locator(".st-key-familymaps")).to_contain_text("did not arrive")
    page.unroute(SCRIPT)
    page.emulate_media(color_scheme="dark")  # the next run
    expect(page.locator(CHART)).to_be_visible()
    expect(page.locator(".st-key-familymaps")).not_to_contain_text("did not arrive")


def test_a_treemap_is_drawn_by_the_larger_script(page, server):
    open_link(page, server, "layer_bill", lbview="Parameters")
    expect(page.locator(".st-key-treemap .js-plotly-plot .treemaplayer .surface").first).to_be_visible()
    assert any(ALL.search(name) for name in page.evaluate(LOADED))


def test_charts_come_below_a_sub_path(page, tmp_path):
    start = f'exec {sys.executable} -m streamlit run {app_file()} --server.port "$2" --server.baseUrlPath /under'
    with serve(["sh", "-c", start, "sh"], cwd=tmp_path) as server:
        for _ in range(2):  # the second visit finds the script in the page
            page.goto(f"{server.url}under/rope_planes?rpart=Step+by+step")
            expect(page.locator(".st-key-steps .js-plotly-plot .main-svg").first).to_be_visible()
            [script] = set(page.evaluate(LOADED))
            assert script.startswith(f"{server.url}under/vendored/")
        expect(page.locator("script[src*=vendored][async]")).to_have_count(1)


def test_the_menu_of_a_chart_that_scrolls_sideways_is_whole(page, server):
    """It stands above the chart, where what scrolls would cut it off; Plotly's own camera is gone."""
    open_link(page, server, "rope_planes", rpart="Step by step")
    button = page.locator(".stPlotlyChart > .saves > button").first
    expect(button).to_be_attached()
    on_top = """button => {
      const { left, right, top } = button.getBoundingClientRect();
      const found = document.elementFromPoint((left + right) / 2, top + 1);
      return button === found || button.contains(found);
    }"""
    until(page, lambda: button.evaluate(on_top), "the top of the button is cut off")
    expect(page.locator(".modebar-btn")).to_have_count(0)
