"""The page "Encoder-only": what is sent, against the models; its four parts, snippets, links, and texts it cannot
read."""

from pathlib import Path

import numpy as np
import pytest
import torch

import tlmviz
from pages.beyond.encoder_only import claims, view
from pages.beyond.encoder_only import data as compute
from pages.beyond.encoder_only import state as controls
from tests.pages.helpers import assert_healthy, badges, by_title, drawn, green, open_page, picture, run_snippet
from tests.pages.helpers import words as said
from tests.pages.states import linked
from tlmviz.errors import BadText
from tlmviz.ui import frame

PAGE = "beyond/encoder_only"
BAGS = 49.6  # % of held-out rows on which a bag of words tells that words are exchanged
REPOSITORY = Path(__file__).resolve().parents[3]
TEXT = "Lily had a red ball. She lost it."


def shown(query) -> compute.Data:
    """What the page shows by a link."""
    return compute.Data(linked(controls.Choice, query, layer=0, head=0))


@pytest.fixture(scope="module")
def model():
    return tlmviz.load("stories-encoder")


def test_every_token_is_hidden_once(model):
    app = open_page(PAGE, {"epart": controls.HIDDEN, "etext": TEXT})
    header, arrays = picture(app)
    ids = model.encode(TEXT)
    assert header["tokens"] == model.names(ids)
    for place in (1, 4, 9):
        hidden = ids[:place] + [model.config.mask] + ids[place + 1 :]
        for name, each in (("both", model), ("causal", model.causal)):
            p = each.probabilities(torch.tensor([hidden]))[0, place]
            assert arrays[name][place] == pytest.approx(float(p[ids[place]]), abs=1e-5)
            offers = dict(map(tuple, header["offers"][place][name]))
            assert offers[model.tokenizer.name(int(p.argmax()))] == pytest.approx(float(p.max()), abs=1e-5)
            assert model.tokenizer.name(ids[place]) in offers
    gain = arrays["both"] - arrays["causal"]
    spelled = [at for at, token in enumerate(header["tokens"]) if token.strip().isalpha()]
    assert header["shown"] == max(spelled, key=lambda at: gain[at])
    assert "✗" not in badges(app) and "bits on average" in said(app)


def test_a_hidden_word_that_is_typed(model):
    header, _ = picture(open_page(PAGE, {"epart": controls.HIDDEN, "etext": "The dog saw a [MASK] in the tree."}))
    place = header["tokens"].index("[MASK]")
    [guess] = model.predict("The dog saw a [MASK] in the tree.")
    assert header["shown"] == place == guess.position and header["masked"][place]
    assert header["offers"][place]["both"][0][0] == guess.words[0][0]


def test_what_cls_reads(model):
    app = open_page(PAGE, {"epart": controls.CLS, "ea": TEXT, "eb": "The dog ran."})
    header, arrays = picture(app)
    trace = model.trace(TEXT, "The dog ran.")
    assert header["tokens"] == trace.tokens and header["tokens"][header["first"]] == "[SEP]"
    for layer, head in ((0, 0), (3, 7)):
        np.testing.assert_allclose(arrays["row"][layer, head], trace.attention(layer, head)[0], atol=1e-5)
    expected = [model.exchanged(TEXT, "The dog ran."), model.belong(TEXT, "The dog ran.")]
    assert [p for _, p in header["verdicts"]] == pytest.approx(expected, abs=1e-5)
    blind = model.causal.exchanged(TEXT, "The dog ran.")
    assert f"{100 * blind:.1f}%" in said(app) and "✗" not in badges(app)
    scope = run_snippet(app)
    assert scope["trace"].tokens == trace.tokens


def test_the_second_text_is_swapped():
    app = open_page(PAGE, {"epart": controls.CLS})
    before = picture(app)[0]
    [button] = [each for each in app.button if each.label == "Another story"]
    header = picture(button.click().run())[0]
    assert header["tokens"] != before["tokens"] and header["verdicts"] != before["verdicts"]


def test_what_is_said_of_held_out_pairs_is_the_cards():
    card = (REPOSITORY / "models/stories-encoder/card.md").read_text(encoding="utf-8")
    assert all(f"**{right:.1f} %** of" in card for right in claims.RIGHT)
    assert f"**{BAGS:.1f} %** of" in card
    app = open_page(PAGE, {"epart": controls.CLS})
    told = said(app)
    assert all(f"{right}%" in told for right in (*claims.RIGHT, BAGS))
    questions = [question for question, _p in picture(app)[0]["verdicts"]]
    assert all(f"{right:.0f}%" in question for right, question in zip(claims.RIGHT, questions))


def test_the_mask_put_on(model):
    app = open_page(PAGE, {"epart": controls.MASKS, "etext": TEXT, "head": "1.3"})
    titles = by_title(app)
    assert any("As trained" in title for title in titles) and any("Causal mask" in title for title in titles)
    assert any("hidden (bits)" in title for title in titles) and "✗" not in badges(app)
    scope = run_snippet(app)
    assert len(scope["both"]) == len(scope["causal"]) == len(model.encode(TEXT))


def test_three_kinds_of_models():
    app = open_page(PAGE, {"epart": controls.KINDS, "esent": "The dog saw a bird."})
    assert len(by_title(app)) == 5
    found = compute.answers("The dog saw a bird.")
    assert found.translated and claims.quoted(found.guess) in said(app) and claims.quoted(found.translated) in said(app)


def test_encoder_and_decoder_share_their_tokens(model):
    decoder = tlmviz.load(compute.DECODER)
    assert decoder.tokenizer.encode(f" {TEXT}") == model.encode(TEXT)[1:-1]
    assert (decoder.config.n_layers, decoder.config.n_heads, decoder.config.d_model, decoder.config.feedforward) == (
        model.config.n_layers,
        model.config.n_heads,
        model.config.d_model,
        model.config.feedforward,
    )


def test_a_place_of_a_link():
    assert picture(open_page(PAGE, {"epart": controls.HIDDEN, "eplace": "3", "etext": TEXT}))[0]["shown"] == 3
    header, _ = picture(open_page(PAGE, {"epart": controls.HIDDEN, "eplace": "60", "etext": TEXT}))
    assert 0 < header["shown"] < len(header["tokens"]) - 1


@pytest.mark.parametrize(
    "query, why",
    [
        ({"epart": controls.HIDDEN, "etext": ""}, "empty"),
        ({"epart": controls.HIDDEN, "etext": "a"}, "3 tokens"),
        ({"epart": controls.HIDDEN, "etext": "ball " * 80}, "82 tokens"),
        ({"epart": controls.MASKS, "etext": "ball " * 400}, "256"),
        ({"epart": controls.CLS, "ea": ""}, "first text is empty"),
        ({"epart": controls.CLS, "eb": "ball " * 300}, "shorten"),
        ({"epart": controls.KINDS, "esent": ""}, "empty"),
        ({"epart": controls.KINDS, "esent": "ball " * 50}, "too many"),
    ],
)
def test_a_text_that_cannot_be_shown_is_one_sentence(query, why):
    with pytest.raises(BadText) as refused:
        shown(query)
    said = frame.worded(refused.value)
    assert why in said and "\n" not in said


def test_a_text_that_cannot_be_shown_is_a_warning():
    app = open_page(PAGE, {"epart": controls.CLS, "ea": ""})
    assert not app.exception and not app.error
    [warning] = app.warning
    assert "first text is empty" in warning.value


@pytest.mark.parametrize(
    "query",
    [
        {"epart": controls.HIDDEN, "eplace": "-1", "etext": "<b> 😀 $x$ [CLS] [SEP] ⟨x⟩ [MASK][MASK]"},
        {"epart": controls.CLS, "ea": "<script>", "eb": "猫が"},
    ],
)
def test_odd_texts_have_a_picture(query):
    found = shown(query)
    picture = {controls.HIDDEN: view.hidden, controls.CLS: view.cls}[query["epart"]]
    assert drawn(picture, found) and green(found.checks)


def test_a_hostile_link_shows_the_page():
    assert_healthy(open_page(PAGE, {"epart": controls.KINDS, "esent": "<b> $x$ 😀 .", "head": "99.99"}))
