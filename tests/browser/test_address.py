"""One address, and one entry of the history for a page, a part and a text, on declared pages."""

from playwright.sync_api import expect

from .helpers import at_rest, open_link, wait_for_param

TEXT = "Seven tired sailors counted the stars."


def entries(page) -> int:
    return page.evaluate("history.length")


def wait_for_entries(page, count: int) -> None:
    """The history comes to so many entries, and has them once the page is at rest."""
    page.wait_for_function("count => history.length === count", arg=count)
    at_rest(page)
    assert entries(page) == count


def go_to(page, title: str) -> None:
    page.keyboard.press("/")
    page.keyboard.type(title)
    page.keyboard.press("Enter")
    expect(page.locator("h1").first).to_contain_text(title)
    at_rest(page)


def test_back_brings_back_the_page_as_it_was_left_and_the_text_before(page, server):
    open_link(page, server, "pipeline", plm="12")
    expect(page.get_by_test_id("pipeline-canvas")).to_be_visible()
    at_rest(page)
    start = entries(page)
    page.get_by_role("radio", name="GPipe").click()
    wait_for_param(page, "plview", "GPipe")
    wait_for_entries(page, start)  # a control is no entry
    go_to(page, "Serving")
    box = page.get_by_role("textbox", name="Text", exact=True)
    expect(box).to_be_visible()
    wait_for_param(page, "plview", None)
    wait_for_entries(page, start + 1)  # a page is one entry
    box.fill(TEXT)
    wait_for_param(page, "text", TEXT)
    wait_for_entries(page, start + 2)  # a text is one entry
    page.go_back()
    wait_for_param(page, "text", None)
    expect(box).not_to_have_value(TEXT)
    page.go_back()
    expect(page.locator("h1").first).to_contain_text("Pipeline")
    wait_for_param(page, "plview", "GPipe")
    wait_for_param(page, "plm", "12")
    expect(page.get_by_role("radio", name="GPipe")).to_be_checked()
    page.go_forward()
    page.go_forward()
    wait_for_param(page, "text", TEXT)
    expect(box).to_have_value(TEXT)


def test_back_brings_back_the_part_and_a_text_of_the_pages_own(page, server):
    open_link(page, server, "compare")
    one, other = (page.get_by_role("radio", name=name) for name in ("Two prompts", "Two precisions"))
    expect(one).to_be_checked()
    at_rest(page)
    start = entries(page)
    box = page.get_by_role("textbox", name="Text A")
    before = box.input_value()
    box.fill(TEXT)
    wait_for_param(page, "cmpa", TEXT)
    wait_for_entries(page, start + 1)
    other.click()
    wait_for_entries(page, start + 2)
    page.go_back()
    expect(one).to_be_checked()
    expect(box).to_have_value(TEXT)
    page.go_back()
    expect(box).to_have_value(before)


def test_the_link_that_is_copied_names_the_defaults(page, server):
    open_link(page, server, "pipeline")
    expect(page.get_by_test_id("pipeline-canvas")).to_be_visible()
    page.wait_for_function("window.tlmvizLink?.path === '/pipeline'")
    whole = page.evaluate("new URLSearchParams(window.tlmvizLink.whole).get('plm')")
    assert whole == "8"
    page.wait_for_function("location.search === ''")


def test_the_pseudo_language_leaves_no_plain_sentence_in_the_picture(page, server):
    open_link(page, server, "pipeline", lang="en-XA")
    said = page.get_by_test_id("pipeline-said")
    expect(said).to_contain_text("Áftér 33 áll íś dóńé")
    expect(page.locator(".st-key-claim")).to_contain_text("Thé dévíćéś śtáńd ídlé")


def test_a_page_looks_for_its_server_where_its_scripts_come_from(page, server):
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    open_link(page, server, "pipeline")
    expect(page.get_by_test_id("pipeline-canvas")).to_be_visible()
    at_rest(page)
    at = [url.partition("//")[2].partition("/")[2] for url in asked]
    assert "_stcore/stream" in at and not [each for each in at if each.startswith("pipeline/")]
