"""Stories with hidden words, and twins that learn from the same ones in the same order."""

from dataclasses import replace

import numpy as np
import pytest

from tests import tiny
from tlmviz.tokens.whole_words import WordTokenizer
from tlmviz.training import loop, sentinel, sentinel_export
from tlmviz.training.data import Corpus
from tlmviz.training.recipe import Twins
from tlmviz.training.sentinel import RECIPES, StoryBatches, train

STORIES = [f"{text} Then Lily gave it to Tom number{i}." for i, text in enumerate(tiny.SENTENCES * 3)]
CORPUS = Corpus(STORIES, ["Lily had a ball. Lily saw Mimmo and Lily."], [])
WORDS = WordTokenizer.train(STORIES, 2)
SCHEDULE = loop.Schedule(steps=4, batch_tokens=128, warmup=1, evaluate_every=2)
SMALL = {
    name: replace(recipe, config=replace(recipe.config, d_model=12, stand_ins=3), schedule=SCHEDULE)
    for name, recipe in RECIPES.items()
}
SENTINEL = SMALL["stories-sentinel"]


def test_twins_differ_in_nothing_but_the_pointer():
    one, two = RECIPES.values()
    plain = replace(one.config, name=two.config.name, description=two.config.description, pointer=False)
    assert replace(one, config=plain) == two


def test_nothing_hidden_is_the_story():
    batches = StoryBatches(STORIES, WORDS, replace(SENTINEL, names=0.0, words=0.0), 0)
    story = batches.stories[0]
    hidden = batches.hidden(story)
    assert np.array_equal(hidden[story < batches.size], story[story < batches.size])
    assert story[-1] == WordTokenizer.END and (hidden >= batches.size).tolist() == (story >= batches.size).tolist()


def test_all_names_hidden():
    batches = StoryBatches(STORIES, WORDS, replace(SENTINEL, names=1.0, words=0.0), 0)
    names = {WORDS.words[i] for i in np.flatnonzero(batches.names)}
    assert {"Lily", "Tom"} <= names
    assert not names & {"The", "the", "⟨end⟩"}  # "the" stands there without a capital
    story = batches.stories[0]
    hidden = batches.hidden(story)
    lily = WORDS.words.index("Lily")
    assert len(set(hidden[story == lily])) == 1 and hidden[story == lily][0] >= batches.size
    kinds = {int(word) for word in story if word >= batches.size or batches.names[word]}
    assert len(set(hidden[hidden >= batches.size])) == len(kinds)


def test_a_pass_holds_every_story_once():
    batches = StoryBatches(STORIES, WORDS, SENTINEL, 0)
    rows = np.concatenate(batches._one_pass(64))
    assert sorted(rows) == list(range(len(STORIES)))
    inputs, columns, following = batches.batch(64)
    assert inputs.shape == columns.shape == following.shape and inputs.numel() <= 64
    assert (following == -100).any() or len(inputs) == 1
    inner = following[:, :-1] >= 0
    assert (inputs < batches.size + 3).all() and (columns[:, 1:][inner] == following[:, :-1][inner]).all()


def test_twins_read_the_same_batches():
    one, two = (StoryBatches(STORIES, WORDS, recipe, recipe.schedule.seed) for recipe in SMALL.values())
    for _ in range(5):
        assert all(np.array_equal(a, b) for a, b in zip(one.batch(96), two.batch(96)))


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_a_run_logs_and_resumes(tmp_path, name):
    recipe = SMALL[name]
    begun = train(replace(recipe, schedule=replace(SCHEDULE, steps=2)), CORPUS, WORDS, tmp_path)
    log = train(recipe, CORPUS, WORDS, tmp_path)
    assert [point["step"] for point in log["curve"]] == [2, 4] and log["curve"][0] == begun["curve"][0]
    assert log["tokens"] > begun["tokens"] and log["passes"] >= 1


@pytest.mark.slow
def test_the_recipe_writes_both_models(tmp_path, monkeypatch):
    monkeypatch.setattr(sentinel, "RECIPES", SMALL)
    monkeypatch.setattr(sentinel_export, "RECIPES", SMALL)
    monkeypatch.setattr("tlmviz.training.recipe._corpus", lambda data: CORPUS)
    logs = Twins().run(tmp_path, tmp_path / "runs", tmp_path / "models")
    assert logs.keys() == SMALL.keys()
    for name in SMALL:
        card = (tmp_path / "models" / name / "card.md").read_text()
        assert "never-seen names copied" in card and "CDLA" in card
        assert (tmp_path / "models" / name / "curve.svg").is_file()
