"""Pictures moved at random, and a latent array that learns from them, stops, and goes on."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tlmviz import digits
from tlmviz.training import loop
from tlmviz.training.latents import RECIPES, DigitBatches, train
from tlmviz.training.latents_export import export

SMALL = replace(
    RECIPES["digits-perceiver"],
    config=replace(RECIPES["digits-perceiver"].config, name="tiny", n_latents=2, d_model=8, n_layers=1, d_ff=8),
    schedule=loop.Schedule(steps=4, warmup=1, evaluate_every=2),
    rows=4,
    full=1.0,
    strokes=0.0,
)


@pytest.fixture(autouse=True)
def few_strokes(monkeypatch):
    """Drawing as many as a training does takes a while."""
    monkeypatch.setattr("tlmviz.training.latents.STROKES", 10)


STILL = replace(SMALL, turn=0, shear=0, stretch=0, shift=0, ink=0)


def test_only_training_digits_are_drawn():
    pictures, labels = DigitBatches(replace(STILL, full=0.5), 0).batch(40)
    known = {digits.written(image): label for image, label in zip(digits.training().images, digits.training().labels)}
    known[digits.written(np.zeros((8, 8)))] = digits.NOTHING
    cells = pictures.numpy().reshape(40, 3, 8, 3, 8).swapaxes(2, 3).reshape(360, 8, 8)
    for cell, label in zip(cells, labels.flatten().tolist(), strict=True):
        assert known[digits.written(np.rint(16 * cell))] == label
    filled = (labels != digits.NOTHING).sum(1)
    assert 0.3 < (filled == 9).float().mean() < 0.8 and 1 <= filled.min() < 5


def test_some_digits_are_drawn_in_strokes(monkeypatch):
    monkeypatch.setattr("tlmviz.training.latents.STROKES", 30)
    batches = DigitBatches(replace(STILL, strokes=0.5), 0)
    assert len(batches.images) == len(batches.labels) == len(digits.training()) + 30
    pictures, _ = batches.batch(40)
    known = {digits.written(image) for image in digits.training().images}
    cells = pictures.numpy().reshape(40, 3, 8, 3, 8).swapaxes(2, 3).reshape(360, 8, 8)
    drawn = np.mean([digits.written(np.rint(16 * cell)) not in known for cell in cells])
    assert 0.35 < drawn < 0.65


def test_pictures_move_a_little_and_stay_pictures():
    still, moved = DigitBatches(STILL, 0).batch(200)[0], DigitBatches(SMALL, 0).batch(200)[0]
    assert moved.min() >= 0 and moved.max() <= 1
    similar = torch.cosine_similarity(still.flatten(1), moved.flatten(1))
    assert (similar < 0.999).all() and similar.median() > 0.6


def test_a_shift_is_counted_in_pixels():
    recipe = replace(STILL, shift=1.0)
    batches = DigitBatches(recipe, 0)
    dot = torch.zeros(500, 8, 8)
    dot[:, 4, 4] = 1
    moved = batches.moved(dot)
    places = (moved * torch.arange(8.0)).sum((1, 2)) / moved.sum((1, 2))
    assert 2.95 < places.min() < 3.1 and 4.9 < places.max() < 5.05


@pytest.mark.slow
def test_a_run_logs_resumes_and_is_exported(tmp_path):
    whole = train(SMALL, tmp_path / "whole")
    assert [point["step"] for point in whole["curve"]] == [2, 4]
    first = replace(SMALL, schedule=replace(SMALL.schedule, stop=2))
    begun = train(first, tmp_path / "parts")
    weights = loop.read_weights(tmp_path / "parts")
    log = train(SMALL, tmp_path / "parts")
    assert begun["step"] == 2 and log["step"] == 4 and log["curve"][0] == begun["curve"][0]
    assert any(not torch.equal(loop.read_weights(tmp_path / "parts")[name], value) for name, value in weights.items())
    export(SMALL, log, tmp_path / "parts", tmp_path / "models" / "tiny")
    card = (tmp_path / "models" / "tiny" / "card.md").read_text()
    assert "CC BY 4.0" in card and "| **9** |" in card and "float32" in card
    assert (tmp_path / "models" / "tiny" / "curve.svg").stat().st_size > 1000
