"""A picture in a frame of another page (`?embed=picture`): alive, below its sentence, and nothing beside it."""

import pytest
from playwright.sync_api import expect

from tests.browser.helpers import at_rest, open_link


@pytest.mark.parametrize("page_name, picture", [("pipeline", "pipeline-root"), ("mhc", None), ("doctor", None)])
def test_the_picture_and_its_sentence_stand_alone(page, server, page_name, picture):
    page.set_viewport_size({"width": 600, "height": 600})
    open_link(page, server, page_name, embed="picture")
    expect(page.locator("html[data-alone]")).to_be_attached()
    expect(page.locator(".st-key-claim")).to_be_visible()
    for hidden in ("h1", ".st-key-top", ".st-key-examples", "[data-testid=stSidebar]", "[data-testid=stHeader]"):
        expect(page.locator(hidden).first).to_be_hidden()
    if picture:
        root = page.get_by_test_id(picture)
        before = root.get_attribute("data-at")
        root.get_by_role("button", name="Play").click()
        expect(root).not_to_have_attribute("data-at", before)
    else:
        assert at_rest(page)["index"] == 0


def test_the_whole_page_has_its_parts(page, server):
    open_link(page, server, "pipeline")
    expect(page.locator("h1").first).to_be_visible()
    expect(page.locator("html[data-alone]")).to_have_count(0)
