"""The text beside the map: a word is pinned by a click and by keys."""

from playwright.sync_api import expect

from tests.browser.helpers import at_rest, box_of, from_menu, open_link, wait_for_param


def opened(page, server):
    open_link(page, server, "long_context", lview="Text", ltok="256", head="4.2")
    root = page.get_by_test_id("reading-root")
    expect(root).to_have_attribute("data-head", "4.2")
    return root


def test_a_word_is_pinned_and_walked_from(page, server):
    root = opened(page, server)
    page.locator('[data-testid=long-text] span[data-index="120"]').click()
    expect(root).to_have_attribute("data-query", "120")
    wait_for_param(page, "query", "120")
    page.get_by_test_id("long-text").press("ArrowRight")
    expect(root).to_have_attribute("data-query", "121")
    expect(page.get_by_test_id("long-reads").get_by_role("button").first).to_contain_text("back")
    page.get_by_role("button", name="Loss", exact=True).click()
    wait_for_param(page, "lcol", "loss")
    with page.expect_download() as download:
        from_menu(page, "SVG")
    assert "(121) reads" in download.value.path().read_text(encoding="utf-8")


PIN = """span => {
  span.click();
  const of = (id) => span.getRootNode().querySelector(`[data-testid=${id}]`);
  return [of('reading-root').dataset.query, of('long-reads').textContent];
}"""


def test_the_browser_computes_a_pinned_row_itself(page, server):
    root = opened(page, server)
    for index in ("90", "200"):  # for the second, q and k are not sent again
        query, reads = page.locator(f'[data-testid=long-text] span[data-index="{index}"]').evaluate(PIN)
        assert query == index  # before the server has heard of it
        wait_for_param(page, "query", index)
        at_rest(page)
        expect(root).to_have_attribute("data-query", index)
        expect(page.get_by_test_id("long-reads")).to_have_text(reads)  # the server's row is the same


def test_pointing_at_the_map_lights_up_words_of_the_text(page, server):
    opened(page, server)
    lit = page.locator("[data-testid=long-text] .lit")
    canvas = page.get_by_test_id("long-map")
    canvas.scroll_into_view_if_needed()
    box = box_of(canvas)
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + box["height"] * 0.75)
    expect(lit).to_have_count(2)
    page.mouse.move(box["x"] - 8, box["y"] - 8)
    expect(lit).to_have_count(0)
