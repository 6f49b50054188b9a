"""RoPE's identities hold on healthy models, and each notices what it is there to notice."""

import pytest
import torch

from tests import tiny
from tests.tiny import TEXT
from tlmviz import kernels
from tlmviz.analysis.positions.rope_runs import HalfSplit
from tlmviz.checks import measure, positions
from tlmviz.layers.positions import RoPE


def failed(lm, trace):
    return {result.name for result in measure(positions, lm, trace) if not result.passed}


@pytest.mark.parametrize("changes", [{}, dict(n_kv_heads=2, rope_base=100000.0), dict(n_kv_heads=1, window=5)], ids=str)
def test_every_model_with_rope_passes(tokenizer, changes):
    lm = tiny.language_model(tokenizer, **changes)
    for trace in (lm.trace(TEXT), lm.trace_ids([5]), lm.trace_ids([5] * 100)):
        results = measure(positions, lm, trace)
        assert len(results) == 4 and all(result.passed for result in results)


@pytest.mark.parametrize("changes", [dict(positions="learned"), dict(latent_dim=8, rope_dim=4)], ids=str)
def test_other_models_are_left_out(tokenizer, changes):
    lm = tiny.language_model(tokenizer, **changes)
    assert measure(positions, lm, lm.trace(TEXT)) == []


def test_the_bundled_model_passes(stories):
    assert not failed(stories, stories.trace("Once upon a time there was a little girl named Lily."))


@pytest.mark.parametrize("other", [RoPE(8, 500.0), HalfSplit(8)], ids=["base", "layout"])
def test_a_model_that_rotates_otherwise_than_it_says_is_noticed(tokenizer, other):
    lm = tiny.language_model(tokenizer)
    lm.network.positions = other
    assert failed(lm, lm.trace(TEXT)) == {"Planes = score"}


def test_a_rotation_that_depends_on_the_place_is_noticed(lm, monkeypatch):
    honest = kernels.rope
    monkeypatch.setattr(kernels, "rope", lambda x, where, *a, **o: honest(x, where + where // 4, *a, **o))
    assert "Distance alone" in failed(lm, lm.trace(TEXT))


def test_a_rotation_that_stretches_is_noticed(lm, monkeypatch):
    honest = kernels.rope
    monkeypatch.setattr(kernels, "rope", lambda *a, **o: honest(*a, **o) * 1.001)
    assert "Norms stay" in failed(lm, lm.trace(TEXT))


def test_layouts_that_differ_by_more_than_order_are_noticed(lm, monkeypatch):
    monkeypatch.setattr(positions, "half_order", torch.arange)
    assert failed(lm, lm.trace(TEXT)) == {"Layouts = order"}
