"""What people do on the pages "Encoder & decoder" and, in Alignment, "Three scores", in a real browser."""

import re

from playwright.sync_api import expect

import tlmviz
from tests.browser.helpers import at_rest, open_link, wait_for_param
from tlmviz.analysis.translation import masks, score_steps

TEXT, FRENCH = "She never eats meat.", "Elle ne mange jamais de viande."


def choose(page, key: str, index: int) -> None:
    at_rest(page)  # what the menu offers follows what is typed
    page.locator(f".st-key-{key}").click()
    page.get_by_role("option").nth(index).click()


def test_a_typed_translation_is_read_with_the_mask_and_without(page, server):
    open_link(page, server, "encoder_decoder", english=TEXT)
    expect(page.locator(".st-key-ed-decoder .js-plotly-plot").first).to_be_visible()
    page.get_by_role("textbox", name="French translation").fill(FRENCH)
    wait_for_param(page, "edfr", FRENCH)
    page.get_by_role("radio", name="Removed").click()
    wait_for_param(page, "edmask", "Removed")
    choose(page, "edtok", 3)
    wait_for_param(page, "edtok", "4")
    mt = tlmviz.load("eng-fra")
    target = [*mt.encode_target(FRENCH), mt.tokenizer.end_of_text]
    nats = [-masks.read(one, TEXT, target).logp.mean() for one in (mt, masks.unmasked(mt))]
    said = f"with the mask {nats[0]:.3f} · mask removed, same weights {nats[1]:.3f}"
    expect(page.get_by_text(re.compile(re.escape(said)))).to_be_visible()
    read = mt.names(target)[2].strip()
    expect(page.get_by_text(f"Cross-attention of “{read}”", exact=False)).to_be_visible()
    page.reload()
    expect(page.get_by_text(f"Cross-attention of “{read}”", exact=False)).to_be_visible()
    expect(page.get_by_text("Decoder: mask removed", exact=False).first).to_be_visible()


def test_one_translation_is_read_by_every_recurrent_model(page, server):
    recurrent = [f"eng-fra-{score}" for score in ("dot", "general", "additive", "coverage")]
    open_link(page, server, "attention_scores", english=TEXT)  # its old address
    wait_for_param(page, "aview", "Three scores")
    page.get_by_text("One for all", exact=True).click()
    page.get_by_role("textbox", name="French translation").fill(FRENCH)
    wait_for_param(page, "edfr", FRENCH)
    choose(page, "astok", 2)
    wait_for_param(page, "astok", "3")
    for name in recurrent:
        mt = tlmviz.load(name)
        steps = score_steps.read(mt, TEXT, [*mt.encode_target(FRENCH), mt.tokenizer.end_of_text])
        said = page.locator(f".st-key-as-{name} .js-plotly-plot").first
        expect(said).to_be_visible()
        expect(page.get_by_text(f"{-steps.logp.mean():.3f} nats per token", exact=False).first).to_be_visible()
    page.reload()
    expect(page.get_by_role("textbox", name="French translation")).to_have_value(FRENCH)
    expect(page.locator(".st-key-astok input").first).to_have_value(re.compile("^3 · write"))
