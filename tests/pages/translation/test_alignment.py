"""The page "Alignment & coverage", run as Streamlit runs it, with tiny models of every kind beside a bundled one."""

import base64
import contextlib
import math
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import tlmviz
from pages.translation.alignment.by_hand.matrices import SIDE, read_matrix
from pages.translation.alignment.data import QUICK, align_of
from pages.translation.alignment.state import BEST, BY_HAND, COPIED, FORCE, TRANSLATION, TWINS, Alignment
from pages.translation.alignment.twins.state import REPEATERS, STRIKING
from tests import tiny
from tests.pages.helpers import (
    SHOWN,
    anew,
    assert_healthy,
    by_title,
    chart_parts,
    follow_link,
    only_models,
    open_page,
    run_snippet,
    words,
)
from tlmviz import figures
from tlmviz.checkpoints.folders import models_folder
from tlmviz.errors import BadShape
from tlmviz.ui import frame, translation

PAGE = "translation/alignment"
TEXT = "Lily had a ball."
TINY = {
    "eng-fra": "transformer",
    "tiny-additive": "additive",
    "tiny-coverage": "coverage",
    "tiny-dot": "dot",
    "tiny-pointer": "pointer",
}


def _network(kind, tokenizer):
    return tiny.translation_network(kind, seed=1, vocab_size=tokenizer.vocab_size, context=128)  # seed 0 writes nothing


@pytest.fixture(scope="module", autouse=True)
def models(tokenizer, tmp_path_factory):
    """A folder of models: the stories that the app opens with, and random translators whose pages cost little."""
    folder, bundled = tmp_path_factory.mktemp("models"), models_folder()
    networks = {name: _network(kind, tokenizer) for name, kind in TINY.items()}
    with only_models(networks, tokenizer, folder):
        (folder / "stories-rope").symlink_to(bundled / "stories-rope")
        yield folder


@contextlib.contextmanager
def without(model):
    """The folder of a model is away, and nothing is cached of it."""
    away = model.rename(model.parent.parent / "away")
    try:
        with anew():
            yield
    finally:
        away.rename(model)


def opened(query=None, **session):
    """The page with a sentence; at the view "Translation" unless told otherwise."""
    said = {"english": TEXT, "aview": TRANSLATION, **{key: str(value) for key, value in session.items() if key != "mt"}}
    return open_page(PAGE, {**said, **(query or {})}, **{key: session[key] for key in ("mt",) if key in session})


def heatmap(spec: dict) -> np.ndarray:
    """The picture that a sent figure holds."""
    z = spec["data"][0]["z"]
    return np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"]).reshape([int(n) for n in z["shape"].split(",")])


def attention_of(app: AppTest) -> np.ndarray:
    return heatmap(next(spec for title, spec in by_title(app).items() if title.startswith("Attention")))


@pytest.fixture(scope="module")
def app():
    return opened()


class TestTranslation:
    def test_the_default_shows_map_steps_and_errors(self, app):
        titles = list(by_title(app))
        assert titles[0].startswith("Attention (probability): L") and titles[1].startswith("Step by step")
        assert titles[2].startswith("Alignment error rate")
        assert np.allclose(attention_of(app).sum(1), 1, atol=1e-4)
        assert words(app).count("green-badge") == len(QUICK) and "red-badge" not in words(app)

    def test_the_page_names_the_floor_and_what_the_notes_say(self, app):
        assert "Eq. 37 has no floor" in words(app) and "β log floor" in words(app)

    def test_the_snippet_says_the_same(self, app):
        scope = run_snippet(app)
        assert np.allclose(scope["a"], attention_of(app), atol=1e-5)
        assert f"= **{figures.number(scope['hypothesis'].parts.total, '.3f')} nats**" in words(app)
        [shown] = scope[SHOWN]
        assert shown.layout.title.text == "Attention (probability)"
        assert np.allclose(shown.data[0].z, scope["a"])

    def test_another_hypothesis_another_head_and_other_weights(self):
        app = opened({"ahyp": "3", "amap": "1.0"}, abeta=1.5, afloor=0.1, abeam=4)
        assert "L1H0" in list(by_title(app))[0]
        scope = run_snippet(app)
        assert np.allclose(scope["a"], attention_of(app), atol=1e-5) and len(scope["search"].hypotheses()) == 4
        cost = 1.5 * np.log(np.clip(scope["a"].sum(0), 0.1, 1)).sum()
        assert scope["hypothesis"].parts.coverage == pytest.approx(cost, abs=1e-4) and f"cp {cost:.3f}" in words(app)

    @pytest.mark.parametrize("name", ["tiny-additive", "tiny-coverage", "tiny-dot"])
    def test_a_recurrent_model_has_one_map(self, name):
        # a head that it does not have, and a rank nobody reached
        app = opened({"amap": "1.0", "ahyp": "99"}, mt=name)
        assert app.selectbox("amap").options == ["The model's attention"]
        assert "one map" in words(app) and len(by_title(app)) == 2
        assert run_snippet(app)["mt"].name == "tiny"

    def test_what_no_search_can_do_gives_way_to_the_nearest(self):
        for control, asked, shown in (
            (Alignment.width, "0", 1),
            (Alignment.width, "1000", 20),
            (Alignment.beta, "-1.0", 0.0),
            (Alignment.floor, "0.0", 0.001),
            (Alignment.floor, "2.0", 1.0),
        ):
            assert control.parse(asked) == shown

    def test_what_no_search_can_do_is_one_sentence(self):
        app = opened(abeam=1000)
        assert not app.exception and not app.error and app.text_input("english").value == TEXT
        assert "Beam: “1000”" in app.warning[0].value and app.number_input("abeam").value == 20
        assert len(chart_parts(app)) == 3

    def test_the_lowest_floor_leaves_the_page_and_its_hypothesis(self):
        app = opened({"ahyp": "3"})
        app.number_input("afloor").set_value(0.001).run()
        assert app.selectbox("ahyp").value == 3
        assert len(chart_parts(app)) == 3 and "floor 0.001" in words(app)
        app.number_input("afloor").set_value(0.01).run()
        assert not app.error and app.selectbox("ahyp").value == 3

    def test_the_map_that_it_opens_on_has_the_lowest_error_of_all_heads(self):
        mt = tlmviz.load("eng-fra")
        labels, rates, _sentences = translation.alignment_errors("eng-fra")
        heads = {label: rate for label, rate in zip(labels, rates) if label in mt.maps}
        assert heads[mt.maps[align_of("eng-fra", BEST)]] == min(heads.values())
        assert align_of("eng-fra", "mean") is None and align_of("eng-fra", "0.1") == mt.maps.index("0.1")
        assert align_of("eng-fra", "default") == mt.align

    @pytest.mark.parametrize("text", ["", "Lily " * 300, "x" * 10_000])
    def test_a_sentence_that_cannot_be_read_is_said_and_kept(self, text):
        app = opened(english=text)
        assert not app.exception and not app.error and len([*app.warning, *app.info]) == 1
        assert app.text_input("english").value == text

    @pytest.mark.parametrize("text", ["a", "😀😀", "Où est la gare ?", "<b>x</b> $x$ `code`", "他走了。"])
    def test_odd_sentences(self, text):
        assert len(by_title(opened(english=text))) == 3

    def test_without_the_alignments_a_sentence_says_where_they_are(self, monkeypatch):
        monkeypatch.setattr(translation, "ALIGNMENTS", Path("no-such.tsv"))
        with anew():
            app = opened()
        assert len(by_title(app)) == 2 and "made by hand are not here" in words(app)


class TestByHand:
    @pytest.mark.parametrize("label, cost", [("Least", 0.2 * 2 * math.log(0.01)), ("Most", 0.0), ("Even", 0.0)])
    def test_the_extremes_of_the_notes(self, label, cost):
        app = opened(aview=BY_HAND, amat="1 2")
        app.button(f"preset-{label}").click().run()
        spec = by_title(app)["Attention by hand"]
        assert any(f"{abs(cost):.3f} nats" in note["text"] for note in spec["layout"]["annotations"])
        scope = run_snippet(app)
        assert scope["cp"] == pytest.approx(cost, abs=1e-9)
        assert [figure.layout.title.text for figure in scope[SHOWN]] == ["Attention by hand"]

    def test_a_matrix_can_be_written_and_its_rows_are_scaled(self):
        app = opened(aview=BY_HAND, amat="2 1 1; 0,0,5")
        assert attention_of(app).tolist() == [[0.5, 0.25, 0.25], [0, 0, 1]]
        app.text_area("amat").set_value("1 1").run()
        assert attention_of(app).tolist() == [[0.5, 0.5]]

    def test_its_size_can_be_changed(self):
        app = opened(aview=BY_HAND)
        app.number_input("_acols").set_value(5).run()
        app.number_input("_arows").set_value(2).run()
        assert attention_of(app).shape == (2, 5)
        app.number_input("_arows").set_value(4).run()
        assert attention_of(app)[3].tolist() == [0, 0, 0, 0, 1]

    def test_the_translations_own_map_can_be_edited(self):
        app = opened(aview=BY_HAND, english="Lily", mt="tiny-dot")
        button = next(button for button in app.button if button.label == "From the translation")
        button.click().run()
        mt = tlmviz.load("tiny-dot")
        wanted = mt.translate("Lily").attention
        if max(wanted.shape) > SIDE:
            assert "at most 20 of each" in app.warning[0].value
        else:
            assert np.allclose(attention_of(app), wanted, atol=0.01)

    @pytest.mark.parametrize(
        "typed, said",
        [
            ("", "no number"),
            ("a b; c d", "no number"),
            ("1 2; 3", "different lengths"),
            ("1 -2; 3 1", "never negative"),
            ("0 0; 1 1", "Row 1"),
            ("nan 1", "never negative"),
            ("1 " * 5000, "at most 20"),
            ("1e999 1", "always finite"),
        ],
    )
    def test_what_is_no_attention_is_one_sentence(self, typed, said):
        with pytest.raises(BadShape) as refused:
            read_matrix(typed)
        assert said in frame.worded(refused.value)

    def test_what_is_no_attention_is_said_and_kept(self):
        app = opened(aview=BY_HAND, amat="1 2; 3")
        assert not app.exception and not app.error and "different lengths" in app.warning[0].value
        assert app.text_area("amat").value == "1 2; 3"

    def test_it_needs_no_sentence(self):
        app = opened(aview=BY_HAND, english="")
        assert attention_of(app).shape == (3, 3)


class TestModels:
    def test_the_twins_are_compared_on_the_sentence_and_on_others(self):
        app = opened(aview=TWINS)
        shown = by_title(app)
        assert list(shown)[:2] == ["tiny-additive", "tiny-coverage"]
        [table] = app.dataframe
        assert list(table.value["sentence"]) == list(REPEATERS)
        assert table.value[["covloss, without", "covloss, with"]].stack().between(0, 1).all()
        scope = run_snippet(app)
        assert [figure.layout.title.text for figure in scope[SHOWN]] == ["tiny-additive", "tiny-coverage"]
        for name in ("tiny-additive", "tiny-coverage"):
            mt = tlmviz.load(name)
            assert np.allclose(heatmap(shown[name]), scope["best"][name].map(mt.align), atol=1e-4)

    @pytest.mark.parametrize("asked", [REPEATERS[3], "<b>no sentence of the list</b>"])
    def test_a_link_names_the_sentence(self, asked):
        app = follow_link(PAGE, {"aview": TWINS, "arep": asked}, from_the_start=True)
        assert_healthy(app)
        known = asked in REPEATERS
        assert app.selectbox("arep").value == (asked if known else STRIKING)
        app.text_input("english").set_value("Tom is here.").run()
        assert_healthy(app)
        assert app.selectbox("arep").options[0] == "Tom is here." and (app.selectbox("arep").value == asked) == known

    def test_without_the_models_a_sentence_says_what_is_missing(self, models, monkeypatch):
        with without(models / "tiny-coverage"):
            app = opened(aview=TWINS)
        assert not app.exception and "one with a coverage vector" in app.info[0].value

    def test_a_beam_that_cannot_be_is_one_sentence(self):
        app = opened(aview=TWINS, acw=50)
        assert not app.exception and "Beam: “50”" in app.warning[0].value and app.number_input("acw").value == 20


class TestWriteOrCopy:
    def test_every_token_is_written_and_copied_in_part(self):
        app = opened(aview=COPIED, cname="Lily", csentence="Does … know you?")
        bars, attention = by_title(app).values()
        scope = run_snippet(app)
        found, best = scope["found"], scope["best"]
        assert scope["text"] == "Does Lily know you?" and scope["mt"].has_pointer
        parts = [np.frombuffer(base64.b64decode(each["y"]["bdata"]), each["y"]["dtype"]) for each in bars["data"]]
        for shown, expected in zip(parts, (found.written, found.copied, found.g), strict=True):
            np.testing.assert_allclose(shown, expected, atol=1e-5)
        forced = scope["mt"].read(scope["text"], list(best.tokens))
        np.testing.assert_allclose(parts[0] + parts[1], np.exp(forced.logp), atol=1e-5)
        np.testing.assert_allclose(heatmap(attention), forced.attention[:, 0], atol=1e-5)
        assert "green-badge" in words(app) and "red-badge" not in words(app)

    def test_a_sentence_of_ones_own_and_no_name(self):
        app = opened(aview=COPIED, english="Tom is here.", cname="")
        assert app.selectbox("csentence").options[0] == "Tom is here." and len(by_title(app)) == 2
        app.selectbox("csentence").set_value(app.selectbox("csentence").options[1]).run()
        assert_healthy(app)

    @pytest.mark.parametrize("name", ["😀", "<b>x</b>", "x" * 5000, "Zorvan and Milik"])
    def test_odd_names(self, name):
        app = opened(aview=COPIED, cname=name)
        assert not app.exception and not app.error
        assert len(by_title(app)) == 2 or len(app.warning) == 1

    def test_without_a_pointer_a_sentence_says_what_is_missing(self, models):
        with without(models / "tiny-pointer"):
            app = opened(aview=COPIED)
        assert not app.exception and "a pointer" in app.info[0].value


class TestForce:
    @pytest.mark.parametrize("name", ["eng-fra", "tiny-coverage"])
    def test_a_pinned_step_looks_at_its_token_alone_and_the_beginning_stays(self, name):
        app = opened(aview=FORCE, mt=name, apin="3-2")
        before, after = (heatmap(by_title(app)[f"{title} (pins framed)"]) for title in ("As it was", "Forced"))
        assert after[2].tolist() == [float(j == 1) for j in range(after.shape[1])]
        assert np.allclose(before[:2], after[:2], atol=1e-5) and before[2, 1] < 1
        scope = run_snippet(app)
        assert scope["after"].tokens[:2] == scope["before"].tokens[:2]
        assert np.allclose(scope["after"].map(align_of(name, BEST)), after, atol=1e-4)
        assert [figure.layout.title.text for figure in scope[SHOWN]] == ["As it was", "Forced"]

    def test_the_first_look_has_a_pin_of_the_pages_own(self):
        app = opened(aview=FORCE)
        assert "No pin is set" in words(app) and len(by_title(app)) == 3
        next(button for button in app.button if button.label == "Pin").click().run()
        assert app.text_input("apin").value == "1-1" and "No pin is set" not in words(app)
        app.selectbox("_astep").set_value(2).run()
        next(button for button in app.button if button.label == "Pin").click().run()
        assert app.text_input("apin").value == "1-1 3-1"
        next(button for button in app.button if button.label == "Clear").click().run()
        assert "No pin is set" in words(app)

    @pytest.mark.parametrize(
        "typed, said",
        [
            ("noir", "is no pin"),
            ("1-99", "There is no pin 1-99"),
            ("0-1", "no pin 0-1"),
            ("9999-1", "no pin"),
            ("3-5" * 3000, "is no pin"),
        ],
    )
    def test_a_pin_that_is_none_is_one_sentence_and_kept(self, typed, said):
        app = opened(aview=FORCE, apin=typed)
        assert len(by_title(app)) == 3 and said in app.warning[0].value and app.text_input("apin").value == typed
        assert len(app.warning[0].value) < 200


def test_a_link_brings_everything():
    asked = dict(english=TEXT, aview=TRANSLATION, ahyp="2", amap="0.1", abeta="0.7", afloor="0.05", abeam="3")
    app = follow_link(PAGE, asked, from_the_start=True)
    assert "L0H1" in list(by_title(app))[0] and "β 0.7, floor 0.05" in words(app)
    assert app.selectbox("ahyp").value == 2 and len(app.selectbox("ahyp").options) == 3
