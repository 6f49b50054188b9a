"""What people do on the part Train now of the page Word vectors, in a real browser."""

from playwright.sync_api import expect

from tests.browser.helpers import at_rest, open_link

TEXT = "the red ball rolled to the cat and the blue ball rolled to the dog and the red cat saw the blue dog. " * 30


def test_a_training_moves_while_it_is_watched_and_can_be_stopped(page, server):
    open_link(page, server, "word_vectors", wvpart="training", wlive=TEXT, wlnear="red")
    at_rest(page, ".st-key-trainnow .main-svg")
    # For a moment the chart that is replaced stands beside the new one.
    title = page.locator(".st-key-trainnow .gtitle").first
    expect(title).to_contain_text("text read 0.0 times")
    page.get_by_role("button", name="Train for 20 seconds").click()
    expect(title).not_to_contain_text("text read 0.0 times")
    first = title.text_content()
    expect(title).not_to_have_text(first)  # it goes on by itself
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped: the slider walks the film.")).to_be_visible()
    expect(page.locator(".st-key-trainnow .slider-group")).to_be_visible()
    expect(page.locator(".st-key-claim").get_by_text("of training nearest to “red”, by cosine")).to_be_visible()
