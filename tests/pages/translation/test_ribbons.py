"""The view "Ribbons" of the page "Alignment & coverage", with tiny models of every kind and the bundled translator."""

import numpy as np
import pytest

from pages.translation.alignment.data import align_of
from pages.translation.alignment.ribbons import data
from pages.translation.alignment.state import BEST, FORCE, RIBBONS, Alignment
from tests import tiny
from tests.pages.helpers import assert_healthy, badges, link_of, only_models, open_page, picture, run_snippet
from tests.pages.helpers import words as said
from tlmviz.checkpoints.folders import models_folder
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties
from tlmviz.facades.translator import Translator
from tlmviz.ui import translation
from tlmviz.ui.state import MORE

PAGE = "translation/alignment"
TEXT = "Lily had a ball."
KINDS = {"tiny-transformer": "transformer", "tiny-additive": "additive", "tiny-coverage": "coverage"}
CAT = translation.EXAMPLES["Adjective after the noun"]


@pytest.fixture(scope="module", autouse=True)
def models(tokenizer, tmp_path_factory):
    """The models that the app opens with, and random translators whose pages cost little."""
    folder, bundled = tmp_path_factory.mktemp("models"), models_folder()
    networks = {
        name: tiny.translation_network(kind, seed=1, vocab_size=tokenizer.vocab_size, context=128)
        for name, kind in KINDS.items()
    }
    with only_models(networks, tokenizer, folder):
        for name in ("stories-rope", "eng-fra"):
            (folder / name).symlink_to(bundled / name)
        yield folder


def opened(query=None, **session):
    mt, english = session.get("mt", "tiny-transformer"), session.get("english", TEXT)
    return open_page(PAGE, {"english": english, **(query or {})}, mt=mt)


def ribbons(app) -> tuple[dict, np.ndarray]:
    """Header and weights of the picture."""
    header, arrays = picture(app)
    return header, arrays["weights"]


def of(name: str) -> Translator:
    return translation.model(name)


def test_the_page_opens_on_the_map_of_its_best_translation():
    assert Alignment.view.default == RIBBONS
    app = opened(mt="eng-fra", english=translation.DEFAULT_SENTENCE)
    header, weights = ribbons(app)
    mt, align = of("eng-fra"), align_of("eng-fra", BEST)
    best = mt.search(translation.DEFAULT_SENTENCE).hypotheses(Penalties(), align)[0]
    assert np.allclose(weights, best.map(align), atol=1e-5) and np.allclose(weights.sum(1), 1, atol=1e-4)
    assert header["now"] == header["was"] and header["now"]["text"] == mt.text(best.tokens)
    assert header["now"]["text"] == mt.translate(translation.DEFAULT_SENTENCE).text
    assert header["now"]["logp"] == pytest.approx(sum(best.logps), abs=1e-4)
    assert not any(header["changed"]) and header["pins"] == []
    assert "red-badge" not in badges(app) and "green-badge" in badges(app)
    assert "is looked at most" in said(app) and "Ribbons cross" in said(app)


@pytest.mark.parametrize("name", KINDS)
def test_a_pinned_step_reads_its_token_alone_and_the_beginning_stays(name):
    app = opened({"arib": "3-2"}, mt=name)
    header, weights = ribbons(app)
    mt = of(name)
    align = align_of(name, BEST)
    before = mt.search(TEXT).hypotheses(align=align)[0]
    after = mt.search(TEXT, BeamOptions(prefix=before.tokens[:2]), {2: 1}).hypotheses(align=align)[0]
    assert weights[2].tolist() == [float(j == 1) for j in range(weights.shape[1])]
    assert np.allclose(weights, after.map(align), atol=1e-5)
    assert header["now"]["text"] == mt.text(after.tokens) and header["pins"] == [[2, 1]]
    assert header["changed"][:2] == [False, False]
    assert np.allclose(run_snippet(app)["a"], weights, atol=1e-5)


def test_a_second_pin_begins_where_the_first_one_led():
    header, weights = ribbons(opened({"arib": "1-2 3-1"}))
    mt = of("tiny-transformer")
    align = align_of("tiny-transformer", BEST)
    first = mt.search(TEXT, BeamOptions(prefix=()), {0: 1}).hypotheses(align=align)[0]
    second = mt.search(TEXT, BeamOptions(prefix=first.tokens[:2]), {0: 1, 2: 0}).hypotheses(align=align)[0]
    assert np.allclose(weights, second.map(align), atol=1e-5)
    assert header["now"]["text"] == mt.text(second.tokens)
    assert weights[0].argmax() == 1 and weights[2].argmax() == 0


def test_dragging_noir_to_red_makes_the_cat_red():
    header, _ = picture(opened({"arib": "3-8"}, mt="eng-fra", english=CAT))
    assert "chat noir" in header["was"]["text"] and "chat rouge" in header["now"]["text"]
    assert [name.strip() for name, new in zip(header["target"], header["changed"]) if new] == ["rouge"]


def test_pins_of_another_sentence_are_forgotten():
    app = opened({"arib": "3-2"})
    assert picture(app)[0]["pins"] == [[2, 1]]
    app.text_input("english").set_value("Tom saw a dog.").run()
    assert picture(app)[0]["pins"] == [] and "arib" not in link_of(app)


@pytest.mark.parametrize("pins", ["noir", "0-0", "1-99", "99-1", "3-2-1", "1-2" * 4000, "<b>"])
def test_a_hostile_link_shows_the_page(pins):
    assert picture(opened({"arib": pins}))[0]["pins"] == []


@pytest.mark.parametrize("text", ["a", "😀😀", "<b>x</b> $x$ `code`", "他走了。"])
def test_odd_sentences(text):
    header, weights = ribbons(opened(english=text))
    assert weights.shape == (len(header["target"]), len(header["source"]))


def test_what_differs_is_what_has_no_partner_in_order():
    class Text:
        def __init__(self, *tokens):
            self.tokens = tokens

    assert data.changed(Text(1, 2, 3, 4), Text(1, 5, 3, 4, 6)) == [False, True, False, False, True]


def test_crossing_steps_are_the_surest_that_go_back():
    map_ = np.array([[0.9, 0.1, 0], [0, 0.2, 0.8], [0, 0.7, 0.3], [0, 0, 1.0]])
    every = [True] * 4
    assert data.crossing_steps(map_, every) == (1, 2)
    assert data.crossing_steps(map_, [True, True, False, True]) is None, "a piece of a word"
    wide = np.array([[0.9, 0.1, 0], [0, 0.2, 0.8], [0.2, 0.4, 0.4], [0, 0, 1.0]])
    assert data.crossing_steps(wide, every) is None, "a wide look"
    assert data.crossing_steps(np.eye(3), every[:3]) is None


def every_part(app):
    """The menu of the parts, with all of them to choose from."""
    app.segmented_control(key="aview").set_value(MORE).run()
    return app.segmented_control(key="aview")


def test_its_pins_go_along_to_forced_attention_once():
    app = opened({"arib": "3-2"})
    every_part(app).set_value(FORCE).run()
    assert_healthy(app)
    assert app.text_input("apin").value == "3-2"
    next(button for button in app.button if button.label == "Clear").click().run()
    assert app.text_input("apin").value == "" and "No pin is set" in said(app)


def test_pins_of_another_sentence_stay_behind():
    app = opened({"arib": "3-2"})
    menu = every_part(app)
    app.text_input("english").set_value("Tom saw a dog.")
    menu.set_value(FORCE).run()
    assert app.text_input("apin").value == ""
