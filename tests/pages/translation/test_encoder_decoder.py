"""The page "Encoder & decoder", run as Streamlit runs it, on tiny random models with and without an unmasked copy."""

import numpy as np
import pytest
from safetensors.torch import save_file

import tlmviz
from pages.translation.encoder_decoder.claims import NAMES
from pages.translation.encoder_decoder.data import _written as written
from pages.translation.encoder_decoder.state import KINDS, LEARNED, MASKED, REMOVED, ROTATED, Decoding
from tests import tiny
from tests.pages.helpers import (
    SHOWN,
    anew,
    chart_size,
    charts,
    link_of,
    only_models,
    open_alone,
    run_snippet,
    title_of,
    words,
)
from tests.pages.states import to_do
from tlmviz.analysis.translation import masks

PAGE = "translation/encoder_decoder"
TEXT, FRENCH = "Lily had a ball.", "Tom saw a dog."
TINY = {"plain": "transformer", "leaky": "transformer", "recurrent": "additive"}


@pytest.fixture(scope="module", autouse=True)
def models(tokenizer, tmp_path_factory):
    """A folder of models: a Transformer, one with a copy trained without the mask, and a recurrent one."""
    networks = {
        name: tiny.translation_network(kind, vocab_size=tokenizer.vocab_size, context=64) for name, kind in TINY.items()
    }
    with only_models(networks, tokenizer, tmp_path_factory.mktemp("models")) as folder:
        own = masks.self_attention(networks["leaky"])
        save_file({key: (0.5 * value).contiguous() for key, value in own.items()}, folder / "leaky" / masks.UNMASKED)
        yield folder


def opened(name="plain", **session):
    return open_alone(PAGE, **{"mt": name, "english": TEXT, **session})


def titles(app) -> list[str]:
    return [title_of(chart) for chart in charts(app)]


def test_the_default_shows_three_maps_the_shift_and_the_flow():
    app = opened()
    assert [title.split(":")[0].split(",")[0] for title in titles(app)] == [
        "Encoder",
        "Decoder",
        "Cross",
        "Shifted target",
        titles(app)[4].split(":")[0],
    ]
    assert (
        "No copy of plain was trained" in words(app) and "red-badge" not in words(app) and "green-badge" in words(app)
    )
    assert app.segmented_control("edmask").options == [MASKED, REMOVED, ROTATED]
    assert "*Removed*" in to_do(app), "there is none that was trained without"
    assert chart_size(app) < 200_000
    bars = [part for part in charts(app)[3]["data"] if part["type"] == "bar"]
    assert [bar["name"] for bar in bars] == [NAMES[kind] for kind in (MASKED, REMOVED, ROTATED)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_typed_translation_is_read_by_every_copy_and_can_be_reproduced(kind):
    app = opened("leaky", edfr=FRENCH, edmask=kind)
    charts(app)
    scope = run_snippet(app)
    mt = tlmviz.load("leaky")
    translation = [*mt.encode_target(FRENCH), mt.tokenizer.end_of_text]
    assert scope["translation"] == translation and scope["decoder"].shape == (len(translation),) * 2
    assert bool(np.triu(scope["decoder"], 1).any()) == (kind in (REMOVED, LEARNED))
    assert ("*Trained without*" in to_do(app)) == (kind != LEARNED)
    shown = [figure.layout.title.text.split()[0] for figure in scope[SHOWN]]
    assert shown[:3] == ["Encoder:", "Decoder", "Cross:"] and len(shown) == 4
    assert f"{NAMES[kind]} **{-scope['maps'].logp.mean():.3f}**" in words(app)
    assert words(app).count("Writing on its own") == 4 and "No copy of" not in words(app)


def test_without_the_mask_the_model_writes_the_same():
    app = opened()
    own = written("plain", TEXT, REMOVED)
    assert own == tlmviz.load("plain").translate(TEXT).text
    assert "writes the same with and without the mask: there is no future" in words(app)


@pytest.mark.parametrize("token", [0, -1])
def test_the_ends_of_the_target_are_drawn(token):
    app = opened(edfr=FRENCH)
    options = app.selectbox("edtok").options
    app.selectbox("edtok").select_index(token % len(options)).run()
    assert len(charts(app)) == 5 and options[0].startswith("1 · predict") and "⟨end⟩" in options[-1]


def test_every_head_can_be_chosen():
    app = opened(edfr=FRENCH)
    app.selectbox("_layer").set_value(1).run()
    app.selectbox("_head").set_value(1).run()
    assert "Layer 1 keeps 2 ×" in words(app) and "maps.decoder[1, 1]" in app.code[-1].value
    assert len(charts(app)) == 5


def test_a_shorter_translation_moves_the_token_inside():
    app = opened(edfr=FRENCH)
    app.selectbox("edtok").select_index(len(app.selectbox("edtok").options) - 1).run()
    app.text_input("edfr").set_value("a").run()
    assert len(charts(app)) == 5 and len(app.selectbox("edtok").options) == 2


@pytest.mark.parametrize("text, said", [("", "empty"), ("word " * 300, "shorten"), ("x" * 10_000, "shorten")])
def test_a_sentence_that_cannot_be_read_is_one_sentence(text, said):
    app = opened(english=text)
    assert not charts(app) and said in [*app.info, *app.warning][0].value
    app.text_input("english").set_value(TEXT).run()
    assert len(charts(app)) == 5


@pytest.mark.parametrize("text", ["😀😀😀", "<script>alert(1)</script> $x$ **b**", "日本語の文"])
def test_strange_sentences_are_read(text):
    assert len(charts(opened(english=text, edfr=text))) == 5


def test_a_translation_that_is_too_long_is_one_sentence():
    app = opened(edfr="mot " * 300)
    assert not charts(app) and "shorten it" in app.warning[0].value


def test_a_recurrent_model_leads_to_a_transformer():
    app = opened("recurrent")
    assert not charts(app) and "no self-attention to mask" in app.info[0].value
    [button] = [button for button in app.button if button.label.startswith("Show ")]
    button.click().run()
    assert app.session_state["mt"] == "leaky" and len(charts(app)) == 5


def test_a_damaged_copy_is_one_sentence(models):
    path = models / "leaky" / masks.UNMASKED
    good = path.read_bytes()
    path.write_bytes(good[:100])
    try:
        with anew():
            app = opened("leaky")
        assert not app.exception and "cannot be read" in app.error[0].value
    finally:
        path.write_bytes(good)


def test_what_a_link_says_of_the_token_is_a_number_from_1():
    assert Decoding.token.parse("0") == 1
    for text in ("-1", "²", "x" * 99):
        with pytest.raises(ValueError):
            Decoding.token.parse(text)


@pytest.mark.parametrize("asked, shown", [("5", 5), ("99", None)])
def test_the_link_says_which_token_by_number(asked, shown):
    app = open_alone(PAGE, {"edtok": asked}, mt="plain", english=TEXT, edfr=FRENCH)
    menu = app.selectbox("edtok")
    assert len(charts(app)) == 5 and menu.value == (shown or len(menu.options))
    menu.select_index(0).run()
    assert link_of(app)["edtok"] == "1"
    app.text_input("edfr").set_value("dog").run()
    mt = tlmviz.load("plain")
    assert app.selectbox("edtok").options[0] == f"1 · predict {mt.names(mt.encode_target('dog'))[0]}"
