"""Rows with hidden tokens, pieces of stories, read-outs, and a run that resumes."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests import tiny
from tlmviz.networks.encoder import TransformerEncoder
from tlmviz.training import encoder, encoder_export, loop
from tlmviz.training.data import Corpus
from tlmviz.training.encoder import RECIPE, SPECIAL, PairBatches, train

STORIES = [" ".join((*tiny.SENTENCES[i % 4 :], *tiny.SENTENCES[: i % 4], f"Number {i}.")) for i in range(9)]
CORPUS = Corpus(STORIES, STORIES[:4], [])


@pytest.fixture(scope="module")
def words(tokenizer):
    return tokenizer.with_special(*SPECIAL)


@pytest.fixture(scope="module")
def recipe(words):
    config = RECIPE.config.with_(
        vocab_size=words.vocab_size, n_layers=1, d_model=16, n_heads=2, n_kv_heads=2, d_ff=24, context=64
    )
    schedule = loop.Schedule(steps=4, batch_tokens=64, warmup=1, evaluate_every=2)
    return replace(RECIPE, config=config, schedule=schedule, lengths=(20, 32), judged=(30, 40), pairs=20)


def test_what_is_hidden(words, recipe):
    rows = PairBatches(STORIES, words, recipe, 0).batch(32, 200)
    config, asked = recipe.config, rows.truth >= 0
    assert rows.ids.shape == (200, 32) and 0.12 < asked[:, 1:-1].float().mean() < 0.17
    assert (rows.truth[asked] < config.cls).all()  # special tokens are never asked for
    read = rows.ids[asked]
    assert 0.74 < (read == config.mask).float().mean() < 0.86
    assert 0.04 < (read == rows.truth[asked]).float().mean() < 0.16
    assert not (rows.ids[~asked] == config.mask).any()


def test_two_pieces_and_one(words, recipe):
    rows = PairBatches(STORIES, words, recipe, 0).plain(32, 300)
    ends = (rows.ids == recipe.config.sep).sum(1)
    assert (ends[rows.story >= 0] == 2).all() and (ends[rows.story < 0] == 1).all()
    assert 0.1 < (rows.story < 0).float().mean() < 0.2 and 0.35 < (rows.story == 1).float().mean() < 0.5
    assert (rows.ids[:, 0] == recipe.config.cls).all() and (rows.ids[:, -1] == recipe.config.sep).all()


def in_words(words, ids):
    """A row as (word, its tokens): what a space and letters begin goes on with letters; all else stands alone."""
    found = []
    for i in ids:
        text = words.decode([i])
        if found and found[-1][0].strip().isalpha() and found[-1][0].startswith(" ") and text.isalpha():
            found[-1] = (found[-1][0] + text, [*found[-1][1], i])
        else:
            found.append((text, [i]))
    return found


def test_two_neighbouring_words_are_exchanged_in_half_of_the_rows(words, recipe):
    plain, drawn = PairBatches(STORIES, words, recipe, 0), PairBatches(STORIES, words, recipe, 0)
    for _ in range(200):
        state = plain.rng.bit_generator.state
        drawn.rng.bit_generator.state = state
        [right], [rows] = plain.plain(32, 1, exchange=0.0).ids, [drawn.plain(32, 1, exchange=1.0)]
        moved = rows.moved[0]
        assert moved.any() == moved[0] == (rows.ids[0] != right).any()
        assert sorted(rows.ids[0].tolist()) == sorted(right.tolist())  # a bag of words tells nothing
        places = moved[1:].nonzero()[:, 0] + 1
        start, end = int(places[0]), int(places[-1]) + 1
        assert moved[start:end].all()
        (one, _), (other, _) = in_words(words, right[start:end].tolist())
        assert words.decode(rows.ids[0, start:end].tolist()) == other + one
        assert one.startswith(" ") and other.startswith(" ") and one.strip().isalpha() and other.strip().isalpha()
    rows = PairBatches(STORIES, words, recipe, 1).plain(32, 400)
    assert 0.42 < rows.moved[:, 0].float().mean() < 0.58


def test_a_text_without_two_words_is_left_as_it_is(words, recipe):
    ids = np.array([recipe.config.cls, *words.encode(" ball, ball."), recipe.config.sep])
    moved = PairBatches(STORIES, words, recipe, 0)._exchange(ids)
    assert not moved.any() and ids.tolist()[1:-1] == words.encode(" ball, ball.")


def test_a_bag_of_words_is_no_better_than_a_coin(words, recipe):
    judged = [encoder_export.pairs_judged(CORPUS, words, recipe, length) for length in recipe.judged]
    right = np.concatenate(encoder_export.told_by_bags(CORPUS, words, recipe, judged))
    assert len(right) == 2 * encoder_export.PAIRS_JUDGED and 0.35 < right.mean() < 0.65


def test_a_read_out_is_a_logistic_regression():
    generator = np.random.default_rng(0)
    read = generator.normal(size=(400, 3)).astype(np.float32)
    linear = torch.nn.Linear(3, 1).requires_grad_(False)
    encoder._fit(linear, read, (read[:, 1] > 0).astype(int))
    assert ((linear(torch.from_numpy(read))[:, 0] > 0).numpy() == (read[:, 1] > 0)).mean() > 0.97


def test_measuring_leaves_the_network_as_it_was(words, recipe):
    network = TransformerEncoder(recipe.config)
    rows = [PairBatches(STORIES, words, recipe, 0).batch(24, 8)]
    for training in (True, False):
        network.train(training)
        assert 0 <= encoder.measured(network, rows)["right"] <= 1 and network.training == training
        assert 0 <= encoder.answered(network, rows) <= 1 and network.training == training


@pytest.mark.slow
def test_a_run_logs_and_resumes(tmp_path, words, recipe, monkeypatch):
    monkeypatch.setattr(encoder, "HELD_OUT", ((24, 64),))
    begun = train(replace(recipe, schedule=replace(recipe.schedule, steps=2)), CORPUS, words, tmp_path)
    log = train(recipe, CORPUS, words, tmp_path)
    assert [point["step"] for point in log["curve"]] == [2, 4] and log["curve"][0] == begun["curve"][0]
    assert log["tokens"] > begun["tokens"] and 0 <= log["curve"][-1]["right"] <= 1
