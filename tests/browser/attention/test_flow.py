"""The explorer's flow in a real browser: an edge leads to its head and cell in the map, and the figure is saved."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import from_menu, open_link, wait_for_param


def test_an_edge_opens_its_head_and_cell_and_the_prediction_stays(page, server):
    open_link(
        page, server, "", text="Lily had a red ball. One day, Lily lost the red", panel="Flow", query="8", key="2"
    )
    graph = page.get_by_test_id("flow-graph")
    expect(graph).to_have_attribute("data-at", "-1")
    graph.focus()
    page.keyboard.press("ArrowRight")
    expect(graph).to_have_attribute("data-at", "0")
    said = page.get_by_test_id("flow-edge")
    expect(said).to_contain_text("of the flow")
    [(layer, head)] = re.findall(r"L(\d+)H(\d+):", said.inner_text())
    page.keyboard.press("Enter")
    wait_for_param(page, "head", f"{layer}.{head}")
    wait_for_param(page, "flowto", "8")
    expect(graph).to_have_attribute("data-at", "0")
    with page.expect_download() as saved:
        from_menu(page.get_by_test_id("flow-root"), "SVG")
    assert saved.value.suggested_filename == "tlmviz-flow.svg"
