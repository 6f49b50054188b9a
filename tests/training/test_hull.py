"""Random points with their hulls, and a network that learns from them, stops, and goes on."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests import tiny
from tlmviz.analysis.words.hulls import exact_hull
from tlmviz.training import loop
from tlmviz.training.hull import RECIPE, HullBatches, loss_of, train
from tlmviz.training.hull_export import export

SMALL = replace(
    RECIPE,
    config=replace(RECIPE.config, name="tiny", d_model=16, n_layers=1, n_heads=2, d_ff=16, most=12),
    schedule=loop.Schedule(steps=4, stop=2, warmup=1, evaluate_every=2),
    last=2,
    rows=4,
    first=6,
)


@pytest.mark.parametrize("uniform", [0.0, 1.0])
def test_orders_are_exact_hulls_and_end(uniform):
    batches = HullBatches(replace(SMALL, uniform=uniform), 0)
    for _ in range(6):
        points, order = batches.batch(9, 5)
        for row, places in zip(points.double().numpy(), order.tolist()):
            end = places.index(9)
            assert places[:end] == exact_hull(row).tolist() and set(places[end:]) == {9}


def test_sets_grow():
    batches = HullBatches(SMALL, 0)
    begin, end = ([batches.number(step) for _ in range(300)] for step in (0, 4))
    assert min(begin) == min(end) == 5 and max(begin) == 6 and max(end) == 12


def test_the_loss_counts_each_hull_to_its_end():
    finder = tiny.hull_finder()
    points, order = HullBatches(SMALL, 1).batch(7, 3)
    logs = finder.network(points, order).log_softmax(-1)
    nats = [-logs[row, t, p] for row in range(3) for t, p in enumerate(order[row]) if 7 not in order[row, :t]]
    assert loss_of(finder.network, points, order).item() == pytest.approx(float(np.mean(nats)), abs=1e-5)


@pytest.mark.slow
def test_a_run_logs_resumes_and_is_exported(tmp_path, monkeypatch):
    whole = train(SMALL, tmp_path / "whole")
    assert [point["step"] for point in whole["curve"]] == [2, 4] and whole["sets"] == 16
    begun = train(replace(SMALL, last=0), tmp_path / "parts")
    weights = loop.read_weights(tmp_path / "parts")
    log = train(SMALL, tmp_path / "parts")
    assert begun["step"] == 2 and log["step"] == 4 and log["curve"][0] == begun["curve"][0]
    again = loop.read_weights(tmp_path / "parts")
    assert any(not torch.equal(again[name], value) for name, value in weights.items())
    monkeypatch.setattr("tlmviz.training.hull_export.SETS", 3)
    monkeypatch.setattr("tlmviz.training.hull_export.NUMBERS", (5, 50))
    export(SMALL, log, tmp_path / "parts", tmp_path / "models" / "tiny")
    card = (tmp_path / "models" / "tiny" / "card.md").read_text()
    assert "| 50 | " in card and "Vinyals" in card and "float32" in card


def test_the_rate_leaves_the_cosine_and_falls_to_nothing():
    rates = [RECIPE.rate(step) for step in range(RECIPE.steps + 1)]
    stop = RECIPE.schedule.stop
    assert rates[: stop + 1] == [RECIPE.schedule.rate(step) for step in range(stop + 1)]
    np.testing.assert_allclose(np.diff(rates[stop:]), -rates[stop] / RECIPE.last)
    assert rates[-1] == 0
