"""What follows the user of a link from page to page: text, model, pins, sentence."""

from playwright.sync_api import expect

from .helpers import at_rest, from_pages, open_link, wait_for_param

SHORT = "Tom saw a dog. Anna saw a dog."


def go_to(page, title: str) -> None:
    """Change the page by the menu, as a reader does."""
    from_pages(page, title)
    expect(page.locator("h1").first).to_contain_text(title)
    at_rest(page)


def test_the_text_of_a_link_follows_through_three_pages_with_its_model_and_pins(page, server):
    open_link(page, server, "", text=SHORT, model="zoo-gqa", query=6, key=2)
    at_rest(page, "canvas")
    for title in ("RoPE planes", "KV cache", "Inside a block"):
        go_to(page, title)
        expect(page.get_by_role("textbox", name="Text")).to_have_value(SHORT)
        wait_for_param(page, "text", SHORT)
        wait_for_param(page, "model", "zoo-gqa")
    go_to(page, "Attention explorer")
    wait_for_param(page, "query", "6")
    wait_for_param(page, "key", "2")


def test_a_page_without_the_text_leaves_it_out_of_its_link_and_hands_it_on(page, server):
    open_link(page, server, "serving", text=SHORT)
    expect(page.get_by_role("textbox", name="Text")).to_have_value(SHORT)
    go_to(page, "Encoder & decoder")
    wait_for_param(page, "text", None)
    go_to(page, "KV cache")
    expect(page.get_by_role("textbox", name="Text")).to_have_value(SHORT)


def test_the_sentence_of_a_link_follows_to_the_next_translation_page(page, server):
    open_link(page, server, "attention_scores", english="I lost my phone.")
    box = page.get_by_role("textbox", name="English sentence")
    expect(box).to_have_value("I lost my phone.")
    go_to(page, "Encoder & decoder")
    expect(box).to_have_value("I lost my phone.")
    wait_for_param(page, "english", "I lost my phone.")
