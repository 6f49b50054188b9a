"""A card of a gallery in a browser: it opens in the running session, sets every control, and Back leads back."""

from playwright.sync_api import expect

from .helpers import at_rest, open_link, wait_for_param

CARD = "Without a length penalty"
CAT = "The black cat is sleeping on the red chair."


def test_a_card_sets_every_control_without_loading_the_app_anew(page, server):
    open_link(page, server, "beam_search", bpre="Je", bw=3)
    at_rest(page, ".js-plotly-plot")
    sentence, forced = (page.get_by_role("textbox", name=name) for name in ("English sentence", "Forced beginning"))
    expect(forced).to_have_value("Je")
    page.evaluate("window.opened = true")
    page.get_by_role("button", name="Examples").click()
    card = page.locator("a[data-card]", has_text=CARD)
    picture = card.locator("img")
    expect(picture).to_have_attribute("alt", "A beam tree and its ranking with all of the length penalty taken away")
    page.wait_for_function("picture => picture.naturalWidth > 0", arg=picture.element_handle())
    card.click()
    expect(sentence).to_have_value(CAT)
    expect(forced).to_have_value("")  # what the link does not name is as the page opens
    wait_for_param(page, "al", "0")
    wait_for_param(page, "bw", None)
    expect(page.locator("a[data-card]")).to_have_count(0)  # the gallery is closed
    assert page.evaluate("window.opened")
    page.go_back()
    expect(forced).to_have_value("Je")
    wait_for_param(page, "bw", "3")
