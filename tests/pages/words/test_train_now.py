"""The part Train now of the page Word vectors: trainings begin, go on, are stopped, and say what they cannot read."""

from functools import partial

import pytest

from tests.pages.helpers import assert_healthy, badges, charts, open_page, run_snippet, title_of, words
from tlmviz.training.live import Live

PAGE = "words/word_vectors"
opened = partial(open_page, PAGE, wvpart="training")
TEXT = "the red ball rolled to the cat and the blue ball rolled to the dog and the red cat saw the blue dog"


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Trainings of a quarter of a second, done at once."""
    from pages.words.word_vectors.training import data

    data.example.clear()

    def at_once(live: Live) -> None:
        live.begun, live.seconds = True, 0.25
        while live.running:
            live.work()

    monkeypatch.setattr("pages.words.word_vectors.training.data.go_on", at_once)
    yield
    data.example.clear()


def told(app) -> str:
    return words(app)


def test_it_opens_on_a_training_with_a_film_and_green_badges():
    app = opened()
    [film] = charts(app)
    assert "most frequent shown; text read" in title_of(film) and len(film["frames"]) > 3
    assert "of training nearest to “red”, by cosine" in told(app) and "✗" not in badges(app) and badges(app)


def test_a_text_of_ones_own_lies_as_drawn_until_it_is_trained():
    app = opened(wlive=TEXT)
    [drawn] = charts(app)
    assert "text read 0.0 times" in title_of(drawn) and "Not trained yet" in told(app)
    app.button(key="trainbegin").click().run()
    [film] = charts(app)
    assert "text read 0.0" not in title_of(film) and film["frames"] and "Done" in told(app)
    app.slider(key="wlwin").set_value(1).run()
    assert "Not trained yet" in told(app)  # another choice, and the one before is kept
    app.slider(key="wlwin").set_value(5).run()
    assert "Done" in told(app)


def test_the_snippet_trains_the_same_text():
    scope = run_snippet(opened(wlive=TEXT))
    assert scope["live"].text.vocabulary[0] == "the" and scope["live"].losses[-1] < scope["live"].losses[1]


@pytest.mark.parametrize("typed", ["hello", "...", "the the the"])
def test_a_text_of_fewer_than_two_words_is_one_sentence(typed):
    app = opened(wlive=typed)
    [info] = app.info
    assert "vectors need two" in info.value and app.text_area(key="wlive").value == typed


@pytest.mark.parametrize("typed", ["猫 と 犬 と 猫 の 本", "word " * 20 + "other", "a b"])
def test_other_scripts_and_small_texts_are_trained(typed):
    app = opened(wlive=typed, wlnear="b")
    app.button(key="trainbegin").click().run()
    assert_healthy(app)
    assert len(charts(app)) == 1


def test_a_word_that_is_not_in_the_text_is_named():
    assert "“zebra” is not among the words" in told(opened(wlive=TEXT, wlnear="zebra"))


def test_numbers_that_run_away_are_said(monkeypatch):
    app = opened(wlive=TEXT)

    def breaks(live):
        live.begun = live.broken = True

    monkeypatch.setattr("pages.words.word_vectors.training.data.go_on", breaks)
    app.button(key="trainbegin").click().run()
    assert_healthy(app)
    assert "The numbers ran away" in told(app)
