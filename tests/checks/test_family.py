"""The identities of the attention family hold on healthy models, and each notices what it is there to notice."""

import pytest

from tests.tiny import TEXT, VARIANTS, language_model
from tlmviz import kernels
from tlmviz.analysis.caches import weight_absorption
from tlmviz.caches import LatentCache
from tlmviz.checks import caches_family as family
from tlmviz.checks import measure


def failed(lm, trace):
    return {result.name for result in measure(family, lm, trace) if not result.passed}


def test_every_variant_passes(variant):
    for trace in (variant.trace(TEXT), variant.trace_ids([5]), variant.trace_ids([5, 6]), variant.trace_ids([3] * 90)):
        assert not failed(variant, trace)


def test_latent_models_are_put_to_two_more(tokenizer, lm):
    latent = language_model(tokenizer, **VARIANTS["latent"])
    assert len(measure(family, latent, latent.trace(TEXT))) == len(measure(family, lm, lm.trace(TEXT))) + 2


def test_wrong_sharing_is_noticed(lm, monkeypatch):
    """Query heads that read the next key/value head instead of their own."""
    honest = kernels.attention

    def wrong(q, k, v, *mask, **options):
        return (
            honest(q, k.roll(1, 1), v.roll(1, 1), *mask, **options)
            if 1 < k.shape[1] < q.shape[1]
            else honest(q, k, v, *mask, **options)
        )

    trace = lm.trace(TEXT)
    monkeypatch.setattr(kernels, "attention", wrong)
    assert failed(lm, trace) == {"Sharing = repeating"}


def test_ends_that_are_not_the_ends_are_noticed(lm, monkeypatch):
    honest = kernels.attention

    def wrong(q, k, v, *mask, **options):
        return (
            honest(q, k[:, :1], v[:, :1], *mask, **options)
            if k.shape[1] == q.shape[1] > 1
            else honest(q, k, v, *mask, **options)
        )

    trace = lm.trace(TEXT)
    monkeypatch.setattr(kernels, "attention", wrong)
    assert "G = H is MHA, G = 1 MQA" in failed(lm, trace)


@pytest.mark.parametrize("name", ["rope", "latent"])
def test_a_cache_that_forgets_is_noticed(tokenizer, monkeypatch, name):
    lm = language_model(tokenizer, **VARIANTS[name])
    trace, kind = lm.trace(TEXT), type(lm.new_cache())
    honest = kind.append

    def forgetful(self, layer, k, v):
        return honest(self, layer, k * (self.length != 3), v)

    monkeypatch.setattr(kind, "append", forgetful)
    assert "Own cache = full" in failed(lm, trace)


def test_a_wrong_fold_and_a_larger_cache_are_noticed(tokenizer, monkeypatch):
    lm = language_model(tokenizer, **VARIANTS["latent"])
    trace, honest = lm.trace(TEXT), weight_absorption.absorbed
    monkeypatch.setattr(weight_absorption, "absorbed", lambda *args: 1.001 * honest(*args))
    monkeypatch.setattr(
        LatentCache, "nbytes", property(lambda self: 2 * sum(parts[0].nbytes for parts in self._buffers if parts))
    )
    assert {"Absorbed = naive", "Cache = c_KV and k^R"} <= failed(lm, trace)
