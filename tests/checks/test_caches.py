"""Every kind of cache gives a full pass's logits on healthy models, and one wrong kind is noticed."""

import pytest
import torch

from tests.tiny import TEXT
from tlmviz.caches import ContiguousCache, LatentCache, PagedCache, SlidingCache
from tlmviz.checks.caches import every_cache_equals_full, kinds


def test_every_variant_passes(variant):
    for trace in (variant.trace(TEXT), variant.trace_ids([5]), variant.trace_ids([5, 6])):
        assert every_cache_equals_full(variant, trace).passed


def test_the_bundled_model_passes(stories):
    assert every_cache_equals_full(
        stories, stories.trace("Once upon a time there was a little girl named Lily.")
    ).passed


def test_each_kind_is_read_and_sinks_only_where_they_fit(variant):
    config, made = variant.config, kinds(variant, 24)
    read = {type(cache) for cache in made.values()}
    windows = {config.layer(layer).window for layer in range(config.n_layers)}
    assert {ContiguousCache, PagedCache} <= read and (SlidingCache in read) == (len(windows) == 1)
    assert (LatentCache in read) == (config.attention.latent_dim is not None)
    plain = windows == {None} and config.positions.kind not in ("alibi", "relative")
    assert any(name.startswith("sinks") for name in made) == plain
    assert {cache.rotated for cache in made.values() if type(cache) is ContiguousCache} == {True, False}


@pytest.mark.parametrize("kind", [ContiguousCache, SlidingCache], ids=lambda kind: kind.__name__)
def test_a_cache_that_places_tokens_wrongly_is_noticed(lm, monkeypatch, kind):
    honest = kind.position_ids
    monkeypatch.setattr(kind, "position_ids", lambda self, count: honest(self, count) * 2)
    assert not every_cache_equals_full(lm, lm.trace(TEXT)).passed


@pytest.mark.parametrize("kind", [ContiguousCache, SlidingCache, PagedCache], ids=lambda kind: kind.__name__)
def test_a_cache_that_reads_wrong_values_is_noticed(lm, monkeypatch, kind):
    honest = kind.attend
    monkeypatch.setattr(kind, "attend", lambda self, layer, q, k, v, *rest: honest(self, layer, q, k, 1.001 * v, *rest))
    assert not every_cache_equals_full(lm, lm.trace(TEXT)).passed


def test_a_not_a_number_is_noticed(lm, monkeypatch):
    honest = SlidingCache.attend

    def broken(self, *arguments):
        out, lse = honest(self, *arguments)
        return out * (torch.nan if self.sinks else 1.0), lse

    monkeypatch.setattr(SlidingCache, "attend", broken)
    assert not every_cache_equals_full(lm, lm.trace(TEXT)).passed
