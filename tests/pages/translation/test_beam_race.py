"""The view "Race" of the page "Beam search": its lanes and sentences against the searches, and the text chosen by
hand."""

import numpy as np
import pytest

from pages.translation.beam_search.race.data import WIDTHS
from pages.translation.beam_search.state import RACE
from tests.javascript.node import evaluate
from tests.pages.helpers import header_of, link_of, open_page, run_snippet, words
from tlmviz.decoding.beam import BeamOptions
from tlmviz.ui import translation

PAGE = "translation/beam_search"
DUEL = "pages/translation/beam_search/race/duel.js"
SENTENCE = translation.EXAMPLES["Adjective after the noun"]  # greedy loses, and so does a beam of 20


def opened(query=None, **session):
    return open_page(PAGE, query, **{"bview": RACE, "english": SENTENCE, **session})


@pytest.fixture(scope="module")
def mt():
    return translation.model(translation.DEFAULT_MODEL)


@pytest.fixture(scope="module")
def app():
    return opened()


def test_every_width_shows_its_own_winner(app, mt):
    lanes = header_of(app)["lanes"]
    assert tuple(lane["width"] for lane in lanes) == WIDTHS
    for lane in lanes:
        best = mt.search(SENTENCE, BeamOptions(width=lane["width"])).hypotheses()[0]
        assert lane["text"] == mt.text(best.tokens) and lane["score"] == pytest.approx(best.score, abs=1e-5)
        assert len(lane["leaders"]) == lane["steps"] == max(lane["depths"])


def test_what_the_sentences_say_is_so(app, mt):
    text = words(app)
    greedy, five, twenty = (mt.search(SENTENCE, BeamOptions(width=width)) for width in (1, 5, 20))
    best, lost = five.hypotheses()[0], greedy.hypotheses()[0]
    step = next(t for t, (a, b) in enumerate(zip(best.tokens, lost.tokens)) if a != b)
    assert f"Greedy dropped the best text at step {step + 1}" in text
    assert f"(p {np.exp(best.logps[step]):.3f})" in text and f"(p {np.exp(lost.logps[step]):.3f})" in text
    assert "The beam of 20 scores worse than that of 5" in text
    assert twenty.steps < len(best.tokens) and f"{len(twenty.leaves)} complete texts after {twenty.steps}" in text
    lane = header_of(app)["lanes"][-1]
    assert lane["lost"] == {"step": twenty.steps, "how": "ended"} and len(lane["way"]) == twenty.steps


def test_the_chosen_width_races_too_and_the_snippet_prints_the_same(mt):
    app = opened(bw=3, english="I am cold.")
    lanes = header_of(app)["lanes"]
    assert [lane["width"] for lane in lanes] == [1, 2, 3, 5, 20]
    scope = run_snippet(app)
    for lane in lanes:
        found = scope["found"][lane["width"]].hypotheses(scope["penalties"])[0]
        assert lane["score"] == pytest.approx(found.score, abs=1e-5)


def test_a_text_chosen_by_hand_is_scored_as_the_search_would(mt):
    best = mt.search("I am cold.", BeamOptions()).hypotheses()[0]
    half = ".".join(map(str, best.tokens[:2]))
    duel = header_of(opened({"bown": half}, english="I am cold."))["duel"]
    assert np.allclose(duel["logps"], best.logps[:2], atol=1e-4) and not duel["ended"]
    assert duel["offers"][0]["p"] == max(offer["p"] for offer in duel["offers"])
    assert any(offer["token"] in mt.tokenizer.ends for offer in duel["offers"])
    [following] = [offer for offer in duel["offers"] if offer["token"] == best.tokens[2]]
    assert following["p"] == pytest.approx(np.exp(best.logps[2]), abs=1e-4)
    whole = ".".join(map(str, best.tokens))
    duel = header_of(opened({"bown": whole}, english="I am cold."))["duel"]
    assert duel["ended"] and duel["score"] == pytest.approx(best.score, abs=1e-4) and not duel["offers"]
    said = evaluate({DUEL: "verdict"}, "result = verdict(...given);", [duel])
    assert "You beat greedy, level with beam of 5" in said


@pytest.mark.parametrize(
    "own, step", [("x", "-3"), ("-1", "1e9"), ("99999999", "400"), ("1." * 500, "1e9"), ("5..6", "-3")]
)
def test_a_hostile_link_shows_the_page(own, step):
    assert header_of(opened({"bown": own, "bstep": step}, english="I am cold."))["lanes"]


def test_tokens_of_another_sentence_are_forgotten(mt):
    best = mt.search("I am cold.", BeamOptions()).hypotheses()[0]
    app = opened({"bown": str(best.tokens[0])}, english="I am cold.")
    assert header_of(app)["duel"]["tokens"] == [best.tokens[0]]
    app.text_input("english").set_value("She never eats meat.").run()
    assert header_of(app)["duel"]["tokens"] == [] and "bown" not in link_of(app)


def test_a_forced_beginning_is_everybodys():
    data = header_of(opened(english="I am cold.", bpre="Je"))
    assert data["duel"]["fixed"] == len(data["duel"]["tokens"]) == 1
    assert all(lane["text"].startswith("Je") for lane in data["lanes"])
