"""The long-context identities hold on healthy models, and each notices what it is there to notice."""

import pytest
import torch

from tests.tiny import TEXT
from tlmviz import kernels
from tlmviz.checks import kernels as long
from tlmviz.checks import measure

pytestmark = pytest.mark.slow


def failed(lm, trace):
    return {result.name for result in measure(long, lm, trace) if not result.passed}


def test_every_variant_passes(variant):
    for trace in (variant.trace(TEXT), variant.trace_ids([5]), variant.trace_ids([5, 6])):
        assert not failed(variant, trace)


def test_the_bundled_model_passes(stories):
    assert not failed(stories, stories.trace("Once upon a time there was a little girl named Lily."))


@pytest.mark.parametrize(
    "change, name",
    [
        (lambda o: {"window": o["window"] + 1} if o.get("window") else {}, "Window = slicing"),
        (lambda o: {"window": o["window"] + 1} if o.get("window") else {}, "Mask = kernel"),
        (lambda o: {"segments": None} if "segments" in o else {}, "No leak between requests"),
    ],
)
def test_a_wrong_kernel_is_noticed(lm, monkeypatch, change, name):
    honest = kernels.attention
    monkeypatch.setattr(kernels, "attention", lambda *args, **o: honest(*args, **o | change(o)))
    assert name in failed(lm, lm.trace(TEXT))


def test_a_wrong_pooled_map_is_noticed(lm, monkeypatch):
    honest = kernels.pooled_attention_map
    monkeypatch.setattr(kernels, "pooled_attention_map", lambda *args, **o: honest(*args, **o) * 1.001)
    assert failed(lm, lm.trace(TEXT)) == {"Pooled = pooling"}


def test_a_recurrence_that_forgets_is_noticed(lm, monkeypatch):
    honest = long.recurrent

    def forgets(q, k, v):
        return honest(q, torch.cat((k[:, :, :1] * 0, k[:, :, 1:]), 2) + 1e-9, v)

    monkeypatch.setattr(long, "recurrent", forgets)
    assert failed(lm, lm.trace(TEXT)) == {"Recurrent = parallel"}
