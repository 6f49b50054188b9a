"""The file of a model, opened from the disk: what is typed is traced there, with Python's numbers, and nothing leaves
it."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

import tlmviz
from tests.browser.attention.test_explorer import cell
from tests.browser.helpers import PHONE, assert_fits, from_menu, own_profile, until
from tlmviz.analysis.attention.interventions import mute_heads

TEXT = "Lily had a red ball. Lily lost the red ball."
TYPED = " Tom gave Lily the red"


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load("zoo-rope")


@pytest.fixture(scope="module")
def file(lm, tmp_path_factory):
    path = tmp_path_factory.mktemp("file") / "x.html"
    lm.save_html(path, TEXT)
    return path


@pytest.fixture
def canvas(page, file):
    requests, errors = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(error))
    page.goto(file.as_uri())
    canvas = page.get_by_test_id("detail")
    expect(canvas).to_have_attribute("data-painted-kind", "exact")
    yield canvas
    assert all(url.startswith(("file:", "blob:", "data:")) for url in requests)
    assert not errors


def painted(text: str, lm) -> str:
    """What the view says of the text that it shows."""
    tokens = lm.trace(text).tokens
    return f"{len(''.join(tokens))}:{len(tokens)}"


def likeliest(page) -> list[tuple[str, float]]:
    """The next tokens that the page shows, with their percentages."""
    shown = [text.split(" ") for text in page.locator("#next button").all_inner_texts()]
    return [(name.replace("␣", " "), float(share.rstrip("%"))) for name, share in shown]


def check_likeliest(page, trace, lm):
    """The page comes to show the likeliest next tokens of a trace."""
    probabilities = trace.probabilities().numpy()
    ids = np.argsort(-probabilities)

    def agrees() -> bool:
        shown = likeliest(page)
        return bool(shown) and all(
            name == lm.tokenizer.name(int(token))
            and abs(share - 100 * probabilities[token]) <= (0.5 if share >= 10 else 0.05) + 0.01
            for (name, share), token in zip(shown, ids, strict=False)
        )

    until(page, agrees, trace.tokens)


def test_typing_traces_the_text_with_pythons_numbers(page, canvas, lm):
    expect(canvas).to_have_attribute("data-painted-text", painted(TEXT, lm))
    page.locator("#text").press("End")
    page.keyboard.type(TYPED)
    expect(canvas).to_have_attribute("data-painted-text", painted(TEXT + TYPED, lm))
    trace = lm.trace(TEXT + TYPED)
    check_likeliest(page, trace, lm)
    layer, head = map(int, canvas.get_attribute("data-painted-head").split("."))
    for row, col in ((5, 3), (8, 0), (2, 2)):
        page.mouse.move(*cell(page, canvas, row, col))
        shown = page.get_by_test_id("tooltip").locator("b").first.inner_text()
        assert abs(float(shown) - trace.attention(layer, head)[row, col].item()) < 2e-3
    page.get_by_role("button", name="q·k").click()
    expect(canvas).to_have_attribute("aria-label", re.compile("stage q·k"))


def test_the_page_answers_in_the_console(page, canvas, lm):
    body = """(text) => {
      const trace = window.tlmviz.trace(text), { ids, tokens, layers, heads } = trace;
      const numbers = { logits: Array.from(trace.logits), map: Array.from(trace.map(2, 3)) };
      return { ids, tokens, layers, heads, ...numbers, text: window.tlmviz.generate(text, 12) };
    }"""
    found, trace = page.evaluate(body, TEXT), lm.trace(TEXT)
    assert found["ids"] == trace.ids and found["tokens"] == trace.tokens
    assert (found["layers"], found["heads"]) == (trace.n_layers, trace.n_heads)
    size = len(trace)
    np.testing.assert_allclose(np.reshape(found["map"], (size, size)), trace.attention(2, 3), atol=1e-4)
    np.testing.assert_allclose(np.reshape(found["logits"], (size, -1)), trace.logits, atol=1e-3)
    assert found["text"] == lm.generate(TEXT, 12, temperature=0)


def test_a_muted_head_changes_the_predictions_alone(page, canvas, lm):
    layer, head = map(int, canvas.get_attribute("data-painted-head").split("."))
    page.get_by_role("button", name="Mute", exact=True).click()
    expect(page.get_by_role("button", name="Unmute")).to_be_visible()
    check_likeliest(page, lm.trace(TEXT, edit=mute_heads([(layer, head)])), lm)
    page.get_by_role("button", name="Unmute").click()
    check_likeliest(page, lm.trace(TEXT), lm)


def test_it_writes_on_and_a_press_appends_a_token(page, canvas, lm):
    check_likeliest(page, lm.trace(TEXT), lm)
    [first, *_] = likeliest(page)
    page.locator("#next button").first.click()
    expect(page.locator("#text")).to_have_value(TEXT + first[0])
    page.get_by_role("button", name="Write on").click()
    whole = TEXT + first[0] + lm.generate(TEXT + first[0], 20, temperature=0)
    expect(page.locator("#text")).to_have_value(whole)
    expect(canvas).to_have_attribute("data-painted-text", painted(whole, lm))


def test_a_text_that_cannot_be_read_is_a_sentence_and_the_picture_stays(page, canvas, lm):
    page.locator("#text").fill("")
    expect(page.get_by_role("alert")).to_have_text("The text is empty; type at least one character.")
    page.locator("#text").fill("ball " * 400)
    expect(page.get_by_role("alert")).to_contain_text("zoo-rope reads at most 256; shorten it.")
    expect(canvas).to_have_attribute("data-painted-text", painted(TEXT, lm))
    page.locator("#text").fill(TEXT + "!")
    expect(canvas).to_have_attribute("data-painted-text", painted(TEXT + "!", lm))
    expect(page.locator("#problem")).to_be_hidden()


def test_pins_arcs_and_a_saved_figure(page, canvas):
    page.mouse.click(*cell(page, canvas, 6, 3))
    page.get_by_role("button", name="Arcs").click()
    expect(page.get_by_test_id("arcs").locator(".token.pinned")).to_have_count(1)
    with page.expect_download() as download:
        from_menu(page, "SVG")
    assert download.value.suggested_filename.endswith(".svg")


def test_a_browser_without_the_kernels_says_so(browser, file):
    with own_profile(browser) as page:
        page.add_init_script("WebAssembly.validate = () => false")
        page.goto(file.as_uri())
        expect(page.get_by_role("alert")).to_contain_text("This browser lacks WebAssembly with SIMD")


def test_it_fits_a_phone(browser, file):
    with own_profile(browser, PHONE) as page:
        page.goto(file.as_uri())
        expect(page.get_by_test_id("detail")).to_have_attribute("data-painted-kind", "exact")
        assert_fits(page)


def test_what_the_page_writes_is_undone_as_if_it_were_typed(page, canvas):
    box = page.locator("#text")
    page.locator("#next button").first.click()
    expect(box).not_to_have_value(TEXT)
    expect(box).to_be_focused()
    page.keyboard.press("Control+z")
    expect(box).to_have_value(TEXT)
    box.fill("")
    expect(page.locator("#problem")).to_contain_text("type at least one character")
    assert page.locator("#next").evaluate("next => next.inert")  # it follows the text before


def test_it_writes_no_further_than_the_model_reads(page, canvas, lm):
    text = TEXT
    while len(lm.encode(text)) < lm.config.context - 12:
        text += TYPED
    page.locator("#text").fill(text)
    expect(canvas).to_have_attribute("data-painted-text", painted(text, lm))
    for _ in range(lm.config.context):  # what is written may be fewer tokens when it is read again
        page.get_by_role("button", name="Write on").click()
        if page.locator("#problem").inner_text():
            break
    expect(page.locator("#problem")).to_contain_text("shorten it to write on")
    assert page.evaluate("text => window.tlmviz.trace(text).ids.length", page.locator("#text").input_value())


def test_the_sentence_is_of_what_is_pointed_at_and_pinned(page, canvas):
    page.mouse.click(*cell(page, canvas, 8, 2))
    page.mouse.move(1, 1)
    expect(page.locator(".sentence")).to_contain_text("which is pinned, gets")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Arcs").click()
    page.locator(".token").nth(4).hover()
    expect(page.locator(".sentence")).to_contain_text("(4)")
