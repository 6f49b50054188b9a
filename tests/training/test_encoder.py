"""Rows with hidden tokens, pieces of stories, read-outs, and a run that resumes."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests import tiny
from tlmviz.training import encoder, loop
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
    assert (ends[rows.answer >= 0] == 2).all() and (ends[rows.answer < 0] == 1).all()
    assert 0.1 < (rows.answer < 0).float().mean() < 0.2 and 0.35 < (rows.answer == 1).float().mean() < 0.5
    assert (rows.ids[:, 0] == recipe.config.cls).all() and (rows.ids[:, -1] == recipe.config.sep).all()


def test_pieces_in_order_make_a_beginning(words, recipe):
    batches = PairBatches(STORIES, words, recipe, 0, "order")
    length = next(n for n in range(20, 60) if (batches._lengths == n - 3).any())
    rows = batches.plain(length, 40)
    beginnings = {tuple(story.ids[: length - 3].tolist()) for story in batches.stories}
    for ids, answer in zip(rows.ids.tolist(), rows.answer.tolist()):
        cut = ids.index(recipe.config.sep)
        first, second = ids[1:cut], ids[cut + 1 : -1]
        assert tuple(first + second if answer else second + first) in beginnings


def test_a_read_out_is_a_logistic_regression():
    generator = np.random.default_rng(0)
    read = generator.normal(size=(400, 3)).astype(np.float32)
    linear = torch.nn.Linear(3, 1).requires_grad_(False)
    encoder._fit(linear, read, (read[:, 1] > 0).astype(int))
    assert ((linear(torch.from_numpy(read))[:, 0] > 0).numpy() == (read[:, 1] > 0)).mean() > 0.97


def test_measuring_leaves_the_network_as_it_was(words, recipe):
    network = encoder.Questioned(recipe.config)
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
